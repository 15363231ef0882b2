// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/progress.h"

#include <fmt/format.h>

#include <cmath>

namespace kbx {
namespace {

std::string duration_text(double seconds) {
  const auto whole = static_cast<int64_t>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace

std::string progress_text(const ProgressState& state) {
  const int64_t now_done = state.done - state.before;
  std::string text = state.total_known ? fmt::format("{}/{} done", state.done, state.total)
                                       : fmt::format("{} done, {} waiting", state.done, state.total - state.done);
  text += fmt::format(", {} passed", state.passed);
  if (now_done == 0 || state.seconds <= 0) return text;
  const double rate = static_cast<double>(now_done) / state.seconds;
  text += rate >= 1 ? fmt::format(", {:.1f} a second", rate) : fmt::format(", {:.1f} s each", 1 / rate);
  if (state.total_known && state.done < state.total)
    text += fmt::format(", {} left", duration_text(static_cast<double>(state.total - state.done) / rate));
  return text;
}

void Progress::update(const ProgressState& state) {
  using namespace std::chrono_literals;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_ < (terminal_ ? 200ms : 15000ms)) return;
  last_ = now;
  const std::string text = progress_text(state);
  std::fputs((terminal_ ? "\r\x1b[K" + text : text + "\n").c_str(), stream_);
  std::fflush(stream_);
  shown_ = terminal_;
}

void Progress::clear() {
  if (shown_) std::fputs("\r\x1b[K", stream_);
  std::fflush(stream_);
  shown_ = false;
}

}  // namespace kbx

// SPDX-License-Identifier: Apache-2.0
#include "kbx/run/judge_pool.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "kbx/base/error.h"
#include "kbx/record/json.h"

namespace kbx {
namespace {

constexpr int kMostDeaths = 3;                      // in a row, without a record
constexpr auto kStart = std::chrono::seconds(180);  // torch from a cold disk takes its time
constexpr auto kStop = std::chrono::seconds(10);

}  // namespace

JudgePool::JudgePool(PoolConfig config) : config_(std::move(config)) {
  // Some more than can run, so that a judge never waits for kbx.
  most_in_flight_ = static_cast<size_t>(config_.jobs + std::max(1, config_.jobs / 2));
  judges_.resize(config_.devices.size());
  ready_.resize(config_.devices.size());
  for (size_t i = 0; i < judges_.size(); ++i) {
    judges_[i].device = config_.devices[i];
    start(judges_[i]);
  }
  wait_until_ready();
}

JudgePool::~JudgePool() {
  const auto deadline = Clock::now() + kStop;
  for (Judge& judge : judges_) {
    if (judge.process && judge.in_flight.empty()) judge.process->stop(deadline);
  }
}

void JudgePool::start(Judge& judge) {
  judge.process = std::make_unique<JudgeProcess>(config_.program, config_.log);
  judge.ready = judge.alone = false;
  judge.heard = Clock::now();
  nlohmann::json configure = config_.configure;
  configure["device"] = judge.device;
  configure["jobs"] = config_.jobs;
  judge.process->channel().send(wire::Type::kConfigure, 0, configure, {}, Clock::now() + kStop);
}

void JudgePool::wait_until_ready() {
  const auto waits = [](const Judge& judge) { return judge.process && !judge.ready; };
  const auto deadline = Clock::now() + kStart;
  while (std::any_of(judges_.begin(), judges_.end(), waits)) {
    if (Clock::now() > deadline) throw Error(ErrorKind::kEnvironment, "kbx-judge was not ready within three minutes");
    wait(deadline, -1);
    for (const Judge& judge : judges_) {
      if (judge.deaths > 0) throw Error(ErrorKind::kEnvironment, "kbx-judge cannot serve: " + judge.last_words);
    }
  }
}

// The least busy of those that have room.
std::optional<size_t> JudgePool::free_judge(bool alone) const {
  std::optional<size_t> best;
  for (size_t i = 0; i < judges_.size(); ++i) {
    const Judge& judge = judges_[i];
    const bool room = alone ? judge.in_flight.empty() : !judge.alone && judge.in_flight.size() < most_in_flight_;
    if (!judge.process || !judge.ready || !room) continue;
    if (!best || judge.in_flight.size() < judges_[*best].in_flight.size()) best = i;
  }
  return best;
}

bool JudgePool::has_room(bool alone) const {
  return free_judge(alone).has_value();
}

void JudgePool::submit(Item item, bool alone) {
  Judge& judge = judges_.at(free_judge(alone).value());
  const nlohmann::json message = {
      {"id", item.id}, {"task", item.task}, {"code", item.code}, {"entry", item.entry}, {"attempt", item.attempt}};
  item.code.clear();
  if (judge.in_flight.empty()) judge.heard = Clock::now();
  judge.alone = alone;
  judge.in_flight.push_back(std::move(item));
  // A judge that does not take a frame is dead or hangs: reading from it tells, or its silence.
  judge.process->channel().send(wire::Type::kEvaluate, 0, message, {}, Clock::now() + kStop);
}

std::optional<Finished> JudgePool::next(Clock::time_point deadline, int also_fd) {
  while (finished_.empty()) {
    const bool left =
        std::any_of(judges_.begin(), judges_.end(), [](const Judge& judge) { return judge.process != nullptr; });
    if (!left) throw Error(ErrorKind::kEnvironment, "no judge is left: " + judges_.back().last_words);
    if (!wait(deadline, also_fd)) break;
  }
  if (finished_.empty()) return std::nullopt;
  Finished finished = std::move(finished_.front());
  finished_.pop_front();
  return finished;
}

// Hears those judges that have something to say. False when the waiting is over for another reason.
bool JudgePool::wait(Clock::time_point deadline, int also_fd) {
  std::vector<pollfd> fds;
  std::vector<Judge*> speakers;
  for (Judge& judge : judges_) {
    if (!judge.process) continue;
    fds.push_back({judge.process->channel().fd(), POLLIN, 0});
    speakers.push_back(&judge);
  }
  if (also_fd >= 0) fds.push_back({also_fd, POLLIN, 0});
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  const int count = ::poll(fds.data(), fds.size(), static_cast<int>(std::clamp<long long>(left, 0, 1000)));
  if (count < 0 && errno != EINTR) throw Error(ErrorKind::kEnvironment, std::string("poll: ") + std::strerror(errno));
  bool heard = false;
  for (size_t i = 0; count > 0 && i < speakers.size(); ++i) {
    if (fds[i].revents == 0) continue;
    hear(*speakers[i]);
    heard = true;
  }
  for (Judge& judge : judges_) {
    const bool waited_for = !judge.in_flight.empty() || !judge.ready;
    if (judge.process && waited_for && Clock::now() - judge.heard > config_.silence)
      bury(judge, fmt::format("silent for {} s", config_.silence.count()));
  }
  const bool others = also_fd >= 0 && fds.back().revents != 0;
  return heard || (count == 0 && !others && Clock::now() < deadline);
}

void JudgePool::hear(Judge& judge) {
  try {
    wire::Received received = judge.process->channel().receive(Clock::now() + kStop);
    if (received.arrival == wire::Arrival::kMessage) return take(judge, std::move(received.message));
    bury(judge, received.arrival == wire::Arrival::kClosed ? "" : "half a message");
  } catch (const std::exception& wrong) {  // of the channel, of JSON, of a record
    bury(judge, wrong.what());
  }
}

void JudgePool::take(Judge& judge, wire::Message message) {
  judge.heard = Clock::now();
  const nlohmann::json& payload = message.payload;
  if (message.type == wire::Type::kReady) {
    judge.ready = true;
    ready_[static_cast<size_t>(&judge - judges_.data())] = payload;
  } else if (message.type == wire::Type::kFailed) {
    const std::string hint = payload.value("hint", "");
    bury(judge, payload.value("message", "") + (hint.empty() ? "" : "; " + hint));
  } else if (message.type == wire::Type::kRecord) {
    const std::string id = payload.value("id", "");
    const auto item = std::find_if(judge.in_flight.begin(), judge.in_flight.end(),
                                   [&](const Item& candidate) { return candidate.id == id; });
    if (item == judge.in_flight.end()) return;
    finished_.push_back({item->key, payload.at("record").get<Record>(), ""});
    judge.in_flight.erase(item);
    judge.alone = judge.alone && !judge.in_flight.empty();
    judge.deaths = 0;
  }
}

void JudgePool::bury(Judge& judge, std::string why) {
  const std::string end = judge.process->end();
  judge.last_words = why.empty() ? end : why;
  judge.process.reset();
  for (const Item& item : judge.in_flight) finished_.push_back({item.key, std::nullopt, judge.last_words});
  judge.in_flight.clear();
  if (++judge.deaths < kMostDeaths) start(judge);
}

void JudgePool::kill() {
  for (Judge& judge : judges_) judge.process.reset();
}

}  // namespace kbx

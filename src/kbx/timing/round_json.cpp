// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/round_json.h"

#include <array>
#include <cmath>
#include <string>

namespace kbx::timing {
namespace {

using Json = nlohmann::json;

constexpr std::array<const char*, 3> kKinds{"timed", "isolated", "empty"};
constexpr double kHourUs = 3.6e9;

std::optional<double> time_in(const Json& json) {
  if (!json.is_number()) return std::nullopt;
  const auto us = json.get<double>();
  if (!std::isfinite(us) || us < 0 || us > kHourUs) return std::nullopt;
  return us;
}

// The first `count` items of a row, as times.
template <size_t count>
bool read_times(const Json& row, size_t items, const std::array<double*, count>& to) {
  if (!row.is_array() || row.size() != items) return false;
  for (size_t i = 0; i < count; ++i) {
    const auto us = time_in(row[i]);
    if (!us) return false;
    *to[i] = *us;
  }
  return true;
}

// A list of exactly n rows, each read by read_row.
template <class T, class Read>
bool read_rows(const Json& json, const char* key, size_t n, std::vector<T>& to, const Read& read_row) {
  const auto at = json.find(key);
  if (at == json.end() || !at->is_array() || at->size() != n) return false;
  for (const Json& row : *at) {
    T item;
    if (!read_row(row, item)) return false;
    to.push_back(item);
  }
  return true;
}

}  // namespace

Json to_json(const RoundSpec& spec) {
  return {{"kind", kKinds[static_cast<size_t>(spec.kind)]},
          {"inputs", spec.inputs},
          {"untimed", spec.untimed},
          {"spin_cycles", spec.spin_cycles},
          {"flushes", spec.flushes}};
}

RoundSpec read_spec(const Json& json) {
  RoundSpec spec;
  const auto kind = json.at("kind").get<std::string>();
  for (size_t i = 0; i < kKinds.size(); ++i)
    if (kind == kKinds[i]) spec.kind = static_cast<RoundSpec::Kind>(i);
  json.at("inputs").get_to(spec.inputs);
  json.at("untimed").get_to(spec.untimed);
  json.at("spin_cycles").get_to(spec.spin_cycles);
  json.at("flushes").get_to(spec.flushes);
  return spec;
}

Json to_json(const RoundResult& result) {
  Json samples = Json::array(), isolated = Json::array();
  for (const Sample& s : result.samples)
    samples.push_back(Json::array({s.call_us, s.flush_us, s.spin_us, s.host_us, s.exposed}));
  for (const Isolated& one : result.isolated)
    isolated.push_back(Json::array({one.call_us, one.end_to_end_us, one.lag_us}));
  return {{"samples", std::move(samples)},
          {"isolated", std::move(isolated)},
          {"wall_us", result.wall_us},
          {"cache_released", result.cache_released}};
}

std::optional<RoundResult> read_result(const Json& json, const RoundSpec& spec) {
  if (!json.is_object()) return std::nullopt;
  const size_t n = spec.inputs.size();
  const size_t samples = spec.kind == RoundSpec::Kind::kTimed ? n : 0;
  const size_t isolated = spec.kind == RoundSpec::Kind::kIsolated ? n : 0;
  RoundResult result;
  const bool rows = read_rows(json, "samples", samples, result.samples,
                              [](const Json& row, Sample& s) {
                                if (!read_times<4>(row, 5, {&s.call_us, &s.flush_us, &s.spin_us, &s.host_us}))
                                  return false;
                                if (!row[4].is_boolean()) return false;
                                s.exposed = row[4].get<bool>();
                                return true;
                              }) &&
                    read_rows(json, "isolated", isolated, result.isolated, [](const Json& row, Isolated& one) {
                      return read_times<3>(row, 3, {&one.call_us, &one.end_to_end_us, &one.lag_us});
                    });
  const auto wall = json.find("wall_us"), released = json.find("cache_released");
  if (!rows || wall == json.end() || released == json.end() || !released->is_boolean()) return std::nullopt;
  const auto wall_us = time_in(*wall);
  if (!wall_us) return std::nullopt;
  result.wall_us = *wall_us;
  result.cache_released = released->get<bool>();
  return result;
}

}  // namespace kbx::timing

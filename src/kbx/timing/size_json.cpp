// SPDX-License-Identifier: Apache-2.0
#include "kbx/timing/size_json.h"

namespace kbx::timing {
namespace {

using Json = nlohmann::json;

Json interval_json(const Interval& i) {
  return {{"point", i.point}, {"lo", i.lo}, {"hi", i.hi}};
}

template <class T>
void put(Json& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

void put_percent(Json& json, const char* key, const std::optional<double>& share) {
  if (share) json[key] = 100 * *share;
}

Json side_json(const Summary& s, const Interval& interval) {
  return {{"median", s.median}, {"q1", s.q1},   {"q3", s.q3},
          {"p10", s.p10},       {"p90", s.p90}, {"min", s.min},
          {"mad", s.mad},       {"n", s.n},     {"ci", Json::array({interval.lo, interval.hi})}};
}

Json speedup_json(const Estimate& e, const Said& said) {
  Json json = interval_json(e.speedup);
  json["blocks"] = e.blocks;
  json["epochs"] = e.epochs;
  json["verdict"] = name_of(said.speed);
  json["reason"] = said.reason;
  // With one epoch the interval knows nothing of what changes from one minute to the next.
  json["within_one_session"] = e.epochs < 2;
  json["half_width"] = {{"blocks", e.half_blocks}, {"epochs", e.half_epochs}, {"quantum", e.half_quantum}};
  return json;
}

Json checks_json(const std::vector<Check>& checks) {
  Json json = Json::object();
  for (const Check& c : checks) {
    Json& one = json[c.name] = {{"outcome", name_of(c.outcome)}, {"ok", c.outcome != Check::Outcome::kFailed}};
    put(one, "value", c.value);
    put(one, "limit", c.limit);
    if (!c.detail.empty()) one["detail"] = c.detail;
  }
  return json;
}

Json efficiency_json(const Efficiency& e) {
  Json json = {{"gbps", e.gbps},
               {"tflops", e.tflops},
               {"floor_us", e.floor.us},
               {"time_over_floor", e.time_over_floor},
               {"bound", name_of(e.floor.bound)},
               {"impossible", e.impossible}};
  put_percent(json, "pct_peak_bw", e.of_copy);
  put_percent(json, "pct_size_bw", e.of_same_size_copy);
  put_percent(json, "pct_peak_flops", e.of_throughput);
  put_percent(json, "pct_datasheet_bw", e.of_datasheet_memory);
  put_percent(json, "pct_datasheet_flops", e.of_datasheet_throughput);
  put_percent(json, "pct_published_use", e.published_use);
  put(json, "sol_score", e.speed_of_light);
  return json;
}

std::optional<double> median_of_rounds(const SizeTiming& t, Which which, double Sample::*member) {
  std::vector<double> values;
  for (const auto& r : t.rounds)
    if (r.which == which && r.flushes == 1)
      for (const Sample& s : r.round.result.samples) values.push_back(s.*member);
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

std::optional<double> median_clock(const SizeTiming& t, double Block::*side) {
  std::vector<double> values;
  for (const Block& b : t.blocks)
    if (b.*side > 0) values.push_back(b.*side);
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

std::optional<double> end_to_end(const SizeTiming& t, Which which) {
  std::vector<double> values;
  for (const Isolated& one : t.isolated[which]) values.push_back(one.end_to_end_us);
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

size_t sum_checked(const SizeTiming& t, size_t Round::*member) {
  size_t sum = 0;
  for (const auto& r : t.rounds) sum += r.round.*member;
  return sum;
}

std::string regime_of(const SizeTiming& t) {
  const bool waits = t.host_bound[kBase] || t.host_bound[kCand];
  return std::string("cold cache, ") + (waits ? "a side waits for the host" : "launches hidden") + ", rounds of 2.5 ms";
}

}  // namespace

Json size_json(const SizeReport& report) {
  const SizeTiming& t = report.timing;
  const Calibration& c = report.calibration;
  const auto suspect = suspicion(report.checks);
  const Said said = said_of(t.estimate, suspect.value_or(""));
  Json json = {{"label", t.label},
               {"timing_valid", t.estimate.has_value() && !suspect},
               {"disturbed", disturbed(report.checks)},
               {"converged", t.converged},
               {"regime", regime_of(t)},
               {"spin_us", t.spin_us},
               {"host_bound", t.host_bound[kBase] || t.host_bound[kCand]},
               {"blocks_discarded", t.blocks_discarded},
               {"checks", checks_json(report.checks)},
               {"null_us", c.null_us},
               {"launch_floor_us", c.ceilings.launch_floor_us},
               {"quantum_us", c.quantum_us},
               {"wall_s", t.wall_us * 1e-6},
               {"flush", {{"mode", report.flush}, {"bytes", c.flush_bytes}}},
               {"clocks", {{"throttled", t.throttled}, {"reasons", t.throttle_reasons}}},
               {"verify",
                {{"checked", sum_checked(t, &Round::checked)},
                 {"failed", sum_checked(t, &Round::wrong)},
                 {"poison_ok", sum_checked(t, &Round::poisoned) == 0}}}};
  if (t.timed > 0) json["exposed_pct"] = 100 * static_cast<double>(t.exposed) / static_cast<double>(t.timed);
  put(json["flush"], "us_base", median_of_rounds(t, kBase, &Sample::flush_us));
  put(json["flush"], "us_cand", median_of_rounds(t, kCand, &Sample::flush_us));
  put(json["clocks"], "base", median_clock(t, &Block::base_mhz));
  put(json["clocks"], "cand", median_clock(t, &Block::cand_mhz));
  Json e2e = Json::object();
  put(e2e, "base", end_to_end(t, kBase));
  put(e2e, "cand", end_to_end(t, kCand));
  if (!e2e.empty()) json["e2e_us"] = std::move(e2e);
  if (t.estimate) {
    json["speedup"] = speedup_json(*t.estimate, said);
    put(json, "speedup_cycles", t.estimate->speedup_cycles);
    if (t.samples[kBase]) json["base_us"] = side_json(*t.samples[kBase], t.estimate->base_us);
    if (t.samples[kCand]) json["cand_us"] = side_json(*t.samples[kCand], t.estimate->cand_us);
  } else {
    json["reason"] = said.reason;
  }
  if (report.efficiency) json["eff"] = efficiency_json(*report.efficiency);
  return json;
}

Json task_json(const TaskSpeed& speed, size_t sizes) {
  Json json = Json::object();
  if (speed.headline) json = interval_json(*speed.headline);
  if (speed.geometric) json["geometric"] = interval_json(*speed.geometric);
  json["verdict"] = name_of(speed.said.speed);
  json["reason"] = speed.said.reason;
  json["sizes"] = sizes;
  return json;
}

}  // namespace kbx::timing

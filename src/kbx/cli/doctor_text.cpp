// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/doctor_text.h"

#include <fmt/format.h>

#include "kbx/record/json.h"

namespace kbx {
namespace {

using Json = nlohmann::json;
using Rows = std::vector<std::vector<std::string>>;

std::string plain(const Json& value) {
  return shown_in_line(value.is_string() ? value.get<std::string>() : dump(value));
}

std::string device_text(const Json& device) {
  std::string text = plain(device.value("name", Json("?")));
  if (device.contains("capability")) text += ", " + plain(device["capability"]);
  if (const auto bytes = device.find("memory_bytes"); bytes != device.end() && bytes->is_number())
    text += fmt::format(", {:.0f} GiB", bytes->get<double>() / (1u << 30));
  return text;
}

}  // namespace

std::string doctor_text(const Json& found, const Style& style) {
  const Json kbx = found.value("kbx", Json::object());
  const Json judge = found.value("judge", Json::object());
  Rows rows = {{"kbx", fmt::format("{} ({}), {} tasks", plain(kbx.value("version", Json())),
                                   plain(kbx.value("commit", Json())), dump(kbx.value("tasks", Json(0))))},
               {"kbx-judge", plain(found.value("kbx_judge", Json()))}};
  if (judge.contains("python")) rows.push_back({"Python", plain(judge["python"])});
  const Json versions = judge.value("versions", Json::object());
  for (const auto& [name, version] : versions.items())
    if (version.is_string()) rows.push_back({name, plain(version)});
  for (const Json& device : judge.value("devices", Json::array()))
    rows.push_back({plain(device.value("device", Json("device"))), device_text(device)});
  if (judge.contains("no_gpu")) rows.push_back({"no GPU", plain(judge["no_gpu"]) + "; kernels run on an emulated one"});
  std::string text = columns(rows, 2);

  const Json sandbox = judge.value("sandbox", Json::object());
  Rows parts;
  for (const Json& part : sandbox.is_object() ? sandbox.value("mechanisms", Json::array()) : Json::array()) {
    const bool enforced = part.value("enforced", false);
    parts.push_back({plain(part.value("mechanism", Json("?"))), enforced ? "enforced" : "NOT enforced",
                     enforced ? "" : plain(part.value("reason", Json("")))});
  }
  if (!parts.empty()) text += fmt::format("\n{}\n{}", style.strong("Sandbox"), columns(parts, 3, "  "));

  if (!found.contains("missing"))
    return fmt::format("{}\n{}\n", text, style.good("kbx run can judge on this machine."));
  const Json& missing = found["missing"];
  text += fmt::format("\n{}\n", style.bad("Missing: " + plain(missing.value("message", Json("")))));
  if (const std::string hint = plain(missing.value("hint", Json(""))); !hint.empty())
    text += fmt::format("  {}\n", hint);
  return text;
}

}  // namespace kbx

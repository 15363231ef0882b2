// SPDX-License-Identifier: Apache-2.0
// A judge for the tests of JudgePool and of kbx itself: it speaks the real protocol, and does with a submission what
// the first line of its code says: `# pass`, `# wrong`, `# die`, `# hang`, `# garbage`, `# slow`. Started with
// "refuse" in its configured target, it cannot serve.
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "kbx/record/json.h"
#include "kbx/wire/channel.h"

namespace {

using kbx::wire::Arrival;
using kbx::wire::Type;

kbx::Record judged(const nlohmann::json& item) {
  kbx::Record record;
  record.id = item.at("id");
  record.task = item.at("task");
  const bool wrong = item.at("code").get<std::string>().starts_with("# wrong");
  record.verdict = wrong ? kbx::Verdict::kWrongValue : kbx::Verdict::kPassed;
  record.stage = kbx::Stage::kExe;
  record.reason = wrong ? "result[0] is 2, expected 1" : "";
  record.device = "a fake";
  return record;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string(argv[1]) == "--doctor") return std::puts(R"({"versions":{"python":"0"}})"), 0;
  if (argc != 3) return 2;
  std::signal(SIGINT, SIG_IGN);
  kbx::wire::Channel channel{kbx::Fd(std::stoi(argv[2]))};
  const auto configure = channel.receive();
  if (configure.arrival != Arrival::kMessage) return 4;
  if (configure.message.payload.value("target", "") == "refuse") {
    channel.send(Type::kFailed, 0, {{"message", "no torch"}, {"hint", "install it"}});
    return 4;
  }
  channel.send(Type::kReady, 0, {{"device", configure.message.payload.at("device")}, {"versions", {{"torch", "0"}}}});
  while (true) {
    const auto received = channel.receive();
    if (received.arrival != Arrival::kMessage || received.message.type == Type::kStop) return 0;
    const nlohmann::json& item = received.message.payload;
    const std::string code = item.at("code");
    if (code.starts_with("# die")) ::raise(SIGSEGV);
    if (code.starts_with("# hang")) std::this_thread::sleep_for(std::chrono::hours(1));
    if (code.starts_with("# slow")) std::this_thread::sleep_for(std::chrono::milliseconds(300));
    if (code.starts_with("# garbage")) (void)!::write(channel.fd(), "what is this? not a frame at all", 32);
    channel.send(Type::kRecord, 0, {{"id", item.at("id")}, {"record", judged(item)}});
  }
}

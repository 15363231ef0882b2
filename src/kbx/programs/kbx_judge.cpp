// SPDX-License-Identifier: Apache-2.0
// kbx-judge: started by kbx, one a device. By hand it prints the catalogue or what the machine has.
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "kbx/check/catalog_check.h"
#include "kbx/check/reference_dump.h"
#include "kbx/judge/service.h"
#include "kbx/task/catalog.h"
#include "kbx/task/registry.h"

namespace {

constexpr const char* kUsage =
    "kbx-judge is started by kbx. By hand:\n"
    "  kbx-judge --catalog                 print the catalogue of tasks as JSON\n"
    "  kbx-judge --doctor                  print what this machine has as JSON\n"
    "  kbx-judge --reference NAME [SEED]   print a task's cases with the reference's answers as JSON\n"
    "  kbx-judge --check SEED [NAME...]    print a line of JSON for each task: what its gate says\n"
    "  kbx-judge --serve N                 serve on file descriptor N\n";

// Cases beyond this are for kernels, not for checking a reference.
constexpr int64_t kDumpedElements = 50'000;

kbx::ServiceConfig service_config() {
  const auto program = std::filesystem::read_symlink("/proc/self/exe");
  return {.python = KBX_PYTHON, .guest_dir = program.parent_path().parent_path() / "lib" / "kbx"};
}

// Nobody may read this process's memory, not even a core dump: it holds the seed and the expected outputs.
void close_to_others() {
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = 0};
  ::setrlimit(RLIMIT_CORE, &none);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--catalog") {
    std::puts(kbx::catalog().dump(1).c_str());
    return 0;
  }
  if (command == "--doctor") {
    std::puts(kbx::doctor(service_config()).dump(1).c_str());
    return 0;
  }
  if (command == "--reference" && (argc == 3 || argc == 4)) {
    const kbx::Task* task = kbx::Registry::global().find(argv[2]);
    if (task == nullptr) {
      std::fprintf(stderr, "there is no task '%s'; kbx tasks lists them\n", argv[2]);
      return 2;
    }
    std::puts(kbx::reference_dump(*task, argc == 4 ? argv[3] : "independent", kDumpedElements).dump().c_str());
    return 0;
  }
  if (command == "--check" && argc >= 3) {
    const std::vector<std::string> names(argv + 3, argv + argc);
    kbx::check_catalog(argv[2], names, [](const nlohmann::json& line) {
      std::puts(line.dump().c_str());
      std::fflush(stdout);
    });
    return 0;
  }
  if (command == "--serve" && argc == 3) {
    close_to_others();
    std::signal(SIGINT, SIG_IGN);  // Ctrl-C reaches kbx, which then says what to do
    std::signal(SIGPIPE, SIG_IGN);
    return kbx::serve(kbx::wire::Channel(kbx::Fd(std::stoi(argv[2]))), service_config());
  }
  std::fputs(kUsage, stderr);
  return command == "--help" ? 0 : 2;
}

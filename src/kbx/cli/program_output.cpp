// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/program_output.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "kbx/base/error.h"
#include "kbx/base/fd.h"

namespace kbx {

std::string output_of(const std::filesystem::path& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::kEnvironment, "no pipe can be made");
  Fd reading(ends[0]), writing(ends[1]);
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) throw Error(ErrorKind::kEnvironment, "no process can be started");
  if (child == 0) {
    ::dup2(writing.get(), STDOUT_FILENO);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  writing.reset();
  std::string text;
  std::array<char, 4096> piece{};
  for (ssize_t count; (count = ::read(reading.get(), piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<size_t>(count));
  ::waitpid(child, nullptr, 0);
  return text;
}

}  // namespace kbx

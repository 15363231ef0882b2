// SPDX-License-Identifier: Apache-2.0
// Fuzz target of the reader: whatever the bytes, every line becomes a submission that can be stored and shown, or a
// reason.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "kbx/input/jsonl.h"
#include "kbx/input/lines.h"
#include "kbx/input/numbering.h"
#include "kbx/input/test_catalog.h"
#include "kbx/record/json.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const kbx::Submission& submission, const kbx::Catalog& catalog) {
  require(catalog.find(submission.task) != nullptr);
  require(submission.sample && *submission.sample >= 0 && submission.round >= 0);
  require(submission.id().find('\n') == std::string::npos);
  require(kbx::is_utf8(submission.code) && kbx::is_utf8(submission.id()));
  require(nlohmann::json::parse(submission.extra.dump()) == submission.extra);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const kbx::Catalog catalog = kbx::test_catalog();
  kbx::Fd file(::memfd_create("fuzz", MFD_CLOEXEC));
  require(::write(file.get(), data, size) == static_cast<ssize_t>(size));
  ::lseek(file.get(), 0, SEEK_SET);

  kbx::Numbering numbering;
  kbx::LineReader reader(std::move(file));
  do {
    while (const auto line = reader.take()) {
      require(line->text.size() <= kbx::kMaxLineBytes);
      auto parsed = kbx::parse_line(line->text, catalog, {"fuzz", ""});
      if (auto* submission = std::get_if<kbx::Submission>(&parsed)) {
        if (!numbering.place(*submission)) check(*submission, catalog);
      } else {
        require(!std::get<kbx::Refused>(parsed).reason.empty());
      }
    }
  } while (reader.fill() || !reader.ended());
  while (reader.take()) {
  }
  return 0;
}

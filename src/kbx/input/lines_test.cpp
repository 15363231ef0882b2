// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/lines.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/mman.h>
#include <zlib.h>

#include <vector>

namespace kbx {
namespace {

using ::testing::ElementsAre;

Fd file_with(const std::string& bytes) {
  Fd fd(::memfd_create("lines", MFD_CLOEXEC));
  EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  ::lseek(fd.get(), 0, SEEK_SET);
  return fd;
}

struct Content {
  std::vector<std::string> lines;
  std::string error;
};

Content read_all(Fd fd) {
  LineReader reader(std::move(fd));
  Content content;
  while (true) {
    while (auto line = reader.take()) {
      content.lines.push_back(line->too_long ? "(too long)" : line->text);
      EXPECT_EQ(line->number, static_cast<int64_t>(content.lines.size()));
    }
    if (reader.ended()) break;
    reader.fill();
  }
  content.error = reader.error();
  return content;
}

std::string gzip(const std::string& text) {
  std::string out(compressBound(text.size()) + 64, '\0');
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(LineReader, PlainLines) {
  EXPECT_THAT(read_all(file_with("a\n\nb\r\nc")).lines, ElementsAre("a", "", "b", "c"));
  EXPECT_THAT(read_all(file_with("a\n")).lines, ElementsAre("a"));
  EXPECT_THAT(read_all(file_with("")).lines, ElementsAre());
  EXPECT_THAT(read_all(file_with("x")).lines, ElementsAre("x"));
}

TEST(LineReader, TooLongLinesAreSkippedAndCounted) {
  const std::string longest(kMaxLineBytes, 'a');
  const Content content = read_all(file_with(longest + "\n" + longest + "b\nc\n" + longest + longest));
  EXPECT_THAT(content.lines, ElementsAre(longest, "(too long)", "c", "(too long)"));
}

TEST(LineReader, Gzip) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += std::to_string(i * 7919) + "\n";
  const Content plain = read_all(file_with(text));
  const Content packed = read_all(file_with(gzip(text)));
  EXPECT_EQ(packed.lines, plain.lines);
  EXPECT_EQ(packed.error, "");
  EXPECT_EQ(packed.lines.size(), 100000u);
}

TEST(LineReader, GzipMembersFollowOneAnother) {
  EXPECT_THAT(read_all(file_with(gzip("a\nb") + gzip("c\nd\n"))).lines, ElementsAre("a", "bc", "d"));
}

// 600 MiB of one letter pack into 0.6 MiB.
TEST(LineReader, GzipBombStaysALongLine) {
  std::string bomb;
  const std::string member = gzip(std::string(100u << 20, 'a'));
  for (int i = 0; i < 6; ++i) bomb += member;
  EXPECT_THAT(read_all(file_with(bomb)).lines, ElementsAre("(too long)"));
}

TEST(LineReader, DamagedGzipGivesWhatCameBeforeAndSaysSo) {
  const std::string packed = gzip("first\nsecond\n");
  const Content cut = read_all(file_with(packed.substr(0, packed.size() - 9)));
  EXPECT_THAT(cut.error, "the gzip data ends early");
  const Content damaged = read_all(file_with(gzip("a\n") + "\x1f\x8b rubbish"));
  EXPECT_THAT(damaged.lines, ElementsAre("a"));
  EXPECT_EQ(damaged.error, "the gzip data is damaged");
}

TEST(LineReader, PipeIsReadAsItComes) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  LineReader reader{Fd(ends[0])};
  Fd writer(ends[1]);
  EXPECT_FALSE(reader.ready());
  ASSERT_EQ(::write(writer.get(), "a\nb", 3), 3);
  EXPECT_TRUE(reader.ready());
  reader.fill();
  EXPECT_EQ(reader.take()->text, "a");
  EXPECT_FALSE(reader.take());
  EXPECT_FALSE(reader.ready());
  ASSERT_EQ(::write(writer.get(), "c\n", 2), 2);
  reader.fill();
  EXPECT_EQ(reader.take()->text, "bc");
  writer.reset();
  EXPECT_TRUE(reader.ready());
  EXPECT_FALSE(reader.fill());
  EXPECT_TRUE(reader.ended());
}

}  // namespace
}  // namespace kbx

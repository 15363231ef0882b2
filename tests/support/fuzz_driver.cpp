// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where no libFuzzer is: first every file of the checked-in corpus, then changed copies of them, the
// same ones each time. With clang, build the target with -fsanitize=fuzzer instead of this file.
//
//   x_fuzz CORPUS_FOLDER [CHANGED_COPIES]
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Random = std::mt19937;

size_t below(Random& random, size_t limit) {
  return random() % std::max<size_t>(limit, 1);
}

std::vector<std::string> read_corpus(const char* folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> corpus;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

void change(std::string& text, const std::vector<std::string>& corpus, Random& random) {
  constexpr size_t kLongest = 1u << 16;
  const size_t at = below(random, text.size() + 1);
  const size_t length = below(random, std::min<size_t>(text.size() - at, 64) + 1);
  switch (random() % 6) {
    case 0:  // a bit
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
      break;
    case 1:  // a byte
      if (at < text.size()) text[at] = static_cast<char>(random());
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:  // the same again, several times
      for (size_t i = 0, n = below(random, 200); i < n && text.size() < kLongest; ++i)
        text.insert(at, text.substr(at, length));
      break;
    case 4: {  // a piece of another
      const std::string& other = corpus[below(random, corpus.size())];
      text.insert(at, other.substr(below(random, other.size()), 1 + below(random, 200)));
      break;
    }
    default: {  // the start of this with the end of another
      const std::string& other = corpus[below(random, corpus.size())];
      text = text.substr(0, at) + other.substr(below(random, other.size()));
    }
  }
  if (text.size() > kLongest) text.resize(kLongest);
}

void run(const std::string& text) {
  (void)LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: %s CORPUS_FOLDER [CHANGED_COPIES]\n", argv[0]), 2;
  const std::vector<std::string> corpus = read_corpus(argv[1]);
  if (corpus.empty()) return std::fprintf(stderr, "%s is empty\n", argv[1]), 2;
  for (const std::string& text : corpus) run(text);

  const int copies = argc > 2 ? std::atoi(argv[2]) : 20000;
  Random random(20240607);
  for (int i = 0; i < copies; ++i) {
    std::string text = corpus[below(random, corpus.size())];
    for (size_t n = 1 + below(random, 8); n > 0; --n) change(text, corpus, random);
    run(text);
  }
  std::printf("%zu files and %d changed copies\n", corpus.size(), copies);
}

// SPDX-License-Identifier: Apache-2.0
#include "kbx/input/code.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace kbx {
namespace {

using Text = std::string_view;

constexpr size_t kSeparator = 146;  // '#' in the line that published files put above their tests

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}
bool is_blank(char c) {
  return is_space(c) || c == '\n';
}
// Bytes beyond ASCII belong to names: Python allows them, and they are no punctuation.
bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

Text without_spaces_before(Text text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  return text;
}

Text trimmed(Text text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

Text name_at(Text text) {
  const auto end = std::find_if_not(text.begin(), text.end(), in_name);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

// Calls visit(line without its end, offset of the line, offset behind its end) until it returns false.
template <class Visit>
void for_each_line(Text text, Visit visit) {
  for (size_t at = 0; at < text.size();) {
    const size_t newline = text.find('\n', at);
    const size_t end = newline == Text::npos ? text.size() : newline;
    const size_t next = newline == Text::npos ? text.size() : newline + 1;
    if (!visit(text.substr(at, end - at), at, next)) return;
    at = next;
  }
}

Text above_separator(Text text) {
  Text kept = text;
  for_each_line(text, [&](Text line, size_t at, size_t) {
    line = trimmed(line);
    if (line.size() != kSeparator || line.find_first_not_of('#') != Text::npos) return true;
    kept = text.substr(0, at);
    return false;
  });
  return kept;
}

// The length of an end token that starts here, 0 when there is none. Python has no operator <|, so tokens of that form
// are cut wherever they stand; the others could be text in a string, so they count at the end of a line only.
size_t token_at(Text text) {
  constexpr size_t kLongest = 40;
  for (const auto& [open, close] : {std::pair<Text, Text>{"<|", "|>"}, {"<\xef\xbd\x9c", "\xef\xbd\x9c>"}}) {
    if (!text.starts_with(open)) continue;
    const size_t end = text.substr(0, kLongest).find(close, open.size());
    if (end != Text::npos && std::all_of(text.begin() + static_cast<ptrdiff_t>(open.size()),
                                         text.begin() + static_cast<ptrdiff_t>(end), in_name))
      return end + close.size();
  }
  for (Text token : {"</s>", "<eos>", "<end_of_turn>"}) {
    if (!text.starts_with(token)) continue;
    const Text rest = without_spaces_before(text.substr(token.size()));
    if (rest.empty() || rest.front() == '\n' || rest.front() == '<') return token.size();
  }
  return 0;
}

Text without_tokens(Text text) {
  // Templates put tokens before the answer too: <s>, <|im_start|>.
  for (Text rest = trimmed(text); !rest.empty() && rest.front() == '<'; rest = trimmed(text)) {
    const size_t length = rest.starts_with("<s>") ? 3 : token_at(rest);
    if (length == 0) break;
    text = rest.substr(length);
  }
  for (size_t at = text.find('<'); at != Text::npos; at = text.find('<', at + 1)) {
    if (token_at(text.substr(at)) > 0) return text.substr(0, at);
  }
  return text;
}

Text without_reasoning(Text text) {
  constexpr Text kEnd = "</think>";
  const size_t at = text.rfind(kEnd);
  return at == Text::npos ? text : text.substr(at + kEnd.size());
}

struct Fence {
  size_t indent = 0;
  char mark = '`';
  size_t length = 0;
  Text info;  // what stands behind an opening fence: "python"
};

std::optional<Fence> fence_in(Text line) {
  constexpr size_t kDeepest = 3;  // spaces, as in Markdown; a docstring's examples are indented further
  constexpr size_t kShortest = 3;
  const size_t indent = line.find_first_not_of(' ');
  if (indent == Text::npos || indent > kDeepest) return std::nullopt;
  line.remove_prefix(indent);
  const char mark = line.front();
  if (mark != '`' && mark != '~') return std::nullopt;
  const size_t length = std::min(line.find_first_not_of(mark), line.size());
  const Text info = trimmed(line.substr(length));
  // `code` in a line of prose is no fence.
  if (length < kShortest || info.find('`') != Text::npos) return std::nullopt;
  return Fence{indent, mark, length, info};
}

struct Block {
  size_t indent = 0;  // of its fence
  Text info;
  std::string code;
  bool closed = false;
};

struct Chat {
  std::vector<Block> blocks;
  std::string outside;  // what stands in no block
  size_t fences = 0;
  bool first_is_bare = false;
  Text above_first;
};

// A block in a list is indented as a whole: its lines lose what their fence has, where all of them have it.
std::string dedented(const std::string& code, size_t indent) {
  for_each_line(code, [&](Text line, size_t, size_t) {
    if (!trimmed(line).empty()) indent = std::min(indent, line.find_first_not_of(' '));
    return indent > 0;
  });
  if (indent == 0) return code;
  std::string out;
  for_each_line(code, [&](Text line, size_t at, size_t next) {
    out += Text(code).substr(at, next - at).substr(std::min(indent, line.size()));
    return true;
  });
  return out;
}

Chat parse(Text text) {
  Chat chat;
  std::optional<Fence> open;
  for_each_line(text, [&](Text line, size_t at, size_t next) {
    const auto fence = fence_in(line);
    const bool closes = open && fence && fence->mark == open->mark && fence->length >= open->length;
    if (fence && (!open || closes)) ++chat.fences;
    if (closes) chat.blocks.back().closed = true;
    if (fence && (!open || (closes && !fence->info.empty()))) {  // models forget to close a block before the next
      if (chat.blocks.empty()) {
        chat.first_is_bare = fence->info.empty();
        chat.above_first = text.substr(0, at);
      }
      open = fence;
      chat.blocks.push_back({fence->indent, fence->info, "", false});
    } else if (closes) {
      open.reset();
    } else if (open) {
      chat.blocks.back().code += text.substr(at, next - at);
    } else {
      chat.outside += text.substr(at, next - at);
    }
    return true;
  });
  for (Block& block : chat.blocks) block.code = dedented(block.code, block.indent);
  return chat;
}

bool defines_any(Text code, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return defines(code, name); });
}

// Names that the top level of the code binds: by def, class, assignment or import. A guess, made without a parser.
std::set<Text> bound_names(Text code) {
  std::set<Text> names;
  for_each_line(code, [&](Text line, size_t, size_t) {
    const Text first = name_at(line);
    if (first.empty()) return true;
    Text rest = without_spaces_before(line.substr(first.size()));
    if (first == "def" || first == "class") {
      names.insert(name_at(rest));
    } else if (first == "import" || first == "from") {
      if (const size_t import = rest.find("import "); first == "from" && import != Text::npos)
        rest = rest.substr(import + 7);
      while (!rest.empty()) {
        const size_t comma = std::min(rest.find(','), rest.size());
        Text part = trimmed(rest.substr(0, comma));
        if (const size_t as = part.find(" as "); as != Text::npos) part = trimmed(part.substr(as + 4));
        names.insert(name_at(part));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
      }
    } else if (rest.starts_with("=") && !rest.starts_with("==")) {
      names.insert(first);
    }
    return true;
  });
  names.erase(Text{});
  return names;
}

std::set<Text> words(Text code) {
  std::set<Text> found;
  while (!code.empty()) {
    const Text name = name_at(code);
    if (!name.empty()) found.insert(name);
    code.remove_prefix(std::max<size_t>(name.size(), 1));
  }
  return found;
}

// The chosen block, below those above it that bind a name which it uses and lacks.
std::string with_what_it_needs(const std::vector<Block>& blocks, size_t chosen) {
  std::string code = blocks[chosen].code;
  std::set<Text> used = words(blocks[chosen].code);
  std::set<Text> bound = bound_names(blocks[chosen].code);
  for (size_t i = chosen; i-- > 0;) {
    const std::set<Text> offered = bound_names(blocks[i].code);
    const auto lacked = [&](Text name) { return used.contains(name) && !bound.contains(name); };
    if (std::none_of(offered.begin(), offered.end(), lacked)) continue;
    used.merge(words(blocks[i].code));
    bound.insert(offered.begin(), offered.end());
    code.insert(0, blocks[i].code + "\n\n");
  }
  return code;
}

bool looks_like_python(const Block& block) {
  constexpr std::array<Text, 6> kInfos = {"", "python", "py", "python3", "triton", "tritonpython"};
  const Text info = name_at(block.info);
  return std::any_of(kInfos.begin(), kInfos.end(), [&](Text known) {
    return info.size() == known.size() && std::equal(info.begin(), info.end(), known.begin(), [](char a, char b) {
             return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b;
           });
  });
}

const std::string& longest(const std::vector<Block>& blocks) {
  const auto weight = [](const Block& block) { return std::pair{looks_like_python(block), block.code.size()}; };
  return std::max_element(blocks.begin(), blocks.end(),
                          [&](const Block& a, const Block& b) { return weight(a) < weight(b); })
      ->code;
}

// Whether a line at the top level may be Python rather than prose.
bool may_be_code(Text line) {
  constexpr std::array<Text, 16> kWords = {"import", "from", "def",    "class", "async", "if",     "for",  "while",
                                           "try",    "with", "assert", "raise", "del",   "global", "pass", "print"};
  if (line.empty() || is_space(line.front())) return false;
  if (line.find_first_of("@#\"'") == 0) return true;
  const Text first = name_at(line);
  if (std::find(kWords.begin(), kWords.end(), first) != kWords.end()) return true;
  if ((first == "r" || first == "R") && line.substr(1).starts_with("\"\"\"")) return true;
  if (first.empty()) return false;
  const Text rest = without_spaces_before(line.substr(first.size()));
  const bool attribute = rest.size() > 1 && rest.front() == '.' && in_name(rest[1]) && rest.data() == first.end();
  return attribute || rest.starts_with("=") || (rest.starts_with("(") && rest.data() == first.end()) ||
         rest.starts_with("[") || (rest.starts_with(":") && rest.find('=') != Text::npos);
}

Text without_chat_before(Text text) {
  Text code;
  Text first;
  for_each_line(text, [&](Text line, size_t at, size_t) {
    if (trimmed(line).empty()) return true;
    if (first.empty()) first = line;
    if (!may_be_code(line)) return true;
    code = first.data() == line.data() ? text : text.substr(at);
    return false;
  });
  return code;
}

}  // namespace

bool defines(std::string_view code, std::string_view name) {
  bool found = false;
  for_each_line(code, [&](Text line, size_t, size_t) {
    if (line.starts_with("def ") || line.starts_with("def\t")) {
      const Text rest = without_spaces_before(line.substr(4));
      found = name_at(rest) == name && without_spaces_before(rest.substr(name.size())).starts_with("(");
    } else if (name_at(line) == name) {
      const Text rest = without_spaces_before(line.substr(name.size()));
      found = rest.starts_with("=") && !rest.starts_with("==");
    }
    return !found;
  });
  return found;
}

std::string extract_code(std::string_view text, const std::vector<std::string>& entries) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // byte order mark
  text = without_tokens(without_reasoning(above_separator(text)));
  const Chat chat = parse(text);
  if (chat.blocks.empty()) return std::string(without_chat_before(text));

  if (chat.first_is_bare && chat.fences % 2 == 1 && defines_any(chat.above_first, entries))
    return std::string(without_chat_before(chat.above_first));

  std::optional<size_t> chosen;
  for (size_t i = 0; i < chat.blocks.size(); ++i) {
    if (!defines_any(chat.blocks[i].code, entries)) continue;
    if (!chosen || chat.blocks[i].closed || !chat.blocks[*chosen].closed) chosen = i;
  }
  if (chosen) return with_what_it_needs(chat.blocks, *chosen);
  if (defines_any(chat.outside, entries)) return std::string(text);
  return longest(chat.blocks);
}

}  // namespace kbx

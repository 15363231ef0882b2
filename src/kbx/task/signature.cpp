// SPDX-License-Identifier: Apache-2.0
#include "kbx/task/signature.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <stdexcept>

namespace kbx {
namespace {

// One pass over the text, left to right; each function reads what it is named after and throws where it cannot.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  std::string name() {
    skip_spaces();
    const size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(here()) || text_[at_] == '_')) ++at_;
    if (at_ == start || std::isdigit(static_cast<unsigned char>(text_[start]))) fail("a name is missing");
    return std::string(text_.substr(start, at_ - start));
  }

  bool eat(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void need(char c) {
    if (!eat(c)) fail(fmt::format("'{}' is missing", c));
  }

  void end() {
    skip_spaces();
    if (at_ != text_.size()) fail("something follows the signature");
  }

  Value literal() {
    skip_spaces();
    if (at_ >= text_.size()) fail("a default is missing");
    const char c = text_[at_];
    if (c == '\'' || c == '"') return string();
    if (c == '(' || c == '[') return list();
    if (c == '-' || c == '+' || c == '.' || std::isdigit(here())) return number();
    return word();
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw std::invalid_argument(fmt::format("signature '{}', at character {}: {}", text_, at_ + 1, why));
  }

 private:
  unsigned char here() const { return static_cast<unsigned char>(text_[at_]); }

  void skip_spaces() {
    while (at_ < text_.size() && std::isspace(here())) ++at_;
  }

  Value string() {
    const char quote = text_[at_++];
    const size_t close = text_.find(quote, at_);
    if (close == std::string_view::npos) fail("a quote is not closed");
    std::string inner(text_.substr(at_, close - at_));
    if (inner.find('\\') != std::string::npos) fail("escapes are not understood");
    at_ = close + 1;
    return inner;
  }

  Value list() {
    List out{.items = {}, .tuple = text_[at_] == '('};
    const char close = text_[at_++] == '(' ? ')' : ']';
    while (!eat(close)) {
      out.items.push_back(literal());
      if (eat(',')) continue;
      need(close);
      if (out.tuple && out.items.size() == 1) return out.items[0];  // parentheses alone make no tuple
      break;
    }
    return out;
  }

  Value number() {
    const size_t start = text_[at_] == '+' ? at_ + 1 : at_;
    const char* const from = text_.data() + start;
    const char* const to = text_.data() + text_.size();
    int64_t integer = 0;
    double real = 0;
    const auto as_integer = std::from_chars(from, to, integer);
    const auto as_real = std::from_chars(from, to, real);
    if (as_real.ec != std::errc()) fail("not a number");
    at_ = static_cast<size_t>(as_real.ptr - text_.data());
    if (as_integer.ec == std::errc() && as_integer.ptr == as_real.ptr) return integer;
    return real;
  }

  Value word() {
    const std::string head = name();
    if (head == "None") return {};
    if (head == "True") return true;
    if (head == "False") return false;
    if (head == "torch" && eat('.')) return torch_constant();
    fail(fmt::format("'{}' is not a default that a signature may have", head));
  }

  Value torch_constant() {
    const std::string constant = name();
    if (constant == "strided") return at::kStrided;
    try {
      return dtype_named(constant);
    } catch (const std::invalid_argument&) {
      fail(fmt::format("torch.{} is not known", constant));
    }
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Signature::Signature(std::string_view text) : text_(text) {
  Parser parser(text_);
  entry_ = parser.name();
  parser.need('(');
  bool keyword_only = false, defaults_began = false;
  while (!parser.eat(')')) {
    const bool star = parser.eat('*');
    if (star && keyword_only) parser.fail("a second '*'");
    if (!star || !parser.eat(',')) {
      Parameter parameter{.name = parser.name(), .variadic = star, .keyword_only = keyword_only, .fallback = {}};
      if (find(parameter.name) != nullptr) parser.fail(fmt::format("'{}' stands twice", parameter.name));
      if (!star && parser.eat('=')) parameter.fallback = parser.literal();
      if (!star && !keyword_only && defaults_began && !parameter.fallback)
        parser.fail(fmt::format("'{}' has no default and follows one that has", parameter.name));
      defaults_began = defaults_began || parameter.fallback;
      parameters_.push_back(std::move(parameter));
      if (!parser.eat(',')) {
        parser.need(')');
        break;
      }
    }
    keyword_only = keyword_only || star;
  }
  parser.end();
}

const Parameter* Signature::find(std::string_view name) const {
  for (const Parameter& parameter : parameters_)
    if (parameter.name == name) return &parameter;
  return nullptr;
}

}  // namespace kbx

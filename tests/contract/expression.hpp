// Evaluates the C++ expressions that hashes are printed as.
#pragma once

#include <cctype>
#include <cstdint>
#include <string_view>

namespace bankshot::contract {

/// Numbers, the variable a, parentheses and + >> << & ^ with the precedence of C++. 32-bit and unsigned, as the printed
/// functions are.
class Expression {
 public:
  Expression(std::string_view text, uint32_t a) : text_(text), a_(a) {}
  /// What it is worth; `complete` tells whether it was understood to its end.
  uint32_t value() {
    const uint32_t all = exclusive_or();
    complete = blank() && at_ == text_.size();
    return all;
  }
  bool complete = false;

 private:
  bool blank() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return true;
  }
  bool take(std::string_view token) {
    blank();
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  uint32_t exclusive_or() {
    uint32_t left = conjunction();
    while (take("^")) left ^= conjunction();
    return left;
  }
  uint32_t conjunction() {
    uint32_t left = shift();
    while (take("&")) left &= shift();
    return left;
  }
  uint32_t shift() {
    uint32_t left = sum();
    for (;;) {
      if (take(">>")) {
        left >>= sum();
      } else if (take("<<")) {
        left <<= sum();
      } else {
        return left;
      }
    }
  }
  uint32_t sum() {
    uint32_t left = primary();
    while (take("+")) left += primary();
    return left;
  }
  uint32_t primary() {
    if (take("(")) {
      const uint32_t inner = exclusive_or();
      if (!take(")")) at_ = text_.size() + 1;
      return inner;
    }
    if (take("a")) return a_;
    uint32_t number = 0;
    if (at_ >= text_.size() || std::isdigit(static_cast<unsigned char>(text_[at_])) == 0) at_ = text_.size() + 1;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0)
      number = 10 * number + static_cast<uint32_t>(text_[at_++] - '0');
    return number;
  }

  std::string_view text_;
  uint32_t a_;
  size_t at_ = 0;
};

}  // namespace bankshot::contract

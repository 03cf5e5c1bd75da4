// Literals. Source: PTX ISA manual, §4.5 (constants).
#include <bit>
#include <charconv>

#include "bankshot/ptx/grammar.hpp"

namespace bankshot::ptx {
namespace {

using Kind = Operand::Kind;

int digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

enum class Read { ok, not_a_number, too_large };

Read read_digits(std::string_view digits, unsigned base, uint64_t& value) {
  if (digits.empty()) return Read::not_a_number;
  value = 0;
  bool fits = true;
  for (char c : digits) {
    const int digit = digit_of(c);
    if (digit >= static_cast<int>(base)) return Read::not_a_number;
    fits = fits && value <= (UINT64_MAX - static_cast<uint64_t>(digit)) / base;
    value = value * base + static_cast<uint64_t>(digit);
  }
  return fits ? Read::ok : Read::too_large;
}

/// 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX. A 0d with other than 16 digits is no float.
Read read_bits(std::string_view text, Operand& out) {
  const bool is_single = (text[1] | 0x20) == 'f';
  if (text.size() != (is_single ? 10u : 18u)) return Read::not_a_number;
  uint64_t value = 0;
  if (Read read = read_digits(text.substr(2), 16, value); read != Read::ok) return read;
  out.kind = is_single ? Kind::f32 : Kind::f64;
  out.integer = static_cast<int64_t>(value);
  return Read::ok;
}

Read read_decimal_float(std::string_view text, Operand& out) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::result_out_of_range) return Read::too_large;
  if (error != std::errc() || end != text.data() + text.size()) return Read::not_a_number;
  out.kind = Kind::f64;
  out.integer = static_cast<int64_t>(std::bit_cast<uint64_t>(value));
  return Read::ok;
}

/// Integers are signed unless they have the suffix U or need the 64th bit.
Read read_integer(std::string_view text, Operand& out) {
  out.kind = Kind::integer;
  out.is_unsigned = text.back() == 'U' || text.back() == 'u';
  if (out.is_unsigned) text.remove_suffix(1);
  unsigned base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = static_cast<char>(text[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  uint64_t value = 0;
  const Read read = read_digits(text, base, value);
  out.integer = static_cast<int64_t>(value);
  out.is_unsigned = out.is_unsigned || out.integer < 0;
  return read;
}

Read read_number(std::string_view text, Operand& out) {
  if (text.size() > 1 && text[0] == '0' && ((text[1] | 0x20) == 'f' || (text[1] | 0x20) == 'd')) {
    return read_bits(text, out);
  }
  const bool is_hex = text.size() > 1 && text[0] == '0' && (text[1] | 0x20) == 'x';
  if (!is_hex && text.find_first_of(".eE") != std::string_view::npos) return read_decimal_float(text, out);
  return read_integer(text, out);
}

}  // namespace

bool parse_literal(Cursor& cursor, Operand& out) {
  if (!cursor.at(TokenKind::number)) return cursor.fail("a number");
  switch (read_number(cursor.text(), out)) {
    case Read::ok: cursor.take(); return true;
    case Read::too_large:
      return cursor.fail_at(cursor.position(),
                            "the number " + std::string(cursor.text().substr(0, 40)) + " does not fit 64 bits",
                            "use a smaller number");
    case Read::not_a_number: break;
  }
  return cursor.fail(
      "a number",
      "integers: 12, 0x1F, 0b101, 017, with U at the end if unsigned; floats: 1.5, 0f and 8 or 0d and 16 hex "
      "digits");
}

}  // namespace bankshot::ptx

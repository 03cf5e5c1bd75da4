#include "bankshot/scratchpad/hash/spec_parts.hpp"

#include <bit>
#include <charconv>

namespace bankshot::scratchpad {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

Result<int> number(std::string_view text) {
  int value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return Error{"'" + std::string(text) + "' is not a number"};
  return value;
}

/// "0^4": the XOR of address bits.
Result<uint32_t> bits(std::string_view text, HashSize size, size_t most) {
  uint32_t row = 0;
  const auto parts = split(text, '^');
  if (parts.size() > most)
    return Error{"'" + std::string(text) + "' combines more than " + std::to_string(most) + " bits"};
  for (std::string_view part : parts) {
    const Result<int> bit = number(part);
    if (!bit) return bit.error();
    if (*bit < 0 || *bit >= static_cast<int>(size.address_bits)) {
      return Error{"address bit " + std::string(part) + " is out of range: 0 to " +
                   std::to_string(size.address_bits - 1)};
    }
    row ^= 1u << *bit;
  }
  return row;
}

std::string bit_text(uint32_t row) {
  std::string text;
  for (uint32_t rest = row; rest != 0; rest &= rest - 1) {
    if (!text.empty()) text += '^';
    text += std::to_string(std::countr_zero(rest));
  }
  return text.empty() ? "-" : text;
}

}  // namespace

Result<std::vector<int>> numbers(std::string_view text, size_t count, std::string_view word, bool last_signed) {
  std::vector<int> result;
  for (std::string_view part : split(text, ',')) {
    const Result<int> value = number(part);
    if (!value) return value.error();
    result.push_back(*value);
    if (*value < 0 && !(last_signed && result.size() == count)) return Error{std::string(part) + " is negative"};
  }
  if (result.size() != count) {
    return Error{std::string(word) + " takes " + std::to_string(count) + " numbers, found " +
                 std::to_string(result.size())};
  }
  return result;
}

Result<BankHash> bit_lists(std::string_view text, HashSize size, size_t most) {
  std::vector<uint32_t> rows;
  for (std::string_view part : split(text, ',')) {
    const Result<uint32_t> row = bits(part, size, most);
    if (!row) return row.error();
    rows.push_back(*row);
  }
  return rows_hash(size, rows);
}

std::string bit_lists_text(const BankHash& hash, std::string_view separator) {
  std::string all;
  for (const uint32_t row : hash.rows()) {
    if (!all.empty()) all += separator;
    all += bit_text(row);
  }
  return all;
}

BankHash zero_hash(HashSize size) {
  BankHash hash;
  hash.address_bits = size.address_bits;
  hash.bank_bits = size.bank_bits;
  return hash;
}

}  // namespace bankshot::scratchpad

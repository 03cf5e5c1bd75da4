#include "bankshot/scratchpad/hash_text.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>

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

/// `count` numbers from 0 up, of which the last may be negative if `last_signed`.
Result<std::vector<int>> numbers(std::string_view text, size_t count, std::string_view what, bool last_signed = false) {
  std::vector<int> result;
  for (std::string_view part : split(text, ',')) {
    const Result<int> value = number(part);
    if (!value) return value.error();
    result.push_back(*value);
    if (*value < 0 && !(last_signed && result.size() == count)) return Error{std::string(part) + " is negative"};
  }
  if (count != 0 && result.size() != count) {
    return Error{std::string(what) + " takes " + std::to_string(count) + " numbers, found " +
                 std::to_string(result.size())};
  }
  return result;
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

Result<BankHash> bit_lists(std::string_view text, HashSize size, size_t most) {
  std::vector<uint32_t> rows;
  for (std::string_view part : split(text, ',')) {
    const Result<uint32_t> row = bits(part, size, most);
    if (!row) return row.error();
    rows.push_back(*row);
  }
  return rows_hash(size, rows);
}

std::string bit_text(uint32_t row) {
  std::string text;
  for (uint32_t rest = row; rest != 0; rest &= rest - 1) {
    if (!text.empty()) text += '^';
    text += std::to_string(std::countr_zero(rest));
  }
  return text.empty() ? "-" : text;
}

template <class Text>
std::string joined(const BankHash& hash, std::string_view separator, Text text) {
  std::string all;
  for (uint32_t row : hash.rows()) {
    if (!all.empty()) all += separator;
    all += text(row);
  }
  return all;
}

}  // namespace

Result<BankHash> parse_hash(std::string_view spec, HashSize size) {
  const size_t colon = spec.find(':');
  const std::string_view name = spec.substr(0, colon);
  const bool arguments = colon != std::string_view::npos;
  const std::string_view rest = arguments ? spec.substr(colon + 1) : std::string_view{};
  const auto fail = [&](const std::string& why) { return Error{"hash '" + std::string(spec) + "': " + why}; };
  const auto made = [&](Result<BankHash> hash) -> Result<BankHash> {
    if (!hash) return fail(hash.error().message);
    return hash;
  };
  if (name == "none" || name == "xor" || name == "add") {
    if (arguments) return fail("'" + std::string(name) + "' takes no numbers");
    return name == "none" ? modulo_hash(size) : name == "xor" ? fixed_xor_hash(size) : add_hash(size);
  }
  if (name == "bits") return made(bit_lists(rest, size, 1));
  if (name == "bitxor") return made(bit_lists(rest, size, 2));
  const size_t count = name == "perm" || name == "tma"        ? 1
                       : name == "bvxor" || name == "swizzle" ? 3
                       : name == "rows"                       ? size.bank_bits
                                                              : 0;
  if (count == 0) {
    return fail(
        "no such class; there are none, xor, add, perm:K, bvxor:K1,K2,MASK, bits:B,…, bitxor:B^C,…, swizzle:B,M,S, "
        "tma:BYTES and rows:R,…");
  }
  const Result<std::vector<int>> values = numbers(rest, count, name, name == "swizzle");
  if (!values) return fail(values.error().message);
  const auto at = [&](size_t k) { return static_cast<unsigned>((*values)[k]); };
  if (name == "perm") return made(bitvector_hash(size, at(0)));
  if (name == "tma") return made(tma_hash(size, at(0)));
  if (name == "bvxor") return made(bitvector_xor_hash(size, at(0), at(1), at(2)));
  if (name == "swizzle") return made(swizzle_hash(size, at(0), at(1), (*values)[2]));
  return made(rows_hash(size, std::vector<uint32_t>(values->begin(), values->end())));
}

std::optional<Error> set_bank_hash(Rules& rules, std::string_view spec) {
  const HashSize size{kMaxAddressBits, static_cast<unsigned>(std::countr_zero(rules.banks))};
  const Result<BankHash> hash = parse_hash(spec, size);
  if (!hash) return hash.error();
  rules.hash.reset();
  if (*hash != modulo_hash(size)) rules.hash = *hash;
  return std::nullopt;
}

std::string_view class_name(const BankHash& hash) {
  if (hash.kind == BankHash::Kind::add) return "add";
  const std::optional<BitVector> vector = as_bitvector(hash);
  if (vector && vector->mask == 0) return vector->k1 == 0 ? "none" : "bitvector-perm";
  if (vector) return "bitvector-xor";
  if (is_bitwise_permutation(hash)) return "bitwise-perm";
  return is_bitwise_xor(hash) ? "bitwise-xor" : "gf2";
}

std::string spec(const BankHash& hash) {
  const std::string_view c = class_name(hash);
  if (c == "add" || c == "none") return std::string(c);
  if (const std::optional<BitVector> v = as_bitvector(hash)) {
    if (v->mask == 0) return "perm:" + std::to_string(v->k1);
    return "bvxor:" + std::to_string(v->k1) + "," + std::to_string(v->k2) + "," + std::to_string(v->mask);
  }
  if (c == "bitwise-perm") return "bits:" + joined(hash, ",", bit_text);
  if (c == "bitwise-xor") return "bitxor:" + joined(hash, ",", bit_text);
  return "rows:" + joined(hash, ",", [](uint32_t row) { return std::to_string(row); });
}

std::string paper_form(const BankHash& hash) {
  if (hash.kind == BankHash::Kind::add) return "add";
  if (const std::optional<BitVector> v = as_bitvector(hash)) {
    if (v->mask == 0) return "k=" + std::to_string(v->k1);
    return "k1=" + std::to_string(v->k1) + " k2=" + std::to_string(v->k2) + " mask=" + std::to_string(v->mask);
  }
  return "bits " + joined(hash, " ", bit_text);
}

std::string swizzle_form(const BankHash& hash, unsigned bytes) {
  const std::optional<Swizzle> s = as_swizzle(hash);
  if (!s || !std::has_single_bit(bytes)) return {};
  const int m = static_cast<int>(s->m) + 2 - std::countr_zero(bytes);
  if (m < 0) return {};  // chunks smaller than an element
  return "Swizzle<" + std::to_string(s->b) + "," + std::to_string(m) + "," + std::to_string(s->s) + ">";
}

std::string bank_expression(const BankHash& hash, std::string_view a) {
  const std::string name(a);
  const std::string mask = std::to_string(hash.banks() - 1);
  if (hash.kind == BankHash::Kind::add)
    return "(" + name + " + (" + name + " >> " + std::to_string(hash.bank_bits) + ")) & " + mask;
  // Bank bit i takes address bit j from j - i places further up: equal distances are one term.
  std::map<int, uint32_t> terms;
  for (unsigned i = 0; i < hash.bank_bits; ++i) {
    for (uint32_t rest = hash.row[i]; rest != 0; rest &= rest - 1)
      terms[std::countr_zero(rest) - static_cast<int>(i)] |= 1u << i;
  }
  std::string text;
  for (const auto& [distance, bank_bits] : terms) {
    std::string term = distance == 0 ? name
                                     : "(" + name + (distance > 0 ? " >> " : " << ") +
                                           std::to_string(distance < 0 ? -distance : distance) + ")";
    term = "(" + term + " & " + std::to_string(bank_bits) + ")";
    text += (text.empty() ? "" : " ^ ") + term;
  }
  return text.empty() ? "0" : text;
}

std::string cpp_source(const BankHash& hash, std::string_view array) {
  const std::string words = std::to_string(1u << hash.address_bits), banks = std::to_string(hash.banks());
  const std::string low = std::to_string(hash.banks() - 1), suffix = array.empty() ? "" : "_" + std::string(array);
  const std::string bank = "bank" + suffix, place = "place" + suffix, check = place + "_is_a_permutation";
  const std::string function = array.empty() ? "constexpr " : "__host__ __device__ constexpr ";
  std::string text = function + "unsigned " + bank + "(unsigned a) { return " + bank_expression(hash) + "; }\n";
  if (!is_in_place(hash)) return text;
  text += function + "unsigned " + place + "(unsigned a) { return (a & ~" + low + "u) | " + bank + "(a); }\n";
  text += "constexpr bool " + check +
          "() {\n"
          "  for (unsigned row = 0; row < " +
          words + "; row += " + banks +
          ") {\n"
          "    unsigned long long seen = 0;\n"
          "    for (unsigned a = row; a < row + " +
          banks + "; ++a) seen |= 1ull << (" + place +
          "(a) - row);\n"
          "    if (seen != " +
          (hash.bank_bits == 6 ? std::string("~0ull") : std::to_string((uint64_t{1} << hash.banks()) - 1) + "ull") +
          ") return false;\n"
          "  }\n"
          "  return true;\n"
          "}\n"
          "static_assert(" +
          check + "(), \"every row of words keeps its words\");\n";
  return text;
}

}  // namespace bankshot::scratchpad

// add: the fixed sum of the atomics paper, Table I; the one class that is not linear.
//
//   address   x x x x b b b b b a a a a a
//   bank                        a a a a a
//                             + b b b b b   modulo 2^m
#include <algorithm>

#include "bankshot/scratchpad/base/clones.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

namespace {

unsigned bank(uint32_t word, HashSize size) {
  const uint32_t a = word & low_bits(size.address_bits);
  return (a + (a >> size.bank_bits)) & low_bits(size.bank_bits);
}

BANKSHOT_CLONES
void banks_of_words(const uint32_t* word, size_t count, HashSize size, uint32_t* bank) {
  const uint32_t address = low_bits(size.address_bits), low = low_bits(size.bank_bits);
  const unsigned shift = size.bank_bits;
  for (size_t i = 0; i < count; ++i) bank[i] = ((word[i] & address) + ((word[i] & address) >> shift)) & low;
}

std::string expression(std::string_view a, HashSize size) {
  const std::string name(a);
  return "(" + name + " + (" + name + " >> " + std::to_string(size.bank_bits) + ")) & " +
         std::to_string(low_bits(size.bank_bits));
}

std::string verilog(HashSize size) {
  const auto field = [](unsigned last, unsigned first) {
    return "address[" + std::to_string(last) + ":" + std::to_string(first) + "]";
  };
  const unsigned m = size.bank_bits, upper = std::min(m, size.address_bits - m);
  if (upper == 0) return "address";
  const std::string zeros = upper == m ? "" : std::to_string(m - upper) + "'b0, ";
  const std::string second = field(m + upper - 1, m);
  return field(m - 1, 0) + " + " + (zeros.empty() ? second : "{" + zeros + second + "}");
}

constexpr HashFormula kAdd = {
    .bank = bank,
    .banks = [](std::span<const uint32_t> words, HashSize size,
                uint32_t* banks) { banks_of_words(words.data(), words.size(), size, banks); },
    .expression = expression,
    .verilog = verilog,
    .in_place = true,
};

std::optional<std::string> parameters_of(const BankHash& hash) {
  return hash == add_hash(hash.size()) ? std::optional(std::string()) : std::nullopt;
}

const RegisterHashClass registered({
    .order = 30,
    .word = "add",
    .name = "add",
    .summary = "their sum mod 2^m",
    .fixed = true,
    .parse = [](std::string_view, HashSize size) -> Result<BankHash> { return add_hash(size); },
    .parameters_of = parameters_of,
    .paper = [](const BankHash&) -> std::string { return "add"; },
    .examples = {{"", 1}, {"", 32}},
});

}  // namespace

BankHash add_hash(HashSize size) {
  BankHash hash = zero_hash(size);
  hash.formula = &kAdd;
  return hash;
}

}  // namespace bankshot::scratchpad

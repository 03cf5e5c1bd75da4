// none: consecutive words are on consecutive banks, as without a hash.
//
//   address   x x x x x x x x x a a a a a
//   bank                        a a a a a
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

BankHash modulo_hash(HashSize size) {
  BankHash hash = zero_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i) hash.row[i] = 1u << i;
  return hash;
}

namespace {

std::optional<std::string> parameters_of(const BankHash& hash) {
  return hash == modulo_hash(hash.size()) ? std::optional(std::string()) : std::nullopt;
}

const RegisterHashClass registered({
    .order = 10,
    .word = "none",
    .name = "none",
    .summary = "a mod 2^m",
    .fixed = true,
    .parse = [](std::string_view, HashSize size) -> Result<BankHash> { return modulo_hash(size); },
    .parameters_of = parameters_of,
    .paper = [](const BankHash&) -> std::string { return "k=0"; },
    .examples = {{"", 1}, {"", 31}},
});

}  // namespace

}  // namespace bankshot::scratchpad

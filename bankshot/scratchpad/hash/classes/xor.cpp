// xor: the fixed XOR of the atomics paper, Table I. Columns of tiles with 2^m words in a row have no conflicts either.
//
//   address   x x x x b b b b b a a a a a
//   bank                        a a a a a
//                             ^ b b b b b
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::scratchpad {

BankHash fixed_xor_hash(HashSize size) {
  BankHash hash = modulo_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i)
    hash.row[i] |= (1u << (i + size.bank_bits)) & low_bits(size.address_bits);
  return hash;
}

namespace {

std::optional<std::string> parameters_of(const BankHash& hash) {
  return hash == fixed_xor_hash(hash.size()) ? std::optional(std::string()) : std::nullopt;
}

const RegisterHashClass registered({
    .order = 20,
    .word = "xor",
    .summary = "the low m bits ^ the m bits above them",
    .fixed = true,
    .parse = [](std::string_view, HashSize size) -> Result<BankHash> { return fixed_xor_hash(size); },
    .parameters_of = parameters_of,
    .examples = {{"", 1}, {"", 32}},
});

}  // namespace

}  // namespace bankshot::scratchpad

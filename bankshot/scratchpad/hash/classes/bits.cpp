// bits: any m address bits. The XOR-hash paper, section 4.3.
//
//   address   x x x d x c x x b x x a x e     bits:2,5,8,10,0
//   bank                        e d c b a
#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

bool is_bitwise_permutation(const BankHash& hash) {
  return hash.linear() &&
         std::all_of(hash.rows().begin(), hash.rows().end(), [](uint32_t row) { return std::has_single_bit(row); });
}

namespace {

std::optional<std::string> parameters_of(const BankHash& hash) {
  return is_bitwise_permutation(hash) ? std::optional(bit_lists_text(hash, ",")) : std::nullopt;
}

/// A multiplexer of all address bits for each bank bit.
constexpr HashCircuit kCircuit = {
    .fields =
        [](HashSize size) {
          std::vector<CircuitField> fields;
          for (unsigned i = 0; i < size.bank_bits; ++i)
            fields.emplace_back("bit" + std::to_string(i), size.address_bits - 1);
          return fields;
        },
    .body =
        [](HashSize size) {
          std::vector<std::string> lines;
          for (unsigned i = 0; i < size.bank_bits; ++i)
            lines.push_back("assign " + verilog_bit("bank", i) + " = address[bit" + std::to_string(i) + "];");
          return lines;
        },
    .setting =
        [](const BankHash& hash) {
          std::vector<uint32_t> bits;
          for (const uint32_t row : hash.rows()) bits.push_back(static_cast<uint32_t>(std::countr_zero(row)));
          return bits;
        },
};

const RegisterHashClass registered({
    .order = 60,
    .word = "bits",
    .parameters = "B,…",
    .name = "bitwise-perm",
    .summary = "these m bits of a",
    .parse = [](std::string_view text, HashSize size) { return bit_lists(text, size, 1); },
    .parameters_of = parameters_of,
    .rows = RowSpace::single_bits,
    .count = [](HashSize size) { return digits(binomial(size.address_bits, size.bank_bits)); },
    .circuit = &kCircuit,
    .examples = {{"4,3,2,1,0", 1}, {"3,4,5,6,7", 8}, {"2,5,8,10,0", 0}},
});

}  // namespace

}  // namespace bankshot::scratchpad

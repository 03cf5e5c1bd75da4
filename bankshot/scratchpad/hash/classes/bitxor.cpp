// bitxor: each bank bit is an address bit or the XOR of two. The XOR-hash paper, section 4.4.
//
//   address   x x x x x x D C B A d c b a     bitxor:0^4,1^5,2^6,3^7,…
//   bank                          d c b a
//                               ^ D C B A
#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

bool is_bitwise_xor(const BankHash& hash) {
  return hash.linear() && std::all_of(hash.rows().begin(), hash.rows().end(),
                                      [](uint32_t row) { return std::popcount(row) == 1 || std::popcount(row) == 2; });
}

namespace {

std::optional<std::string> parameters_of(const BankHash& hash) {
  return is_bitwise_xor(hash) ? std::optional(bit_lists_text(hash, ",")) : std::nullopt;
}

/// Two multiplexers of all address bits for each bank bit; `pair` lets the second one through.
constexpr HashCircuit kCircuit = {
    .fields =
        [](HashSize size) {
          const uint32_t last = size.address_bits - 1;
          std::vector<CircuitField> fields;
          for (unsigned i = 0; i < size.bank_bits; ++i) {
            const std::string bank = std::to_string(i);
            fields.insert(fields.end(), {{"first" + bank, last}, {"second" + bank, last}, {"pair" + bank, 1}});
          }
          return fields;
        },
    .body =
        [](HashSize size) {
          std::vector<std::string> lines;
          for (unsigned i = 0; i < size.bank_bits; ++i) {
            const std::string bank = std::to_string(i);
            lines.push_back("assign " + verilog_bit("bank", i) + " = address[first" + bank + "] ^ (pair" + bank +
                            " & address[second" + bank + "]);");
          }
          return lines;
        },
    .setting =
        [](const BankHash& hash) {
          std::vector<uint32_t> values;
          for (const uint32_t row : hash.rows()) {
            const bool pair = !std::has_single_bit(row);
            const auto first = static_cast<uint32_t>(std::countr_zero(row));
            const auto second = static_cast<uint32_t>(std::bit_width(row)) - 1;
            values.insert(values.end(), {first, pair ? second : 0, pair ? 1u : 0u});
          }
          return values;
        },
};

const RegisterHashClass registered({
    .order = 70,
    .word = "bitxor",
    .parameters = "B^C,…",
    .name = "bitwise-xor",
    .summary = "these bits, or XORs of two",
    .parse = [](std::string_view text, HashSize size) { return bit_lists(text, size, 2); },
    .parameters_of = parameters_of,
    .rows = RowSpace::bit_pairs,
    .count =
        [](HashSize size) { return digits(binomial(size.address_bits * (size.address_bits + 1) / 2, size.bank_bits)); },
    .circuit = &kCircuit,
    .examples = {{"0^5,1^6,2^7,3^8,4^9", 1}, {"0^5,1^6,2^7,3^8,4^9", 32}, {"0^9,1,2,3,4^8", 1}},
});

}  // namespace

}  // namespace bankshot::scratchpad

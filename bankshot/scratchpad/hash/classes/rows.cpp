// rows: any matrix, a mask of address bits for each bank bit. The XOR-hash paper, section 4.
//
//   address   n m l k j i h g f e d c b a
//   row i     1 0 0 1 0 … 1                  bank bit i is the parity of the address bits that row i has
#include <bit>

#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

Result<BankHash> rows_hash(HashSize size, std::span<const uint32_t> rows) {
  if (rows.size() != size.bank_bits) {
    return Error{std::to_string(rows.size()) + " rows, but " + std::to_string(size.bank_bits) + " bank bits"};
  }
  BankHash hash = zero_hash(size);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] > low_bits(size.address_bits)) {
      return Error{"row " + std::to_string(i) + " names address bit " + std::to_string(std::bit_width(rows[i]) - 1) +
                   ", but there are " + std::to_string(size.address_bits)};
    }
    hash.row[i] = rows[i];
  }
  return hash;
}

namespace {

Result<BankHash> parse(std::string_view parameters, HashSize size) {
  const Result<std::vector<int>> rows = numbers(parameters, size.bank_bits, "rows");
  if (!rows) return rows.error();
  return rows_hash(size, std::vector<uint32_t>(rows->begin(), rows->end()));
}

std::optional<std::string> parameters_of(const BankHash& hash) {
  if (!hash.linear()) return std::nullopt;
  std::string text;
  for (const uint32_t row : hash.rows()) text += (text.empty() ? "" : ",") + std::to_string(row);
  return text;
}

/// The matrix itself: an AND gate for each of its bits, and a tree of XOR gates for each bank bit.
constexpr HashCircuit kCircuit = {
    .fields =
        [](HashSize size) {
          std::vector<CircuitField> fields;
          for (unsigned i = 0; i < size.bank_bits; ++i)
            fields.emplace_back("row" + std::to_string(i), low_bits(size.address_bits));
          return fields;
        },
    .body =
        [](HashSize size) {
          std::vector<std::string> lines;
          for (unsigned i = 0; i < size.bank_bits; ++i)
            lines.push_back("assign " + verilog_bit("bank", i) + " = ^(address & row" + std::to_string(i) + ");");
          return lines;
        },
    .setting = [](const BankHash& hash) { return std::vector<uint32_t>(hash.rows().begin(), hash.rows().end()); },
};

const RegisterHashClass registered({
    .order = 100,
    .word = "rows",
    .parameters = "R,…",
    .name = "gf2",
    .summary = "bank bit i is the parity of a & row i",
    .parse = parse,
    .parameters_of = parameters_of,
    .rows = RowSpace::any,
    .circuit = &kCircuit,
    .examples = {{"33,66,132,264,528", 1}, {"33,66,132,264,528", 32}, {"35,2,4,8,16", 1}},
});

}  // namespace

}  // namespace bankshot::scratchpad

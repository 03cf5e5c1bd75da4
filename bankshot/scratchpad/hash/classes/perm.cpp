// perm: a window of the address. The XOR-hash paper, section 4: words that are 2^K apart are on consecutive banks.
//
//   address   x x x x x x a a a a a x x x     from bit K up
//   bank                        a a a a a
#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

Result<BankHash> bitvector_hash(HashSize size, unsigned k) { return bitvector_xor_hash(size, k, 0, 0); }

namespace {

Result<BankHash> parse(std::string_view parameters, HashSize size) {
  const Result<std::vector<int>> k = numbers(parameters, 1, "perm");
  if (!k) return k.error();
  return bitvector_hash(size, static_cast<unsigned>(k->front()));
}

std::optional<std::string> parameters_of(const BankHash& hash) {
  const std::optional<BitVector> v = as_bitvector(hash);
  return v && v->mask == 0 ? std::optional(std::to_string(v->k1)) : std::nullopt;
}

void each(HashSize size, const std::function<void(const BankHash&)>& visit) {
  for (unsigned k = 0; k + size.bank_bits <= size.address_bits; ++k) visit(*bitvector_hash(size, k));
}

/// A multiplexer of n - m + 1 inputs for each bank bit.
std::vector<CircuitField> fields(HashSize size) { return {{"k", size.address_bits - size.bank_bits}}; }

constexpr HashCircuit kCircuit = {
    .fields = fields,
    .body = [](HashSize size) -> std::vector<std::string> {
      return {"assign bank = " + verilog_window("address", size.address_bits, fields(size)[0], size.bank_bits) + ";"};
    },
    .setting = [](const BankHash& hash) -> std::vector<uint32_t> { return {as_bitvector(hash)->k1}; },
};

const RegisterHashClass registered({
    .order = 40,
    .word = "perm",
    .parameters = "K",
    .name = "bitvector-perm",
    .summary = "(a >> K) mod 2^m",
    .parse = parse,
    .parameters_of = parameters_of,
    .paper = [](const BankHash& hash) { return "k=" + *parameters_of(hash); },
    .each = each,
    .count = [](HashSize size) { return digits(size.address_bits - size.bank_bits + 1); },
    .circuit = &kCircuit,
    .examples = {{"0", 1}, {"3", 8}, {"9", 512}},
});

}  // namespace

}  // namespace bankshot::scratchpad

// bvxor: a window of the address, XORed with the bits of another one that a mask lets through. The XOR-hash paper,
// section 4.2. With K1 = 0 it is in place.
//
//   address   x x b b b b b x a a a a a x     a from bit K1 up, b from bit K2 up; they may overlap
//   mask                        0 0 1 1 1
//   bank                        a a a a a
//                             ^     b b b
#include "bankshot/scratchpad/hash/class_counts.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

namespace {

std::string range(unsigned last) { return "0 to " + std::to_string(last); }

}  // namespace

Result<BankHash> bitvector_xor_hash(HashSize size, unsigned k1, unsigned k2, uint32_t mask) {
  const unsigned last = size.address_bits - size.bank_bits;
  if (k1 > last) return Error{"k1 = " + std::to_string(k1) + " is out of range: " + range(last) + " for these sizes"};
  if (k2 >= size.address_bits) {
    return Error{"k2 = " + std::to_string(k2) + " is out of range: " + range(size.address_bits - 1) +
                 " for these sizes"};
  }
  if (mask > low_bits(size.bank_bits)) {
    return Error{"mask = " + std::to_string(mask) + " is out of range: " + range(low_bits(size.bank_bits)) +
                 " for these sizes"};
  }
  BankHash hash = zero_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i) {
    hash.row[i] = 1u << (k1 + i);
    if ((mask >> i & 1) != 0) hash.row[i] ^= (1u << (k2 + i)) & low_bits(size.address_bits);
  }
  return hash;
}

std::optional<BitVector> as_bitvector(const BankHash& hash) {
  const HashSize size{hash.address_bits, hash.bank_bits};
  for (unsigned k1 = 0; k1 + size.bank_bits <= size.address_bits; ++k1) {
    for (uint32_t mask = 0; mask <= low_bits(size.bank_bits); ++mask) {
      for (unsigned k2 = 0; k2 < (mask == 0 ? 1 : size.address_bits); ++k2) {
        if (*bitvector_xor_hash(size, k1, k2, mask) == hash) return BitVector{k1, k2, mask};
      }
    }
  }
  return std::nullopt;
}

namespace {

Result<BankHash> parse(std::string_view parameters, HashSize size) {
  const Result<std::vector<int>> n = numbers(parameters, 3, "bvxor");
  if (!n) return n.error();
  const auto at = [&](size_t k) { return static_cast<unsigned>((*n)[k]); };
  return bitvector_xor_hash(size, at(0), at(1), at(2));
}

std::optional<std::string> parameters_of(const BankHash& hash) {
  const std::optional<BitVector> v = as_bitvector(hash);
  if (!v) return std::nullopt;
  return std::to_string(v->k1) + "," + std::to_string(v->k2) + "," + std::to_string(v->mask);
}

std::string paper(const BankHash& hash) {
  const BitVector v = *as_bitvector(hash);
  return "k1=" + std::to_string(v.k1) + " k2=" + std::to_string(v.k2) + " mask=" + std::to_string(v.mask);
}

/// In the order that gives the parameters of Table 5 among equals.
void each(HashSize size, const std::function<void(const BankHash&)>& visit) {
  for (unsigned k1 = 0; k1 + size.bank_bits <= size.address_bits; ++k1) {
    for (uint32_t mask = 0; mask <= low_bits(size.bank_bits); ++mask) {
      for (unsigned k2 = 0; k2 < size.address_bits; ++k2) visit(*bitvector_xor_hash(size, k1, k2, mask));
    }
  }
}

/// A multiplexer of n - m + 1 inputs for each bank bit, XORed with a second one of n inputs. Above the address are
/// zeros.
std::vector<CircuitField> fields(HashSize size) {
  return {
      {"k1", size.address_bits - size.bank_bits}, {"k2", size.address_bits - 1}, {"mask", low_bits(size.bank_bits)}};
}

std::vector<std::string> body(HashSize size) {
  const std::vector<CircuitField> field = fields(size);
  const unsigned n = size.address_bits, m = size.bank_bits, width = n + m - 1;
  const std::string zeros = m > 1 ? std::to_string(m - 1) + "'b0, " : "";
  return {"wire [" + std::to_string(width - 1) + ":0] padded = {" + zeros + "address};",
          "assign bank = " + verilog_window("address", n, field[0], m) + " ^ (" +
              verilog_window("padded", width, field[1], m) + " & mask);"};
}

constexpr HashCircuit kCircuit = {
    .fields = fields,
    .body = body,
    .setting = [](const BankHash& hash) -> std::vector<uint32_t> {
      const BitVector v = *as_bitvector(hash);
      return {v.k1, v.k2, v.mask};
    },
};

const RegisterHashClass registered({
    .order = 50,
    .word = "bvxor",
    .parameters = "K1,K2,MASK",
    .name = "bitvector-xor",
    .summary = "((a >> K1) ^ ((a >> K2) & MASK)) mod 2^m",
    .parse = parse,
    .parameters_of = parameters_of,
    .paper = paper,
    .each = each,
    .count =
        [](HashSize size) {
          return digits(Whole{size.address_bits - size.bank_bits + 1} * size.address_bits *
                        (Whole{1} << size.bank_bits));
        },
    .circuit = &kCircuit,
    .examples = {{"0,5,31", 1}, {"0,5,31", 32}, {"2,8,7", 4}, {"0,5,7", 1}},
});

}  // namespace

}  // namespace bankshot::scratchpad

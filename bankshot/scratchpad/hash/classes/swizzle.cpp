// swizzle: CuTe's Swizzle<B,M,S> of the word address, then modulo. For S > 0:
//
//   address   x x x y y y x x z z z m m m     B bits y from M + S up, B bits z from M up
//   place     x x x y y y x x w w w m m m     w = z ^ y
//
// With S < 0 the places of y and z are exchanged. Source: CUTLASS, cute/swizzle.hpp.
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/spec_parts.hpp"

namespace bankshot::scratchpad {

Result<BankHash> swizzle_hash(HashSize size, unsigned b, unsigned m, int s) {
  const int most = static_cast<int>(size.address_bits);
  if (b > size.address_bits || m > size.address_bits || s > most || s < -most) {
    return Error{"a swizzle moves bits of the address, which has " + std::to_string(size.address_bits)};
  }
  const unsigned distance = static_cast<unsigned>(s < 0 ? -s : s);
  if (b + m + distance > size.address_bits) {
    return Error{"Swizzle<" + std::to_string(b) + "," + std::to_string(m) + "," + std::to_string(s) + "> needs " +
                 std::to_string(b + m + distance) + " address bits, but there are " +
                 std::to_string(size.address_bits)};
  }
  if (b != 0 && distance < b) return Error{"a swizzle with |S| < B mixes bits with themselves: CuTe refuses it"};
  BankHash hash = modulo_hash(size);
  for (unsigned i = 0; i < b; ++i) {
    const unsigned to = s < 0 ? m + distance + i : m + i;
    const unsigned from = s < 0 ? m + i : m + distance + i;
    if (to < size.bank_bits) hash.row[to] |= 1u << from;
  }
  return hash;
}

std::optional<Swizzle> as_swizzle(const BankHash& hash) {
  const HashSize size{hash.address_bits, hash.bank_bits};
  if (modulo_hash(size) == hash) return Swizzle{0, 0, static_cast<int>(size.bank_bits)};
  for (unsigned b = 1; b <= size.bank_bits; ++b) {
    for (unsigned m = 0; m < size.bank_bits; ++m) {
      for (int s = static_cast<int>(b); s < static_cast<int>(size.address_bits); ++s) {
        for (const int way : {s, -s}) {
          const Result<BankHash> candidate = swizzle_hash(size, b, m, way);
          if (candidate && *candidate == hash) return Swizzle{b, m, way};
        }
      }
    }
  }
  return std::nullopt;
}

namespace {

Result<BankHash> parse(std::string_view parameters, HashSize size) {
  const Result<std::vector<int>> n = numbers(parameters, 3, "swizzle", true);
  if (!n) return n.error();
  return swizzle_hash(size, static_cast<unsigned>((*n)[0]), static_cast<unsigned>((*n)[1]), (*n)[2]);
}

std::optional<std::string> parameters_of(const BankHash& hash) {
  const std::optional<Swizzle> s = as_swizzle(hash);
  if (!s) return std::nullopt;
  return std::to_string(s->b) + "," + std::to_string(s->m) + "," + std::to_string(s->s);
}

/// Those that move bits into the bank; the identity first.
void each(HashSize size, const std::function<void(const BankHash&)>& visit) {
  visit(modulo_hash(size));
  for (unsigned b = 1; b <= size.bank_bits; ++b) {
    for (unsigned m = 0; m < size.bank_bits; ++m) {
      for (int s = static_cast<int>(b); s < static_cast<int>(size.address_bits); ++s) {
        for (const int way : {s, -s}) {
          if (const Result<BankHash> hash = swizzle_hash(size, b, m, way)) visit(*hash);
        }
      }
    }
  }
}

const RegisterHashClass registered({
    .order = 80,
    .word = "swizzle",
    .parameters = "B,M,S",
    .summary = "CuTe's Swizzle<B,M,S> of words: a ^ ((a & (2^B − 1) << (M + S)) >> S), mod 2^m",
    .parse = parse,
    .parameters_of = parameters_of,
    .each = each,
    .examples = {{"5,0,5", 1}, {"5,0,5", 32}, {"3,2,3", 1}, {"2,0,-3", 0}},
});

}  // namespace

std::string swizzle_form(const BankHash& hash, unsigned bytes) {
  const std::optional<Swizzle> s = as_swizzle(hash);
  if (!s || !std::has_single_bit(bytes)) return {};
  const int m = static_cast<int>(s->m) + 2 - std::countr_zero(bytes);
  if (m < 0) return {};  // chunks smaller than an element
  return "Swizzle<" + std::to_string(s->b) + "," + std::to_string(m) + "," + std::to_string(s->s) + ">";
}

}  // namespace bankshot::scratchpad

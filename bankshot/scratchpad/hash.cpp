#include "bankshot/scratchpad/hash.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/gf2.hpp"

namespace bankshot::scratchpad {
namespace {

uint32_t all_bits(unsigned count) { return count >= 32 ? ~0u : (1u << count) - 1; }

BankHash zero_hash(HashSize size) {
  BankHash hash;
  hash.address_bits = size.address_bits;
  hash.bank_bits = size.bank_bits;
  return hash;
}

std::string range(unsigned last) { return "0 to " + std::to_string(last); }

}  // namespace

unsigned BankHash::bank(uint32_t word) const {
  if (kind == Kind::add) {
    const uint32_t a = word & all_bits(address_bits);
    return (a + (a >> bank_bits)) & all_bits(bank_bits);
  }
  unsigned bank = 0;
  for (unsigned i = 0; i < bank_bits; ++i) bank |= parity(word & row[i]) << i;
  return bank;
}

bool is_full_rank(const BankHash& hash) {
  return hash.kind == BankHash::Kind::add || rank(hash.rows()) == hash.bank_bits;
}

bool is_in_place(const BankHash& hash) {
  if (hash.kind == BankHash::Kind::add) return true;
  std::vector<uint32_t> low;
  for (uint32_t row : hash.rows()) low.push_back(row & all_bits(hash.bank_bits));
  return rank(low) == hash.bank_bits;
}

std::optional<BankHash> in_place_form(const BankHash& hash) {
  if (hash.kind == BankHash::Kind::add || !is_in_place(hash)) return std::nullopt;
  // The lowest pivots are the low bits, each in a row of its own.
  return *rows_hash({hash.address_bits, hash.bank_bits}, reduced_from_below(hash.rows()));
}

BankHash modulo_hash(HashSize size) {
  BankHash hash = zero_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i) hash.row[i] = 1u << i;
  return hash;
}

BankHash fixed_xor_hash(HashSize size) {
  BankHash hash = modulo_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i)
    hash.row[i] |= (1u << (i + size.bank_bits)) & all_bits(size.address_bits);
  return hash;
}

BankHash add_hash(HashSize size) {
  BankHash hash = zero_hash(size);
  hash.kind = BankHash::Kind::add;
  return hash;
}

Result<BankHash> bitvector_hash(HashSize size, unsigned k) { return bitvector_xor_hash(size, k, 0, 0); }

Result<BankHash> bitvector_xor_hash(HashSize size, unsigned k1, unsigned k2, uint32_t mask) {
  const unsigned last = size.address_bits - size.bank_bits;
  if (k1 > last) return Error{"k1 = " + std::to_string(k1) + " is out of range: " + range(last) + " for these sizes"};
  if (k2 >= size.address_bits) {
    return Error{"k2 = " + std::to_string(k2) + " is out of range: " + range(size.address_bits - 1) +
                 " for these sizes"};
  }
  if (mask > all_bits(size.bank_bits)) {
    return Error{"mask = " + std::to_string(mask) + " is out of range: " + range(all_bits(size.bank_bits)) +
                 " for these sizes"};
  }
  BankHash hash = zero_hash(size);
  for (unsigned i = 0; i < size.bank_bits; ++i) {
    hash.row[i] = 1u << (k1 + i);
    if ((mask >> i & 1) != 0) hash.row[i] ^= (1u << (k2 + i)) & all_bits(size.address_bits);
  }
  return hash;
}

Result<BankHash> rows_hash(HashSize size, std::span<const uint32_t> rows) {
  if (rows.size() != size.bank_bits) {
    return Error{std::to_string(rows.size()) + " rows, but " + std::to_string(size.bank_bits) + " bank bits"};
  }
  BankHash hash = zero_hash(size);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] > all_bits(size.address_bits)) {
      return Error{"row " + std::to_string(i) + " names address bit " + std::to_string(std::bit_width(rows[i]) - 1) +
                   ", but there are " + std::to_string(size.address_bits)};
    }
    hash.row[i] = rows[i];
  }
  return hash;
}

Result<BankHash> swizzle_hash(HashSize size, unsigned b, unsigned m, int s) {
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

Result<BankHash> tma_hash(HashSize size, unsigned bytes) {
  // 16-byte chunks are exchanged: chunk bits (byte address bits 4 …) ^ bits 7 …; of word addresses 2 … and 5 ….
  if (bytes != 32 && bytes != 64 && bytes != 128) return Error{"a tensor-map swizzle has 32, 64 or 128 bytes"};
  return swizzle_hash(size, static_cast<unsigned>(std::countr_zero(bytes / 16)), 2, 3);
}

std::optional<BitVector> as_bitvector(const BankHash& hash) {
  const HashSize size{hash.address_bits, hash.bank_bits};
  for (unsigned k1 = 0; k1 + size.bank_bits <= size.address_bits; ++k1) {
    for (uint32_t mask = 0; mask <= all_bits(size.bank_bits); ++mask) {
      for (unsigned k2 = 0; k2 < (mask == 0 ? 1 : size.address_bits); ++k2) {
        if (*bitvector_xor_hash(size, k1, k2, mask) == hash) return BitVector{k1, k2, mask};
      }
    }
  }
  return std::nullopt;
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

bool is_bitwise_permutation(const BankHash& hash) {
  return hash.kind == BankHash::Kind::linear &&
         std::all_of(hash.rows().begin(), hash.rows().end(), [](uint32_t row) { return std::has_single_bit(row); });
}

bool is_bitwise_xor(const BankHash& hash) {
  return hash.kind == BankHash::Kind::linear && std::all_of(hash.rows().begin(), hash.rows().end(), [](uint32_t row) {
           return std::popcount(row) == 1 || std::popcount(row) == 2;
         });
}

}  // namespace bankshot::scratchpad

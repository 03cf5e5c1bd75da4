// A bank hash: which bank holds a word.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::scratchpad {

constexpr unsigned kMaxAddressBits = 16, kMaxBankBits = 7;
constexpr unsigned kMaxBanks = 1u << kMaxBankBits;

struct HashSize;

/// How a hash that is not linear chooses banks. One constant of each such class, which has no parameters.
struct HashFormula {
  unsigned (*bank)(uint32_t word, HashSize size);
  /// What bank() says of each word, computed for several words side by side.
  void (*banks)(std::span<const uint32_t> words, HashSize size, uint32_t* banks);
  /// C++ source of the bank of the word address `a`.
  std::string (*expression)(std::string_view a, HashSize size);
  /// Verilog expression of the m bank bits of `address`, which has n.
  std::string (*verilog)(HashSize size);
  bool in_place = false;  ///< it permutes every aligned row of 2^m words
};

/// Sizes n and m of a class of hashes.
struct HashSize {
  unsigned address_bits = 14, bank_bits = 5;
  bool operator==(const HashSize&) const = default;
};

/// XOR-type hashes of all papers are m x n matrices over GF(2): bank bit i is the parity of (word address & rows[i]).
/// Others have a formula. Source: the XOR-hash paper, section 4; the atomics paper, Table I.
struct BankHash {
  const HashFormula* formula = nullptr;  ///< null: linear
  unsigned address_bits = 14;            ///< n, at most kMaxAddressBits
  unsigned bank_bits = 5;                ///< m, at most kMaxBankBits and n
  std::array<uint32_t, kMaxBankBits> row{};

  bool linear() const { return formula == nullptr; }
  HashSize size() const { return {address_bits, bank_bits}; }
  std::span<const uint32_t> rows() const { return {row.data(), bank_bits}; }
  unsigned banks() const { return 1u << bank_bits; }
  /// @param word  word address; bits above address_bits do not matter
  unsigned bank(uint32_t word) const;
  bool operator==(const BankHash&) const = default;
};

/// The banks of many words: what bank() says of each, computed for several words side by side.
/// @param banks  as many entries as `words`
void banks_of(const BankHash& hash, std::span<const uint32_t> words, uint32_t* banks);

/// Whether all banks hold equally many words, so that (bank, remaining bits) tells all words apart: the rank is m.
bool is_full_rank(const BankHash& hash);

/// Whether software can apply the hash without extra memory: it permutes every aligned row of 2^m words, so that word
/// `row * 2^m + low` can move to `row * 2^m + bank`.
bool is_in_place(const BankHash& hash);

/// The form of an in-place hash that software applies: the same row space, hence the same conflicts, with bank bit i =
/// address bit i ^ bits from m up. Nothing if the hash is not in place or not linear.
std::optional<BankHash> in_place_form(const BankHash& hash);

// The classes, as constructors, each defined in its file of hash/classes. Errors say which parameter is out of range.

BankHash modulo_hash(HashSize size);                         ///< bank = a mod 2^m
BankHash fixed_xor_hash(HashSize size);                      ///< a[m-1:0] ^ a[2m-1:m]
BankHash add_hash(HashSize size);                            ///< (a[m-1:0] + a[2m-1:m]) mod 2^m
Result<BankHash> bitvector_hash(HashSize size, unsigned k);  ///< (a >> k) & (2^m - 1), k in 0 … n-m
/// ((a >> k1) ^ ((a >> k2) & mask)) & (2^m - 1), k1 in 0 … n-m, k2 in 0 … n-1. Section 4.2.
Result<BankHash> bitvector_xor_hash(HashSize size, unsigned k1, unsigned k2, uint32_t mask);
/// Any rows, bank bit 0 first: single bits (section 4.3), pairs (4.4) or anything.
Result<BankHash> rows_hash(HashSize size, std::span<const uint32_t> rows);
/// CuTe's Swizzle<B,M,S> of the word address, then modulo: idx ^ ((idx & yyy) >> S), yyy B bits from M + max(S,0) up.
Result<BankHash> swizzle_hash(HashSize size, unsigned b, unsigned m, int s);
/// The shared-memory layouts of tensor-map copies: 16-byte chunks of rows of 128 bytes. Source: PTX ISA, swizzling
/// modes.
Result<BankHash> tma_hash(HashSize size, unsigned bytes);  ///< 32, 64, 128; 0: none

// Which classes a hash belongs to. Row i of the matrix must be bank bit i of the class's formula.

struct BitVector {
  unsigned k1 = 0, k2 = 0;
  uint32_t mask = 0;
};
std::optional<BitVector> as_bitvector(const BankHash& hash);  ///< lowest k1, then mask, then k2; mask 0: permutation
struct Swizzle {
  unsigned b = 0, m = 0;
  int s = 0;
};
/// Of word addresses. In units of e bytes it is <B, M + log2(4/e), S>.
std::optional<Swizzle> as_swizzle(const BankHash& hash);
bool is_bitwise_permutation(const BankHash& hash);  ///< every row is one bit
bool is_bitwise_xor(const BankHash& hash);          ///< every row is one bit or a pair

}  // namespace bankshot::scratchpad

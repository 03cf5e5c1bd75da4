// Bank hashes as text: the one-word form of the command line, and the forms that people paste.
#pragma once

#include <string>
#include <string_view>

#include "bankshot/scratchpad/access.hpp"
#include "bankshot/scratchpad/hash.hpp"

namespace bankshot::scratchpad {

/// A hash as one word of the command line: none, xor, add, perm:K, bvxor:K1,K2,MASK, bits:B0,B1,…, bitxor:B0,B1^B2,…,
/// swizzle:B,M,S (CuTe, in words), tma:BYTES, rows:R0,R1,…. Bank bit 0 comes first.
/// The error says what is wrong with which part.
Result<BankHash> parse_hash(std::string_view spec, HashSize size);

/// Sets Rules::hash to what a spec says, over all address bits that hashes work on; to nothing if that is word modulo
/// banks.
/// @return why the spec does not suit these banks, or nothing
std::optional<Error> set_bank_hash(Rules& rules, std::string_view spec);

/// The most particular class of a hash: "none", "bitvector-perm", "bitvector-xor", "bitwise-perm", "bitwise-xor", "gf2"
/// or "add". Row i must be bank bit i of the class's formula.
std::string_view class_name(const BankHash& hash);
/// A spec that parse_hash understands, of the most particular class.
std::string spec(const BankHash& hash);
/// As the XOR-hash paper writes it: "k1=0 k2=5 mask=7", "bits 3 4 5 6 7", "bits 0 0^4 1^5", else the rows.
std::string paper_form(const BankHash& hash);
/// "Swizzle<3,0,5>" in units of elements of `bytes`, empty if it is none.
std::string swizzle_form(const BankHash& hash, unsigned bytes = 4);

/// The bank as a C++ expression of the word address `a`: one term for each distance that bits are moved.
std::string bank_expression(const BankHash& hash, std::string_view a = "a");
/// C++ source of two constexpr functions, `bank(a)` and, if the hash is in place, `place(a)` (where software stores
/// word a), with a static_assert that place() permutes a row of the shared memory. Linear hashes only.
/// @param array  if not empty: bank_ARRAY and place_ARRAY, for host and device code of CUDA
std::string cpp_source(const BankHash& hash, std::string_view array = {});

/// How many hashes a class has; Table 1 of the XOR-hash paper. Exact as text up to 2^127, else like "2.38e24660".
struct ClassSizes {
  std::string all, linear, unique_linear, bitvector_perm, bitvector_xor, bitwise_perm, bitwise_xor;
};
ClassSizes class_sizes(HashSize size);

}  // namespace bankshot::scratchpad

// Bank hashes as text: the one-word form of the command line, and the forms that people paste.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

/// A hash as one word of the command line: the word of its class (hash_class.hpp), and behind a colon its parameters.
/// Bank bit 0 comes first. The error names the part that is wrong.
Result<BankHash> parse_hash(std::string_view spec, HashSize size);

/// The most particular class of a hash, as JSON names it. Row i must be bank bit i of the class's formula.
std::string_view class_name(const BankHash& hash);
/// A spec that parse_hash understands, of the most particular class.
std::string spec(const BankHash& hash);
/// The same, but prefers a class without settings: "xor" for a hash that is also a bit-vector XOR.
std::string fixed_spec(const BankHash& hash);
/// As the XOR-hash paper writes it: "k1=0 k2=5 mask=7", "bits 3 4 5 6 7", "bits 0 0^4 1^5", else the rows.
std::string paper_form(const BankHash& hash);
/// "Swizzle<3,0,5>" in units of elements of `bytes`, empty if it is none.
std::string swizzle_form(const BankHash& hash, unsigned bytes = 4);

/// The XOR of the address bits of a row, the lowest first: "a2 ^ a8".
/// @param name  of an address bit
/// @param zero  the text of a row without bits
std::string xor_of_bits(uint32_t row, const std::function<std::string(unsigned bit)>& name, std::string_view zero);
/// The same as people read it: "a2 ^ a8", or "0".
std::string row_text(uint32_t row);

/// The bank as a C++ expression of the word address `a`: one term for each distance that bits are moved.
std::string bank_expression(const BankHash& hash, std::string_view a = "a");
/// C++ source of two constexpr functions, `bank(a)` and, if the hash is in place, `place(a)` (where software stores
/// word a), with a static_assert that place() permutes a row of the shared memory.
/// @param array  if not empty: bank_ARRAY and place_ARRAY, for host and device code of CUDA
std::string cpp_source(const BankHash& hash, std::string_view array = {});

}  // namespace bankshot::scratchpad

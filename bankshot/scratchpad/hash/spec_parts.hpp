// What the specs of several classes have in common: lists of numbers and of address bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

/// Whole numbers from 0 up, separated by commas. @param word  of the class, for errors
/// @param last_signed  the last one may be negative
Result<std::vector<int>> numbers(std::string_view text, size_t count, std::string_view word, bool last_signed = false);

/// "0,0^4,1^5": an entry for each bank bit, each the XOR of at most `most` address bits.
Result<BankHash> bit_lists(std::string_view text, HashSize size, size_t most);
/// The same from a hash: "0,0^4,1^5". A row without bits is "-".
std::string bit_lists_text(const BankHash& hash, std::string_view separator);

/// A matrix of these sizes without bits.
BankHash zero_hash(HashSize size);

}  // namespace bankshot::scratchpad

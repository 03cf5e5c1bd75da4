// How many hashes there are: Table 1 of the XOR-hash paper.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

using Whole = unsigned __int128;

/// A number in decimal.
std::string digits(Whole value);
/// n over k. @param n  at most 136: pairs of 16 address bits
Whole binomial(unsigned n, unsigned k);

/// All functions, XOR hashes ("xor"), XOR hashes that differ in their conflicts ("unique-xor"), then the classes that
/// the table has, by their names. Exact as text up to 2^127, else like "2.38e24660".
std::vector<std::pair<std::string, std::string>> class_counts(HashSize size);

}  // namespace bankshot::scratchpad

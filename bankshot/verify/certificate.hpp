// A claim about bank hashes and what proves it, as a file. docs/json.md says what it means.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::verify {

constexpr unsigned kMostBankBits = 7;

/// Words that are wanted at the same time, and how often.
struct Group {
  uint64_t weight = 1;
  std::vector<uint32_t> words;  ///< ascending
  auto operator<=>(const Group&) const = default;
};

/// "No XOR hash of these sizes, within the restriction, has less excess than this one."
struct Certificate {
  unsigned address_bits = 14, bank_bits = 5;
  bool in_place = false;
  unsigned plain_low_bits = 0;
  uint64_t unavoidable = 0;  ///< excess of any hash, beside the groups
  std::vector<Group> groups;
  std::vector<uint32_t> hash;  ///< rows, bank bit 0 first
  uint64_t excess = 0;         ///< of the hash, unavoidable included
  int64_t scale = 1;           ///< of the sums: larger is finer
  std::vector<int32_t> tree;
};

constexpr std::string_view kSchema = "bankshot/certificate/1";

std::string to_json(const Certificate& certificate);

/// What is not a certificate, or has numbers out of range or too large to count with, is an error that names the place.
Result<Certificate> from_json(std::string_view text);

}  // namespace bankshot::verify

#include "bankshot/scratchpad/access/rules.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::scratchpad {
namespace {

constexpr std::string_view kKindNames[] = {"load", "store", "atomic"};

/// Do all pairs of active lanes n and n^distance read the same address?
bool pairs_agree(const uint32_t* addresses, LaneMask active, unsigned distance) {
  for (const unsigned lane : active) {
    const unsigned partner = lane ^ distance;
    if (active.has(partner) && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

}  // namespace

std::string_view name(AccessKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::optional<AccessKind> access_kind_named(std::string_view name) {
  const auto* const found = std::find(std::begin(kKindNames), std::end(kKindNames), name);
  if (found == std::end(kKindNames)) return std::nullopt;
  return static_cast<AccessKind>(found - std::begin(kKindNames));
}

bool lanes_agree_in_pairs(const uint32_t* addresses, LaneMask active) {
  return pairs_agree(addresses, active, 1) || pairs_agree(addresses, active, 2);
}

std::optional<Error> set_bank_hash(Rules& rules, std::string_view spec) {
  const HashSize size{kMaxAddressBits, static_cast<unsigned>(std::countr_zero(rules.banks))};
  const Result<BankHash> hash = parse_hash(spec, size);
  if (!hash) return hash.error();
  rules.hash.reset();
  if (*hash != modulo_hash(size)) rules.hash = *hash;
  return std::nullopt;
}

}  // namespace bankshot::scratchpad

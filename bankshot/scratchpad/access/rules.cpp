#include "bankshot/scratchpad/access/rules.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::scratchpad {
namespace {

/// Do all pairs of active lanes n and n^distance read the same address?
bool pairs_agree(const uint32_t* addresses, LaneMask active, unsigned distance) {
  for (const unsigned lane : active) {
    const unsigned partner = lane ^ distance;
    if (active.has(partner) && addresses[lane] != addresses[partner]) return false;
  }
  return true;
}

}  // namespace

std::optional<AccessKind> access_kind_named(std::string_view name) {
  const auto found = std::find(kAccessKindNames.begin(), kAccessKindNames.end(), name);
  if (found == kAccessKindNames.end()) return std::nullopt;
  return static_cast<AccessKind>(found - kAccessKindNames.begin());
}

std::string access_kind_list() {
  std::string list;
  for (const std::string_view& kind : kAccessKindNames) {
    const bool first = list.empty(), last = &kind == &kAccessKindNames.back();
    list += std::string(first ? "\"" : last ? " or \"" : ", \"") + std::string(kind) + "\"";
  }
  return list;
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

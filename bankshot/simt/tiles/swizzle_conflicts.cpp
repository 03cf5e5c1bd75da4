#include "bankshot/simt/tiles/swizzle_conflicts.hpp"

#include <algorithm>
#include <bit>
#include <span>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/simt/tiles/merge_by.hpp"

namespace bankshot::simt {
namespace {

using scratchpad::AccessKind;
using scratchpad::Rules;

constexpr unsigned kUnit = TileWriters::kBytes;
constexpr unsigned kRoom = 1024;  // bytes of an atom of the widest swizzle

/// Addresses of the lanes of an access, and the places of what they access.
class TileAccess {
 public:
  /// @param words  of the active lanes, in their order
  TileAccess(uint64_t mask, std::span<const uint32_t> words) : mask_(mask) {
    size_t k = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
      addresses_[static_cast<size_t>(std::countr_zero(rest))] = words[k++] * 4;
  }

  /// @return whether all lanes are in tiles of one swizzle
  bool find(const TileReads& tiles) {
    for (uint64_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      const std::optional<TilePlace> place = tiles.place(addresses_[lane]);
      if (!place || (rest != mask_ && place->swizzle != swizzle_)) return false;
      swizzle_ = place->swizzle;
      places_[lane] = *place;
      known_width_ = std::min(known_width_, place->known_width);
    }
    return true;
  }

  Swizzle swizzle() const { return swizzle_; }
  uint64_t conflicts(const Rules& rules, AccessKind kind, unsigned width) const {
    return conflicts_at(rules, kind, width, addresses_);
  }
  /// With another swizzle. @param rules  with its hash
  std::optional<uint64_t> conflicts_with(unsigned span, const Rules& rules, AccessKind kind, unsigned width) const {
    if (span > known_width_ * kUnit) return std::nullopt;
    std::array<uint32_t, 64> moved{};
    for (uint64_t rest = mask_; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      // Atoms of their own for different units: banks depend on the place in the atom alone.
      moved[lane] = first_lane_in(addresses_[lane] / kUnit) * kRoom + addresses_[lane] % kUnit +
                    places_[lane].row * std::max(span, kUnit) +
                    (span == 0 ? 0 : places_[lane].column % (span / kUnit) * kUnit);
    }
    return conflicts_at(rules, kind, width, moved);
  }

 private:
  uint64_t conflicts_at(const Rules& rules, AccessKind kind, unsigned width,
                        const std::array<uint32_t, 64>& addresses) const {
    const scratchpad::Cost cost = scratchpad::cost(rules, kind, width, addresses.data(), mask_);
    return cost.wavefronts - cost.ideal;
  }
  unsigned first_lane_in(uint32_t unit) const {
    unsigned lane = 0;
    while ((mask_ >> lane & 1) == 0 || addresses_[lane] / kUnit != unit) ++lane;
    return lane;
  }

  uint64_t mask_;
  std::array<uint32_t, 64> addresses_{};
  std::array<TilePlace, 64> places_{};
  Swizzle swizzle_;
  unsigned known_width_ = 8;
};

/// The rules of a memory whose tiles have each of kSpans.
std::array<Rules, SwizzleConflicts::kSpans.size()> rules_by_span(const Rules& rules) {
  std::array<Rules, SwizzleConflicts::kSpans.size()> all;
  all.fill(rules);
  // Of the words of as many atoms as there are lanes.
  const scratchpad::HashSize size{std::countr_zero(kRoom / 4 * scratchpad::kMaxLanes),
                                  static_cast<unsigned>(std::countr_zero(rules.banks))};
  for (size_t k = 1; k < all.size(); ++k) all[k].hash = *scratchpad::tma_hash(size, SwizzleConflicts::kSpans[k]);
  return all;
}

}  // namespace

void SwizzleConflicts::merge(const SwizzleConflicts& other) {
  accesses += other.accesses;
  conflicts += other.conflicts;
  for (size_t k = 0; k < kSpans.size(); ++k) {
    if (by_span[k] && other.by_span[k]) {
      *by_span[k] += *other.by_span[k];
    } else {
      by_span[k].reset();
    }
  }
}

std::optional<unsigned> SwizzleConflicts::best_span() const {
  std::optional<unsigned> best;
  uint64_t least = conflicts;
  for (size_t k = 0; k < kSpans.size(); ++k) {
    if (!by_span[k] || *by_span[k] >= least) continue;
    least = *by_span[k];
    best = kSpans[k];
  }
  return best;
}

std::vector<SwizzleConflicts> conflicts_by_swizzle(const TileReads& tiles, const scratchpad::AccessTrace& trace,
                                                   const Rules& rules, AccessKind kind, unsigned width) {
  std::vector<SwizzleConflicts> all;
  if (rules.bank_bytes != 4 || rules.banks != 32 || rules.hash) return all;
  const auto with = rules_by_span(rules);
  for (const scratchpad::AccessTrace::Access& access : trace.kept()) {
    TileAccess one(access.mask, trace.words(access));
    if (!one.find(tiles)) continue;
    SwizzleConflicts counts{one.swizzle(), access.count, access.count * one.conflicts(rules, kind, width), {}};
    for (size_t k = 0; k < with.size(); ++k) {
      const auto conflicts = one.conflicts_with(SwizzleConflicts::kSpans[k], with[k], kind, width);
      if (conflicts) counts.by_span[k] = access.count * *conflicts;
    }
    merge(all, {counts});
  }
  return all;
}

void merge(std::vector<SwizzleConflicts>& to, const std::vector<SwizzleConflicts>& from) {
  merge_by(&SwizzleConflicts::now, to, from);
}

}  // namespace bankshot::simt

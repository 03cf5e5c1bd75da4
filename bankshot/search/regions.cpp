#include "bankshot/search/regions.hpp"

#include <algorithm>

namespace bankshot::search {
namespace {

using scratchpad::PatternSet;
using scratchpad::Region;

/// Regions that were joined.
struct Joint {
  RegionHash made;
  scratchpad::WordRanges words;
  bool keeps = false;
  uint32_t block = 0;  ///< of the hash
};

class Finder {
 public:
  Finder(const scratchpad::Rules& rules, std::span<const Region> regions, const Chooser& choose)
      : rules_(rules), regions_(regions), choose_(choose) {
    rules_.hash.reset();
  }

  std::optional<Error> choose(Joint& joint) const {
    PatternSet set;
    set.rules = rules_;
    for (const size_t k : joint.made.regions)
      set.patterns.insert(set.patterns.end(), regions_[k].patterns.begin(), regions_[k].patterns.end());
    if (!scratchpad::fit_address_bits(set, scratchpad::kUsualAddressBits))
      return Error{"shared memory is accessed beyond the address bits that bank hashes cover"};
    const scratchpad::BankHash modulo = scratchpad::modulo_hash(scratchpad::size_of(set));
    joint.made.without = scratchpad::excess(rules_, set, modulo);
    joint.made.excess = joint.made.without;
    joint.made.hash = modulo;
    if (joint.made.without != 0 && !joint.keeps) {
      const Result<Found> found = choose_(problem(rules_, set));
      if (!found) return found.error();
      const uint64_t excess = scratchpad::excess(rules_, set, found->hash);
      if (excess < joint.made.without && scratchpad::is_full_rank(found->hash)) {
        joint.made.hash = found->hash;
        joint.made.excess = excess;
      }
    }
    joint.block = scratchpad::block_of(rules_, joint.made.hash);
    return {};
  }

 private:
  scratchpad::Rules rules_;
  std::span<const Region> regions_;
  const Chooser& choose_;
};

/// The first two that a hash of theirs would mix.
std::optional<std::pair<size_t, size_t>> mixed(const std::vector<Joint>& all) {
  for (size_t a = 0; a < all.size(); ++a) {
    for (size_t b = a + 1; b < all.size(); ++b) {
      if (scratchpad::share_block(all[a].words, all[b].words, std::max(all[a].block, all[b].block)))
        return std::pair(a, b);
    }
  }
  return {};
}

}  // namespace

Result<std::vector<RegionHash>> find_by_region(const scratchpad::Rules& rules, std::span<const Region> regions,
                                               const std::vector<bool>& keeps, const Chooser& choose) {
  const Finder finder(rules, regions, choose);
  std::vector<Joint> all;
  for (size_t k = 0; k < regions.size(); ++k) {
    Joint& joint = all.emplace_back();
    joint.made.regions = {k};
    joint.words = regions[k].words;
    joint.keeps = keeps[k];
    if (auto error = finder.choose(joint)) return *error;
  }
  while (const auto pair = mixed(all)) {
    Joint& to = all[pair->first];
    const Joint& from = all[pair->second];
    to.made.regions.insert(to.made.regions.end(), from.made.regions.begin(), from.made.regions.end());
    std::ranges::sort(to.made.regions);
    scratchpad::add(to.words, from.words);
    to.keeps |= from.keeps;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(pair->second));
    if (auto error = finder.choose(to)) return *error;
  }
  std::vector<RegionHash> hashes;
  for (Joint& joint : all) hashes.push_back(std::move(joint.made));
  return hashes;
}

}  // namespace bankshot::search

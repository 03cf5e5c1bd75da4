// Access patterns: what one warp instruction asks of shared memory, how often, and what it costs under a bank hash.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/base/units.hpp"
#include "bankshot/scratchpad/counting/trace.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

/// The greatest weight of a pattern, and of all phases of all patterns of a search together: sums do not wrap below it.
constexpr uint64_t kMostWeight = uint64_t{1} << 40;

/// One access of a warp, as it is kept in a patterns file.
struct Pattern {
  uint64_t weight = 1;  ///< how many accesses are like it
  AccessKind kind = AccessKind::load;
  unsigned width = 4;                       ///< bytes a lane: 1, 2, 4, 8 or 16
  uint64_t mask = 0;                        ///< lanes that take part
  std::array<uint32_t, kMaxLanes> words{};  ///< word addresses of the first word of each lane
};

struct PatternSet {
  Rules rules;
  bool sorted = false;         ///< the patterns are canonical() for these rules
  unsigned address_bits = 14;  ///< words (of 4 bytes) are below 2^address_bits
  std::vector<Pattern> patterns;
};

/// What a trace kept, in the order it has there. Where it is a sample, the weights are scaled so that they add up to
/// all accesses, rounded.
std::vector<Pattern> patterns(const AccessTrace& trace, AccessKind kind, unsigned width);

/// One form for all patterns that cost the same under every linear hash: the lanes of a phase in ascending order of
/// their words and without those that change nothing, and of all XOR translations the least.
Pattern canonical(const Rules& rules, const Pattern& pattern);
/// Whether a pattern that is canonical() for the rules `from` costs under `to` what the access itself costs there.
bool keeps_its_cost(const Rules& from, const Rules& to, const Pattern& pattern);
/// Adds up the weights of patterns that are alike but for the weight, and orders them: most weight first.
void merge_equal(std::vector<Pattern>& patterns);

/// Makes words count from another start: that of an array. @param end  bytes from there that may be accessed
/// @return false, and a pattern of no use, if a lane accesses something before the start or behind the end
bool count_from(Pattern& pattern, WordAddress start, ByteOffset end = ByteOffset(UINT64_MAX));
/// Address bits that patterns have at least: 64 KB, the size for which the XOR-hash paper counts its hashes.
constexpr unsigned kUsualAddressBits = 14;
/// Sets address_bits to what the patterns need, `least` at the least. @return false if that is more than hashes work on
bool fit_address_bits(PatternSet& set, unsigned least);

/// The sizes of hashes for these patterns: of bank words.
HashSize size_of(const PatternSet& set);

/// Lanes that are served together: the words they want. What a search works on.
/// Groups whose words are the same up to order and XOR with a constant cost the same under every linear hash.
struct Group {
  uint64_t weight = 1;
  std::vector<uint32_t> words;  ///< bank words, ascending; of a load or store distinct, of an atomic one a lane
  bool operator==(const Group&) const = default;
};

struct Groups {
  std::vector<Group> groups;  ///< canonical, different from each other, in a fixed order
  uint64_t unavoidable = 0;   ///< excess that no hash changes: lanes of atomics on one word
};

/// The words of each phase of an access, in units of a bank's width, ascending; distinct unless it is an atomic.
std::vector<std::vector<uint32_t>> phases(const Rules& rules, const Pattern& pattern);

/// Cost under a hash of bank words, whatever Rules::hash is: the cost of access.hpp with that hash. Rules::banks must
/// be the hash's.
Cost cost(const Rules& rules, const Pattern& pattern, const BankHash& hash);

/// Passes beyond the one that every group needs, weighted: sum of weight * (wavefronts - ideal).
uint64_t excess(const Rules& rules, const PatternSet& set, const BankHash& hash);

/// The groups of all patterns, equal ones added up.
Groups groups(const Rules& rules, const PatternSet& set);

/// The least of all XOR translations of a set of words that contain 0, in ascending order: one form for all of them.
std::vector<uint32_t> canonical(const std::vector<uint32_t>& words);

}  // namespace bankshot::scratchpad

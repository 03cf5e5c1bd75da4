// Finding a bank hash for a set of access patterns.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::search {

using Deadline = std::chrono::steady_clock::time_point;

enum class Method : uint8_t { exhaustive, givargis, mih, optimal };

/// How much is known about the result.
enum class Status : uint8_t {
  exhaustive,  ///< the best of its class: all were tried
  heuristic,
  optimal,     ///< the best of its class, proved by a bound
  best_found,  ///< time ran out; nothing is below lower_bound
};

std::string_view name(Method m);
std::string_view name(Status s);

/// The patterns, made ready to search.
struct Problem {
  scratchpad::HashSize size;
  std::vector<scratchpad::Group> groups;
  uint64_t unavoidable = 0;       ///< excess of any hash
  std::vector<uint32_t> strides;  ///< of the patterns, in words, ascending, for the reductions of section 5.1
  uint32_t span = 1;              ///< most distance between words of one access, plus 1
};
Problem problem(const scratchpad::Rules& rules, const scratchpad::PatternSet& set);

/// Why a search cannot weigh these patterns, or nothing.
std::optional<Error> cannot_search(const scratchpad::Rules& rules, std::span<const scratchpad::Pattern> patterns);

/// Why nothing is better than an optimum: the tree of the search, for bankshot verify. docs/json.md says what the
/// numbers mean.
struct Proof {
  int64_t scale = 1;  ///< W was multiplied by it and rounded down
  std::vector<int32_t> tree;
};

struct Found {
  scratchpad::BankHash hash;
  uint64_t excess = 0;  ///< sum of weight * (wavefronts - ideal), unavoidable included
  Status status = Status::heuristic;
  uint64_t lower_bound = 0;                 ///< no hash of the class has less
  uint64_t evaluated = 0;                   ///< hashes tried
  std::optional<Proof> proof;               ///< of an optimum, if requested
  std::vector<uint32_t> bits;               ///< heuristics: the rows in order of selection
  std::vector<std::vector<uint32_t>> ties;  ///< heuristics: for each of `bits`, equally good ones that came later
};

/// Which hashes of a class may be chosen.
struct Restriction {
  bool in_place = false;  ///< only those that software can apply without extra memory
  /// The row space holds address bits 0 to here, so that the hash has a form in which bank bit i is address bit i for
  /// them. Together with in_place that form, in_place_form(), leaves these bits of every address alone: words that one
  /// lane reads as a vector of 2^plain_low_bits stay side by side. At most the bank bits.
  unsigned plain_low_bits = 0;

  bool allows(const scratchpad::BankHash& hash) const;
};

struct SearchOptions : Restriction {
  std::chrono::milliseconds time_limit{10000};
  unsigned threads = 1;  ///< for method optimal; the result does not depend on it, unless time runs out
  bool proof = false;    ///< method optimal: Found::proof
};

/// All hashes of a class that can list them (HashClass::each), the first of the best.
/// At the deadline: the best so far, best_found.
Found exhaustive(const Problem& problem, const scratchpad::HashClass& hash_class, const Restriction& restriction = {},
                 Deadline deadline = Deadline::max());

/// bank = ((a >> k1) ^ ((a >> k2) & mask)): the classes bitvector-xor and bitvector-perm. Source: the XOR-hash paper,
/// section 5.1.
/// @param permutations  only mask 0
/// @param reduced       only k1, k2 and mask that section 5.1 keeps; and k1 = 0, without which nothing is in place
/// At the deadline: the best so far, best_found.
Found exhaustive_bitvector(const Problem& problem, bool permutations, bool reduced, const Restriction& restriction = {},
                           Deadline deadline = Deadline::max());

/// At most so many of the groups, evenly chosen: what a heuristic that looks at each group often is given of many.
Problem sample(const Problem& problem, size_t groups);

/// Sets of m single bits, or with `pairs` of single bits and XORs of two: all that a bound on the bits chosen so far
/// does not rule out, in ascending order, the first of the best. At the deadline the best so far, which is no worse
/// than what a heuristic offers and, if there was time for them, than the best set of single bits.
Found exhaustive_bitwise(const Problem& problem, bool pairs, const SearchOptions& options);

// The heuristics keep to a restriction as they go: plain address bits are taken first, and in place only candidates
// that tell apart more words of an aligned row than those before them.

/// Givargis's heuristic over sets, section 5.2.1. @param pairs  also XORs of two bits, in the order of Table 3
Found givargis(const Problem& problem, bool pairs, const Restriction& restriction = {});
/// Minimum imbalance heuristic, section 5.2.2. @param pairs  also XORs of two bits, behind the single ones
Found minimum_imbalance(const Problem& problem, bool pairs, const Restriction& restriction = {});

/// The methods that can search a class, the usual one first.
std::vector<Method> methods_of(const scratchpad::HashClass& hash_class);

/// The search that a class (its search_name()) and a method name. Errors: a class that is not there, a method that the
/// class does not have (those it has are listed), more plain bits than bank bits.
Result<Found> find(const Problem& problem, std::string_view hash_class, Method method, const SearchOptions& options);

/// The best XOR hash there is; of equally good ones one that moves all bits by the same distance, as it takes software
/// the fewest instructions.
Found best_of_all(const Problem& problem, const SearchOptions& options);

}  // namespace bankshot::search

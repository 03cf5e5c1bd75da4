// Which layout of a vote space costs least: copies, mapping, padding, and what a hash in hardware would add.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "bankshot/library/atomics_machine.hpp"
#include "bankshot/scratchpad/atomics/voting.hpp"

namespace bankshot::cli {

struct AdviceRequest {
  unsigned words = 0;           ///< of the vote space
  uint64_t budget = 0;          ///< bytes; 0: what a block of the GPU has without asking for more
  std::string data = "random";  ///< or sorted
  std::string file;             ///< of votes, instead
  size_t patterns = 10'000;
  uint64_t seed = 1;
  size_t top = 12;
};

struct Advice {
  static constexpr std::array kHashes = {"none", "xor", "add"};  ///< of banks and of locks
  struct Candidate {
    scratchpad::Layout layout;
    std::array<scratchpad::VotingCost, kHashes.size()> cost;  ///< by hash
  };
  AdviceRequest request;
  std::string gpu, form;
  size_t warps = 0;                   ///< or patterns of a file
  std::vector<Candidate> candidates;  ///< without a hash the fastest first; of equals the smallest
  size_t plain = 0;                   ///< candidate of one copy
  size_t best_hashed = 0, hash = 0;   ///< the best of all under a hash, and which
};

/// Prices every layout that fits. The error says what to change.
Result<Advice> advise(const library::AtomicsRequest& machine, const AdviceRequest& request);

std::string text_of(const Advice& advice);
std::string json_of(const Advice& advice);

}  // namespace bankshot::cli

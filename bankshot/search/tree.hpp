// Branch and bound over row spaces.
#pragma once

#include "bankshot/search/incumbent.hpp"
#include "bankshot/search/spectrum.hpp"
#include "bankshot/search/transcript.hpp"

namespace bankshot::search {

struct TreeResult {
  bool finished = false;     ///< every row space was ruled out or tried: the incumbent is the best
  uint64_t lower_bound = 0;  ///< what is proved if the search did not finish
};

/// Proves the incumbent best or finds better ones.
/// @param spectrum    of the quotient's groups
/// @param transcript  record of the search, in coordinates; may be null
TreeResult search_tree(const Quotient& quotient, unsigned bank_bits, const SearchOptions& options,
                       const Spectrum& spectrum, Incumbent::Clock::time_point deadline, Incumbent& best,
                       Transcript* transcript);

}  // namespace bankshot::search

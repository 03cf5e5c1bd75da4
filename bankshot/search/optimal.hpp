// The best XOR hash of all, with a proof.
#pragma once

#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// The best m x n matrix over GF(2) by branch and bound over row spaces. Deterministic as long as the time suffices.
Found optimal(const Problem& problem, const SearchOptions& options);

}  // namespace bankshot::search

// The best XOR hash of all, with a proof.
#pragma once

#include "bankshot/search/search.hpp"

namespace bankshot::search {

/// One node of a proof: the row spaces that contain the rows chosen so far and none of the cosets excluded so far. The
/// cosets in `taken` are searched one after the other (each a child, in preorder behind this node) and excluded for the
/// ones behind; that none of the others can be in a better hash follows from the bound alone.
struct ProofNode {
  std::vector<uint32_t> taken;  ///< rows, in the coordinates of the proof
};

struct Proof {
  std::vector<ProofNode> nodes;  ///< preorder; empty: the excess is 0, or what no hash avoids
};

struct Optimum {
  Found found;
  Proof proof;                   ///< when found.status is optimal
  bool proof_complete = true;    ///< false when it was too long to keep
};

/// The best m x n matrix over GF(2) by branch and bound over row spaces. Deterministic as long as the time suffices.
Optimum optimal(const Problem& problem, const SearchOptions& options);

}  // namespace bankshot::search

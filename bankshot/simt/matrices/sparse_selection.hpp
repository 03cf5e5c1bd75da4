// Which elements of a sparse matrix A the metadata of mma.sp and wgmma.mma_async.sp select. Source: what an H100 does,
// docs/hopper.md, "Sparse operands"; of elements of 4 bits PTX ISA 9.0, "Sparse matrix storage".
#pragma once

#include <cstdint>

#include "bankshot/simt/matrices/fragment.hpp"

namespace bankshot::simt {

/// Half of the elements of each row of A are kept. Two bits of the metadata choose one of four neighbours along k; of
/// elements of 4 bits one of four neighbouring pairs; four bits choose one of two neighbours of tf32.
struct SparseSelection {
  unsigned bits = 16;     ///< of an element of A, in a register
  unsigned kept = 16;     ///< elements of a row of A
  unsigned selector = 0;  ///< which lanes hold the metadata

  /// How many values the selector has: as many as groups of lanes that may hold the metadata.
  unsigned selectors() const;
  /// The k that element `c` of a row is multiplied with; -1: it counts as 0. Metadata that PTX leaves undefined select
  /// as well. @param metadata  of the warp's lanes @param row  of the warp's sixteen
  int selected(const uint32_t* metadata, unsigned row, unsigned c) const;

 private:
  /// Choices of a row that one lane holds. Those of elements of 16 bits and more take half of its register: the other
  /// half is for the row 8 further.
  unsigned choices_of_lane() const { return bits >= 32 ? 4 : bits == 16 ? 8 : 16; }
  unsigned elements_of_choice() const { return bits == 4 ? 2 : 1; }
  unsigned lanes() const { return kept / elements_of_choice() / choices_of_lane(); }
};

}  // namespace bankshot::simt

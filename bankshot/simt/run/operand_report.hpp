// How products read an operand of shared memory, and who wrote it: as reported.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/simt/state/fault.hpp"
#include "bankshot/simt/tiles/operand_layout.hpp"

namespace bankshot::simt {

/// The reads of one instruction that have one layout.
struct OperandReport {
  /// What one instruction wrote of it.
  struct Part {
    std::string op;  ///< "st.shared.v4.u32"; empty: uninitialised
    Source source;
    bool is_tensor = false;  ///< by a tensor map …
    Swizzle swizzle;         ///< … with this one
    uint64_t bytes = 0;      ///< that were read

    /// Whether the tensor map's swizzle differs from the descriptor's.
    bool misfits(const OperandLayout& layout) const { return is_tensor && swizzle != layout.tile.swizzle; }
  };
  OperandLayout layout;
  uint64_t reads = 0;
  std::vector<Part> written;  ///< by place in the PTX

  void merge(const OperandReport& other);
};

/// Adds up what has the same layout.
void merge(std::vector<OperandReport>& to, const std::vector<OperandReport>& from);

}  // namespace bankshot::simt

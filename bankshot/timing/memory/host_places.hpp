// Where the memory system has memory of the host: its addresses differ from run to run, and what a launch takes must
// not.
#pragma once

#include <cstdint>
#include <vector>

#include "bankshot/simt/memory/memory.hpp"

namespace bankshot::timing {

/// The ranges that are registered (cudaHostRegister), such as tensors of the CPU: each at a multiple of 512 bytes, as
/// cudaMalloc has it, in the order in which launches first see them, behind those seen before.
class HostPlaces {
 public:
  /// Before a launch. A range that has stayed keeps its place.
  void update(const simt::Memory& memory);
  /// Of an address outside the device's range. Memory that is not registered (pageable memory) is where it is.
  uint64_t of(uint64_t address) const;

 private:
  struct Range {
    uint64_t begin, size, place;
  };
  std::vector<Range> ranges_;  ///< by address
  uint64_t next_ = 0;
};

}  // namespace bankshot::timing

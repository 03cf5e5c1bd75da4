// What machine code makes of an atomic on shared memory.
#pragma once

#include <cstdint>

namespace bankshot::timing {

enum class AtomicForm : uint8_t {
  machine,  ///< one instruction
  loop,     ///< a loop around a compare-and-swap
};

}  // namespace bankshot::timing

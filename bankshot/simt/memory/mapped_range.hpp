// Ranges over several mappings: what Memory::map put side by side is one array to a program.
#pragma once

#include <cstdint>

namespace bankshot::simt {

class Memory;

/// Whether the range is within one live allocation, or goes on in others that are mapped without a gap.
bool reaches(const Memory& memory, uint64_t address, uint64_t bytes);

}  // namespace bankshot::simt

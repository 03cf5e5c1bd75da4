// Elements of 4 and 6 bits in shared memory, as tcgen05 has them beside those of 8 bits: sixteen of them begin at each
// 16 bytes, and the rest of these is not used. Source: PTX ISA 9.0, section 9.7.16 (.b4x16_p64, .b6x16_p32). In a byte
// of their own, elements of 4 bits are bits 2 to 5, as in mma.
#pragma once

#include <cstddef>

#include "bankshot/simt/matrices/fragment.hpp"

namespace bankshot::simt {

/// Of an element in shared memory.
unsigned stored_bits(Element element);

/// Gives each element a byte. @param bits  of one: 4 or 6; those of 8 bits have one @param count  of bytes, a multiple
/// of 16
void expand(unsigned bits, std::byte* bytes, size_t count);

}  // namespace bankshot::simt

// An operand of a product in shared memory, as numbers.
#pragma once

#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"
#include "bankshot/simt/matrices/shared_operand.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// The cores of an operand from shared memory into a dense matrix. @param depth  bytes of a row
inline void gather_cores(const std::byte* bytes, Element element, bool mn_major, unsigned rows, unsigned depth,
                         Layout layout, f32* out) {
  if (mn_major) layout = {layout.across_step, layout.line_step};
  const auto [gs, js] = SharedOperand{'A', {}, mn_major, rows, depth, bits(element) / 8}.cores();
  const unsigned width = 128 / bits(element);
  alignas(64) f32 core[256];
  for (unsigned g = 0; g < gs; ++g) {
    for (unsigned j = 0; j < js; ++j, bytes += SharedOperand::kCoreBytes) {
      numbers_of(reinterpret_cast<const u32*>(bytes), element, core);
      f32* const to = out + g * kCoreLines * layout.line_step + j * width * layout.across_step;
      switch (width) {
        case 4: place_core<4>(core, layout, to); break;
        case 8: place_core<8>(core, layout, to); break;
        case 16: place_core<16>(core, layout, to); break;
        default: place_core<32>(core, layout, to); break;
      }
    }
  }
}

inline void negate(f32* x, unsigned count) {
  BANKSHOT_LANE_LOOP
  for (unsigned k = 0; k < count; ++k) x[k] = -x[k];
}

}  // namespace bankshot::simt::BANKSHOT_ISA

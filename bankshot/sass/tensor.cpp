#include "bankshot/sass/tensor.hpp"

namespace bankshot::sass {
namespace {

/// Registers of each matrix that a lane has, and how many further registers (sparsity, scales) stand from bit 40 on.
struct Fragments {
  unsigned result, a, b, more = 0;
};

/// HMMA since sm_75: half precision, BF16 and TF32.
Fragments half_fragments(const Bits& bits) {
  const unsigned result = bits.flag(76) ? 4 : 2;  // F32 or F16
  const unsigned size = bits.field(75, 1) + 2 * bits.field(78, 1);
  const bool tf32 = bits.flag(83);
  if (bits.flag(73)) {  // sparse: A is stored at half its size, so it has as many registers as B
    const unsigned both = size == (tf32 ? 1U : 3U) ? 4 : 2;
    return {result, both, both, 1};
  }
  const unsigned a = tf32 ? (size == 0 ? 4 : 2) : (size == 0 ? 2 : 4);
  return {result, a, a / 2};
}

/// IMMA: integers of 8 and 4 bits.
Fragments integer_fragments(const Bits& bits) {
  if (!bits.flag(86)) return {2, 1, 1};  // 8 rows
  const unsigned depth = 16U << (bits.field(75, 1) + 2 * bits.field(85, 1));
  const bool sparse = bits.flag(72), nibbles = bits.field(83, 2) != 0;
  const unsigned a = depth / (nibbles ? 16 : 8) / (sparse ? 2 : 1);
  return {4, a, sparse ? a : a / 2, sparse ? 1U : 0U};
}

Fragments bit_fragments(const Bits& bits) {
  if (bits.flag(76)) return {4, 4, 2};
  return bits.flag(75) ? Fragments{4, 2, 1} : Fragments{2, 1, 1};
}

Fragments double_fragments(const Bits& bits) {
  constexpr Fragments kShapes[] = {{4, 2, 2}, {8, 4, 2}, {8, 8, 4}, {8, 16, 8}};
  return kShapes[bits.field(76, 2)];
}

/// QMMA: 8 bits and fewer.
Fragments quarter_fragments(const Bits& bits) {
  const unsigned result = bits.flag(77) ? 4 : 2;
  if (bits.flag(80)) return {result, 4, 4, 1};  // sparse
  const unsigned scales = bits.flag(73) ? 2 : 0;
  return bits.flag(75) ? Fragments{result, 4, 2, scales} : Fragments{result, 2, 1, scales};
}

/// Columns of the result of a warp group: 8 to 256. On integers and bits they go up by 16 from 32 on.
unsigned columns_of(const Bits& bits) {
  const unsigned operation = bits.field(0, 9);
  if (operation == 0x1f0 || operation == 0x1f3) return 8 * (bits.field(53, 5) + 1);
  const unsigned step = operation == 0x1f1 ? bits.field(53, 6) / 3 : bits.field(53, 5);
  return step < 3 ? 8 * (step + 1) : 16 * (step - 1);
}

/// HGMMA and its relatives: a warp group multiplies what descriptors name.
void read_group(const Bits& bits, Operands& operands) {
  const unsigned operation = bits.field(0, 9);
  const bool can_be_half = operation == 0x1f0 || operation == 0x1f3;
  const unsigned columns = columns_of(bits);
  const unsigned result = can_be_half && !bits.flag(75) ? columns / 4 : columns / 2;
  operands.write(16, result);
  if (bits.field(9, 3) == 6) operands.read(24, 4);  // A in registers
  operands.read(64, result);
}

/// LDTM, STTM: between registers and tensor memory.
void read_tensor_memory(const Bits& bits, Operands& operands) {
  constexpr unsigned kRegisters[] = {2, 4, 1, 1};  // of 16 x 128, 16 x 256, 32 x 32 and 16 x 64 bits
  const bool of_32_bits = bits.flag(87);           // 16 x 32 bits
  const unsigned count = (of_32_bits ? 1 : kRegisters[bits.field(81, 2)]) << bits.field(83, 3);
  if (bits.field(0, 9) == 0x1ee)
    operands.write(16, count);
  else
    operands.read(32, count);
}

}  // namespace

void read_tensor(const Bits& bits, Operands& operands) {
  Fragments shape{};
  switch (bits.field(0, 9)) {
    case 0x036: shape = {2, 2, 2}; break;  // one step of HMMA on sm_70
    case 0x037: shape = integer_fragments(bits); break;
    case 0x03c: shape = half_fragments(bits); break;
    case 0x03d: shape = bit_fragments(bits); break;
    case 0x03f: shape = double_fragments(bits); break;
    case 0x07a: shape = quarter_fragments(bits); break;
    case 0x07f: shape = {4, 4, 2, 2}; break;  // OMMA
    case 0x1ed:
    case 0x1ee: return read_tensor_memory(bits, operands);
    default: return read_group(bits, operands);
  }
  operands.write(16, shape.result);
  operands.read(24, shape.a);
  operands.read(32, shape.b);
  operands.read(64, shape.result);
  for (unsigned i = 0; i < shape.more; ++i) operands.read(40 + 8 * i, 1);
}

}  // namespace bankshot::sass

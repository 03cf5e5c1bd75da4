#include "bankshot/sass/instruction.hpp"

#include <algorithm>

#include "bankshot/sass/bits.hpp"
#include "bankshot/sass/opcodes.hpp"
#include "bankshot/sass/tensor.hpp"

namespace bankshot::sass {
namespace {

constexpr uint8_t kRz = 255;
constexpr unsigned kAlways = 7;      ///< the predicate PT
constexpr unsigned kUrzBefore = 63;  ///< URZ before sm_100; 255 since

/// Bytes of the code in bits 73..75 of a load or store.
unsigned access_bytes(const Bits& bits) {
  constexpr unsigned kBytes[] = {1, 1, 2, 2, 4, 8, 16, 0};
  return kBytes[bits.field(73, 3)];
}

/// Bytes of an atomic on integers; before sm_90 on floating-point numbers as well.
unsigned integer_atomic_bytes(const Bits& bits, const Row& row) {
  const unsigned type = bits.field(73, 3);
  if (row.what == Class::shared_atomic) {
    constexpr unsigned kBytes[] = {4, 4, 8, 8, 16, 8, 8, 0};
    return kBytes[type];
  }
  const bool half_pair = type == 4 && bits.field(87, 4) == 0 && row.opcode != 0x18b && row.opcode != 0x1a9;
  if (half_pair || (type == 4 && row.written == 0)) return 4;  // F16x2; of exchanges, 128 bits
  constexpr unsigned kOld[] = {4, 4, 8, 4, 16, 8, 8, 0}, kNew[] = {4, 4, 8, 8, 16, 8, 8, 0};
  return bits.architecture < 90 ? kOld[type] : kNew[type];
}

/// Bytes of an atomic on floating-point numbers since sm_90: half precision, then F32, F32x2, F32x4 and F64.
unsigned float_atomic_bytes(const Bits& bits) {
  constexpr unsigned kBytes[] = {4, 8, 16, 4, 8, 16, 0, 0, 4, 4, 8, 16, 0, 0, 0, 8};
  return kBytes[bits.field(73, 4)];
}

unsigned bytes_of(const Bits& bits, const Row& row) {
  switch (row.opcode & 0x1ff) {
    case 0x18a:
    case 0x18b:
    case 0x18c:
    case 0x18d:
    case 0x18e:
    case 0x1a8:
    case 0x1a9: return integer_atomic_bytes(bits, row);
    case 0x1a2:
    case 0x1a3:
    case 0x1a6: return float_atomic_bytes(bits);
    case 0x1be: return 4;  // REDAS
    default: return access_bytes(bits);
  }
}

unsigned count_of(uint8_t width, const Bits& bits, unsigned bytes) {
  constexpr unsigned kLog64 = 3;
  switch (width) {
    case kAccess: return std::max(1U, bytes / 4);
    case kAddress: return bits.flag(72) ? 2 : 1;
    case kPair73: return bits.flag(73) ? 2 : 1;
    case kPair74: return bits.flag(74) ? 2 : 1;
    case kPair75: return bits.flag(75) ? 2 : 1;
    case kPair80: return bits.flag(80) ? 2 : 1;
    case kConverted: return bits.field(75, 2) == kLog64 ? 2 : 1;
    case kConvertedFrom: return bits.field(84, 2) == kLog64 ? 2 : 1;
    default: return width;
  }
}

int uniform_at(const Bits& bits, unsigned at) {
  if (!bits.flag(91)) return kNone;
  const unsigned mask = bits.architecture >= 100 ? 255 : kUrzBefore;
  const unsigned number = bits.field(at, 8) & mask;
  return number == mask ? kNone : static_cast<int>(number);
}

int register_at(const Bits& bits, unsigned at) {
  const unsigned number = bits.field(at, 8);
  return number == kRz ? kNone : static_cast<int>(number);
}

/// Arithmetic: bits 9..11 say which of the second and third source is a register and where it stands.
void read_usual(const Bits& bits, const Row& row, Operands& operands) {
  operands.write(16, count_of(row.written, bits, 0));
  operands.read(24, count_of(row.a, bits, 0));
  const unsigned form = bits.field(9, 3);
  const bool swapped = form == 2 || form == 3 || form == 7;  // the third source stands at bit 32, the second at 64
  if (row.shape == Shape::two) {
    if (form == 1 || row.mask == 0xfff) operands.read(32, count_of(row.b, bits, 0));
    return;
  }
  if (form == 1) operands.read(32, count_of(row.b, bits, 0));
  if (row.c != 0) operands.read(64, count_of(swapped ? row.b : row.c, bits, 0));
}

void read_memory(const Bits& bits, const Row& row, Instruction& result, Operands& operands) {
  result.bytes = bytes_of(bits, row);
  result.offset = bits.signed_field(40, 24);
  const unsigned form = bits.field(9, 3);
  const bool load = row.b == 0;
  const bool atomic = row.what == Class::global_atomic;
  // By a generic address without a descriptor: 32 bits of offset, and the data behind them.
  const bool long_offset = (row.what == Class::generic_load || row.what == Class::generic_store) && !bits.flag(91);
  if (long_offset) result.offset = bits.signed_field(32, 32);
  // Bit 63 has another meaning in atomics that give back a value.
  if (atomic && row.written != 0 && form == 4 && bits.architecture >= 100) result.offset = bits.signed_field(40, 23);
  operands.write(16, count_of(row.written, bits, result.bytes));
  unsigned address = count_of(row.a, bits, result.bytes);
  // [R0.U32+UR4]: 32 bits are added to the 64 bits of uniform registers.
  const bool global = row.what == Class::global_load || row.what == Class::global_store;
  if (global && bits.flag(91) && !bits.flag(90)) address = 1;
  result.base = register_at(bits, 24);
  operands.read(24, address);
  const bool near =
      row.what == Class::shared_load || row.what == Class::shared_store || row.what == Class::shared_atomic;
  if (near) {
    constexpr unsigned kScale[] = {1, 4, 8, 16};
    result.scale = kScale[bits.field(78, 2)];
    result.uniform_base = uniform_at(bits, load ? 32 : 64);
  }
  // An atomic of form 7 on shared memory has no data: POPC.INC and ARRIVE.
  if (!load && !(near && form == 7)) operands.read(long_offset ? 64 : 32, count_of(row.b, bits, result.bytes));
  if (row.c != 0) operands.read(64, count_of(row.c, bits, result.bytes));
}

void read_wide(const Bits& bits, const Row& row, Instruction& result, Operands& operands) {
  result.bytes = 32;
  const bool load = row.what == Class::global_load;
  result.offset = bits.signed_field(40, load ? 17 : 19) * 32;
  result.base = register_at(bits, 24);
  operands.read(24, 2);
  if (load) {
    operands.write(16, 4);
    operands.write(64, 4);
  } else {
    operands.read(32, 4);
    operands.read(16, 4);
  }
}

void read_constant(const Bits& bits, const Row& row, Instruction& result, Operands& operands) {
  result.bytes = access_bytes(bits);
  const bool uniform = row.written == 0;
  result.offset = row.opcode == 0x1ac ? bits.signed_field(37, 17) : bits.signed_field(38, 16);
  if (uniform) return;
  result.base = register_at(bits, 24);
  operands.write(16, count_of(row.written, bits, result.bytes));
  operands.read(24, 1);
}

void read_matrix(const Bits& bits, const Row& row, Instruction& result, Operands& operands) {
  unsigned registers = 1U << bits.field(72, 2);
  const bool load = row.what == Class::matrix_load;
  if (load && bits.field(78, 3) == 4) registers *= 2;  // of matrices of 16 x 16 bytes a lane has two registers
  result.bytes = 4 * registers;
  result.offset = bits.signed_field(40, 24);
  result.base = register_at(bits, 24);
  result.uniform_base = uniform_at(bits, load ? 32 : 64);
  operands.read(24, 1);
  if (load)
    operands.write(16, registers);
  else
    operands.read(32, registers);
}

void read_copy(const Bits& bits, Instruction& result, Operands& operands) {
  result.bytes = bits.architecture < 100 ? access_bytes(bits) : 4U << bits.field(74, 2);
  result.offset = bits.signed_field(44, 20);
  result.base = register_at(bits, 16);
  operands.read(16, 1);
  operands.read(24, 2);
}

void read_shuffle(const Bits& bits, Operands& operands) {
  operands.write(16, 1);
  operands.read(24, 1);
  const unsigned form = bits.field(9, 3);
  if (form == 1 || form == 2) operands.read(32, 1);  // the lane
  if (form == 1 || form == 4) operands.read(64, 1);  // clamp and segment
}

/// BAR and WARPSYNC: which barrier, how many threads, or which lanes.
void read_meeting(const Bits& bits, const Row& row, Operands& operands) {
  const unsigned form = bits.field(9, 3);
  if (row.what == Class::barrier) {
    if (form != 5) operands.read(32, 1);
  } else if (form == 1) {
    operands.read(bits.architecture < 90 ? 32 : 24, 1);
  }
}

}  // namespace

std::string_view name_of(Class what) {
  switch (what) {
    case Class::shared_load: return "shared load";
    case Class::shared_store: return "shared store";
    case Class::shared_atomic: return "shared atomic";
    case Class::matrix_load: return "matrix load";
    case Class::matrix_store: return "matrix store";
    case Class::async_copy: return "asynchronous copy";
    case Class::mbarrier: return "mbarrier";
    case Class::global_load: return "global load";
    case Class::global_store: return "global store";
    case Class::global_atomic: return "global atomic";
    case Class::generic_load: return "generic load";
    case Class::generic_store: return "generic store";
    case Class::cluster_store: return "cluster store";
    case Class::local_load: return "local load";
    case Class::local_store: return "local store";
    case Class::constant_load: return "constant load";
    case Class::texture: return "texture";
    case Class::bulk_copy: return "bulk copy";
    case Class::tensor: return "tensor";
    case Class::barrier: return "barrier";
    case Class::fence: return "fence";
    case Class::control: return "control";
    case Class::move: return "move";
    case Class::warp: return "warp";
    case Class::integer: return "integer";
    case Class::floating_point: return "floating point";
    case Class::special: return "special";
    case Class::conversion: return "conversion";
    case Class::other: return "other";
  }
  return "other";
}

Instruction decode(uint64_t low, uint64_t high, unsigned architecture) {
  const Bits bits{low, high, architecture};
  Instruction result;
  result.guarded = bits.field(12, 3) != kAlways || bits.flag(15);
  result.never = bits.field(12, 4) == 15;
  const Row* row = find_row(low, architecture);
  if (row == nullptr) return result;
  result.what = row->what;
  result.name = row->name;
  result.operands_known = true;
  Operands operands{bits, result};
  switch (row->shape) {
    case Shape::usual:
    case Shape::two: read_usual(bits, *row, operands); break;
    case Shape::uniform: break;
    case Shape::memory: read_memory(bits, *row, result, operands); break;
    case Shape::wide: read_wide(bits, *row, result, operands); break;
    case Shape::constant: read_constant(bits, *row, result, operands); break;
    case Shape::matrix: read_matrix(bits, *row, result, operands); break;
    case Shape::copy: read_copy(bits, result, operands); break;
    case Shape::shuffle: read_shuffle(bits, operands); break;
    case Shape::meeting: read_meeting(bits, *row, operands); break;
    case Shape::tensor: read_tensor(bits, operands); break;
    case Shape::unknown: result.operands_known = false; break;
  }
  return result;
}

}  // namespace bankshot::sass

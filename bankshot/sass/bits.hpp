// The 128 bits of an instruction, and the registers found in them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "bankshot/sass/instruction.hpp"

namespace bankshot::sass {

struct Bits {
  uint64_t low = 0, high = 0;
  unsigned architecture = 0;

  /// `count` bits from bit `at` on; a field does not reach over bit 64.
  unsigned field(unsigned at, unsigned count) const {
    const uint64_t word = at < 64 ? low >> at : high >> (at - 64);
    return static_cast<unsigned>(word & ((uint64_t{1} << count) - 1));
  }
  bool flag(unsigned at) const { return field(at, 1) != 0; }
  int64_t signed_field(unsigned at, unsigned count) const {
    const int64_t value = field(at, count), sign = int64_t{1} << (count - 1);
    return (value ^ sign) - sign;
  }
};

/// Notes the registers whose numbers stand at a bit. RZ is none; a register file has 255.
struct Operands {
  const Bits& bits;
  Instruction& result;

  void write(unsigned at, unsigned count) {
    if (const Registers found = registers(at, count); found.count != 0)
      result.written_storage[result.written_count++] = found;
  }
  void read(unsigned at, unsigned count) {
    if (const Registers found = registers(at, count); found.count != 0)
      result.read_storage[result.read_count++] = found;
  }

 private:
  Registers registers(unsigned at, unsigned count) const {
    const unsigned first = bits.field(at, 8);
    return {static_cast<uint8_t>(first), static_cast<uint8_t>(std::min(count, 255 - first))};
  }
};

}  // namespace bankshot::sass

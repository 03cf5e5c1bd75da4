// The operations of machine code: name, class, and where their registers are.
#pragma once

#include <cstdint>
#include <string_view>

#include "bankshot/sass/instruction.hpp"

namespace bankshot::sass {

/// How many registers an operand has where that depends on further bits.
enum Width : uint8_t {
  kAccess = 100,  ///< as many as the memory access has bytes, in words
  kAddress,       ///< two if bit 72 says that the address has 64 bits, else one
  kPair73,        ///< two if bit 73 is set, else one; the next are the same of other bits
  kPair74,
  kPair75,
  kPair80,
  kConverted,      ///< destination of a conversion: its size is in bits 75..76
  kConvertedFrom,  ///< source of a conversion: bits 84..85
};

/// Which operands there are beyond those that nearly all operations have.
enum class Shape : uint8_t {
  usual,     ///< destination, and up to three sources whose places depend on the form
  two,       ///< as usual, but what stands at bit 32 is the second source in every form
  uniform,   ///< only uniform registers
  memory,    ///< address at bit 24, data at bit 32, their widths as the row says
  wide,      ///< LDG and STG of 256 bits
  constant,  ///< LDC, LDCU, ULDC
  matrix,    ///< LDSM, STSM
  copy,      ///< LDGSTS
  shuffle,   ///< SHFL
  meeting,   ///< BAR, WARPSYNC
  tensor,    ///< HMMA and its relatives: tensor.cpp
  unknown,   ///< registers are not read
};

struct Row {
  uint16_t opcode;  ///< bits 0..8, or with an exact form bits 0..11
  uint16_t mask;    ///< kAnyForm or kExact
  uint8_t from;     ///< architectures
  uint8_t until;
  std::string_view name;
  Class what;
  Shape shape;
  uint8_t written, a, b, c;  ///< registers of each operand, or a Width
};

/// The row of an instruction, or nullptr if the operation is not known.
const Row* find_row(uint64_t low, unsigned architecture);

}  // namespace bankshot::sass

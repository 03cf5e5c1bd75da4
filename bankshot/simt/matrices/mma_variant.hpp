// What mma.sp and mma with .block_scale have beside their matrices, as far as it is known at decoding. Source: PTX ISA
// 9.0, "Block Scaling for mma.sync" and "Multiply-and-Accumulate Instruction: mma.sp".
#pragma once

#include <cstdint>
#include <string>

namespace bankshot::simt {

/// "0", "0 or 2", "0 to 3": the multiples of step below end, for messages.
std::string some_numbers(unsigned end, unsigned step);

/// Formats of scale factors: powers of two, and e4m3 without a sign.
enum class ScaleFormat : uint8_t { none, ue8m0, ue4m3 };

/// An operand that says where scale factors are: the first byte in a register, or the thread of four. All lanes of a
/// warp give the same.
struct ScaleChoice {
  bool of_a = true, is_byte = true;
  unsigned end = 4, step = 1;  ///< allowed are the multiples of step below end

  bool allows(uint64_t value) const { return value < end && value % step == 0; }
  std::string values() const { return some_numbers(end, step); }
  std::string what() const;  ///< "the byte of the scale factors of A"
};

struct MmaVariant {
  unsigned selector = 0;  ///< of the metadata of a sparse A
  ScaleFormat scale = ScaleFormat::none;
  unsigned scales = 1;  ///< .scale_vec: scale factors of a row of A, or of a column of B: 1, 2 or 4

  uint64_t packed() const { return selector | static_cast<uint64_t>(scale) << 8 | uint64_t{scales} << 16; }
  static MmaVariant unpacked(uint64_t bits) {
    return {static_cast<unsigned>(bits & 0xff), static_cast<ScaleFormat>(bits >> 8 & 0xff),
            static_cast<unsigned>(bits >> 16 & 0xff)};
  }
  ScaleChoice byte(bool of_a) const { return {of_a, true, 4, scales}; }
  /// The 16 rows of A take two threads of four, the 8 columns of B one.
  static ScaleChoice thread(bool of_a) { return {of_a, false, of_a ? 2u : 4u, 1}; }
};

}  // namespace bankshot::simt

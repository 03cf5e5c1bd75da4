// How scalar video instructions are laid out in an Instr: op[0] = d, op[1] = a, op[2] = b, op[3] = c or kNone;
// imm: VideoPart of a, b and d, 16 bits each from bit 0 on; small: VideoSmall; flags kSaturate.
#pragma once

#include "bankshot/simt/rows/lowering.hpp"

namespace bankshot::simt {

/// A byte, a half or all of a 32-bit register, and whether it is signed.
struct VideoPart {
  uint8_t shift = 0;   ///< where it begins
  uint8_t width = 32;  ///< 8, 16 or 32 bits
  bool is_signed = false;

  uint64_t code() const { return shift | uint64_t{width} << 8 | uint64_t{is_signed} << 15; }
  /// Part k of an Instr's imm: 0 is a, 1 is b, 2 is d.
  static VideoPart of(uint64_t imm, unsigned k) {
    const uint64_t code = imm >> 16 * k;
    return {static_cast<uint8_t>(code), static_cast<uint8_t>(code >> 8 & 0x7f), (code >> 15 & 1) != 0};
  }
};

struct VideoSmall {
  static constexpr uint8_t kAdd = 1, kMin = 2, kMax = 3, kSecond = 3;  ///< the secondary operation, 0 if there is none
  static constexpr uint8_t kNegateProduct = 4, kNegateC = 8, kPlusOne = 16, kShift7 = 32, kShift15 = 64;  ///< vmad
};

void lower_video(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);
void lower_video_multiply(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out);

}  // namespace bankshot::simt

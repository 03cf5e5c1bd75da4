// A decoded instruction: a handler and the places of its operands. The interpreter is `while (i) i = i->run(warp, i);`
#pragma once

#include <cstddef>
#include <cstdint>

namespace bankshot::simt {

struct Warp;
struct Instr;

/// Executes one warp instruction for the lanes of Warp::active.
/// @return the next instruction, or null when this warp has to stop (blocked, yielding, faulted or finished)
using Handler = const Instr* (*)(Warp&, const Instr*);

/// Where an operand lives: the top two bits choose the base, the rest is a byte offset.
/// A general operand is a row of kLanes values of its register's width; a predicate is a 64-bit mask, bit l for lane l.
struct OperandRef {
  static constexpr uint32_t kFrame = 0u << 30;       ///< registers of the running function
  static constexpr uint32_t kConstant = 1u << 30;    ///< immediates and launch constants, the same for all warps
  static constexpr uint32_t kSpecial = 2u << 30;     ///< %tid, %warpid … of this warp
  static constexpr uint32_t kCtaSpecial = 3u << 30;  ///< %ctaid … of this CTA
  static constexpr uint32_t kNegated = 1u << 29;     ///< predicates only: !p
  static constexpr uint32_t kOffset = (1u << 29) - 1;
  static constexpr uint32_t kNone = ~0u;  ///< sink `_` or absent
};

/// Rounding and flushing of floating-point instructions: goes into the host's MXCSR.
struct FpMode {
  static constexpr uint8_t kNearest = 0, kDown = 1, kUp = 2, kZero = 3;  ///< the order of MXCSR.RC
  static constexpr uint8_t kFlush = 4;  ///< .ftz: subnormal inputs and results are zero
  /// By mode. Exceptions are masked; FTZ and DAZ with .ftz.
  static constexpr unsigned kMxcsr[] = {0x1f80, 0x3f80, 0x5f80, 0x7f80, 0x9fc0, 0xbfc0, 0xdfc0, 0xffc0};
};

/// Bits of Instr::flags.
struct InstrFlag {
  static constexpr uint16_t kSaturate = 1;      ///< .sat
  static constexpr uint16_t kOr = 2;            ///< lop3: .or, not .and
  static constexpr uint16_t kGuardNegated = 8;  ///< @!p
  static constexpr uint16_t kPolls = 16;    ///< may be waiting for another lane: volatile, acquire, atomic with result
  static constexpr uint16_t kWide = 32;     ///< the address register is 64 bits
  static constexpr uint16_t kOneWord = 64;  ///< ld, st: one 32-bit register through a 32-bit address register
  static constexpr uint16_t kMatrix = 512;  ///< loads or stores matrices: lower_matrix.hpp
  static constexpr uint16_t kAligned = 1024;   ///< the whole warp executes it, or no lane: whole_warp()
  static constexpr uint16_t kOnlyWaits = 128;  ///< mbarrier tests: what fails comes back, see waiting_loops.hpp
  static constexpr uint16_t kPseudo = 256;     ///< not an instruction of the program: not counted
};

/// Instr::small of instructions on memory.
struct MemorySmall {
  static constexpr uint8_t kSpaceMask = 15;   ///< ptx::Space
  static constexpr uint8_t kEntryParam = 16;  ///< param: of the kernel, in the launch's buffer
};

/// Decoded once, never changed afterwards. 64 bytes.
struct alignas(64) Instr {
  Handler run = nullptr;   ///< what the interpreter calls: `body`, or a wrapper for the guard around it
  Handler body = nullptr;  ///< the instruction proper
  uint64_t imm = 0;        ///< immediate offset, branch target (Instr*), …: see the row
  uint32_t op[6] = {OperandRef::kNone, OperandRef::kNone, OperandRef::kNone,
                    OperandRef::kNone, OperandRef::kNone, OperandRef::kNone};
  uint32_t guard = OperandRef::kNone;
  uint32_t aux = 0;  ///< index of a site, a call, a vector list …: see the row
  uint16_t flags = 0;
  uint8_t fp = 0;     ///< FpMode
  uint8_t small = 0;  ///< a small immediate, as the row says
};
static_assert(sizeof(Instr) == 64);

}  // namespace bankshot::simt

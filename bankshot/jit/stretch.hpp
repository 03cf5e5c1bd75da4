// A stretch of a function that is compiled together: what can be reached from an instruction without leaving native
// code.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bankshot/simt/state/native_compiler.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::jit {

/// What the compiler does with an instruction.
enum class Kind : uint8_t {
  lanes,   ///< a function of operands, lane by lane
  across,  ///< a function of operands of all lanes, for a whole warp
  load,    ///< of a lane's own words
  store,
  atomic,  ///< on shared memory, without a result
  branch,
  join,  ///< the pseudo instruction where lanes meet
  nothing,
  call,      ///< by its handler, which does not change the set of lanes
  barrier,   ///< at which a whole warp waits for the others
  exchange,  ///< by its handler, which may let the warp wait: registers are in their rows
  end,       ///< of a kernel
  leave,     ///< left to the interpreter
};

/// A set of registers by number.
class RegisterSet {
 public:
  explicit RegisterSet(size_t registers = 0) : words_((registers + 63) / 64) {}
  bool has(uint32_t r) const { return (words_[r / 64] >> (r % 64) & 1) != 0; }
  void add(uint32_t r) { words_[r / 64] |= uint64_t{1} << (r % 64); }
  void remove(uint32_t r) { words_[r / 64] &= ~(uint64_t{1} << (r % 64)); }
  /// @return whether it grew
  bool add(const RegisterSet& other);
  template <class F>
  void for_each(F f) const {
    for (size_t w = 0; w < words_.size(); ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1)
        f(static_cast<uint32_t>(64 * w) + static_cast<uint32_t>(__builtin_ctzll(rest)));
    }
  }

 private:
  std::vector<uint64_t> words_;
};

inline std::span<const uint32_t> reads_of(const simt::LoadedProgram& program, uint32_t i) {
  const simt::InstrInfo& info = program.info[i];
  return {program.register_uses.data() + info.uses, info.reads};
}
inline std::span<const uint32_t> writes_of(const simt::LoadedProgram& program, uint32_t i) {
  const simt::InstrInfo& info = program.info[i];
  return {program.register_uses.data() + info.uses + info.reads, info.writes};
}

/// Registers whose values are wanted before each instruction of a function.
std::vector<RegisterSet> live_before(const simt::LoadedProgram& program, const simt::FunctionInfo& function,
                                     const simt::NativeRuntime& runtime);

/// What is between a branch and the join of its sides, if that is nothing but a few instructions on lanes: both sides
/// can be executed one after the other, each for its lanes.
struct Sides {
  std::vector<std::pair<uint32_t, uint32_t>> parts;  ///< instructions, in order; branches go forward only
  uint32_t join = 0;
};

struct Block {
  uint32_t begin = 0, end = 0;  ///< instructions
  std::vector<uint32_t> next;   ///< blocks: of a branch first where it is taken, then where it is not
  bool falls_through = false;   ///< ends without a branch
  std::optional<Sides> sides;   ///< of the branch
  uint32_t join_block = 0;      ///< … where they meet
};

/// The first block begins at the entry. Blocks come in an order in which each is behind one that leads to it.
struct Stretch {
  std::vector<Block> blocks;
  uint32_t block_at(uint32_t instruction) const;  ///< ~0u: none begins there
};

/// @param kind  of each instruction of the program, by index minus function.begin
Stretch stretch_from(const simt::LoadedProgram& program, const simt::FunctionInfo& function,
                     const std::vector<Kind>& kind, uint32_t entry);

/// Index of the target of a branch.
inline uint32_t target_of(const simt::LoadedProgram& program, uint32_t i) {
  return static_cast<uint32_t>(reinterpret_cast<const simt::Instr*>(program.code[i].imm) - program.code.data());
}

}  // namespace bankshot::jit

#include "bankshot/simt/decode/clock_loops.hpp"

#include <algorithm>

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/lower/lower_move.hpp"

namespace bankshot::simt {
namespace {

constexpr uint64_t kMostInstructions = 32;

bool reads_clock(const LoadedProgram& program, uint64_t at) {
  const Instr& i = program.code[at];
  return i.small == MoveKind::kClock && (i.flags & InstrFlag::kPolls) != 0 &&
         program.texts[program.info[at].text].starts_with("mov.");
}

/// Whether an instruction of a loop does no more than compute, branch, or sleep.
bool is_harmless(const LoadedProgram& program, uint64_t at) {
  const Instr& i = program.code[at];
  if (i.body == &run_branch || i.body == &run_reconverge || i.body == &run_nanosleep) return true;
  const Unit unit = program.info[at].unit;
  return unit < Unit::sfu;
}

}  // namespace

void mark_clock_loops(LoadedProgram& program) {
  for (uint64_t branch = 1; branch < program.code.size(); ++branch) {
    const Instr& last = program.code[branch];
    if (last.body == nullptr || !jumps(last) || last.imm > branch || branch - last.imm >= kMostInstructions) continue;
    uint64_t looks = 0, look = 0;
    bool only_waits = true;
    for (uint64_t at = last.imm; at <= branch; ++at) {
      only_waits &= is_harmless(program, at);
      if (!reads_clock(program, at)) continue;
      ++looks;
      look = at;
    }
    if (only_waits && looks == 1) program.code[look].small = MoveKind::kClockLook;
  }
}

}  // namespace bankshot::simt

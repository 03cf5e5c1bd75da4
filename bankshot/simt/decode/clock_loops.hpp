// Loops that wait until a clock shows enough. Without a timing model a clock counts instructions, and a program that
// waits for a second would execute a thousand million of them; so a look at the clock in such a loop lets time pass.
#pragma once

#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {

/// What a look takes, in clocks. A wait ends so much later than it would, at the most.
constexpr uint64_t kClockLook = 1000;

/// Makes looks of those in loops which do nothing else: one look, at most 32 instructions, none of them touches memory,
/// calls, or waits for others. Branch targets are indices still.
void mark_clock_loops(LoadedProgram& program);

}  // namespace bankshot::simt

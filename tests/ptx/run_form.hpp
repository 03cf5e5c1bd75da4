// A kernel around one instruction, run on many operands with every instruction set of the host.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "conformance.hpp"

namespace bankshot::simt::conformance {

/// An engine and the instruction set it executes with.
struct Host {
  std::string isa;
  std::unique_ptr<Engine> engine;  ///< null for a real GPU (tests/device)
};

/// One for each instruction set: portable and wide always, avx2 and avx512 where the host has them.
std::vector<Host> hosts();
/// The real GPU alone, where the variable BANKSHOT_DEVICE names one, else hosts(): for what runs through check_form and
/// run_warps.
std::vector<Host> hosts_or_gpu();
/// One that compiles what it runs, unless the host lacks the instruction set or this build has no compiler, which is
/// printed. @param isa  "avx2" or "avx512"
std::vector<Host> compiling_hosts(const std::string& isa);
/// Of the ways to write an instruction, one of so many is compiled, too: that takes much longer than to run it. The
/// variable BANKSHOT_COMPILED_FORMS has another number.
size_t forms_compiled();

/// The instruction with its registers, in braces on one line.
std::string statement_of(const Spelling& spelling);

/// Under sanitizers each operand and each form costs many times as much: then fewer are tried.
size_t scaled(size_t count);
/// Of the ways to write an instruction, one of so many is tried.
size_t forms_apart();

/// Operands to try: each tuple has one for each source, then CC.CF, then whether the lane is on under a guard.
std::vector<std::vector<uint64_t>> operands_for(const Spelling& spelling, const Rule& rule);

/// Runs the instruction plainly, under a guard and with its first source as destination, and reports to GoogleTest what
/// differs from the rule.
/// Results must also be the same on all hosts.
enum class Outcome { right, wrong, refused };
Outcome check_form(const std::vector<Host>& hosts, const Spelling& spelling, const Rule& rule);

/// Runs the instruction in warps of 32 lanes, of which those that are on branch to it. Tuples are as of operands_for,
/// one for each lane. @return the result arrays one after the other, kJunk where a lane was off; nothing if it was
/// refused
std::optional<std::vector<uint64_t>> run_warps(const Host& host, const Spelling& spelling,
                                               const std::vector<std::vector<uint64_t>>& tuples);

/// Some lanes of each group of eight are off. @param i  thread in a grid of CTAs whose size is a multiple of 8
inline bool is_on(size_t i) { return (i & 5) != 4; }

/// What registers hold before; predicates are true.
constexpr uint64_t kJunk = 0xa5a5c3c396969696u;

}  // namespace bankshot::simt::conformance

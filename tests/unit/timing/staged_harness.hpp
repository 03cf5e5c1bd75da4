// A small machine whose pipeline has the stages of the elastic-pipeline paper, and programs for it.
#pragma once

#include <string>

#include "chip_harness.hpp"

namespace bankshot::timing {

/// Warps of 32 lanes on a datapath of 8, 8 banks. Of 8 stages the first 3 are IF, ID and EXE, then come 4 of memory and
/// write-back. So an instruction that issues in cycle t has its sub-warps in IF in t to t + 3. Without anybody in its
/// way the last of them is written back in
///   t + 3 + 7 = t + 10  through all stages
///   t + 3 + 3 = t + 6   from EXE, in the elastic pipeline
/// and what depends on it issues a cycle later. An access whose sub-warps have degree d has MEM0 in [t + 3, t + 3 + 4
/// d), its last sub-warp is written back 3 stages behind, in t + 4 d + 6, and what depends on it issues in t + 4 d + 7.
inline Config staged_machine(const std::string& organisation) {
  Config config = small_machine();
  config.issue.simd_lanes = 8;
  config.issue.pipeline = organisation;
  set_parameter(config, "issue.stages", 8);
  set_parameter(config, "issue.memory_stages", 4);
  for (UnitConfig& unit : config.units) unit = {1, 8, 8};
  config.load_store = {8, 4, 5, 64};
  config.scratchpad.latency = 8;
  config.rules.banks = config.rules.lanes_b32 = 8;
  config.rules.lanes_b64 = 4;
  config.rules.lanes_b128 = 2;
  return config;
}

/// Cycles from issue to issue of two instructions that depend on each other.
inline unsigned chained(const std::string& organisation) { return organisation == "elastic" ? 7 : 11; }

/// Shared memory, and in %r2 the byte address of this thread's word: of degree d in each sub-warp. Two instructions,
/// the second issues chained() behind the first, and its result is there chained() later.
inline std::string address(unsigned degree) {
  return ".shared .align 4 .b8 s[8192]; mov.u32 %r1, %laneid; mul.lo.u32 %r2, %r1, " + std::to_string(4 * degree) + ";";
}

/// Instructions that depend on nobody, from register %r10 on.
inline std::string movs(unsigned count) {
  std::string text;
  for (unsigned k = 0; k < count; ++k)
    text += "mov.u32 %r" + std::to_string(10 + k % 28) + ", " + std::to_string(k) + ";";
  return text;
}

class StagedTest : public ChipTest {
 protected:
  /// The launch's cycles under this organisation, with everything else as `config` has it.
  Cycle under(const std::string& organisation, const std::string& body, simt::Dim3 block = {32, 1, 1}) {
    config.issue.pipeline = organisation;
    chip.reset();
    return cycles(body, block);
  }
  StagedTest() { config = staged_machine("elastic"); }
};

}  // namespace bankshot::timing

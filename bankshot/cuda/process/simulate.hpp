// What `bankshot simulate` asks of the libraries in the process of the program: a part of the Request.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/config.hpp"

namespace bankshot::cuda {

/// How launches are simulated. As text:
/// "scheduler=gto;atomics=native;pipeline=queued;lock_hash=xor;
/// set=issue.aware=last;max_cycles=100000;timeline_cycles=2000;sample=1", in any order, each part optional, set= any
/// number of times.
struct SimulateRequest {
  std::string scheduler, pipeline, atomics;   ///< names of components; empty: what the GPU's file says
  std::string lock_hash;                      ///< of the locks of atomics, see scratchpad::parse_lock_hash; empty: none
  timing::Cycle max_cycles = timing::kNever;  ///< of all launches of a process together
  timing::Cycle timeline_cycles = 0;          ///< of the chip; with them timeline-<pid>.json in the report folder
  std::string aware = {};                     ///< likewise
  std::vector<std::string> set = {};          ///< further changes of the GPU's file, see gpu::change
  bool sample = false;                        ///< part of the launches in detail, see timing/chip/sampling.hpp
  bool operator==(const SimulateRequest&) const = default;

  /// All changes of the GPU's file, those of the components too.
  std::vector<std::string> changes() const;
};

/// The exit status of a process that --max-cycles ended.
inline constexpr int kStoppedStatus = 4;

/// Reads the text, which may be empty. The error names the part and what could stand there.
Result<SimulateRequest> parse_simulate(std::string_view text);
/// What parse_simulate reads.
std::string to_text(const SimulateRequest& request);

/// A component that does not exist, or a change that is none, whatever the GPU.
std::optional<Error> problem_of(const SimulateRequest& request);

/// The machine to simulate: the GPU's, with the requested components and a bank hash.
/// @param bank_hash  as one word, see scratchpad::set_bank_hash; empty: what the GPU has
/// @param by_instruction  instructions have their own hashes, which can be configured
/// @return an error if the GPU's file has no timing, a component does not exist or the hash is none of this scratchpad;
/// it
///         says which there are
/// A configurable hash, and the GPU's own hash, takes scratchpad.hash_cycles; none and the
/// fixed ones, `xor` and `add`, take no cycle. Source: the XOR-hash paper, section 6 (a cycle for configurable hashes,
/// none for fixed ones).
Result<timing::Config> simulated_config(const gpu::Gpu& gpu, const SimulateRequest& request, std::string_view bank_hash,
                                        bool by_instruction = false);

}  // namespace bankshot::cuda

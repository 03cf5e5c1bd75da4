// What a program needs to run under Bankshot.
#pragma once

#include <string>
#include <vector>

#include "bankshot/cuda/process/request.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/host/launch.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/report/run/instruction_hashes.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::host {

struct SetupOptions {
  std::string gpu{gpu::kDefaultGpu};  ///< a name or a .toml file
  unsigned threads = 0;               ///< 0: all cores
  bool pageable_memory = false;       ///< see cuda::Request
  std::string bank_hash;  ///< a spec of hash_text.hpp that the GPU's banks are to have; empty: what its file says
  std::string instruction_hashes;  ///< a file with hashes of single instructions, in place of that one; empty: none
};

struct Setup {
  gpu::Gpu gpu;  ///< with the bank hash
  Target target;
  cuda::EnvironmentChanges libraries;  ///< where the program finds ours
  report::InstructionHashes hashes;    ///< of SetupOptions::instruction_hashes
  cuda::Request request;               ///< the GPU, the threads and the bank hash; commands add what they want

  cuda::EnvironmentChanges environment() const;  ///< all of it
};

/// Finds the GPU and inspects the program, whose warnings are left in Target.
Result<Setup> set_up(const SetupOptions& options, const std::vector<std::string>& command);

/// The files that a command reads which runs a program.
std::vector<Input> inputs_of(const Setup& setup);

}  // namespace bankshot::host

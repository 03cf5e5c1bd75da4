// What `bankshot COMMAND` asks of the libraries in the process of the program: the one place that knows the variables.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/simt/checks/finding.hpp"
#include "bankshot/simt/state/native.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

// Variables that users set as well; options of the command line take their values.
inline constexpr const char* kGpuVariable = "BANKSHOT_GPU";
inline constexpr const char* kThreadsVariable = "BANKSHOT_THREADS";
inline constexpr const char* kBankHashVariable = "BANKSHOT_BANK_HASH";
inline constexpr const char* kInstructionHashesVariable = "BANKSHOT_INSTRUCTION_HASHES";
inline constexpr const char* kPatchFolderVariable = "BANKSHOT_PATCH_DIR";
inline constexpr const char* kPageableMemoryVariable = "BANKSHOT_PAGEABLE_MEMORY";

inline constexpr unsigned kMostThreads = 4096;
inline constexpr unsigned kMostTracedAccesses = 1 << 20;
inline constexpr unsigned kMostSampledCtas = 1 << 20;

/// Changes of an environment: a value, or none to remove the variable.
using EnvironmentChanges = std::map<std::string, std::optional<std::string>>;

/// What the machine code that a program carries for exactly the GPU is used for.
enum class UseOfMachineCode : uint8_t {
  nothing,    ///< as if it were not there
  registers,  ///< how many a kernel has
  accesses,   ///< the same, and joined accesses are compared with it; if there is none, ptxas generates it
};

struct Request {
  std::string gpu;                 ///< a name or a .toml file; empty: the default GPU
  unsigned threads = 0;            ///< of the host, at most kMostThreads; 0: all cores
  std::string bank_hash;           ///< see scratchpad::set_bank_hash; empty: what the GPU has
  std::string instruction_hashes;  ///< a file with hashes of single instructions; empty: none have any
  std::string patch_folder;        ///< with <digest>.ptx for each module to replace; empty: none is replaced
  std::string isa;                 ///< instruction set of the host for the engine; empty: the widest there is
  simt::Compile compile = simt::Compile::often;  ///< kernels are compiled to code of the host
  bool pageable_memory = false;  ///< kernels may access all memory of the process, as on systems with unified memory
  bool progress = false;         ///< show the progress of launches often even if standard error is not a terminal
  std::string quicker;           ///< what makes the command quicker, for a launch that takes minutes; may be empty
  bool time_launches = false;    ///< tell how long the engine took for each kernel, for bench/run
  bool tell_compiled = false;    ///< report what was compiled of each kernel

  std::string report_folder;  ///< made by make_ledger(); empty: no report and no counting
  bool joined = false;        ///< accesses are those of machine code, as far as its model tells them
  UseOfMachineCode machine_code = UseOfMachineCode::registers;
  unsigned trace_accesses = 0;              ///< different accesses of each site to keep, at most kMostTracedAccesses
  unsigned sample_ctas = 0;                 ///< see simt::EngineOptions, at most kMostSampledCtas
  bool l1 = false;                          ///< accesses of global memory are counted, too, if the GPU has the rules
  simt::CheckOptions checks;                ///< what to look for
  std::optional<SimulateRequest> simulate;  ///< launches are simulated if it is there
  bool modules = false;                     ///< hand in the PTX of its modules
  std::vector<std::string> record;  ///< kernels, as in the PTX: their largest launches are handed in (RecordedLaunch)
  bool witness = false;  ///< hand in what the process does to memory (WitnessRecord), and the PTX of its modules
};

/// The variables that pass it on. Those of the user that it says nothing of (the patch folder, the instruction set, the
/// timing of launches) stay as they are; all others are set or removed.
EnvironmentChanges to_environment(const Request& request);

/// @param variable  the value of a variable, null if it is not set: std::getenv
/// @return an error that names the variable, its value and what could stand there
Result<Request> from_environment(const std::function<const char*(const char*)>& variable);

/// The request of this process, read at first use. If it cannot be read: the default, see request_problem().
const Request& process_request();
/// Why the request cannot be read; nothing can be run then.
const std::optional<Error>& request_problem();

}  // namespace bankshot::cuda

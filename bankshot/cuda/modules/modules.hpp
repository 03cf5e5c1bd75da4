// Modules that a program registered or loaded, with their kernels and variables.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::ptx {
struct Unit;
}

namespace bankshot::cuda {

struct Module;

/// A kernel of a module, with the attributes that the program set. Its address is the handle: cudaKernel_t,
/// cudaFunction_t, CUkernel and CUfunction.
struct Function {
  Module* module = nullptr;
  std::string name;                        ///< mangled, as in the PTX
  const simt::KernelInfo* info = nullptr;  ///< null until the module is loaded
  uint32_t dynamic_shared_limit = 0;       ///< bytes the program asked for (…MaxDynamicSharedMemorySize); 0 = default
  uint32_t registers = 0;  ///< per thread, by machine code; 0: not known, info->registers is an estimate
  std::optional<report::MachineCode> machine_code = {};  ///< what its accesses were compared with, if requested
  bool non_portable_cluster = false;  ///< clusters of more CTAs than every GPU with clusters allows may be launched
  int carveout = -1;                  ///< preferred share of shared memory in percent; kept, not used
};

/// A __device__, __constant__ or __managed__ variable.
struct Variable {
  Module* module = nullptr;
  std::string name;
  size_t size = 0;                   ///< bytes, as the program registered it
  void** managed_pointer = nullptr;  ///< the host's pointer to a __managed__ variable, set when the module is loaded
  const simt::GlobalInfo* info = nullptr;
};

/// One fat binary or PTX text. It is loaded at its first use, so a module that cannot run does no harm to a program
/// that does not use it.
struct Module {
  const void* wrapper = nullptr;  ///< registration wrapper, or null
  std::string image;              ///< otherwise the image: PTX text or fat binary
  std::string label;              ///< shown in messages; empty until needed for the file that the wrapper is in
  std::map<std::string, std::unique_ptr<Function>, std::less<>> functions;
  std::map<std::string, std::unique_ptr<Variable>, std::less<>> variables;

  enum class State : uint8_t { unloaded, loaded, failed };
  State state = State::unloaded;
  Status failure = Status::success;  ///< why it is not loaded
  std::string log;                   ///< … in words
  std::string caveat;                ///< what to say when one of its kernels is launched, or empty
  std::shared_ptr<simt::Program> program;
  report::ModuleId id;  ///< for the report; of the PTX that was loaded
};

/// Where modules are loaded.
struct LoadTarget {
  simt::Engine& engine;
  const DeviceInfo& device;
  unsigned machine_code = 0;  ///< of the GPU, 90 for sm_90; 0: it has none that could be read
};

/// Loads the module if it is not loaded. A failure is reported on standard error once and kept.
/// @param quiet  the caller passes `log` on itself
Status load(const LoadTarget& target, Module& module, bool quiet = false);
/// The same for the module of a kernel, which the message names if nothing in the module could run.
Status load(const LoadTarget& target, Function& function);

struct LinkFailure {
  Status status;
  std::string log;
};
/// @param device  selects the best entry of a fat binary @param image  PTX text, or a fat binary that contains it
Result<ptx::Unit, LinkFailure> read_link_input(const DeviceInfo& device, const std::string& name,
                                               const std::string& image);
/// Links PTX modules into one, as nvlink links machine code. Symbols that no input defines stay declared.
Result<std::string, LinkFailure> link_inputs(std::vector<ptx::Unit> inputs);

/// Finds a kernel or variable by the name in the PTX; the module must be loaded. Null if there is none.
Function* find_function(Module& module, std::string_view name);
Variable* find_variable(Module& module, std::string_view name);

/// All modules of the process.
class ModuleTable {
 public:
  Module& add(std::unique_ptr<Module> module);
  void remove(Module* module);
  bool contains(const Module* module) const { return modules_.contains(const_cast<Module*>(module)); }

  void register_function(Module& module, const void* host, std::string name);
  void register_variable(Module& module, const void* host, std::unique_ptr<Variable> variable);

  /// @param key  address of the host stub, or a handle. Null if it is neither.
  Function* function(const void* key) const;
  Variable* variable(const void* host) const;

  /// For a new engine. Handles stay valid; modules are loaded again at their next use.
  void unload_all();

 private:
  std::unordered_map<Module*, std::unique_ptr<Module>> modules_;
  std::unordered_map<const void*, Function*> host_functions_;
  std::unordered_map<const void*, Variable*> host_variables_;
  mutable std::unordered_set<const void*> handles_;  ///< functions that were found by their handle before
};

}  // namespace bankshot::cuda

// Machine code of modules, for exactly the GPU that the process has: how many registers its kernels have, and whether
// its accesses of shared memory are those that the model of ptxas expects.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bankshot/agreement/agreement.hpp"
#include "bankshot/cuda/process/request.hpp"
#include "bankshot/optimise/optimise.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/sass/cubin.hpp"

namespace bankshot::cuda {

struct ModuleMachineCode {
  std::map<std::string, unsigned> registers;  ///< per thread, by kernel
  std::optional<optimise::SeenAccesses> seen;
  std::optional<report::MachineCode> told;            ///< if accesses were requested; without the kernels' differences
  std::map<std::string, agreement::Checked> checked;  ///< by kernel

  /// @return the report on a kernel: From::model if the machine code lacks it
  std::optional<report::MachineCode> told_of(const std::string& kernel) const;
};

/// The machine code of a fat binary for exactly the GPU. Machine code that cannot be read is reported once and ignored.
/// @param architecture  90 for sm_90; 0: there is none that could be read
/// @param label         of the module, for messages
std::optional<sass::Cubin> machine_code_in(std::span<const std::byte> container, unsigned architecture,
                                           const std::string& label);

/// @param text          PTX that is to be loaded
/// @param own           machine code that the program has for it, which need not be made of that text
/// @param architecture  of the GPU
ModuleMachineCode read_machine_code(const std::string& text, const std::optional<sass::Cubin>& own,
                                    unsigned architecture, UseOfMachineCode use);

}  // namespace bankshot::cuda

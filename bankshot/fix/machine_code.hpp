// What ptxas makes of the kernels of a module: how many instructions, how many registers.
#pragma once

#include <map>
#include <set>
#include <string>

#include "bankshot/ptx/module.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

struct MachineCode {
  size_t instructions = 0;     ///< in the text of the kernel
  size_t shared_accesses = 0;  ///< those of them that access shared memory
  unsigned registers = 0;      ///< per thread
};

/// Assembles a module without the other kernels. @param architecture  75 for sm_75
/// @return by kernel; an error if ptxas is not there or refuses the module
Result<std::map<std::string, MachineCode>> machine_code(ptx::Module module, const std::set<std::string>& kernels,
                                                        unsigned architecture);

}  // namespace bankshot::fix

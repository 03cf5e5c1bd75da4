// Where the shared variables of a kernel lie.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// The layout of static shared memory, as the engine has it. A kernel that calls no function has the variables of the
/// module that it names, as ptxas places them (clang declares those of all kernels at module scope); one that calls
/// functions has all of them, and those of all functions. Its own come next, and dynamic memory behind them. If memory
/// is initialised with the address of a shared variable, the variables of the module lie at the same place in all
/// kernels. Refers to the module.
class SharedLayout {
 public:
  explicit SharedLayout(const Module& module);

  struct Kernel {
    std::map<const Variable*, uint64_t> offsets;  ///< bytes from the start of shared memory, of each static variable
    uint64_t end = 0;                             ///< bytes of static shared memory
  };
  /// @param function  with a body; for a function that is not a kernel, the layout of kernels that call functions
  Kernel of(const Function& function) const;

  /// All static variables of the module: where they lie if no kernel has them elsewhere.
  const Kernel& of_module() const { return module_; }
  uint64_t dynamic_base(const Kernel& kernel) const;
  /// Bytes from the start of shared memory, of every .shared variable of of(function), dynamic ones included.
  std::map<const Variable*, uint32_t> offsets(const Function& function) const;

 private:
  std::vector<const Variable*> variables_, dynamic_;  ///< of the module
  bool pinned_ = false;
  uint64_t dynamic_alignment_ = 16;
  Kernel module_, functions_;  ///< all variables of the module, and with them those of its functions
};

}  // namespace bankshot::ptx

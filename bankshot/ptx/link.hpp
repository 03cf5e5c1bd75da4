// Several modules -> one, as a device linker joins the units of a program that was compiled with -rdc=true.
#pragma once

#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::ptx {

struct Unit {
  std::string name;  ///< for messages
  Module module;
};

/// One module with everything that the units have, in their order. A symbol without linkage is its unit's own: where
/// another unit has one of that name it is renamed. Declarations give way to the definition that another unit has, and
/// of weak definitions the first stays, as does that of a .common variable with the most bytes. Debugging sections are
/// left out, files renumbered. Undefined names stay declared.
/// @return the error says which symbol two units define
Result<Module> link(std::vector<Unit> units);

}  // namespace bankshot::ptx

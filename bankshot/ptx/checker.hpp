// Names and versions of a module: what can be wrong though the text parses.
#pragma once

#include "bankshot/ptx/module.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::ptx {

/// Undeclared and twice declared names, branches to labels that are not there, a PTX version or an address size that
/// is not supported. Which instructions exist is the engine's business.
/// @return  nothing if all is well; otherwise in the order of the text but for the versions, which come first
Diagnostics check(const Module& module);

}  // namespace bankshot::ptx

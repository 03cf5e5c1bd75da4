// Finding things in a module, and what instructions are called in messages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// The kernel (.entry with a body) of that name, or null.
const Function* find_kernel(const Module& module, std::string_view name);
/// Names of all kernels with a body, in the order of the text.
std::vector<std::string> kernel_names(const Module& module);

/// "ld.shared.v2.f32"
std::string mnemonic(const Instruction& instruction);

}  // namespace bankshot::ptx

// All that is wrong with a module, for a person who mends it.
#pragma once

#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/state/kernel.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::simt {

/// What ptx::check() and the decoder have to say, by place; of several complaints about one place the checker's.
/// Loading a module stops at the checker's.
/// @param kernels  receives the kernels, if there are no complaints
Diagnostics mistakes(const ptx::Module& module, std::vector<KernelInfo>& kernels);

}  // namespace bankshot::simt

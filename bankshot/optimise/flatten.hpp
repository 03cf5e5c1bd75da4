// Scopes inside a body, as inline assembly has them, dissolved.
#pragma once

#include "bankshot/ptx/module.hpp"

namespace bankshot::optimise {

/// Puts the statements of an inner scope into the one around it, if it declares nothing but registers: these get names
/// of their own, and are declared at the head of the body. Such a scope has no effect on machine code.
void flatten(ptx::Function& function);

}  // namespace bankshot::optimise

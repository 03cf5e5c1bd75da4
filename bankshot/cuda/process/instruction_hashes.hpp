// Bank hashes of single instructions, as the request names them: given to kernels when their module is loaded.
#pragma once

#include <optional>
#include <string>

#include "bankshot/scratchpad/access/rules.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::cuda {

/// Gives the instructions of a module their hashes; nothing if the request names none.
/// @param digest  of the module's PTX
/// @param rules   of the machine
/// @return why a kernel of the module cannot have the hashes that the file has for it
std::optional<Error> set_instruction_hashes(simt::Program& program, const std::string& digest,
                                            const scratchpad::Rules& rules);

}  // namespace bankshot::cuda

// Files that `bankshot COMMAND` waits for.
#pragma once

#include <string>

#include "bankshot/cuda/process/ledger.hpp"

namespace bankshot::cuda {

/// Writes a file into the folder of the reports, whole or not at all: beside its place and renamed. The ledger notes
/// how that went; where there is none a failure is told once on standard error.
void hand_in(Output output, const std::string& path, const std::string& text);

}  // namespace bankshot::cuda

// The assembler of a CUDA toolkit, if there is one.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// Where ptxas is: on PATH, in $CUDA_HOME/bin or $CUDA_PATH/bin, or in /usr/local/cuda/bin; empty if it is nowhere.
std::string find_ptxas();

/// Assembles a PTX text. @param architecture  "sm_75"
/// @return the bytes of the cubin; an error if there is no ptxas, or what it said of the text
Result<std::vector<std::byte>> assemble(const std::string& ptx, const std::string& architecture);

}  // namespace bankshot::host

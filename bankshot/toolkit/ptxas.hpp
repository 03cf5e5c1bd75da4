// The assembler of a CUDA toolkit, if there is one. It is also run from within the process of a CUDA program, where
// modules are loaded: nothing of what Bankshot or the program put into the environment may reach it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::toolkit {

/// Where a program of a toolkit is: on PATH, in $CUDA_HOME/bin or $CUDA_PATH/bin, or in /usr/local/cuda/bin; empty if
/// it is nowhere.
std::string find_tool(const std::string& name);
std::string find_ptxas();

enum class Lines : bool { none, kept };  ///< whether machine code says from which line of the PTX it comes (-lineinfo)

/// Assembles a PTX text. @param architecture  "sm_75"
/// @return the bytes of the cubin; an error if there is no ptxas, or with its message about the text
Result<std::vector<std::byte>> assemble(const std::string& ptx, const std::string& architecture,
                                        Lines lines = Lines::none);

/// An environment without LD_PRELOAD, without the variables of Bankshot, and without the folders of LD_LIBRARY_PATH
/// that hold its drop-in libraries. @param environment  as `environ`, with a null at its end
std::vector<std::string> clean_environment(const char* const* environment);

}  // namespace bankshot::toolkit

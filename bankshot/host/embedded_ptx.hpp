// PTX texts for the commands that read them: a text file, or what a compiler embedded in a program.
#pragma once

#include <string>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

struct PtxText {
  std::string name;  ///< for messages
  std::string text;
};

/// Whether a program registers kernels with the runtime, as PTX or machine code. False for what cannot be read.
bool has_kernels(const std::string& file);

/// @param file  PTX text, `-` for standard input, or a built program or library: then the best PTX of each of its
/// modules
Result<std::vector<PtxText>> ptx_texts(const std::string& file);

}  // namespace bankshot::host

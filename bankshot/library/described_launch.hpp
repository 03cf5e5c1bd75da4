// What the code of kernels says of a launch that is only described, as text: its block, its grid, known parameters.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::library {

struct DescribedLaunch {
  std::string block;                    ///< "16,16"; missing extents are 1
  std::string grid;                     ///< the same; empty: not known
  std::vector<std::string> parameters;  ///< "n=1024", "args+8=4"; a number is the position, from 0
};

struct NamedText {
  std::string name;  ///< for messages
  std::string text;  ///< PTX
};

struct Analysed {
  std::vector<analysis::Kernel> kernels;
  std::vector<std::string> failures;  ///< why others could not be analysed, a line each
};

struct Refusal {
  std::string message;
  bool has_places = false;  ///< it is diagnostics with their places in the text
};

/// Whether a kernel's name, as in the PTX or as in the source, contains one of some parts; every kernel if there are
/// none.
bool is_wanted(const std::string& kernel, const std::vector<std::string>& parts);

/// Analyses the kernels of some texts. An error if there is none, or if something is wrong with the description.
/// @param file    what the texts are from, for messages
/// @param wanted  kernels to analyse, as is_wanted() has it
/// @param joined  accesses are joined as machine code for the GPU has them
Result<Analysed, Refusal> analyse(const DescribedLaunch& launch, const std::string& file,
                                  std::span<const NamedText> texts, const gpu::Gpu& gpu,
                                  const std::vector<std::string>& wanted, bool joined);

}  // namespace bankshot::library

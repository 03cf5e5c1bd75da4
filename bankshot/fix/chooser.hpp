// Hashes for the shared arrays of PTX that is not run, by what the code alone says.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/rewrite/rewrite.hpp"

namespace bankshot::fix {

/// Hashes for arrays of one kernel, and what there is to say of each array.
struct Choices {
  std::string kernel;
  std::vector<rewrite::Choice> list;
  std::string text;
};

/// The best hash for each array of an analysed kernel of the module. @param time_limit  of the search for each array
/// @param hash_class  as for search_hash()
Choices choose(const ptx::Module& module, const analysis::Kernel& kernel, const scratchpad::Rules& rules,
               std::chrono::milliseconds time_limit, const std::string& hash_class = {});

struct ArrayPlace {
  std::string kernel, array;  ///< as in the PTX
  unsigned widest = 0;        ///< bytes a lane of its widest access
};
/// The shared arrays of these kernels of the module, in the order of the text.
std::vector<ArrayPlace> arrays_of(const ptx::Module& module, const std::vector<std::string>& kernels);

}  // namespace bankshot::fix

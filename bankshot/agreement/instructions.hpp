// The timing model's machine instructions against those of machine code: how many of each class, and how far from a
// load its result is first used.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/sass/cubin.hpp"

namespace bankshot::agreement {

/// Instructions of one class. Those of the text are counted before anything is done to it.
struct ClassCount {
  std::string name;  ///< "global load", "integer and move"
  size_t text = 0, model = 0, machine = 0;
};

/// Loads of one kind: by load, the instructions from it to the first that reads its result, or to the end of its basic
/// block.
struct LoadDistances {
  std::string name;  ///< "global load", "shared load"
  std::vector<unsigned> text, model, machine;
};

struct Instructions {
  std::string kernel;
  std::vector<ClassCount> classes;  ///< that occur
  std::vector<LoadDistances> loads;
  /// As many accesses of memory in the model as in machine code: no loop was unrolled, no code removed. Elsewhere
  /// numbers of static instructions do not compare.
  bool alike = false;

  ClassCount all() const;
};

/// Kernels that the module and the cubin have.
/// @param module  free of mistakes; optimised as for the cubin's architecture, and for timing
std::vector<Instructions> compare_instructions(ptx::Module& module, const sass::Cubin& cubin);

}  // namespace bankshot::agreement

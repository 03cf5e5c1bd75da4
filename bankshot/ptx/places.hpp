// Source places of instructions, from .file and .loc.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::ptx {

/// Names of the module's files by their numbers; empty where a number is not used.
std::vector<std::string> files_of(const Module& module);

/// Where the instructions of one function come from: its .loc directives are given in the order of the text.
class Places {
 public:
  /// Begins a function: what stands before its first line belongs to that line.
  void start(const Block& body, const std::vector<std::string>& files);

  /// The instructions that follow come from here. Line 0 is what compilers write for code of no line; it stays with the
  /// line before. Of inlined code the innermost line is the one to mend, unless it is of a header of the CUDA toolkit
  /// or of <bankshot/…>: then the line that called it is. @param files  as files_of() has them
  void set(const Location& location, const std::vector<std::string>& files);

  uint32_t file = 0, line = 0;  ///< 0: not known

 private:
  void find_first(const Block& block, const std::vector<std::string>& files);

  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, const Location*> seen_;
};

}  // namespace bankshot::ptx

// The access patterns of a run by the words of shared memory that instructions have to themselves: what a search of
// hashes for single instructions starts from.
#pragma once

#include <string>
#include <vector>

#include "bankshot/scratchpad/patterns/region.hpp"
#include "bankshot/simt/state/fault.hpp"

namespace bankshot::report {

struct PartInstruction {
  simt::Source source;
  std::string op;        ///< "ld.shared.f32"
  bool by_walk = false;  ///< its words were told by the analysis, else its arrays by where its address comes from
};

/// Words that no instruction accesses but these.
struct PatternsOfPart {
  scratchpad::WordRanges words;
  std::vector<std::string> arrays;
  std::vector<PartInstruction> instructions;
  std::string keeps;  ///< why the words keep the machine's banks: instructions that have no hash, or that cannot be
                      ///< told apart; or empty
  scratchpad::PatternSet patterns;
};

struct PatternsOfKernel {
  std::string name, demangled, module;  ///< as in HashedKernel
  std::vector<PatternsOfPart> parts;    ///< with accesses, by first word
};

struct InstructionPatterns {
  scratchpad::Rules rules;
  std::vector<PatternsOfKernel> kernels;
};

}  // namespace bankshot::report

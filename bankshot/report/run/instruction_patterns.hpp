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
  bool by_walk = false;  ///< the analysis knows its words; else only the arrays of its address are known
};

/// Words that no instruction accesses but these.
struct PatternsOfPart {
  scratchpad::WordRanges words;
  std::vector<std::string> arrays;
  std::vector<PartInstruction> instructions;
  std::string why_kept;  ///< why the words keep the machine's banks; empty: they can have a hash
  scratchpad::PatternSet patterns;
};

struct PatternsOfKernel {
  std::string name, demangled, module;  ///< as in HashedKernel
  std::vector<PatternsOfPart> parts;    ///< by first word; some may have no patterns
};

struct InstructionPatterns {
  scratchpad::Rules rules;
  std::vector<PatternsOfKernel> kernels;
};

}  // namespace bankshot::report

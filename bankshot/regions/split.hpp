// Which instructions of a kernel may access the same words of shared memory: parts that may have their own bank hash.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bankshot/analysis/analyse.hpp"
#include "bankshot/ptx/kernel_code.hpp"
#include "bankshot/scratchpad/patterns/region.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::regions {

/// Where the shared arrays of a kernel lie, in bytes from the start of its shared memory.
struct Layout {
  std::vector<std::pair<std::string, uint32_t>> arrays;  ///< static ones, by name as in the PTX
  uint32_t dynamic = 0;                                  ///< dynamic shared memory
};

struct Instruction {
  ptx::Place place;
  std::string op;        ///< "ld.shared.f32"
  bool by_walk = false;  ///< the analysis knows its words; else only the arrays of its address are known
};

/// Words that no instruction accesses but these.
struct Part {
  scratchpad::WordRanges words;           ///< whole rows of banks
  std::vector<std::string> arrays;        ///< that are, or may be, in them
  std::vector<Instruction> instructions;  ///< one a line of the PTX, ascending
  std::string
      why_kept;  ///< why these words keep the machine's banks: an instruction on them that cannot have a hash; or empty
};

/// Splits a kernel's shared memory by its instructions. The words of an instruction are those that the analysis tells,
/// where it knows all of them, else those of the arrays that its address may come from (rewrite::Provenance, on all
/// paths), else all. As there, an access by an address of one array stays in it; who runs the program checks that.
/// @param row     words in a row of banks: two instructions that access the same row are in one part
/// @param walked  the result of the analysis for the launches that count; null: nothing is known
/// @return by first word; an error if functions are called that access shared memory
Result<std::vector<Part>> split(const ptx::Module& module, const ptx::Function& kernel, const Layout& layout,
                                uint32_t row, const analysis::Kernel* walked);

}  // namespace bankshot::regions

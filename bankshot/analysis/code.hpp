// One kernel, laid out for the analysis: numbered registers, resolved labels, places of shared arrays, loops.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/analysis/operation.hpp"
#include "bankshot/ptx/flow.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/places.hpp"
#include "bankshot/scratchpad/access/access.hpp"

namespace bankshot::analysis {

/// Something an instruction reads.
struct Source {
  enum class Kind : uint8_t { reg, constant, special, unknown };
  Kind kind = Kind::unknown;
  bool negated = false;  ///< !p
  uint32_t reg = 0;      ///< register number
  uint64_t bits = 0;     ///< constant; offset of a shared array
  uint32_t arrays = 0;   ///< of a shared array's address, as Value::arrays
  std::string name;      ///< special registers: "tid.x"; unknown ones: why
};

/// One instruction.
struct Step {
  enum class Act : uint8_t {
    compute,    ///< destination = operation of the sources, or unknown
    parameter,  ///< destination = kernel parameter `name` at `offset`
    access,     ///< a memory access
    branch,     ///< to one of `targets`, or on
    exit,       ///< these lanes end
    nothing,
  };
  Act act = Act::nothing;
  const ptx::Instruction* instruction = nullptr;  ///< null for the end of the kernel
  std::string file;                               ///< source place, as a run reports it
  uint32_t line = 0, ptx_line = 0;
  uint32_t chain = 0;  ///< of Code::sources
  int32_t guard = -1;  ///< predicate register, or -1
  bool guard_negated = false;
  const Operation* operation = nullptr;  ///< compute only; null: the result is unknown
  Shape shape;
  std::vector<uint32_t> destinations;  ///< registers
  std::vector<Source> sources;         ///< of an access: the address; of brx.idx: the index
  std::vector<uint32_t> targets;       ///< steps
  std::string name;                    ///< parameter
  std::string unknown;                 ///< why the addresses of an access are not told; empty: they may be
  int64_t offset = 0;                  ///< of parameters and addresses
  // accesses
  ptx::Space space = ptx::Space::generic;
  bool writes = false, atomic = false, is_volatile = false;
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;  ///< what it does to the banks
  bool in_transaction = false;
  unsigned width = 0;  ///< bytes a lane
};

struct SharedArray {
  std::string name;
  uint32_t offset = 0;
  uint64_t bytes = 0;  ///< 0 for dynamic shared memory
};

/// A natural loop: steps that can come round to the header again.
struct Loop {
  uint32_t header = 0;
  int32_t parent = -1;  ///< loop around it
  uint32_t after = 0;   ///< where all lanes that leave it meet; the end if nowhere else
};

struct Code {
  std::vector<Step> steps;              ///< the last one is the end
  std::vector<uint32_t> join;           ///< where the sides of a branch meet, as ptx::joins() has it
  std::vector<unsigned> register_bits;  ///< 1 for predicates
  std::vector<SharedArray> arrays;
  std::vector<std::string> parameters;  ///< names
  std::vector<Loop> loops;              ///< outer ones first
  std::vector<int32_t> loop_of;         ///< innermost loop of each step, or -1
  ptx::SourceMap sources;
  std::vector<std::vector<uint32_t>> next;  ///< steps that can follow each step

  uint32_t end() const { return static_cast<uint32_t>(steps.size()) - 1; }
  bool contains(int32_t loop, uint32_t step) const;
};

/// @param module  free of mistakes (ptx::check)   @param kernel  an entry of it with a body
Code code_of(const ptx::Module& module, const ptx::Function& kernel);

/// Fills `loops`, `loop_of`, `next` and `join` of code whose steps have their targets.
void find_loops(Code& code);

}  // namespace bankshot::analysis

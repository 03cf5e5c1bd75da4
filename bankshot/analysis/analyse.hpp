// Access patterns of a kernel from its code alone: what every instruction asks of shared memory, with no run at all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/analysis/formula.hpp"
#include "bankshot/analysis/walker.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/source_frame.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::analysis {

/// How sure the numbers of an instruction are.
///   exact      a run with this launch counts the same
///   each       every execution is like one of these, by exactly these lanes; how often it executes is not known
///   assumed    lanes that may be missing are taken to take part
///   unknown    the addresses depend on unknown values
///   unreached  no thread of this launch gets there
enum class Certainty : uint8_t { exact, each, assumed, unknown, unreached };
std::string_view name(Certainty certainty);

/// A formula, and in which iterations of the loops around the instruction it is the one.
struct Instance {
  std::vector<uint32_t>
      iterations;  ///< one a loop, the outermost first; kAnyIteration where the loop's end is not known
  Formula formula;
};
constexpr uint32_t kAnyIteration = ~0u;

/// What each loop adds to the offset in an iteration, in bytes, if the instances differ in nothing else: the loop
/// counters' columns of the matrix. Nothing if there is only one instance.
std::optional<std::vector<int64_t>> loop_factors(const std::vector<Instance>& instances);

/// One shared-memory instruction.
struct Site {
  std::string file;  ///< source place, empty if not known
  uint32_t line = 0, ptx_line = 0;
  std::vector<ptx::SourceFrame> frames = {};  ///< of inlined code, innermost first
  std::string op;                             ///< "ld.shared.f32"
  unsigned joined = 1;                        ///< how many of them are one access
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  unsigned width = 0;            ///< bytes a lane
  std::vector<uint32_t> arrays;  ///< what its addresses are made from: indices into Kernel::arrays
  Certainty certainty = Certainty::unreached;
  std::string reason;  ///< of `unknown`: why
  std::vector<std::string> assumptions;
  std::vector<uint32_t> around;  ///< PTX lines of the loops around it, the outermost first
  std::vector<uint32_t> loops;  ///< PTX lines of the loops around it whose ends are not known; counted as one iteration
  scratchpad::SiteTotals
      totals;  ///< of all CTAs (Kernel::ctas); of `each` and `assumed` one execution of every context
  std::vector<scratchpad::Pattern> patterns;  ///< the accesses, equal ones once
  uint64_t patterns_left_out = 0;             ///< accesses beyond the most patterns that are kept
  bool shifted = false;                       ///< something unknown is added to all lanes: patterns begin at word 0
  std::vector<Instance> instances;            ///< of the first CTA, the first ones
  bool more_instances = false;
};

struct Kernel {
  std::string name;
  Launch launch;
  uint64_t ctas = 1;  ///< CTAs that the totals cover: those of the grid if it is given
  std::vector<SharedArray> arrays;
  std::vector<Site> sites;      ///< by place in the PTX
  std::vector<uint32_t> calls;  ///< PTX lines of calls: what functions do is not followed
};

struct Options {
  uint64_t most_steps = 10'000'000;  ///< warp instructions to walk, in all
  uint64_t most_ctas = 4096;         ///< to walk one by one, where they differ
};

/// @param module  parsed and without mistakes   @param kernel  name of an entry with a body
/// The error says what of the launch does not fit, or that the control flow was more than `options` allow.
Result<Kernel> analyse(const ptx::Module& module, std::string_view kernel, const Launch& launch,
                       const scratchpad::Rules& rules, const Options& options = {});

}  // namespace bankshot::analysis

// What can be done for the shared arrays of a program that ran: a hash for each, or the reason why not.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/cli/fix_run.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"
#include "bankshot/search/search.hpp"

namespace bankshot::cli {

struct ArrayPlan {
  rewrite::Array array;
  std::vector<rewrite::Place> places;      ///< source lines of its accesses, each once
  std::vector<uint32_t> lines, new_lines;  ///< in the PTX, of its accesses, before and after
  report::SharedTotals before, after;
  bool sampled = false;             ///< some instruction had more different accesses than were kept
  scratchpad::PatternSet patterns;  ///< words from its start
  std::optional<rewrite::Refusal> left_alone;
  std::optional<search::Found> found;
  std::optional<rewrite::Rewritten> rewritten;
  std::optional<scratchpad::Padding> padding;  ///< of those that are rewritten
};

struct KernelPlan {
  report::Kernel kernel;                         ///< before
  uint64_t instructions_after = 0;               ///< warp instructions
  uint64_t shared_before = 0, shared_after = 0;  ///< bytes a CTA, dynamic ones included
  uint64_t static_after = 0;                     ///< those of them that are static
  unsigned ctas_before = 0, ctas_after = 0;      ///< on an SM, registers apart
  std::vector<ArrayPlan> arrays;
  bool is_rewritten() const;
};

struct FixPlan {
  std::string program, gpu;
  scratchpad::Rules rules;
  std::vector<KernelPlan> kernels;             ///< those that accessed shared memory
  std::map<std::string, std::string> patches;  ///< PTX by digest of the module
  std::string not_compared;  ///< what of the outputs changes from run to run of the original, or empty
};

/// Finds the hashes. @param run  of the original
Result<FixPlan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, std::chrono::milliseconds time_limit);

/// Rewrites the modules of `run` for all arrays that are not left alone.
std::optional<Error> rewrite_modules(FixPlan& plan, const WitnessedRun& run, const gpu::Gpu& gpu);

/// Leaves the arrays alone whose hash did not help; call it after add_results(). @return whether there were any: then
/// the modules must be rewritten again
bool drop_what_does_not_help(FixPlan& plan);

/// Fills in what the rewritten program did.
void add_results(FixPlan& plan, const WitnessedRun& run);

/// The best hash that software can apply in place, in the form in which it does. @param widest  bytes a lane of the
/// widest access, which the hash keeps together
Result<search::Found> search_hash(const scratchpad::Rules& rules, const scratchpad::PatternSet& patterns,
                                  unsigned widest, std::chrono::milliseconds time_limit);

/// CTAs that fit on an SM with a kernel's threads and this much shared memory.
unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, uint64_t shared);

/// The report for people, and as JSON: docs/json.md.
std::string fix_text(const FixPlan& plan, const gpu::Gpu& gpu);
std::string fix_json(const FixPlan& plan);

}  // namespace bankshot::cli

// What can be done for the shared arrays of a program that ran: a hash for each, or the reason why not.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/fix/run.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

struct ArrayPlan {
  rewrite::Array array;
  std::vector<ptx::Place> places;   ///< source lines of its accesses, each once
  std::vector<uint32_t> lines;      ///< in the PTX, of each access
  std::vector<uint32_t> new_lines;  ///< the same after rewriting; empty if the module is as it was
  report::SharedTotals before, after;
  bool sampled = false;             ///< some instruction had more different accesses than were kept
  scratchpad::PatternSet patterns;  ///< words from its start
  std::optional<rewrite::Refusal> left_alone;
  std::optional<search::Found> found;
  std::optional<rewrite::RewrittenArray> rewritten;
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

struct Plan {
  std::string program, gpu;
  scratchpad::Rules rules;
  std::vector<KernelPlan> kernels;             ///< those that accessed shared memory
  std::map<std::string, std::string> patches;  ///< PTX by digest of the module
  std::string not_compared;  ///< what of the outputs changes from run to run of the original, or empty
};

/// Finds the hashes. @param run  of the original
Result<Plan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, std::chrono::milliseconds time_limit);

/// What a kernel's accesses at these PTX lines took.
report::SharedTotals totals_at(const report::Kernel& kernel, const std::vector<uint32_t>& lines);

/// CTAs that fit on an SM with a kernel's threads and this much shared memory.
unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, uint64_t shared);

}  // namespace bankshot::fix

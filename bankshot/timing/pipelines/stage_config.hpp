// What a GPU file says of a pipeline in stages.
#pragma once

#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/pipelines/stages.hpp"

namespace bankshot::timing {

/// A queue of the size that equation 3 (before the banks) or 2 (beside them) of Elastic Pipeline (CF'11) gives.
constexpr unsigned kByEquation = ~0u;

inline constexpr Parameter kStages = {"issue", "stages", "stages", 0, 1000, 0, "stages of the pipeline; 0: unknown"};
inline constexpr Parameter kMemoryStages = {
    "issue", "memory_stages", "stages", 0, 1000, 0, "memory stages among them; 0: unknown", false, &kStages};
inline constexpr Parameter kPremem = {
    "issue",
    "premem",
    "accesses",
    0,
    64,
    kByEquation,
    "elastic pipeline: accesses that can wait for the banks; default: sub-warps of a warp minus one"};
inline constexpr Parameter kNonmem = {
    "issue",
    "nonmem",
    "instructions",
    0,
    64,
    kByEquation,
    "elastic pipeline: other instructions that can wait beside the memory stages; default: memory_stages"};
inline constexpr Parameter kSqueeze = {
    "issue",
    "squeeze",
    Parameter::kFlag,
    0,
    1,
    0,
    "during a stall, instructions behind a gap move up to close it; false: they all stop, as in CF'11"};

/// Entries of the elastic pipeline's queues in a machine: those of the equations, unless its file says others.
inline unsigned premem_entries(const Config& config) {
  const unsigned said = config.parameters[kPremem];
  return said == kByEquation ? premem_depth(sub_warps(config)) : said;
}
inline unsigned nonmem_entries(const Config& config) {
  const unsigned said = config.parameters[kNonmem];
  return said == kByEquation ? nonmem_depth(config.parameters[kMemoryStages], sub_warps(config), false) : said;
}

}  // namespace bankshot::timing

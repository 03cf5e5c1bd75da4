// A measured GPU as a file of gpus/: the values of another description, with those in their place that were measured or
// that the driver tells.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/measure/calibrate.hpp"

namespace bankshot::measure {

/// A description whose values stand where nothing was measured.
struct Base {
  std::string name;  ///< as a command would call it
  gpu::Gpu gpu;
};

/// The GPU that can be simulated and is of this name; else that which is nearest in compute capability: of the same
/// major number before all others, and of two that are as near the older one.
Result<Base> nearest_base(const Device& device);

/// One value that is not the base's.
struct Finding {
  std::string key;              ///< "scratchpad.latency"
  std::string text;             ///< as the file has it: "29"
  std::string was;              ///< in the base; "none" if it has no such section
  std::string remark;           ///< how it was found
  std::optional<double> ticks;  ///< of a time: as measured
  double spread = 0;            ///< … the largest of the points it comes from
};

/// By key.
using Findings = std::map<std::string, Finding>;

struct Description {
  std::string toml;
  std::vector<Finding> measured;  ///< by the micro-benchmarks
  std::vector<Finding> told;      ///< values reported by the driver that differ from the base
  std::vector<Finding>
      refused;  ///< reported by the driver, but inconsistent with the rest of any description; the remark says why
};

/// @param base  has timing: latencies would have no place in another
/// @return      a description that can be loaded
Description describe(const Calibration& calibration, const Base& base);

/// The sections of a description: the values of `base`, in their place those that were found, their remarks as
/// comments.
/// @param base  has timing
std::string sections(const gpu::Gpu& base, const Findings& found);

}  // namespace bankshot::measure

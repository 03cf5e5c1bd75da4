// The GPUs of published measurements, and the machines that are simulated for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/accuracy/rows.hpp"
#include "bankshot/gpu/gpu.hpp"

namespace bankshot::accuracy {

/// A GPU as rows name it.
struct Target {
  std::string_view name;         ///< rows' names that begin with it are of this GPU
  std::string_view description;  ///< of gpus/
  double mhz = 0;                ///< SM clock of its measurements, where a row does not say it; 0: the description's
  /// Memory's clock, as a share of the description's: the same chip with other memory. Source: the data sheets' rates.
  double memory = 1;
  unsigned sms = 0;          ///< 0: as the description
  bool one_sm_only = false;  ///< its memory is another: only what one SM does can be compared
};

/// The target of a row, or nothing. The longest name that fits.
const Target* find_target(std::string_view gpu);

/// SM clock of a row's measurement in MHz: what its condition or source says ("clock 1380 MHz", "1.98 GHz"), else the
/// target's; 0 if neither says any.
double clock_of(const Row& row, const Target& target);

/// What is simulated: a description and changes of it. Machines with equal keys are one.
struct Machine {
  std::string description;
  std::vector<std::string> changes;  ///< as gpu::change takes them
  std::string key() const;
};

/// @return an error if there is no such description
Result<Machine> machine_of(const Row& row, const Target& target);

/// @return nothing if the description is not there or has no timing; an error if a change is refused
Result<std::optional<gpu::Gpu>> build(const Machine& machine);

}  // namespace bankshot::accuracy

// A machine on which every component of bankshot/timing can work, and the names of those that there are.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "bankshot/timing/base/registry.hpp"
#include "tests/unit/timing/parameters.hpp"

namespace bankshot::timing {

/// One scheduler, a datapath of 8 lanes with 8 banks, 8 stages of which 4 are memory's, 1,024 locks.
inline Config contract_machine() {
  Config config;
  config.issue.simd_lanes = config.rules.banks = config.rules.lanes_b32 = 8;
  config.rules.lanes_b64 = 4;
  config.rules.lanes_b128 = 2;
  config.scratchpad.latency = 8;
  config.max_warps = 64;
  set_parameter(config, "issue.stages", 8);
  set_parameter(config, "issue.memory_stages", 4);
  set_locks(config, {10, 32, 18, 36, 32, 108, 120, 32});
  return config;
}

/// For ::testing::ValuesIn: every member of a registry, whoever registered it.
template <class AnyRegistry>
std::vector<std::string> members() {
  std::vector<std::string> names;
  for (const auto& entry : AnyRegistry::entries()) names.push_back(entry.name);
  return names;
}

/// The name of a test's parameter: "two-level" as "two_level".
inline std::string member_name(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

}  // namespace bankshot::timing

// Sets what components read from a GPU's description.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bankshot/timing/atomics/locks.hpp"
#include "bankshot/timing/chip/components.hpp"

namespace bankshot::timing {

/// @param key  of a component's parameter, as in a GPU file: "issue.active_warps"
inline void set_parameter(Config& config, std::string_view key, unsigned value) {
  for (const ComponentKind& kind : component_kinds()) {
    for (const Component& component : kind.all()) {
      for (const Parameter* each : component.parameters) {
        if (each->key() == key) return config.parameters.set(*each, value);
      }
    }
  }
  throw std::invalid_argument("no component reads " + std::string(key));
}

/// @param values  in the order of LocksConfig
inline void set_locks(Config& config, const std::array<unsigned, 8>& values) {
  for (size_t k = 0; k < values.size(); ++k) config.parameters.set(kLockParameters[k], values[k]);
  config.lock_hash = *scratchpad::parse_lock_hash("none", lock_size(config));
}

}  // namespace bankshot::timing

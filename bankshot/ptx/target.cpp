#include "bankshot/ptx/target.hpp"

#include <algorithm>

namespace bankshot::ptx {

std::string target_for(const Module& module, unsigned architecture) {
  const std::string plain = "sm_" + std::to_string(architecture);
  const auto own = std::ranges::find_if(
      module.targets, [&](const std::string& target) { return target == plain + "a" || target == plain + "f"; });
  return own == module.targets.end() ? plain : *own;
}

}  // namespace bankshot::ptx

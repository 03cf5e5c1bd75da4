#include "bankshot/sweep/engines/engine.hpp"

namespace bankshot::sweep {

std::vector<EngineEntry>& engines() {
  static std::vector<EngineEntry> all;
  return all;
}

}  // namespace bankshot::sweep

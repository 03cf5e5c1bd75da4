#include "bankshot/report/json/json_parts.hpp"

#include <bit>

#include <nlohmann/json.hpp>

namespace bankshot::report {

using nlohmann::ordered_json;

ordered_json pattern_json(const scratchpad::Pattern& pattern) {
  ordered_json addresses = ordered_json::array();
  for (unsigned lane = 0; lane < static_cast<unsigned>(std::bit_width(pattern.mask)); ++lane) {
    addresses.push_back((pattern.mask >> lane & 1) != 0 ? ordered_json(pattern.words[lane]) : ordered_json(nullptr));
  }
  return {{"weight", pattern.weight},
          {"width", pattern.width},
          {"kind", scratchpad::name(pattern.kind)},
          {"addresses", std::move(addresses)}};
}

ordered_json extent_json(const simt::Dim3& extent) { return ordered_json::array({extent.x, extent.y, extent.z}); }

}  // namespace bankshot::report

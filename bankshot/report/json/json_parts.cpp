#include "bankshot/report/json/json_parts.hpp"

#include <bit>
#include <charconv>
#include <string>

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

ordered_json accesses_json(unsigned machine_code, bool checked) {
  if (machine_code == 0) return {{"as", "written"}};
  return {{"as", "joined"}, {"machine_code", "sm_" + std::to_string(machine_code)}, {"checked", checked}};
}

std::optional<unsigned> read_accesses(const nlohmann::json& object) {
  const auto text = [&](const char* name) {
    const auto found = object.is_object() ? object.find(name) : object.end();
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  if (text("as") == "written") return 0;
  const std::string code = text("machine_code");
  unsigned number = 0;
  if (text("as") != "joined" || !code.starts_with("sm_")) return std::nullopt;
  const auto [end, error] = std::from_chars(code.data() + 3, code.data() + code.size(), number);
  if (error != std::errc{} || end != code.data() + code.size() || number == 0) return std::nullopt;
  return number;
}

}  // namespace bankshot::report

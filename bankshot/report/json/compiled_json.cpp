#include "bankshot/report/json/compiled_json.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/json/source_json.hpp"

namespace bankshot::report {

using nlohmann::ordered_json;
using namespace json_values;

ordered_json compiled_json(const simt::Compiled& compiled) {
  ordered_json stretches = ordered_json::array(), not_compiled = ordered_json::array();
  for (const simt::CompiledStretch& stretch : compiled.stretches) {
    stretches.push_back(place_json(stretch.source));
    stretches.back().update(
        {{"all_lanes", stretch.all_lanes}, {"microseconds", stretch.microseconds}, {"refused", stretch.refused}});
  }
  for (const simt::NotCompiled& one : compiled.not_compiled) {
    not_compiled.push_back(place_json(one.source));
    not_compiled.back().update({{"op", one.op}, {"by", one.by_handler ? "handler" : "interpreter"}, {"why", one.why}});
  }
  return {{"warp_instructions", compiled.warp_instructions},
          {"why_not", compiled.why_not},
          {"stretches", std::move(stretches)},
          {"not_compiled", std::move(not_compiled)}};
}

simt::Compiled read_compiled(const json& object) {
  simt::Compiled compiled;
  compiled.warp_instructions = number<uint64_t>(object, "warp_instructions");
  compiled.why_not = text(object, "why_not");
  for (const json& stretch : list(object, "stretches")) {
    compiled.stretches.push_back({read_place(stretch), flag(stretch, "all_lanes"),
                                  number<uint64_t>(stretch, "microseconds"), text(stretch, "refused")});
  }
  for (const json& one : list(object, "not_compiled")) {
    const std::string by = text(one, "by");
    if (by != "handler" && by != "interpreter") throw Bad{"\"by\" must be \"handler\" or \"interpreter\""};
    compiled.not_compiled.push_back({read_place(one), text(one, "op"), by == "handler", text(one, "why")});
  }
  return compiled;
}

}  // namespace bankshot::report

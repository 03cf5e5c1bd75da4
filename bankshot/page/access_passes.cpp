#include "bankshot/page/access_passes.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/report/text/picture.hpp"
#include "bankshot/scratchpad/access/passes.hpp"

namespace bankshot::page {

nlohmann::ordered_json access_passes(const report::Site& site, const scratchpad::Rules& rules) {
  const auto& worst = site.totals.worst;
  if (worst.mask == 0) return nullptr;
  scratchpad::Rules own = rules;
  if (site.hash) own.hash = site.hash;
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  uint64_t phase = 0;
  for (const scratchpad::Pass& pass :
       scratchpad::passes(own, report::kind_of(site), site.width, worst.addresses.data(), worst.mask)) {
    if (pass.phase.bits() != phase) {
      phase = pass.phase.bits();
      phases.push_back({{"lanes", scratchpad::lanes_text(pass.phase)}, {"passes", nlohmann::ordered_json::array()}});
    }
    std::string banks;
    for (const int8_t lane : pass.bank) {
      if (lane == scratchpad::Pass::kIdle) {
        banks += '.';
      } else {
        banks += lane == scratchpad::Pass::kSeveral ? '*' : report::lane_letter(static_cast<unsigned>(lane));
      }
    }
    phases.back()["passes"].push_back(std::move(banks));
  }
  return {{"says", report::picture(site, own, 0).back()}, {"phases", std::move(phases)}};
}

}  // namespace bankshot::page

#include "bankshot/cli/commands/hash_cost.hpp"

#include <fmt/format.h>

#include "bankshot/circuit/at_40_nm.hpp"
#include "bankshot/circuit/scaling.hpp"

namespace bankshot::cli {

std::string to_text(const HashCost& cost) {
  const circuit::Scaling scaling = circuit::to_40_nm();
  const double nand = cost.units.nand2_um2, fo4 = cost.units.fo4_ns;
  std::string text = fmt::format(
      "Cells of 180 nm at 1.8 V: a NAND2 takes {:.4g} um2, FO4 is {:.1f} ps. Scaled to 40 nm: area x {:.4f}, delay x "
      "{:.4f},\nenergy x {:.5f}. Wires and leakage are not included.\n\n",
      nand, fo4 * 1e3, scaling.area, scaling.delay, scaling.energy);
  text += fmt::format("  {:<7} {:>7} {:>9} {:>8} {:>10} {:>7} {:>10}\n", "LOGIC", "NAND2", "um2", "FO4", "ps, 180 nm",
                      "um2", "ps, 40 nm");
  for (const circuit::Logic& logic : cost.synthesis.logic) {
    text += fmt::format("  {:<7} {:>7.0f} {:>9.0f} {:>8.1f} {:>10.0f} {:>7.1f} {:>10.0f}\n", logic.recipe,
                        logic.area_um2 / nand, logic.area_um2, logic.delay_ns / fo4, logic.delay_ns * 1e3,
                        logic.area_um2 * scaling.area, logic.delay_ns * 1e3 * scaling.delay);
  }
  if (const circuit::Register& setting = cost.synthesis.setting; setting.bits != 0) {
    text += fmt::format("  {:<7} {:>7.0f} {:>9.0f} {:>19} {:>7.1f}  ({} bits)\n", "register", setting.area_um2 / nand,
                        setting.area_um2, "", setting.area_um2 * scaling.area, setting.bits);
  }
  text +=
      "\nThe smallest logic that meets each clock at 40 nm. Area and power include the register; power is given for "
      "the number\nof changes of an address bit per cycle:\n";
  text += fmt::format("  {:>5} {:>7}  {:<9} {:>7} {:>7}", "GHz", "ps", "LOGIC", "um2", "ps");
  for (const double activity : cost.activities) text += fmt::format(" {:>10}", fmt::format("mW at {:g}", activity));
  text += "\n";
  for (const double ghz : cost.ghz) {
    const circuit::At40Nm at = circuit::at_40_nm(cost.synthesis, ghz);
    text += fmt::format("  {:>5.4g} {:>7.0f}  {:<9} {:>7.1f} {:>7.0f}", ghz, 1e3 / ghz,
                        at.met ? at.logic->recipe : "too slow", at.area_um2, at.delay_ps);
    for (const double watts : at.power_w) text += fmt::format(" {:>10.4f}", watts * 1e3);
    text += "\n";
  }
  return text;
}

nlohmann::ordered_json to_json(const HashCost& cost) {
  const circuit::Scaling scaling = circuit::to_40_nm();
  nlohmann::ordered_json logic = nlohmann::ordered_json::array(), clocks = nlohmann::ordered_json::array();
  for (const circuit::Logic& one : cost.synthesis.logic) {
    logic.push_back({{"recipe", one.recipe},
                     {"area_um2", one.area_um2},
                     {"nand2", one.area_um2 / cost.units.nand2_um2},
                     {"delay_ps", one.delay_ns * 1e3},
                     {"fo4", one.delay_ns / cost.units.fo4_ns},
                     {"leakage_w", one.leakage_w},
                     {"energy_j", one.energy_j}});
  }
  for (const double ghz : cost.ghz) {
    const circuit::At40Nm at = circuit::at_40_nm(cost.synthesis, ghz);
    std::vector<double> milliwatts = at.power_w;
    for (double& power : milliwatts) power *= 1e3;
    clocks.push_back({{"ghz", ghz},
                      {"recipe", at.logic->recipe},
                      {"met", at.met},
                      {"area_um2", at.area_um2},
                      {"delay_ps", at.delay_ps},
                      {"power_mw", milliwatts}});
  }
  const circuit::Register& setting = cost.synthesis.setting;
  return {{"nand2_um2", cost.units.nand2_um2},
          {"fo4_ps", cost.units.fo4_ns * 1e3},
          {"activities", cost.activities},
          {"logic", logic},
          {"register",
           {{"bits", setting.bits},
            {"area_um2", setting.area_um2},
            {"energy_j", setting.energy_j},
            {"leakage_w", setting.leakage_w}}},
          {"scaling_to_40_nm", {{"area", scaling.area}, {"delay", scaling.delay}, {"energy", scaling.energy}}},
          {"clocks_40_nm", clocks}};
}

}  // namespace bankshot::cli

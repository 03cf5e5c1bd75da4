// Hardware of bank hashes, synthesised: area, delay and power. TC'16, section 4.5; ICCD'13, section IV.
#include <algorithm>
#include <bit>
#include <cmath>

#include <fmt/format.h>

#include "bankshot/circuit/at_40_nm.hpp"
#include "bankshot/circuit/scaling.hpp"
#include "bankshot/circuit/synthesis.hpp"
#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/experiment/rows.hpp"
#include "bankshot/scratchpad/atomics/lock_hash.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {
namespace {

using circuit::Logic;

constexpr scratchpad::HashSize kSize{14, 5};

/// Hardware of which an experiment tells.
struct Built {
  std::string label;
  circuit::Synthesis synthesis;
};

struct Bench {
  circuit::Units units;
  std::vector<Built> built;
};

/// Synthesises hardware of the sizes kSize.
/// @param texts  "bit-vector XOR: bitvector-xor": a label, and a class that can be set or a hash
Result<Bench> synthesised(const std::vector<std::string>& texts, const circuit::Activities& activities,
                          const Settings& settings) {
  const Result<circuit::Tools> tools = circuit::find_tools();
  if (!tools) return tools.error();
  const Result<circuit::Units> units = circuit::measure_units(*tools);
  if (!units) return units.error();
  Bench bench{*units, {}};
  for (const std::string& text : texts) {
    const size_t colon = text.find(": ");
    if (colon == std::string::npos) return Error{"'" + text + "' is no label, a colon, a blank, and a class or hash"};
    const std::string label = text.substr(0, colon), what = text.substr(colon + 2);
    if (settings.progress) settings.progress(label);
    circuit::Design design;
    if (const scratchpad::HashClass* const c = scratchpad::find_configurable_class(what)) {
      design = *circuit::configurable_design(*c, kSize);
    } else {
      const Result<scratchpad::BankHash> hash = scratchpad::parse_hash(what, kSize);
      if (!hash) return hash.error();
      design = circuit::fixed_design(*hash);
    }
    Result<circuit::Synthesis> synthesis = circuit::synthesise(*tools, design, activities);
    if (!synthesis) return Error{label + ": " + synthesis.error().message};
    bench.built.push_back({label, std::move(*synthesis)});
  }
  return bench;
}

double fastest_ns(const circuit::Synthesis& synthesis) {
  return std::ranges::min_element(synthesis.logic, {}, &Logic::delay_ns)->delay_ns;
}

/// Gates of two inputs behind each other in a ripple-carry adder.
struct RippleCarry {
  unsigned sum = 0, carry = 0;  ///< to the last bit of the sum, and to the carry out of it
};
RippleCarry ripple_carry(unsigned bits) {
  RippleCarry at{1, 1};  // a half adder: a ^ b, a & b
  for (unsigned bit = 1; bit < bits; ++bit) {
    at.sum = std::max(at.carry, 1u) + 1;    // (a ^ b) ^ carry
    at.carry = std::max(at.carry, 1u) + 2;  // a & b | (a ^ b) & carry
  }
  return at;
}

std::string about(const circuit::Units& units) {
  const circuit::Scaling scaling = circuit::to_40_nm();
  return fmt::format(
      "Cells of 180 nm (a NAND2 is {:.4g} um2, FO4 {:.1f} ps) by yosys, abc and OpenSTA; scaled to 40 nm: area x "
      "{:.4f}, "
      "delay x {:.4f}, energy x {:.5f}. Without wires and leakage.",
      units.nand2_um2, units.fo4_ns * 1e3, scaling.area, scaling.delay, scaling.energy);
}

}  // namespace

Result<Outcome> hash_cost(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const std::vector<std::string> designs = parameters.texts("designs");
  const unsigned instances = parameters.number("instances", 1, 1000000);
  const double ghz = 1e3 / parameters.number("cycle_ps", 1, 1000000);
  const double activity = parameters.number("activity_percent", 0, 100) / 100.0;
  const unsigned chip_mm2 = parameters.number("chip_mm2", 1, 100000),
                 chip_w = parameters.number("chip_watts", 1, 100000);
  if (parameters.error()) return *parameters.error();
  const Result<Bench> bench = synthesised(designs, {activity}, settings);
  if (!bench) return bench.error();

  Outcome outcome;
  Rows rows(experiment, outcome);
  std::vector<circuit::At40Nm> costs;
  for (const Built& one : bench->built) {
    const circuit::At40Nm& cost = costs.emplace_back(circuit::at_40_nm(one.synthesis, ghz));
    const double w = cost.power_w[0] * instances, mm2 = cost.area_um2 * 1e-6 * instances;
    const circuit::Register& setting = one.synthesis.setting;
    rows.add(one.label + ": power", rounded(w, 3), "W");
    rows.add(one.label + ": power, of the chip's", rounded(w / chip_w * 100, 3), "%");
    rows.add(one.label + ": area", rounded(mm2, 3), "mm2",
             fmt::format("{:.0f} NAND2 each", cost.area_um2 / circuit::to_40_nm().area / bench->units.nand2_um2) +
                 (setting.bits == 0 ? ""
                                    : fmt::format(", {:.0f} of them a register of {} bits",
                                                  setting.area_um2 / bench->units.nand2_um2, setting.bits)));
    rows.add(one.label + ": area, of the chip's", rounded(mm2 / chip_mm2 * 100, 3), "%");
  }
  for (size_t k = 1; k < bench->built.size(); ++k) {
    const std::string of = bench->built[k].label + " over " + bench->built[0].label;
    rows.add(of + ": power", rounded(costs[k].power_w[0] / costs[0].power_w[0], 2), "times");
    rows.add(of + ": area", rounded(costs[k].area_um2 / costs[0].area_um2, 2), "times");
  }
  outcome.notes.push_back(about(bench->units));
  return outcome;
}

Result<Outcome> hash_cost_by_clock(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const std::vector<std::string> designs = parameters.texts("designs");
  const std::vector<unsigned> mhz = parameters.numbers("clocks_mhz", 1, 1000000);
  const double activity = parameters.number("activity_percent", 0, 100) / 100.0;
  if (parameters.error()) return *parameters.error();
  const Result<Bench> bench = synthesised(designs, {activity}, settings);
  if (!bench) return bench.error();

  Outcome outcome;
  Rows rows(experiment, outcome);
  report::PlotPanel power{"power", "GHz", "mW", report::PlotKind::lines, false, {}, {}},
      area{"area", "GHz", "um2", report::PlotKind::lines, false, {}, {}},
      delay{"latency", "GHz", "ps", report::PlotKind::lines, false, {}, {}};
  for (const Built& one : bench->built) {
    for (report::PlotPanel* const panel : {&power, &area, &delay}) panel->series.push_back({one.label, {}});
    double fastest_met = 0;
    for (const unsigned clock : mhz) {
      const double ghz = clock / 1e3;
      const circuit::At40Nm cost = circuit::at_40_nm(one.synthesis, ghz);
      if (!cost.met) continue;  // no bar
      fastest_met = std::max(fastest_met, ghz);
      power.series.back().points.push_back({ghz, rounded(cost.power_w[0] * 1e3, 4)});
      area.series.back().points.push_back({ghz, rounded(cost.area_um2, 1)});
      delay.series.back().points.push_back({ghz, rounded(cost.delay_ps, 1)});
    }
    const double ns = fastest_ns(one.synthesis);
    rows.add(one.label + ": fastest clock of these", fastest_met, "GHz");
    rows.add(one.label + ": least latency", rounded(ns * 1e3 * circuit::to_40_nm().delay, 0), "ps",
             fmt::format("{:.1f} FO4", ns / bench->units.fo4_ns));
  }
  outcome.panels = {power, area, delay};
  outcome.notes.push_back(about(bench->units));
  return outcome;
}

Result<Outcome> hash_gates(const Experiment& experiment, const Settings& settings) {
  Parameters parameters(experiment);
  const unsigned lock_bits = parameters.number("lock_bits", kSize.bank_bits, scratchpad::kMaxLockBits);
  if (parameters.error()) return *parameters.error();
  const Result<Bench> bench = synthesised({"XOR: xor", "ADD: add"}, {0.5}, settings);
  if (!bench) return bench.error();

  // A lock bit lives in the bank of its word: the lower part of the lock hash is the bank hash.
  const Result<scratchpad::LockHash> sums =
      scratchpad::parse_lock_hash("add", {kSize.address_bits, lock_bits, kSize.bank_bits});
  if (!sums) return sums.error();
  const Result<scratchpad::LockHash> locks =
      scratchpad::parse_lock_hash("xor", {kSize.address_bits, lock_bits, kSize.bank_bits});
  if (!locks) return locks.error();
  unsigned gates = 0, inputs = 0;
  for (const uint32_t row : std::span(locks->row).first(lock_bits)) {
    gates += static_cast<unsigned>(std::max(std::popcount(row), 1)) - 1;
    inputs = std::max(inputs, static_cast<unsigned>(std::popcount(row)));
  }
  Outcome outcome;
  Rows rows(experiment, outcome);
  rows.add("XOR: gates", static_cast<double>(gates), "XOR gates");
  rows.add("XOR: delay", static_cast<double>(std::bit_width(inputs - 1)), "gates");
  rows.add("ADD: adders", static_cast<double>(sums->lock_bits), "adders of one bit");
  const RippleCarry adder = ripple_carry(sums->field_bits);
  rows.add(
      "ADD: delay", static_cast<double>(adder.carry), "gates",
      fmt::format("a ripple-carry adder of gates of two inputs, to its last carry; {} to its last sum", adder.sum));
  for (const Built& one : bench->built) {
    const Logic& smallest = *std::ranges::min_element(one.synthesis.logic, {}, &Logic::area_um2);
    rows.add(one.label + ": area of the banks' hash", rounded(smallest.area_um2 / bench->units.nand2_um2, 1), "NAND2",
             "as synthesised, the smallest");
    rows.add(one.label + ": delay of the banks' hash, smallest", rounded(smallest.delay_ns / bench->units.fo4_ns, 1),
             "FO4");
    rows.add(one.label + ": delay of the banks' hash, fastest",
             rounded(fastest_ns(one.synthesis) / bench->units.fo4_ns, 1), "FO4");
  }
  outcome.notes.push_back(about(bench->units));
  return outcome;
}

}  // namespace bankshot::experiment

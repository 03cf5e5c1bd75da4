#include "bankshot/sweep/answers/hash_hardware.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/circuit/design.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/sweep/plan/settings.hpp"
#include "bankshot/sweep/points/resolver.hpp"

namespace bankshot::sweep {
namespace {

constexpr unsigned kAddressBits = 14;  // of words, as in the XOR-hash paper's hardware and in `bankshot hash`

}  // namespace

Result<double> HashHardware::gates(const std::string& spec, unsigned banks) {
  if (spec.empty() || spec == "none") return 0.0;
  const scratchpad::HashSize size{kAddressBits, static_cast<unsigned>(std::countr_zero(banks))};
  const scratchpad::HashClass* const word = scratchpad::find_hash_class(spec.substr(0, spec.find(':')));
  const bool is_configurable = word != nullptr && !word->fixed && word->circuit != nullptr;
  const std::pair key{is_configurable ? std::string(word->word) : spec, banks};
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (!tools_) {
    const Result<circuit::Tools> tools = circuit::find_tools();
    if (!tools) return tools.error();
    const Result<circuit::Units> units = circuit::measure_units(*tools);
    if (!units) return units.error();
    tools_ = *tools;
    nand2_um2_ = units->nand2_um2;
  }
  circuit::Design design;
  if (is_configurable) {
    Result<circuit::Design> made = circuit::configurable_design(*word, size);
    if (!made) return made.error();
    design = *std::move(made);
  } else {
    const Result<scratchpad::BankHash> hash = scratchpad::parse_hash(spec, size);
    if (!hash) return hash.error();
    design = circuit::fixed_design(*hash);
  }
  const Result<circuit::Synthesis> synthesis = circuit::synthesise(*tools_, design, {0.1});
  if (!synthesis) return synthesis.error();
  const auto smallest = std::ranges::min_element(synthesis->logic, {}, &circuit::Logic::area_um2);
  const double area = smallest->area_um2 + synthesis->setting.area_um2;
  return known_[key] = area / nand2_um2_;
}

Result<double> HashHardware::gates_of(const Plan& plan, size_t row) {
  Result<gpu::Gpu> gpu = gpu::find_gpu(gpu_place(plan, text_of(plan.value(row, 1))));
  if (!gpu) return gpu.error();
  std::string hash;
  std::vector<std::string> changes;
  for (size_t c = 2; c < plan.columns.size(); ++c) {
    const Value& value = plan.value(row, c);
    const std::string& name = plan.columns[c].name;
    if (!is_set(value)) continue;
    if (kind_of(name) == SettingKind::key) changes.push_back(name + "=" + text_of(value));
    if (kind_of(name) == SettingKind::bank_hash) {
      const Result<std::string> text = filled(plan, row, text_of(value));
      if (!text) return text.error();
      hash = *text;
    }
  }
  if (const auto error = gpu::change(*gpu, changes)) return *error;
  const scratchpad::Rules& rules = gpu->machine.scratchpad;
  if (hash.empty() && rules.hash) hash = scratchpad::spec(*rules.hash);
  return gates(hash, rules.banks);
}

}  // namespace bankshot::sweep

#include "bankshot/fix/wanted_changes.hpp"

#include <algorithm>
#include <numeric>

#include "bankshot/fix/compare.hpp"
#include "bankshot/host/read_text.hpp"

namespace bankshot::fix {
namespace {

bool is_changed_by(const ArrayPlan& array, const SourceChange& change) {
  return array.declaration && array.declaration->line == change.array.declaration->line &&
         source_name(array.array.name) == change.array.name;
}

}  // namespace

std::map<std::string, std::vector<WantedChange>> wanted_changes(const Plan& plan, const WitnessedRun& original) {
  std::map<std::string, std::vector<WantedChange>> all;
  const auto recipe_of = [&](const SourceChange& change) {
    return recipe(change.array, change.move, plan.rules.bank_bytes, "");
  };
  for (const KernelPlan& kernel : plan.kernels) {
    for (const ArrayPlan& array : kernel.arrays) {
      if (!kernel.chosen || !array.tried[*kernel.chosen].rewritten) continue;
      const std::string name = source_name(array.array.name);
      SourceChange change{source_array(array), *array.move(*kernel.chosen),
                          dynamic_shared(original, kernel.kernel.name).unit};
      if (!array.declaration) {
        all[""].push_back({std::move(change), {kernel.kernel.name}, name + ": " + array.no_declaration});
        continue;
      }
      std::vector<WantedChange>& list = all[array.file];
      const auto known = std::ranges::find_if(list, [&](const WantedChange& other) {
        return other.change.array.name == name && other.change.array.declaration->line == array.declaration->line;
      });
      if (known == list.end()) {
        list.push_back({std::move(change), {kernel.kernel.name}, {}});
        continue;
      }
      known->kernels.insert(kernel.kernel.name);
      known->change.unit = std::gcd(known->change.unit, change.unit);
      if (recipe_of(known->change) != recipe_of(change) || *known->change.array.declaration != *array.declaration)
        known->refusal = name + ": kernels that share its declaration need different changes";
    }
  }
  return all;
}

void add_source_edits(Plan& plan, const WitnessedRun& original) {
  for (const auto& [file, wanted] : wanted_changes(plan, original)) {
    const Result<std::string> text = file.empty() ? Result<std::string>(Error{}) : host::read_text(file);
    if (!text) continue;
    for (const WantedChange& one : wanted) {
      if (!one.refusal.empty()) continue;
      const ChangedText changed = change_source(*text, {one.change}, plan.rules.bank_bytes);
      for (KernelPlan& kernel : plan.kernels) {
        if (!one.kernels.contains(kernel.kernel.name)) continue;
        for (ArrayPlan& array : kernel.arrays) {
          if (array.file == file && is_changed_by(array, one.change)) array.edits = changed.edits;
        }
      }
    }
  }
}

}  // namespace bankshot::fix

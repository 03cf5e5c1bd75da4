#include "bankshot/timing/chip/components.hpp"

#include <array>

#include "bankshot/timing/atomics/atomics_unit.hpp"
#include "bankshot/timing/pipelines/pipeline.hpp"
#include "bankshot/timing/schedulers/foresight.hpp"
#include "bankshot/timing/schedulers/scheduler.hpp"

namespace bankshot::timing {
namespace {

template <class Interface>
std::vector<Component> all_of() {
  std::vector<Component> all;
  for (const auto& entry : Registry<Interface>::entries())
    all.push_back({entry.name, entry.summary, entry.parameters, entry.lacks});
  return all;
}

constexpr std::array<ComponentKind, 4> kKinds = {{
    {"issue", "policy", "Schedulers", [](const Config& c) -> const std::string& { return c.issue.policy; }, schedulers},
    {"issue", "pipeline", "Pipelines", [](const Config& c) -> const std::string& { return c.issue.pipeline; },
     pipelines},
    {"issue", "aware", "Foresight", [](const Config& c) -> const std::string& { return c.issue.aware; }, foresights},
    {"scratchpad", "atomics", "Atomics units",
     [](const Config& c) -> const std::string& { return c.scratchpad.atomics; }, atomics_units},
}};

}  // namespace

std::vector<Component> schedulers() { return all_of<WarpScheduler>(); }
std::vector<Component> pipelines() { return all_of<Pipeline>(); }
std::vector<Component> foresights() { return all_of<Foresight>(); }
std::vector<Component> atomics_units() { return all_of<AtomicsUnit>(); }
std::vector<Component> commits() {
  return {{"any", "results as they come: no precise exceptions"},
          {"reorder", "results as they come, and a reorder buffer of issue.reorder_entries a warp"},
          {"hold", "results in order: a warp with a conflict in flight issues nothing"}};
}

std::span<const ComponentKind> component_kinds() { return kKinds; }

Component chosen(const ComponentKind& kind, const Config& config) {
  for (Component& component : kind.all()) {
    if (component.name == kind.chosen(config)) return std::move(component);
  }
  return {};
}

}  // namespace bankshot::timing

#include "bankshot/experiment/experiment.hpp"
#include "bankshot/experiment/hash_paper.hpp"

namespace bankshot::experiment {
namespace {

/// What experiment files call a computation.
struct Kind {
  std::string_view name;
  Result<Outcome> (*compute)(const Experiment&, const Settings&);
};

constexpr Kind kKinds[] = {
    {"class-sizes", class_sizes},
    {"hash-parameters", hash_parameters},
    {"conflicts-removed", removed_by_benchmark},
    {"conflicts-removed-on-average", removed_on_average},
    {"speed-ups", speedups},
};

}  // namespace

Result<Outcome> reproduce(const Experiment& experiment, const Settings& settings) {
  std::string list;
  for (const Kind& kind : kKinds) {
    if (kind.name == experiment.kind) return kind.compute(experiment, settings);
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  }
  return Error{experiment.name + ".toml: no kind of experiment is called '" + experiment.kind + "'; there are " + list};
}

}  // namespace bankshot::experiment

// The components that a machine is built of: for help texts, for the checks of GPU files, for messages.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

/// A registered component.
struct Component {
  std::string name, summary;
  std::vector<const Parameter*> parameters = {};
  std::string_view (*lacks)(const Config&) = nullptr;  ///< what a machine must have for it; null: nothing
};

// All of one kind, ascending by name.
std::vector<Component> schedulers();
std::vector<Component> pipelines();
std::vector<Component> foresights();
std::vector<Component> atomics_units();
/// The orders in which results are kept, in the order of Commit. No registry: they are ways of the SM itself.
std::vector<Component> commits();

/// A kind of which a machine has one component.
struct ComponentKind {
  std::string_view section, key;  ///< of a GPU file, that chooses the component
  std::string_view title;         ///< in the plural: "Schedulers"
  const std::string& (*chosen)(const Config&);
  std::vector<Component> (*all)();
};
std::span<const ComponentKind> component_kinds();

/// The component that a machine has of a kind. @return none if Config names one that is not known
Component chosen(const ComponentKind& kind, const Config& config);

}  // namespace bankshot::timing

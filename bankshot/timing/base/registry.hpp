// Components by name: each is one file that registers itself; nothing else lists them.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/timing/base/config.hpp"

namespace bankshot::timing {

/// The components that implement `Interface`. Names are resolved when the machine is built, never in a cycle.
template <class Interface>
class Registry {
 public:
  struct Entry {
    std::string name, summary;
    std::function<std::unique_ptr<Interface>(const Config&)> make;
    std::vector<const Parameter*> parameters = {};       ///< that it reads from Config::parameters
    std::string_view (*lacks)(const Config&) = nullptr;  ///< what a machine must have for it, empty if it has that
  };

  static std::vector<Entry>& entries() {
    static std::vector<Entry> all;
    return all;
  }
  /// Null if there is none of this name.
  static const Entry* find(std::string_view name) {
    for (const Entry& entry : entries()) {
      if (entry.name == name) return &entry;
    }
    return nullptr;
  }
  explicit Registry(Entry entry) {
    auto& all = entries();
    const auto at = std::lower_bound(all.begin(), all.end(), entry.name,
                                     [](const Entry& e, const std::string& n) { return e.name < n; });
    all.insert(at, std::move(entry));
  }
};

}  // namespace bankshot::timing

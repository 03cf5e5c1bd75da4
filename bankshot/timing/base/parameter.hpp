// Numbers of a machine that belong to one component, declared where the component registers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bankshot::timing {

/// One number that a component reads from a GPU's description. The component's file declares it and registers it with
/// the component; checks of GPU files and of --set, `bankshot gpus`, help texts and the JSON of a simulation follow.
struct Parameter {
  std::string_view section, name;      ///< its key in a GPU file: [section] name
  std::string_view unit;               ///< what it counts, in the plural: "warps"; kFlag: the file says true or false
  unsigned least = 0, most = 0;        ///< a flag: 0 and 1
  unsigned fallback = 0;               ///< where no file says it; a value out of range stands for "not said"
  std::string_view meaning;            ///< one line for people
  bool required = false;               ///< a file that has the section must say it
  const Parameter* at_most = nullptr;  ///< another parameter, which it must not exceed

  static constexpr std::string_view kFlag = "flag";
  bool is_flag() const { return unit == kFlag; }
  std::string key() const { return std::string(section) + "." + std::string(name); }
};

/// The values of a machine's parameters. A parameter is known by its address: it is declared once.
class Parameters {
 public:
  unsigned operator[](const Parameter& parameter) const {
    for (const auto& [which, value] : said_) {
      if (which == &parameter) return value;
    }
    return parameter.fallback;
  }
  void set(const Parameter& parameter, unsigned value) {
    for (auto& [which, said] : said_) {
      if (which == &parameter) {
        said = value;
        return;
      }
    }
    said_.emplace_back(&parameter, value);
  }

 private:
  std::vector<std::pair<const Parameter*, unsigned>> said_;  ///< few, and read when a machine is built
};

}  // namespace bankshot::timing

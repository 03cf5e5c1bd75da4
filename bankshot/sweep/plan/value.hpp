// Values of settings.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace bankshot::sweep {

/// None: what the GPU's file or the program says. A list of texts: arguments.
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<std::string>>;

/// "true", "64", "0.5", "gto"; arguments are separated by blanks; of none "".
std::string text_of(const Value& value);

inline bool is_set(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

}  // namespace bankshot::sweep

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

inline bool is_number(const Value& value) {
  return std::holds_alternative<int64_t>(value) || std::holds_alternative<double>(value);
}
/// Of a whole or real number.
inline double number_of(const Value& value) {
  const int64_t* const whole = std::get_if<int64_t>(&value);
  return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
}

inline bool is_set(const Value& value) { return !std::holds_alternative<std::monostate>(value); }

}  // namespace bankshot::sweep

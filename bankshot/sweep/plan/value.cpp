#include "bankshot/sweep/plan/value.hpp"

#include <fmt/format.h>

namespace bankshot::sweep {

std::string text_of(const Value& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return fmt::format("{}", *number);
  if (const double* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) return fmt::format("{}", fmt::join(*list, " "));
  return {};
}

}  // namespace bankshot::sweep

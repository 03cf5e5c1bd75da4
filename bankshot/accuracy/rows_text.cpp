#include "bankshot/accuracy/rows_text.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bankshot::accuracy {

using nlohmann::ordered_json;

std::string what_of(const Row& row) {
  constexpr size_t kColumns = 62;
  std::string text = row.quantity;
  if (!row.condition.empty() && row.condition != "-") text += ": " + row.condition;
  if (text.size() <= kColumns) return text;
  text.resize(kColumns - 3);
  return text + "...";
}

std::string significant(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 4);
}

ordered_json json_of(const Answer& answer) {
  const Row& row = answer.row;
  return {{"gpu", row.gpu},
          {"description", answer.description},
          {"family", answer.family},
          {"quantity", row.quantity},
          {"condition", row.condition},
          {"unit", row.unit},
          {"published", row.value},
          {"found", answer.simulated},
          {"ratio", answer.ratio()},
          {"source", row.source},
          {"line", row.line}};
}

ordered_json json_of(const std::vector<Unanswered>& unanswered) {
  ordered_json all = ordered_json::array();
  for (const Unanswered& one : unanswered) {
    all.push_back({{"gpu", one.row.gpu},
                   {"quantity", one.row.quantity},
                   {"condition", one.row.condition},
                   {"reason", one.reason},
                   {"line", one.row.line}});
  }
  return all;
}

}  // namespace bankshot::accuracy

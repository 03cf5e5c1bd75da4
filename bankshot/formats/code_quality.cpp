#include "bankshot/formats/code_quality.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/formats/notices.hpp"
#include "bankshot/formats/place.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/support/digest.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

using nlohmann::ordered_json;

ordered_json issue(std::string_view rule, const std::string& message, const char* severity, const std::string& mark,
                   const std::string& path, uint32_t line) {
  return {{"description", message},
          {"check_name", rule},
          {"fingerprint", mark},
          {"severity", severity},
          {"location", {{"path", printable(path)}, {"lines", {{"begin", line}}}}}};
}

const char* severity_of(Level level) {
  return level == Level::error ? "major" : level == Level::warning ? "minor" : "info";
}

}  // namespace

std::string to_code_quality(const std::vector<Run>& runs, const Surroundings& around) {
  ordered_json list = ordered_json::array();
  std::vector<Notice> all;
  for (const Run& run : runs) {
    for (const std::string& gap : all_gaps(run)) {
      Digest digest;
      digest.add_text(gap);
      list.push_back(issue("incomplete", gap, "critical", digest.text(), run.report.program, 1));
    }
    for (Notice& notice : notices(run)) all.push_back(std::move(notice));
  }
  const std::vector<std::string> marks = fingerprints(all, around);
  for (size_t k = 0; k < all.size(); ++k) {
    if (all[k].source.line == 0) continue;
    list.push_back(issue(all[k].rule->id, all[k].message, severity_of(all[k].level), marks[k],
                         place_of(around.root, all[k].source.file).path, all[k].source.line));
  }
  return report::json_text(list);
}

}  // namespace bankshot::formats

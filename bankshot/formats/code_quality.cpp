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

/// A fingerprint that differs between GPUs: GitLab drops equal ones.
std::string of_gpu(const std::string& mark, const std::string& gpu) {
  Digest digest;
  digest.add_text(mark);
  digest.add_text(gpu);
  return digest.text();
}

}  // namespace

std::string to_code_quality(const std::vector<Run>& runs, const Surroundings& around) {
  ordered_json list = ordered_json::array();
  for (const Run& run : runs) {
    const std::vector<std::string> gaps = all_gaps(run);
    for (size_t k = 0; k < gaps.size(); ++k) {  // their texts have addresses and numbers that differ from run to run
      Digest digest;
      digest.add_text("incomplete");
      digest.add_text(run.report.gpu);
      list.push_back(issue("incomplete", gaps[k], "critical", digest.text() + ":" + std::to_string(k + 1),
                           place_of(around.root, run.report.program).path, 1));
    }
  }
  for (const Run& run : runs) {
    const std::vector<Notice> all = notices(run);
    const std::vector<std::string> marks = fingerprints(all, around);
    for (size_t k = 0; k < all.size(); ++k) {
      const Notice& notice = all[k];
      const bool known = notice.source.line != 0;
      const std::string& file = known ? notice.source.file : notice.file;
      list.push_back(issue(notice.rule->id, message_with_place(notice), severity_of(notice.level),
                           runs.size() == 1 ? marks[k] : of_gpu(marks[k], run.report.gpu),
                           place_of(around.root, file).path, known ? notice.source.line : 1));
    }
  }
  return report::json_text(list);
}

}  // namespace bankshot::formats

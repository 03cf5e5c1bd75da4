#include "bankshot/formats/sarif.hpp"

#include <nlohmann/json.hpp>

#include "bankshot/formats/notices.hpp"
#include "bankshot/formats/place.hpp"
#include "bankshot/report/json/json_text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

using nlohmann::ordered_json;

constexpr const char* kSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* kRoot = "%SRCROOT%";

ordered_json text_of(std::string_view text) { return {{"text", text}}; }

/// A message that names of a program are in: braces are doubled, as those of placeholders are single, and nothing is a
/// link. Source: SARIF 2.1.0, 3.11.5 and 3.11.6
ordered_json message_of(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '(' && safe.ends_with(']')) safe += ' ';
    safe += c;
    if (c == '{' || c == '}') safe += c;
  }
  return {{"text", safe}};
}

/// The URI of a folder ends in a slash.
std::string folder_uri(const std::string& folder) {
  return "file://" + uri_path(folder) + (folder.ends_with('/') ? "" : "/");
}

ordered_json rule_json(const Rule& rule) {
  return {{"id", rule.id},
          {"name", rule.name},
          {"shortDescription", text_of(rule.brief)},
          {"fullDescription", text_of(rule.full)},
          {"help", text_of(rule.help)},
          {"helpUri", rule.uri},
          {"defaultConfiguration", {{"level", name(rule.level)}}}};
}

ordered_json artifact_json(const std::string& file, const Surroundings& around) {
  const FilePlace place = place_of(around.root, file);
  if (place.below_root) return {{"uri", uri_path(place.path)}, {"uriBaseId", kRoot}};
  return {{"uri", "file://" + uri_path(place.path)}};
}

/// Code scanning rejects a file with a result that has no physical location. @param file  stands for a place without a
/// source line, with its first line
ordered_json location_json(const simt::Source& source, const std::string& file, const Surroundings& around) {
  const bool known = source.line != 0;
  return {{"physicalLocation",
           {{"artifactLocation", artifact_json(known ? source.file : file, around)},
            {"region", {{"startLine", known ? source.line : 1}}}}}};
}

ordered_json result_json(const Notice& notice, const std::string& fingerprint, const Surroundings& around) {
  ordered_json json = {{"ruleId", notice.rule->id},
                       {"ruleIndex", notice.rule - rules().data()},
                       {"level", name(notice.level)},
                       {"message", message_of(message_with_place(notice))}};
  ordered_json location = location_json(notice.source, notice.file, around);
  if (!notice.kernel.empty()) {
    location["logicalLocations"] =
        ordered_json::array({{{"fullyQualifiedName", printable(notice.kernel)}, {"kind", "function"}}});
  }
  json["locations"] = ordered_json::array({location});
  for (const Related& related : notice.related) {
    ordered_json there = location_json(related.source, notice.file, around);
    there["id"] = json["relatedLocations"].size() + 1;
    there["message"] = message_of(related.text);
    json["relatedLocations"].push_back(there);
  }
  json["partialFingerprints"] = {{"bankshot/v1", fingerprint}};
  return json;
}

ordered_json invocation_json(const Run& run, const Surroundings& around) {
  const std::vector<std::string> gaps = all_gaps(run);
  ordered_json json = {{"executionSuccessful", gaps.empty()}, {"workingDirectory", {{"uri", folder_uri(around.root)}}}};
  const auto notify = [&](const char* id, const char* level, const std::string& text) {
    json["toolExecutionNotifications"].push_back(
        {{"descriptor", {{"id", id}}}, {"level", level}, {"message", message_of(text)}});
    return &json["toolExecutionNotifications"].back();
  };
  for (const std::string& gap : gaps) notify("incomplete", "error", gap);
  for (const std::string& file : run.report.changed_sources) {
    ordered_json& note = *notify("changed-source", "warning", changed_source_text(file));
    note["locations"] =
        ordered_json::array({{{"physicalLocation", {{"artifactLocation", artifact_json(file, around)}}}}});
  }
  return json;
}

ordered_json run_json(const Run& run, const Surroundings& around) {
  ordered_json driver = {{"name", "Bankshot"}, {"version", around.version}, {"rules", ordered_json::array()}};
  for (const Rule& rule : rules()) driver["rules"].push_back(rule_json(rule));
  driver["notifications"] = ordered_json::array(
      {{{"id", "incomplete"}, {"shortDescription", text_of("The run does not cover all that the program did.")}},
       {{"id", "changed-source"}, {"shortDescription", text_of("A source changed after the program was built.")}}});
  ordered_json json = {{"tool", {{"driver", driver}}},
                       {"invocations", ordered_json::array({invocation_json(run, around)})},
                       {"originalUriBaseIds", {{kRoot, {{"uri", folder_uri(around.root)}}}}},
                       {"columnKind", "utf16CodeUnits"},
                       {"properties", {{"program", printable(run.report.program)}, {"gpu", printable(run.report.gpu)}}},
                       {"results", ordered_json::array()}};
  std::vector<Notice> list = notices(run);
  const size_t open = list.size();
  const std::vector<Accepted> others = accepted(run.report);
  for (const Accepted& one : others) list.push_back(one.notice);
  const std::vector<std::string> marks = fingerprints(list, around);
  for (size_t k = 0; k < list.size(); ++k) {
    json["results"].push_back(result_json(list[k], marks[k], around));
    if (k < open) continue;
    json["results"].back()["suppressions"] = ordered_json::array(
        {{{"kind", "external"}, {"status", "accepted"}, {"justification", printable(others[k - open].reason)}}});
  }
  return json;
}

}  // namespace

std::string to_sarif(const std::vector<Run>& runs, const Surroundings& around) {
  ordered_json json = {{"$schema", kSchema}, {"version", "2.1.0"}, {"runs", ordered_json::array()}};
  for (const Run& run : runs) {
    json["runs"].push_back(run_json(run, around));
    // Code scanning takes a file with several runs only if they can be told apart.
    if (runs.size() > 1)
      json["runs"].back()["automationDetails"] = {{"id", "bankshot/" + uri_path(run.report.gpu) + "/"}};
  }
  return report::json_text(json);
}

}  // namespace bankshot::formats

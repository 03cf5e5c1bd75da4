#include "bankshot/report/json/findings_json.hpp"

#include <algorithm>

#include "bankshot/report/json/json_parts.hpp"
#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/json/source_json.hpp"

namespace bankshot::report {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using simt::Finding;
using namespace json_values;

ordered_json access_json(const simt::Source& source, const std::string& op, const simt::Dim3& thread,
                         const RunReport& report) {
  ordered_json json = place_json(source);
  if (!source.frames.empty()) json["frames"] = frames_json(source.frames);
  json.update({{"op", op}, {"thread", extent_json(thread)}});
  if (const std::string text = report.text_of(source); !text.empty()) json["text"] = text;
  return json;
}

void read_access(const json& object, const char* key, simt::Source& source, std::string& op, simt::Dim3& thread,
                 RunReport& report) {
  const json& there = member(object, key);
  source = report::read_place(there);
  source.frames = read_frames(there);
  op = text(there, "op");
  thread = extent(there, "thread");
  if (there.contains("text")) report.source_text[{source.file, source.line}] = text(there, "text");
}

Finding::Kind kind_of(const std::string& name) {
  for (unsigned k = 0; k < simt::kFindingKinds; ++k) {
    if (name == name_of(static_cast<Finding::Kind>(k))) return static_cast<Finding::Kind>(k);
  }
  throw Bad{"\"kind\" is not a kind of finding: " + name};
}

}  // namespace

ordered_json checks_json(const simt::CheckOptions& checks) {
  ordered_json names = ordered_json::array();
  for (const simt::CheckName& check : simt::kCheckNames) {
    if (checks.*check.wanted) names.push_back(check.name);
  }
  return names;
}

ordered_json finding_json(const Finding& finding, const RunReport& report) {
  ordered_json json = {
      {"check", check_of(finding.kind)},
      {"kind", name_of(finding.kind)},
      {"severity", finding.is_warning ? "warning" : "error"},
      {"kernel", finding.kernel},
      {"demangled", demangle(finding.kernel)},
      {"count", finding.count},
  };
  if (finding.kind != Finding::Kind::leak) {
    json["cta"] = extent_json(finding.cta);
    json["access"] = access_json(finding.source, finding.op, finding.thread, report);
  }
  if (!finding.other_op.empty())
    json["earlier"] = access_json(finding.other, finding.other_op, finding.other_thread, report);
  json["variable"] = demangle(finding.variable);
  json["offset"] = finding.address;
  json["bytes"] = finding.bytes;
  json["detail"] = finding.detail;
  if (finding.kind != Finding::Kind::leak) return json;
  json["callers"] = ordered_json::array();
  for (const Finding::Caller& caller : finding.callers)
    json["callers"].push_back({{"file", caller.file}, {"offset", caller.offset}});
  return json;
}

void read_findings(const json& root, RunReport& report) {
  for (const json& name : list(root, "checks")) {
    const auto* const check = std::find_if(std::begin(simt::kCheckNames), std::end(simt::kCheckNames),
                                           [&](const simt::CheckName& one) { return name == one.name; });
    if (check == std::end(simt::kCheckNames)) throw Bad{"\"checks\" names an unknown check"};
    report.checks.*check->wanted = true;
  }
  for (const json& object : list(root, "findings")) {
    Finding finding;
    finding.kind = kind_of(text(object, "kind"));
    finding.is_warning = text(object, "severity") == "warning";
    finding.kernel = text(object, "kernel");
    finding.count = number<uint64_t>(object, "count");
    if (finding.kind != Finding::Kind::leak) {
      finding.cta = extent(object, "cta");
      read_access(object, "access", finding.source, finding.op, finding.thread, report);
    }
    if (object.contains("earlier"))
      read_access(object, "earlier", finding.other, finding.other_op, finding.other_thread, report);
    finding.variable = text(object, "variable");
    finding.address = number<uint64_t>(object, "offset");
    finding.bytes = number<uint64_t>(object, "bytes");
    finding.detail = text(object, "detail");
    if (finding.kind == Finding::Kind::leak) {
      for (const json& caller : list(object, "callers"))
        finding.callers.push_back({text(caller, "file"), number<uint64_t>(caller, "offset")});
    }
    report.findings.push_back(std::move(finding));
  }
}

}  // namespace bankshot::report

#include "bankshot/compare/baseline.hpp"

#include <algorithm>
#include <filesystem>
#include <tuple>

#include <nlohmann/json.hpp>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/json/json_values.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/support/path_below.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::compare {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;
using report::json_values::Bad;
using report::json_values::flag;
using report::json_values::list;
using report::json_values::member;
using report::json_values::number;
using report::json_values::text;

std::string portable(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  const fs::path path = fs::path(file).lexically_normal();
  if (!path.is_absolute()) return path.string();
  if (const auto below = path_below(path, folder)) return below->string();
  std::string kept = path.string();
  size_t begin = kept.size();
  for (int k = 0; k < 3 && begin != 0 && begin != kept.npos; ++k) begin = kept.rfind('/', begin - 1);
  return begin == kept.npos ? kept : kept.substr(begin + 1);
}

std::string dumped(const ordered_json& object) {
  return object.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The object with a list as its last member, an item a line of text.
std::string with_items(const ordered_json& object, const std::string& name, const std::vector<std::string>& items,
                       const std::string& indent) {
  std::string text = dumped(object);
  text.pop_back();
  text += ",\"" + name + "\":[";
  for (size_t k = 0; k < items.size(); ++k) text += (k == 0 ? "\n" : ",\n") + indent + items[k];
  return text + "]}";
}

std::string kernel_item(const Kernel& kernel, const std::string& folder) {
  ordered_json object = {
      {"name", kernel.name},     {"demangled", kernel.demangled},         {"file", portable(kernel.file, folder)},
      {"launch", kernel.launch}, {"conflicts", kernel.numbers.conflicts}, {"wavefronts", kernel.numbers.wavefronts}};
  if (kernel.numbers.cycles) object["cycles"] = *kernel.numbers.cycles;
  std::vector<std::string> lines;
  for (const Line& line : kernel.lines) {
    ordered_json item = {{"file", portable(line.file, folder)}, {"line", line.line}};
    if (!line.text.empty()) item["text"] = line.text;
    item.update({{"operations", line.operations}, {"conflicts", line.conflicts}});
    lines.push_back(dumped(item));
  }
  return with_items(object, "lines", lines, "  ");
}

std::string finding_item(const Finding& finding, const std::string& folder) {
  ordered_json object = {{"kind", finding.kind},
                         {"severity", finding.is_warning ? "warning" : "error"},
                         {"kernel", finding.kernel},
                         {"variable", finding.variable},
                         {"operations", finding.operations},
                         {"file", portable(finding.file, folder)},
                         {"line", finding.line}};
  if (!finding.text.empty()) object["text"] = finding.text;
  object["count"] = finding.count;
  return dumped(object);
}

Mode mode_named(const std::string& text) {
  for (const Mode mode : {Mode::explain, Mode::simulate, Mode::check}) {
    if (name(mode) == text) return mode;
  }
  throw Bad{"\"mode\" must be \"explain\", \"simulate\" or \"check\""};
}

std::string optional_text(const json& object, const char* key) { return object.contains(key) ? text(object, key) : ""; }

Kernel read_baseline_kernel(const json& object) {
  Kernel kernel{text(object, "name"),
                text(object, "demangled"),
                text(object, "file"),
                text(object, "launch"),
                {number<uint64_t>(object, "conflicts"), number<uint64_t>(object, "wavefronts"), std::nullopt},
                {}};
  if (object.contains("cycles")) kernel.numbers.cycles = number<uint64_t>(object, "cycles");
  for (const json& line : list(object, "lines")) {
    kernel.lines.push_back({text(line, "file"), number<uint32_t>(line, "line"), optional_text(line, "text"),
                            text(line, "operations"), number<uint64_t>(line, "conflicts")});
  }
  return kernel;
}

Finding read_baseline_finding(const json& object) {
  const std::string kernel = text(object, "kernel");
  return {text(object, "kind"),
          text(object, "severity") == "warning",
          kernel,
          report::demangle(kernel),
          text(object, "variable"),
          text(object, "operations"),
          text(object, "file"),
          number<uint32_t>(object, "line"),
          optional_text(object, "text"),
          number<uint64_t>(object, "count")};
}

Snapshot read_baseline(const json& root) {
  Snapshot snapshot;
  snapshot.mode = mode_named(text(root, "mode"));
  snapshot.program = text(root, "program");
  const json& conditions = member(root, "conditions");
  if (!conditions.is_object()) throw Bad{"\"conditions\" must be an object"};
  for (const auto& [key, value] : conditions.items()) {
    if (!value.is_string()) throw Bad{"\"conditions\" must hold strings"};
    snapshot.conditions[key] = value.get<std::string>();
  }
  for (const json& kernel : list(root, "kernels")) snapshot.kernels.push_back(read_baseline_kernel(kernel));
  for (const json& finding : list(root, "findings")) snapshot.findings.push_back(read_baseline_finding(finding));
  return snapshot;
}

/// Any bytes are allowed: empty if there is none.
std::string schema_of(const json& root) {
  if (!root.is_object()) return {};
  const auto found = root.find("schema");
  return found != root.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

std::string to_baseline(const Snapshot& snapshot, const std::string& folder) {
  const ordered_json head = {{"schema", kBaselineSchema},
                             {"mode", name(snapshot.mode)},
                             {"program", std::filesystem::path(snapshot.program).filename().string()},
                             {"conditions", snapshot.conditions}};
  std::vector<const Kernel*> kernels;
  for (const Kernel& kernel : snapshot.kernels) kernels.push_back(&kernel);
  std::ranges::stable_sort(kernels, {}, [](const Kernel* k) { return std::tie(k->demangled, k->name, k->file); });
  std::vector<std::string> items, findings;
  for (const Kernel* kernel : kernels) items.push_back(kernel_item(*kernel, folder));
  for (const Finding& finding : snapshot.findings) findings.push_back(finding_item(finding, folder));
  std::ranges::sort(findings);
  std::string text = with_items(head, "kernels", items, " ");
  text.pop_back();
  text += ",\"findings\":[";
  for (size_t k = 0; k < findings.size(); ++k) text += (k == 0 ? "\n " : ",\n ") + findings[k];
  return text + "]}\n";
}

bool is_baseline(std::string_view text_of_json) {
  return schema_of(json::parse(text_of_json, nullptr, false)).starts_with(kBaselineSchemas);
}

Result<Snapshot> read_snapshot(std::string_view text_of_json) {
  const json root = json::parse(text_of_json, nullptr, false);
  const std::string schema = schema_of(root);
  if (!schema.starts_with(kBaselineSchemas)) {
    const Result<report::RunReport> report = report::from_json(text_of_json);
    if (!report) return report.error();
    return snapshot_of(*report);
  }
  if (schema != kBaselineSchema) return Error{"it is a baseline of another version of Bankshot: " + printable(schema)};
  try {
    return read_baseline(root);
  } catch (const Bad& bad) {
    return Error{bad.message};
  }
}

}  // namespace bankshot::compare

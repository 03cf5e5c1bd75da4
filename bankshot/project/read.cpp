// Reading bankshot.toml. toml++ is heavy, so it stays in this file.
#include <array>
#include <filesystem>

#include "bankshot/compare/snapshot.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/project/project.hpp"
#include "bankshot/report/run/suppressed.hpp"
#include "bankshot/simt/checks/finding.hpp"
#include "bankshot/support/nearest_name.hpp"
#include "bankshot/support/toml_reader.hpp"

namespace bankshot::project {
namespace {

/// Everything that may be suppressed: kinds of findings, their checks, conflicts.
std::vector<std::string_view> kinds() {
  std::vector<std::string_view> all{report::kBankConflict};
  for (unsigned k = 0; k < simt::kFindingKinds; ++k) {
    const auto kind = static_cast<simt::Finding::Kind>(k);
    all.push_back(simt::name_of(kind));
    all.push_back(simt::check_of(kind));
  }
  return all;
}
bool is_kind(std::string_view name) {
  const std::vector<std::string_view> all = kinds();
  return std::ranges::find(all, name) != all.end();
}

class ProjectReader : TomlReader {
 public:
  using TomlReader::TomlReader;

  void read(Project& project) {
    refuse_unknown(root_,
                   {"gpu", "header_roots", "source_roots", "reports", "unused_suppressions", "explain", "simulate",
                    "check", "suppress"},
                   "");
    project.gpu = text(root_, "gpu");
    if (project.gpu.find('/') != std::string::npos || project.gpu.ends_with(".toml")) {
      const Result<std::string> path = path_in(project, project.gpu);
      if (path)
        project.gpu = *path;
      else
        complain(*root_.get("gpu"), "gpu: " + path.error().message);
    }
    project.header_roots = folders("header_roots", project, "no header is below it");
    project.source_roots = folders("source_roots", project, "no source is quoted from it");
    texts(root_, "reports", [&](const std::string& text, Position) {
      const Result<std::string> path = path_in(project, text);
      if (path) project.reports.push_back(*path);
      return path ? "" : path.error().message;
    });
    read_unused(project);
    read_gates(compare::Mode::explain, true, project, project.explain);
    read_gates(compare::Mode::simulate, false, project, project.simulate);
    read_gates(compare::Mode::check, false, project, project.check);
    for_each_table("suppress", [&](const toml::table& table) { project.suppressions.push_back(suppression(table)); });
  }

 private:
  void read_unused(Project& project) {
    const std::string text = this->text(root_, "unused_suppressions");
    constexpr std::array<std::string_view, 3> kNames{"ignore", "warn", "error"};
    const auto found = std::ranges::find(kNames, text);
    if (found != kNames.end())
      project.unused_suppressions = static_cast<Unused>(found - kNames.begin());
    else if (!text.empty())
      complain(*root_.get("unused_suppressions"), "unused_suppressions must be \"ignore\", \"warn\" or \"error\"");
  }

  /// A list of texts, each given to `take` with its place; `take` returns what is wrong with it.
  template <class Take>
  void texts(const toml::table& table, std::string_view key, Take take) {
    const toml::node* node = table.get(key);
    if (node == nullptr) return;
    const toml::array* list = node->as_array();
    if (list == nullptr) return complain(*node, fmt::format("{0} must be a list of strings: {0} = [\"…\"]", key));
    for (const toml::node& item : *list) {
      if (!item.is_string()) {
        complain(item, fmt::format("{0} must be a list of strings: {0} = [\"…\"]", key));
      } else if (const std::string wrong = take(item.as_string()->get(), position_of(item)); !wrong.empty()) {
        complain(item, fmt::format("{} {}", key, wrong));
      }
    }
  }

  /// The project's folder and folders below it. @param effect  what it means that one does not exist
  std::vector<std::string> folders(std::string_view key, Project& project, std::string_view effect) {
    std::vector<std::string> all;
    texts(root_, key, [&](const std::string& text, Position position) -> std::string {
      const Result<std::string> path = folder_in(project, text);
      if (!path) return path.error().message;
      std::error_code code;
      if (!std::filesystem::exists(*path, code)) {
        project.missing_folders.push_back(fmt::format("{}:{}:{}: {}: '{}' does not exist, so {}", project.file,
                                                      position.line, position.column, key, text, effect));
      }
      all.push_back(*path);
      return {};
    });
    return all;
  }

  void read_gates(compare::Mode mode, bool has_limits, const Project& project, Gates& gates) {
    const std::string_view command = compare::name(mode);
    const toml::table* table = section(root_, command);
    if (table == nullptr) return;
    const std::string where = fmt::format(" of [{}]", command);
    if (has_limits)
      refuse_unknown(*table, {"fail_on", "baseline", "allow", "ratchet"}, where);
    else
      refuse_unknown(*table, {"baseline", "allow", "ratchet"}, where);
    if (has_limits) {
      texts(*table, "fail_on", [&](const std::string& text, Position) {
        const Result<compare::Gate> gate = compare::parse_gate(text);
        if (gate) gates.fail_on.push_back(*gate);
        return gate ? "" : gate.error().message;
      });
    }
    gates.baseline = text(*table, "baseline");
    std::string rest = gates.baseline;
    if (const size_t at = rest.find(kProgramInNames); at != rest.npos) rest.erase(at, kProgramInNames.size());
    if (rest.find_first_of("{}") != rest.npos)
      complain(*table->get("baseline"), "baseline: of names in braces only {program} is known, once");
    if (!gates.baseline.empty()) {
      if (const Result<std::string> path = path_in(project, gates.baseline); !path)
        complain(*table->get("baseline"), "baseline: " + path.error().message);
    }
    texts(*table, "allow", [&](const std::string& text, Position) {
      const Result<compare::Allowance> allowance = compare::parse_allowance(text);
      if (!allowance) return allowance.error().message;
      gates.allow.push_back(*allowance);
      const std::string why = compare::without_effect(*allowance, mode, mode);
      return why.empty() ? "" : "'" + text + "': " + why;
    });
    if (const toml::node* node = table->get("ratchet")) {
      if (node->is_boolean())
        gates.ratchet = node->as_boolean()->get();
      else
        complain(*node, "ratchet must be true or false");
    }
  }

  Suppression suppression(const toml::table& table) {
    refuse_unknown(table, {"kind", "program", "kernel", "file", "text", "reason"}, " of a suppression");
    Suppression one{position_of(table),  text(table, "kind"), text(table, "program"), text(table, "kernel"),
                    text(table, "file"), text(table, "text"), text(table, "reason")};
    if (!table.contains("kind")) {
      complain(table, "a suppression needs `kind`: \"bank-conflict\", a check (\"race\") or a kind of finding");
    } else if (!one.kind.empty() && !is_kind(one.kind)) {
      complain(*table.get("kind"),
               fmt::format("'{}' is not a kind: bank-conflict, memory, race, sync, or the `kind` of "
                           "a finding in the JSON of bankshot check{}",
                           one.kind, did_you_mean(one.kind, kinds())));
    }
    if (one.reason.find_first_not_of(" \t\n") == std::string::npos)
      complain(table, "a suppression needs `reason`: why this is accepted");
    if (one.program.empty() && one.kernel.empty() && one.file.empty() && one.text.empty())
      complain(table, "a suppression needs one of program, kernel, file and text: it must not accept everything");
    if (!one.file.empty() && one.file.find_first_not_of('/') == std::string::npos) {
      complain(*table.get("file"), fmt::format("'{}' names no file or folder: it must not accept everything; give a "
                                               "name, such as \"kernel.cu\" or \"third_party/\"",
                                               one.file));
    }
    return one;
  }
};

}  // namespace

Result<Project> parse_project(std::string_view toml, const std::string& file) {
  Diagnostics problems;
  Project project;
  std::error_code code;
  project.file = std::filesystem::absolute(file, code).lexically_normal().string();
  project.folder = std::filesystem::weakly_canonical(std::filesystem::path(project.file).parent_path(), code).string();
  if (const toml::parse_result parsed = parse_toml(toml, problems))
    ProjectReader(parsed.table(), problems).read(project);
  if (problems.empty()) return project;
  return problems_in(std::move(problems), file, toml);
}

Result<Project> load_project(const std::string& file) {
  std::error_code code;
  if (std::filesystem::exists(file, code) && !std::filesystem::is_regular_file(file, code))
    return Error{file + " is not a regular file"};
  const Result<std::string> text = host::read_text(file);
  if (!text) return text.error();
  if (text->find('\0') != std::string::npos) return Error{file + ": is not a text file"};
  return parse_project(*text, file);
}

}  // namespace bankshot::project

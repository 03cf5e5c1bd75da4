#include "bankshot/lsp/report_files.hpp"

#include <algorithm>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "bankshot/compare/baseline.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/project/project.hpp"
#include "bankshot/report/json/json.hpp"
#include "bankshot/support/path_below.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::lsp {
namespace {

namespace fs = std::filesystem;

/// A file that the report has a place in, with the line if its text is known.
void quote(ReportFile& file, const simt::Source& source) {
  if (source.file.empty()) return;
  Quotes& quotes = file.quotes[source.file];
  if (source.line == 0) return;
  std::string text = file.run ? file.run->text_of(source) : "";
  if (text.empty())
    file.unquoted.insert(source.file);
  else
    quotes[source.line] = std::move(text);
}

void quote_run(ReportFile& file) {
  for (const formats::Notice& notice : file.notices) {
    quote(file, notice.source);
    if (notice.source.line == 0 && !notice.file.empty()) file.quotes[notice.file];
    for (const formats::Related& related : notice.related) quote(file, related.source);
  }
  for (const report::Kernel& kernel : file.run->kernels) {
    for (const report::Site& site : kernel.sites) quote(file, site.source);
    for (const report::L1Site& site : kernel.l1_sites) quote(file, site.source);
    if (!kernel.timing) continue;
    for (const timing::LineTiming& line : kernel.timing->lines) quote(file, line.source);
  }
}

void quote_advice(ReportFile& file) {
  for (const Advice& advice : file.advice) {
    for (const simt::Source& place : advice.places) quote(file, place);
    for (const LineEdit& edit : advice.edits) {
      Quotes& quotes = file.quotes[edit.file];
      for (size_t k = 0; k < edit.before.size(); ++k) quotes[edit.line + static_cast<uint32_t>(k)] = edit.before[k];
    }
  }
}

std::string problem_with(const std::string& path, const std::string& what) {
  return printable(path + ": " + what +
                   "; nothing of it is shown. Expected a report of explain, simulate (of one GPU), check or "
                   "fix, written with --json");
}

/// Whether its beginning says so: a baseline may have the name of a report.
bool is_baseline_file(const fs::path& file) {
  std::string start(4096, '\0');
  std::ifstream in(file, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.find("\"" + std::string(compare::kBaselineSchemas)) != start.npos;
}

/// bankshot*.json
void add_usual(const std::string& folder, std::vector<std::string>& files) {
  std::error_code code;
  std::vector<std::string> found;
  for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
    const std::string name = at->path().filename().string();
    std::error_code unknown;
    if (!path_below(fs::weakly_canonical(at->path(), unknown), fs::weakly_canonical(folder, unknown))) continue;
    if (name.starts_with("bankshot") && name.ends_with(".json") && at->is_regular_file(unknown) &&
        !is_baseline_file(at->path()))
      found.push_back(at->path().string());
  }
  std::ranges::sort(found);
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

Stamp stamp_of(const std::string& path) {
  std::error_code code;
  const fs::file_time_type time = fs::last_write_time(path, code);
  return {time, fs::file_size(path, code)};
}

ReportFile read_report(const std::string& path) {
  ReportFile file{.path = path, .stamp = stamp_of(path)};
  const auto fail = [&](const std::string& what) { file.problems.push_back(problem_with(path, what)); };
  const Result<std::string> json = host::read_text(path);
  if (!json) {
    file.problems.push_back(printable(json.error().message) + "; nothing of it is shown");
    return file;
  }
  if (is_fix_report(*json)) {
    Result<std::vector<Advice>> advice = read_advice(*json);
    if (!advice) return fail(advice.error().message), file;
    file.advice = *std::move(advice);
    quote_advice(file);
    return file;
  }
  Result<report::RunReport> run = report::from_json(*json);
  if (!run) return fail(run.error().message), file;
  file.run = *std::move(run);
  file.notices = formats::notices({*file.run});
  quote_run(file);
  if (const std::vector<std::string> gaps = formats::all_gaps({*file.run}); !gaps.empty()) {
    const std::string more = gaps.size() == 1 ? "" : fmt::format(" and {} more", gaps.size() - 1);
    file.problems.push_back(printable(path) + " is incomplete: " + gaps[0] + more +
                            "; lines without a mark may have conflicts");
  }
  return file;
}

ReportPlaces find_reports(const std::vector<std::string>& named, const std::vector<std::string>& folders) {
  std::vector<std::string> all = named;
  ReportPlaces places;
  for (const std::string& folder : named.empty() ? folders : std::vector<std::string>()) {
    const std::string toml = project::find_project(folder);
    const Result<project::Project> project =
        toml.empty() ? Result<project::Project>(project::Project{}) : project::load_project(toml);
    if (!project) places.problems.push_back(project.error().message);
    if (project && !project->reports.empty())
      all.insert(all.end(), project->reports.begin(), project->reports.end());
    else
      add_usual(folder, all);
  }
  for (std::string& file : all) {
    if (std::ranges::find(places.files, file) == places.files.end()) places.files.push_back(std::move(file));
  }
  return places;
}

bool refresh(ReportFiles& reports, const std::vector<std::string>& files) {
  ReportFiles now;
  for (const std::string& file : files) {
    const auto known = std::ranges::find(reports, file, [](const auto& report) { return report->path; });
    const bool is_current = known != reports.end() && (*known)->stamp == stamp_of(file);
    now.push_back(is_current ? *known : std::make_shared<const ReportFile>(read_report(file)));
  }
  return std::exchange(reports, now) != now;
}

}  // namespace bankshot::lsp

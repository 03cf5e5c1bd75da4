#include "bankshot/lsp/workspace.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "bankshot/compare/match_lines.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/lsp/uri.hpp"
#include "bankshot/report/run/module_digest.hpp"
#include "bankshot/report/text/source_lines.hpp"

namespace bankshot::lsp {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kLargestSource = 16 << 20;

/// Without symbolic links, so that a file has one path.
std::string without_links(const fs::path& path) {
  std::error_code code;
  const fs::path whole = fs::weakly_canonical(path, code);
  return (code ? path.lexically_normal() : whole).string();
}

/// Whether a text is that of its file, which was not written after the report.
bool is_older(const std::string& path, const Source& source, const ReportFile& report) {
  std::error_code code;
  if (fs::last_write_time(path, code) > report.stamp.time || code) return false;
  const Result<std::string> text = host::read_text(path);
  return text && lines_of(*text) == source.lines;
}

void map_lines(View& view, const std::vector<std::string>& now) {
  view.map = view.before ? LineMap(*view.before, now) : LineMap(view.quotes, now);
}

/// Whether a report has places in that PTX.
bool is_about(const ReportFile& report, const std::string& module) {
  const auto is_of_it = [&](const report::Kernel& kernel) { return kernel.module.digest == module; };
  return (report.run && std::ranges::any_of(report.run->kernels, is_of_it)) ||
         std::ranges::find(report.advice, module, &Advice::module) != report.advice.end();
}

}  // namespace

std::optional<uint32_t> View::line_of(const simt::Source& place, const std::string& of_module) const {
  if (place.line != 0 && names.contains(place.file)) return place.line;
  if (place.ptx_line != 0 && !module.empty() && module == of_module) return place.ptx_line;
  return std::nullopt;
}

std::optional<uint32_t> View::now(const simt::Source& place, const std::string& of_module) const {
  const std::optional<uint32_t> before = line_of(place, of_module);
  return before ? map.now(*before) : std::nullopt;
}

void Workspace::set_folders(std::vector<std::string> folders) {
  folders_.clear();
  for (const std::string& folder : folders) folders_.push_back(without_links(folder));
  find_sources();
  add_views();
}

void Workspace::open(const std::string& uri, std::string text) {
  const std::optional<std::string> file = path_of(uri);
  if (!file) return;
  const std::string path = without_links(*file);
  Source& source = sources_[path];
  source = {uri, true, std::move(text), {}, {}};
  source.lines = lines_of(source.text);
  add_views();
}

void Workspace::change(const std::string& uri, const std::vector<Change>& changes) {
  for (auto& [path, source] : sources_) {
    if (source.uri != uri || !source.is_open) continue;
    for (const Change& change : changes) apply(source.text, change);
    source.lines = lines_of(source.text);
    for (View& view : source.views) map_lines(view, source.lines);
  }
}

void Workspace::close(const std::string& uri) {
  std::erase_if(sources_, [&](const auto& one) { return one.second.uri == uri; });
  find_sources();
  add_views();
}

bool Workspace::refresh() {
  ReportPlaces places = find_reports(named_, folders_);
  const bool changed = lsp::refresh(reports_, places.files) || closed_sources_changed();
  problems_ = {places.problems.begin(), places.problems.end()};
  for (const auto& report : reports_) problems_.insert(report->problems.begin(), report->problems.end());
  if (changed) {
    find_sources();
    add_views();
  }
  return changed;
}

const Source* Workspace::find(const std::string& uri) const {
  for (const auto& [path, source] : sources_) {
    if (source.uri == uri) return &source;
  }
  return nullptr;
}

std::pair<const Source*, const View*> Workspace::find(const ReportFile& report, const std::string& name) const {
  for (const auto& [path, source] : sources_) {
    for (const View& view : source.views) {
      if (view.report.get() == &report && view.names.contains(name)) return {&source, &view};
    }
  }
  return {};
}

/// The file that a report means; empty if there is none.
std::string Workspace::resolved(const std::string& name) {
  const auto [at, is_new] = resolved_.try_emplace(name);
  if (!is_new) return at->second;
  std::error_code code;
  std::vector<fs::path> tries;
  for (const std::string& folder : folders_) tries.push_back(fs::path(folder) / name);  // an absolute name stays
  for (const fs::path& file : tries) {
    if (!fs::is_regular_file(file, code)) continue;
    at->second = without_links(file);
    break;
  }
  return at->second;
}

/// What a report calls a source: names that lead to it; of an open one otherwise the name with the longest common end,
/// if it leads nowhere, as after a run on another machine.
std::set<std::string> Workspace::names_of(const ReportFile& report, const std::string& path, const Source& source) {
  std::set<std::string> names;
  for (const auto& [name, quotes] : report.quotes) {
    if (resolved(name) == path) names.insert(name);
  }
  if (!names.empty() || !source.is_open) return names;
  size_t longest = 0;
  for (const auto& [name, quotes] : report.quotes) {
    const size_t common = resolved(name).empty() ? compare::common_end(name, path) : 0;
    if (common == 0 || common < longest) continue;
    if (common > longest) names.clear();
    longest = common;
    if (const size_t found = LineMap(quotes, source.lines).size(); found != 0 && 2 * found >= quotes.size())
      names.insert(name);
  }
  return names.size() == 1 ? names : std::set<std::string>();
}

std::optional<View> Workspace::view_of(const std::shared_ptr<const ReportFile>& report, const std::string& path,
                                       const Source& source) {
  View view{.report = report, .names = names_of(*report, path, source)};
  if (source.is_open && path.ends_with(".ptx")) {
    const std::string digest = report::module_digest(source.text);
    if (is_about(*report, digest)) view.module = digest;
  }
  if (view.names.empty() && view.module.empty()) return std::nullopt;
  for (const std::string& name : view.names) {
    const Quotes& quotes = report->quotes.at(name);
    view.quotes.insert(quotes.begin(), quotes.end());
  }
  // Where not all lines are quoted, the others may have changed.
  const bool quoted =
      std::ranges::none_of(view.names, [&](const auto& name) { return report->unquoted.contains(name); });
  const bool is_same = !view.module.empty() || (agree(view.quotes, source.lines) && !view.quotes.empty() && quoted) ||
                       is_older(path, source, *report);
  if (is_same) view.before = source.lines;
  map_lines(view, source.lines);
  return view;
}

bool Workspace::closed_sources_changed() const {
  return std::ranges::any_of(
      sources_, [](const auto& one) { return !one.second.is_open && one.second.stamp != stamp_of(one.first); });
}

/// The files that reports name and that the client does not have open. Only those below the folders are read.
void Workspace::find_sources() {
  resolved_.clear();
  const report::SourcePolicy policy{.roots = folders_};
  std::map<std::string, Source> found;
  for (const auto& report : reports_) {
    for (const auto& [name, quotes] : report->quotes) {
      const std::string path = resolved(name);
      if (path.empty() || found.contains(path) || !report::may_be_read(path, policy)) continue;
      const Stamp stamp = stamp_of(path);
      const Result<std::string> text = stamp.size <= kLargestSource ? host::read_text(path) : Error{};
      if (text) found[path] = {uri_of(path), false, {}, lines_of(*text), {}, stamp};
    }
  }
  std::erase_if(sources_, [](const auto& one) { return !one.second.is_open; });
  sources_.merge(found);
}

/// Views of reports that were looked at before stay, as they know the text that the report is of.
void Workspace::add_views() {
  for (auto& [path, source] : sources_) {
    std::vector<View> views;
    for (const auto& report : reports_) {
      const auto known = std::ranges::find(source.views, report, &View::report);
      if (known != source.views.end()) {
        views.push_back(std::move(*known));
      } else if (std::optional<View> view = view_of(report, path, source)) {
        views.push_back(*std::move(view));
      }
    }
    source.views = std::move(views);
  }
}

}  // namespace bankshot::lsp

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
bool is_older(const Source& source, const ReportFile& report) {
  std::error_code code;
  if (fs::last_write_time(source.path, code) > report.stamp.time || code) return false;
  const Result<std::string> text = host::read_text(source.path);
  return text && lines_of(*text) == source.text.lines;
}

/// Whether a report has places in that PTX.
bool is_about(const ReportFile& report, const std::string& module) {
  const auto is_of_it = [&](const report::Kernel& kernel) { return kernel.module.digest == module; };
  return (report.run && std::ranges::any_of(report.run->kernels, is_of_it)) ||
         std::ranges::find(report.advice, module, &Advice::module) != report.advice.end();
}

bool has_lines(const std::vector<std::string>& lines, const LineEdit& edit) {
  for (size_t k = 0; k < edit.before.size(); ++k) {
    const size_t line = edit.line + k;  // from 1
    if (line == 0 || line > lines.size() || comparable(lines[line - 1]) != comparable(edit.before[k])) return false;
  }
  return true;
}

/// Whether all lines are in the text that an edit gives others for.
bool is_to_do(const LineEdit& edit, const View& fix) {
  for (size_t k = 0; k < edit.before.size(); ++k) {
    if (!fix.map.now(edit.line + static_cast<uint32_t>(k))) return false;
  }
  return true;
}

/// The line in which a place is now, whether or not it is overtaken.
std::optional<uint32_t> line_now(const View& view, const simt::Source& place, const std::string& of_module) {
  const std::optional<uint32_t> before = view.line_of(place, of_module);
  return before ? view.map.now(*before) : std::nullopt;
}

/// Whether a report was made of a text that lacks the lines which an edit of fix is for.
bool is_after(const ReportFile& report, const LineEdit& edit, const ReportFile& fix, const Source& edited) {
  const auto view = std::ranges::find(edited.views, &report, [](const View& one) { return one.report.get(); });
  if (view == edited.views.end()) return report.stamp.time > fix.stamp.time;
  return view->is_certain && !has_lines(*view->before, edit);
}

}  // namespace

std::optional<uint32_t> View::line_of(const simt::Source& place, const std::string& of_module) const {
  if (place.line != 0 && names.contains(place.file)) return place.line;
  if (place.ptx_line != 0 && !module.empty() && module == of_module) return place.ptx_line;
  return std::nullopt;
}

uint32_t View::last_place(const simt::Source& place, const std::string& of_module) const {
  const std::optional<uint32_t> before = line_of(place, of_module);
  return before ? map.last_place(*before) : place.line;
}

std::optional<uint32_t> View::now(const simt::Source& place, const std::string& of_module) const {
  const std::optional<uint32_t> line = changed_after_build ? std::nullopt : line_now(*this, place, of_module);
  return line && !overtaken.contains(*line) ? line : std::nullopt;
}

bool Source::changed_after_build() const { return std::ranges::any_of(views, &View::changed_after_build); }

void Workspace::set_folders(std::vector<std::string> folders) {
  folders_.clear();
  for (const std::string& folder : folders) folders_.push_back(without_links(folder));
  find_sources();
  add_views();
}

void Workspace::open(const std::string& uri, std::string_view text) {
  const std::optional<std::string> name = path_of(uri);
  if (!name) return;
  const std::string path = without_links(*name);
  std::erase_if(sources_, [&](const auto& one) { return !one.second.is_open && one.second.path == path; });
  sources_[*name] = {.uri = uri, .path = path, .is_open = true, .text = text_of(text)};
  add_views();
}

void Workspace::change(const std::string& uri, const std::vector<Change>& changes) {
  const auto at = sources_.find(name_of(uri));
  if (at == sources_.end() || !at->second.is_open) return;
  Source& source = at->second;
  for (const Change& change : changes) {
    const LineChange lines = apply(source.text, change);
    for (View& view : source.views) view.map.move(lines, source.text.lines);
  }
  find_overtaken();
}

void Workspace::close(const std::string& uri) {
  const auto at = sources_.find(name_of(uri));
  if (at == sources_.end() || !at->second.is_open) return;
  sources_.erase(at);
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

/// The source's key; empty if there is none.
std::string Workspace::name_of(const std::string& uri) const {
  const std::optional<std::string> name = path_of(uri);
  if (!name || sources_.contains(*name)) return name.value_or("");
  const std::string path = without_links(*name);
  const auto same = std::ranges::find(sources_, path, [](const auto& one) { return one.second.path; });
  return same == sources_.end() ? "" : same->first;
}

const Source* Workspace::find(const std::string& uri) const {
  const auto at = sources_.find(name_of(uri));
  return at == sources_.end() ? nullptr : &at->second;
}

std::pair<const Source*, const View*> Workspace::find(const ReportFile& report, const std::string& name,
                                                      const Source& from) const {
  const auto view_in = [&](const Source& source) -> const View* {
    for (const View& view : source.views) {
      if (view.report.get() == &report && view.names.contains(name)) return &view;
    }
    return nullptr;
  };
  if (const View* const view = view_in(from)) return {&from, view};
  for (const auto& [path, source] : sources_) {
    if (const View* const view = view_in(source)) return {&source, view};
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
std::set<std::string> Workspace::names_of(const ReportFile& report, const Source& source) {
  std::set<std::string> names;
  for (const auto& [name, quotes] : report.quotes) {
    if (resolved(name) == source.path) names.insert(name);
  }
  if (!names.empty() || !source.is_open) return names;
  size_t longest = 0;
  for (const auto& [name, quotes] : report.quotes) {
    const size_t common = resolved(name).empty() ? compare::common_end(name, source.path) : 0;
    if (common == 0 || common < longest) continue;
    if (common > longest) names.clear();
    longest = common;
    if (const size_t found = LineMap(quotes, source.text.lines).size(); found != 0 && 2 * found >= quotes.size())
      names.insert(name);
  }
  return names.size() == 1 ? names : std::set<std::string>();
}

std::optional<View> Workspace::view_of(const std::shared_ptr<const ReportFile>& report, const Source& source) {
  View view{.report = report, .names = names_of(*report, source)};
  if (source.is_open && source.path.ends_with(".ptx")) {
    const std::string digest = report::module_digest(whole(source.text));
    if (is_about(*report, digest)) view.module = digest;
  }
  if (view.names.empty() && view.module.empty()) return std::nullopt;
  for (const std::string& name : view.names) {
    const Quotes& quotes = report->quotes.at(name);
    view.quotes.insert(quotes.begin(), quotes.end());
  }
  view.changed_after_build = report->run && std::ranges::any_of(report->run->changed_sources, [&](const auto& name) {
                               return view.names.contains(name);
                             });
  // Where not all lines are quoted, the others may have changed.
  const bool quoted =
      std::ranges::none_of(view.names, [&](const auto& name) { return report->unquoted.contains(name); });
  const std::vector<std::string>& lines = source.text.lines;
  view.is_certain = !view.module.empty() || is_older(source, *report);
  if (view.is_certain || (agree(view.quotes, lines) && !view.quotes.empty() && quoted)) view.before = lines;
  view.map = view.before ? LineMap(*view.before, lines) : LineMap(view.quotes, lines);
  return view;
}

bool Workspace::closed_sources_changed() const {
  return std::ranges::any_of(
      sources_, [](const auto& one) { return !one.second.is_open && one.second.stamp != stamp_of(one.second.path); });
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
      if (text) found[path] = {.uri = uri_of(path), .path = path, .text = text_of(*text), .stamp = stamp};
    }
  }
  std::erase_if(sources_, [](const auto& one) { return !one.second.is_open; });
  for (const auto& [name, source] : sources_) found.erase(source.path);
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
      } else if (std::optional<View> view = view_of(report, source)) {
        views.push_back(*std::move(view));
      }
    }
    source.views = std::move(views);
  }
  find_overtaken();
}

/// A line that accesses an array is as it was when a report was made only if the array is. Where the lines that fix
/// changes are others now, by its own edit or not, it is not.
void Workspace::find_overtaken() {
  for (auto& [name, source] : sources_) {
    for (View& view : source.views) view.overtaken.clear();
    for (const View& fix : source.views) {
      for (const Advice& advice : fix.report->advice) find_overtaken(source, fix, advice);
    }
  }
}

void Workspace::find_overtaken(Source& source, const View& fix, const Advice& advice) {
  for (const LineEdit& edit : advice.edits) {
    const auto [edited, its_view] = find(*fix.report, edit.file, source);
    if (edited == nullptr || is_to_do(edit, *its_view)) continue;
    for (View& view : source.views) {
      if (is_after(*view.report, edit, *fix.report, *edited)) continue;
      for (const simt::Source& place : advice.places) {
        std::optional<uint32_t> line = line_now(fix, place, advice.module);
        if (!line) line = line_now(view, place, advice.module);  // fix has no text of the accesses
        if (line) view.overtaken.insert(*line);
      }
    }
  }
}

}  // namespace bankshot::lsp

#include "bankshot/lsp/diagnostics.hpp"

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "bankshot/lsp/document.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;

constexpr int kInformation = 3;

int severity(formats::Level level) {
  return level == formats::Level::error ? 1 : level == formats::Level::warning ? 2 : kInformation;
}

/// Places of the workspace only: a report may name any file.
json related_json(const formats::Notice& notice, const Source& source, const View& view, const Workspace& workspace) {
  json list = json::array();
  for (const formats::Related& one : notice.related) {
    const auto [there, its_view] = workspace.find(*view.report, one.source.file, source);
    if (there == nullptr) continue;
    const uint32_t line = its_view->last_place(one.source, notice.module);
    list.push_back({{"location", {{"uri", there->uri}, {"range", line_range(*there, line)}}}, {"message", one.text}});
  }
  return list;
}

/// Why a notice may not hold any more, before its message; empty if it does.
/// @param has_line  whether it is of a line, not of the file
std::string doubt(const formats::Notice& notice, const View& view, bool has_line) {
  if (view.changed_after_build) return "the source changed after the program was built: ";
  return has_line && !view.now(notice.source, notice.module) ? "changed since the report: " : "";
}

json diagnostic(const formats::Notice& notice, bool has_line, const Source& source, const View& view) {
  const std::string before = doubt(notice, view, has_line);
  return {{"range", line_range(source, has_line ? view.last_place(notice.source, notice.module) : 1)},
          {"severity", before.empty() ? severity(notice.level) : kInformation},
          {"code", notice.rule->id},
          {"codeDescription", {{"href", notice.rule->uri}}},
          {"source", "bankshot"},
          {"message", before + formats::message_with_place(notice)}};
}

}  // namespace

json line_range(const Source& source, uint32_t line) {
  const size_t index = std::min<size_t>(std::max<uint32_t>(line, 1), std::max<size_t>(source.text.lines.size(), 1)) - 1;
  const std::string text = index < source.text.lines.size() ? source.text.lines[index] : "";
  const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return {{"start", {{"line", index}, {"character", first}}},
          {"end", {{"line", index}, {"character", utf16_length(text)}}}};
}

json diagnostics(const Source& source, const Workspace& workspace, bool related) {
  json list = json::array();
  std::set<json> known;
  for (const View& view : source.views) {
    for (const formats::Notice& notice : view.report->notices) {
      const bool has_line = view.line_of(notice.source, notice.module).has_value();
      const bool stands_for = !has_line && notice.source.line == 0 && view.names.contains(notice.file);
      if (!has_line && !stands_for) continue;
      json one = diagnostic(notice, has_line, source, view);
      if (json places = related_json(notice, source, view, workspace); related && !places.empty())
        one["relatedInformation"] = std::move(places);
      if (known.insert(one).second) list.push_back(std::move(one));
    }
  }
  return list;
}

}  // namespace bankshot::lsp

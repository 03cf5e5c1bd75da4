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
json related_json(const formats::Notice& notice, const View& view, const Workspace& workspace) {
  json list = json::array();
  for (const formats::Related& one : notice.related) {
    const auto [there, its_view] = workspace.find(*view.report, one.source.file);
    if (there == nullptr) continue;
    const uint32_t line = its_view->now(one.source, notice.module).value_or(one.source.line);
    list.push_back({{"location", {{"uri", there->uri}, {"range", line_range(*there, line)}}}, {"message", one.text}});
  }
  return list;
}

/// @param line  in which it was
json diagnostic(const formats::Notice& notice, uint32_t line, bool is_known, const Source& source, const View& view) {
  const std::optional<uint32_t> now = is_known ? view.map.now(line) : std::optional(line);
  json one = {{"range", line_range(source, now.value_or(line))},
              {"severity", now ? severity(notice.level) : kInformation},
              {"code", notice.rule->id},
              {"codeDescription", {{"href", notice.rule->uri}}},
              {"source", "bankshot"},
              {"message", formats::message_with_place(notice)}};
  if (!now) one["message"] = "changed since the report: " + one["message"].get<std::string>();
  return one;
}

}  // namespace

json line_range(const Source& source, uint32_t line) {
  const size_t index = std::min<size_t>(std::max<uint32_t>(line, 1), std::max<size_t>(source.lines.size(), 1)) - 1;
  const std::string text = index < source.lines.size() ? source.lines[index] : "";
  const size_t first = std::min(text.find_first_not_of(" \t"), text.size());
  return {{"start", {{"line", index}, {"character", first}}},
          {"end", {{"line", index}, {"character", utf16_length(text)}}}};
}

json diagnostics(const Source& source, const Workspace& workspace, bool related) {
  json list = json::array();
  std::set<json> known;
  for (const View& view : source.views) {
    for (const formats::Notice& notice : view.report->notices) {
      const std::optional<uint32_t> line = view.line_of(notice.source, notice.module);
      const bool stands_for = !line && notice.source.line == 0 && view.names.contains(notice.file);
      if (!line && !stands_for) continue;
      json one = diagnostic(notice, line.value_or(1), !stands_for, source, view);
      if (json places = related_json(notice, view, workspace); related && !places.empty())
        one["relatedInformation"] = std::move(places);
      if (known.insert(one).second) list.push_back(std::move(one));
    }
  }
  return list;
}

}  // namespace bankshot::lsp

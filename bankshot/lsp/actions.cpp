#include "bankshot/lsp/actions.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/lsp/document.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::lsp {
namespace {

using nlohmann::json;

json action(const Advice& advice, const Remedy& remedy, const std::string& how, const json& changes) {
  return {{"title", printable(fmt::format("bankshot fix: {}, {}{}", advice.array, remedy.title, how))},
          {"kind", "quickfix"},
          {"edit", {{"changes", changes}}}};
}

std::string without_return(std::string line) {
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// The change of whole lines as a TextEdit; nothing if they are not as fix had them.
std::optional<json> text_edit(const LineEdit& edit, const Source& source, const View& view) {
  const std::optional<uint32_t> first = view.map.now(edit.line);
  if (!first || edit.before.empty() || source.text.lines.size() - (*first - 1) < edit.before.size())
    return std::nullopt;
  const auto begin = source.text.lines.begin() + (*first - 1);
  if (!std::ranges::equal(edit.before, std::span(begin, edit.before.size()), {}, without_return, without_return))
    return std::nullopt;
  std::string text;
  for (const std::string& line : edit.after) text += (&line == edit.after.data() ? "" : "\n") + line;
  const size_t last = *first - 1 + edit.before.size() - 1;
  return json{{"range",
               {{"start", {{"line", *first - 1}, {"character", 0}}},
                {"end", {{"line", last}, {"character", utf16_length(without_return(source.text.lines[last]))}}}}},
              {"newText", text}};
}

/// All edits of an array, by URI; empty if one of their sources is not as it was.
json source_changes(const Advice& advice, const ReportFile& report, const Source& source, const Workspace& workspace) {
  json changes = json::object();
  for (const LineEdit& edit : advice.edits) {
    const auto [there, view] = workspace.find(report, edit.file, source);
    // The proof is of the text as it was: a use of the array that came later would be left as it is.
    const bool is_as_it_was =
        there != nullptr && !there->changed_after_build() && view->before && *view->before == there->text.lines;
    const std::optional<json> made = is_as_it_was ? text_edit(edit, *there, *view) : std::nullopt;
    if (!made) return json::object();
    changes[there->uri].push_back(*made);
  }
  return changes;
}

/// Code as lines of comments. A backslash at its end would join the next line to one.
std::string as_comment(const std::string& title, const std::string& code, const std::string& indent,
                       const std::string& mark) {
  std::string text;
  for (std::string line : lines_of("bankshot fix: " + title + "\n" + code)) {
    if (line.starts_with("// ")) line.erase(0, 3);
    line = printable(line);
    while (line.ends_with('\\') || line.ends_with(' ')) line.pop_back();
    if (!line.empty()) text += indent + mark + line + "\n";
  }
  return text;
}

json comment(const Advice& advice, const Remedy& remedy, const Source& source, uint32_t line) {
  const std::string& text = source.text.lines[line - 1];
  const std::string indent = text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
  const std::string mark = source.uri.ends_with(".py") ? "# " : "// ";
  const json above = {{"line", line - 1}, {"character", 0}};
  const json edit = {{"range", {{"start", above}, {"end", above}}},
                     {"newText", as_comment(advice.array + ", " + remedy.title, remedy.code, indent, mark)}};
  return action(advice, remedy, " (as a comment)", {{source.uri, json::array({edit})}});
}

}  // namespace

json code_actions(const Source& source, const Workspace& workspace, uint32_t first, uint32_t last) {
  json list = json::array();
  if (source.changed_after_build()) return list;  // what fix proved is of the program, which is of other lines
  const auto add = [&](json one) {                // kernels that share an array have the same advice
    if (std::ranges::find(list, one) == list.end()) list.push_back(std::move(one));
  };
  for (const View& view : source.views) {
    for (const Advice& advice : view.report->advice) {
      std::optional<uint32_t> line;
      for (const simt::Source& place : advice.places) {
        const std::optional<uint32_t> now = view.now(place, advice.module);
        if (now && *now >= first && *now <= last && !line) line = now;
      }
      if (!line || advice.remedies.empty()) continue;
      const json changes = source_changes(advice, *view.report, source, workspace);
      if (!changes.empty()) {
        json change = action(advice, advice.remedies[0], "", changes);
        change["isPreferred"] = true;
        add(std::move(change));
      }
      if (*line > 1 && source.text.lines[*line - 2].ends_with('\\')) continue;  // a comment would end the macro
      for (const Remedy& remedy : advice.remedies) add(comment(advice, remedy, source, *line));
    }
  }
  return list;
}

}  // namespace bankshot::lsp

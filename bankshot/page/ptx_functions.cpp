#include "bankshot/page/ptx_functions.hpp"

namespace bankshot::page {
namespace {

/// Braces in a line of PTX, opening minus closing, without those in its comment or between quotes.
int braces(std::string_view line) {
  int depth = 0;
  bool quoted = false;
  for (size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (line.substr(at, 2) == "//") break;
    depth += (c == '{') - (c == '}');
  }
  return depth;
}

/// Whether a function begins in a line outside of all functions.
bool begins_function(std::string_view line) {
  const std::string_view code = line.substr(0, line.find("//"));
  return code.find(".entry") != std::string_view::npos || code.find(".func") != std::string_view::npos;
}

std::string_view next_line(std::string_view& rest) {
  const size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::vector<PtxFunction> functions_with(std::string_view ptx, const std::set<uint32_t>& lines) {
  std::vector<PtxFunction> functions;
  if (lines.empty()) return functions;
  PtxFunction now;
  bool inside = false;
  int depth = 0;
  uint32_t number = 0;
  while (!ptx.empty()) {
    const std::string_view line = next_line(ptx);
    ++number;
    if (!inside) {
      if (!begins_function(line)) continue;
      inside = true;
      depth = 0;
      now = {number, {}};
    }
    now.lines.emplace_back(line);
    const bool had_body = depth > 0 || line.find('{') != std::string_view::npos;
    depth += braces(line);
    const bool declared = !had_body && line.find(';') != std::string_view::npos;  // a function without a body
    if (depth > 0 || (!had_body && !declared)) continue;
    inside = false;
    const auto first = lines.lower_bound(now.first_line);
    if (first != lines.end() && *first <= number) functions.push_back(std::move(now));
  }
  return functions;
}

}  // namespace bankshot::page

#include "bankshot/support/diagnostic.hpp"

namespace bankshot {
namespace {

std::string_view line_of(std::string_view text, uint32_t line) {
  size_t begin = 0;
  for (uint32_t current = 1; current < line; ++current) {
    begin = text.find('\n', begin);
    if (begin == std::string_view::npos) return {};
    ++begin;
  }
  std::string_view rest = text.substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (!rest.empty() && rest.back() == '\r') rest.remove_suffix(1);
  return rest;
}

}  // namespace

std::string format_diagnostic(const Diagnostic& diagnostic, std::string_view file, std::string_view text) {
  std::string out(file);
  if (diagnostic.position.line != 0) {
    out += ':' + std::to_string(diagnostic.position.line);
    if (diagnostic.position.column != 0) out += ':' + std::to_string(diagnostic.position.column);
  }
  out += ": error: " + diagnostic.message + '\n';
  if (diagnostic.position.line != 0) {
    constexpr size_t kWidest = 160;  // a minified line must not flood the terminal
    std::string_view line = line_of(text, diagnostic.position.line);
    if (!line.empty()) {
      std::string shown;
      for (char c : line.substr(0, kWidest)) {
        const auto byte = static_cast<unsigned char>(c);
        shown += c == '\t' ? ' ' : (byte < 0x20 || byte == 0x7f) ? '?' : c;
      }
      out += "  " + shown + '\n';
      if (diagnostic.position.column != 0 && diagnostic.position.column <= kWidest) {
        out += "  " + std::string(diagnostic.position.column - 1, ' ') + "^\n";
      }
    }
  }
  if (!diagnostic.remedy.empty()) out += "  " + diagnostic.remedy + '\n';
  return out;
}

std::string format_diagnostics(const std::vector<Diagnostic>& diagnostics, std::string_view file, std::string_view text,
                               size_t limit) {
  std::string out;
  for (size_t i = 0; i < diagnostics.size() && i < limit; ++i) out += format_diagnostic(diagnostics[i], file, text);
  if (diagnostics.size() > limit) {
    out += std::string(file) + ": and " + std::to_string(diagnostics.size() - limit) + " more errors\n";
  }
  return out;
}

}  // namespace bankshot

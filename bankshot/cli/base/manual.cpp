#include "bankshot/cli/base/manual.hpp"

#include <algorithm>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/version.hpp"

namespace bankshot::cli {
namespace {

/// Text as troff prints it as it is: no request at the beginning of a line, plain hyphens, no escapes.
std::string escaped(const std::string& text) {
  std::string result;
  bool line_begins = true;
  unsigned rest = 0, code = 0;  // of a character in UTF-8: bytes to come, and the ones before
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) result += "\\&";
    line_begins = c == '\n';
    if (c == '\\') {
      result += "\\e";
    } else if (c == '-') {
      result += "\\-";
    } else if (c == '\'') {
      result += "\\(aq";
    } else if (c == '"') {
      result += "\\(dq";
    } else if (const auto byte = static_cast<unsigned char>(c); byte >= 0x80) {
      rest = byte >= 0xc0 ? (byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : 1) : rest - 1;
      code = byte >= 0xc0 ? byte & (0x3fu >> rest) : code << 6 | (byte & 0x3fu);
      if (rest == 0) result += fmt::format("\\[u{:04X}]", code);
    } else {
      result += c;
    }
  }
  return result;
}

std::string bold(const std::string& text) { return "\\fB" + escaped(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + escaped(text) + "\\fR"; }

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::toupper(c); });
  return text;
}

std::string title(const std::string& name) {
  return fmt::format(".TH {} 1 \"\" \"{}\" \"Bankshot Manual\"\n", escaped(upper(name)), escaped(kVersion));
}

/// Free text as the foot of a command's help has it: lines that begin with blanks stay as they are, and a line
/// "Examples:" is a heading.
std::string paragraphs(const std::string& text) {
  std::istringstream lines(text);
  std::string result;
  bool as_is = false, gap = true;
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with(' ');
    if (as_is && !indented) {
      result += ".fi\n.RE\n";
      as_is = false;
      gap = true;
    }
    if (line.empty()) {
      gap = true;
    } else if (line == "Examples:") {
      result += ".SH EXAMPLES\n";
    } else {
      if (indented && !as_is) result += ".PP\n.RS 2\n.nf\n";
      if (!indented && gap) result += ".PP\n";
      as_is = indented;
      gap = false;
      result += escaped(indented ? line.substr(std::min<size_t>(2, line.size())) : line) + "\n";
    }
  }
  return result + (as_is ? ".fi\n.RE\n" : "");
}

std::string sentence(std::string text) {
  if (!text.empty()) text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text + (text.ends_with('.') ? "\n" : ".\n");
}

std::string option_entry(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames()) names += (names.empty() ? "" : ", ") + bold("-" + name);
  for (const std::string& name : option.get_lnames()) names += (names.empty() ? "" : ", ") + bold("--" + name);
  if (names.empty()) names = italic(option.get_name());
  const std::string type = option.get_items_expected_max() > 0 ? option.get_type_name() : "";  // "N:INT in [0 - 64]"
  const size_t colon = std::min(type.find(':'), type.size());
  std::string entry = ".TP\n" + names;
  if (!type.empty() && !option.get_lnames().empty()) entry += " " + italic(type.substr(0, colon));
  entry += "\n" + escaped(sentence(option.get_description()));
  if (colon < type.size()) entry += escaped("Values: " + type.substr(colon + 1)) + ".\n";
  if (!option.get_default_str().empty()) entry += escaped("Default: " + option.get_default_str()) + ".\n";
  if (!option.get_envname().empty()) entry += "Environment: " + bold(option.get_envname()) + ".\n";
  return entry;
}

/// @param macro  of the headings: .SH, or .SS within a section
std::string options_section(const CLI::App& command, const std::string& macro) {
  std::string positionals, options;
  for (const CLI::Option* option : command.get_options())
    (option->nonpositional() ? options : positionals) += option_entry(*option);
  return (positionals.empty() ? "" : macro + " ARGUMENTS\n" + positionals) +
         (options.empty() ? "" : macro + " OPTIONS\n" + options);
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  std::string page = title("bankshot");
  page += ".SH NAME\nbankshot \\- run CUDA programs without a GPU and see where their shared memory loses time\n";
  page += ".SH SYNOPSIS\n" + bold("bankshot") + " " + italic("COMMAND") + " [" + italic("OPTIONS") + "]\n";
  page += ".SH DESCRIPTION\n" + escaped(app.get_description()) + "\n";
  page += ".SH COMMANDS\n";
  std::string also;
  for (const CLI::App* command : app.get_subcommands({})) {
    page += ".TP\n" + bold(command->get_name()) + "\n" + escaped(command->get_description()) + ".\n";
    also += (also.empty() ? "" : ",\n") + bold("bankshot-" + command->get_name()) + "(1)";
  }
  return page + options_section(app, ".SH") + ".SH SEE ALSO\n" + also + "\n";
}

std::string manual_page(const CLI::App& command, const std::string& usage) {
  const std::string name = "bankshot-" + command.get_name();
  std::string page = title(name);
  page += ".SH NAME\n" + escaped(name) + " \\- " + escaped(command.get_description()) + "\n";
  page += ".SH SYNOPSIS\n" + bold("bankshot " + command.get_name()) + " " + escaped(usage) + "\n";
  const std::string footer = command.get_footer();
  const size_t examples = std::min(footer.find("Examples:\n"), footer.size());
  if (const std::string text = paragraphs(footer.substr(0, examples)); !text.empty())
    page += ".SH DESCRIPTION\n" + text;
  page += options_section(command, ".SH");
  for (const CLI::App* part : shown_parts(command)) {
    page += ".SH " + bold(upper(part->get_name())) + "\n" + escaped(part->get_description()) + ".\n";
    page += options_section(*part, ".SS");
  }
  return page + paragraphs(footer.substr(examples)) + ".SH SEE ALSO\n" + bold("bankshot") + "(1)\n";
}

}  // namespace bankshot::cli

#include "bankshot/cli/base/text_look.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <CLI/CLI.hpp>

namespace bankshot::cli {
namespace {

/// Columns of the terminal on standard output, if it is one.
std::optional<size_t> terminal_width() {
  winsize size{};
  if (isatty(STDOUT_FILENO) == 0 || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return std::nullopt;
  return std::clamp<size_t>(size.ws_col, 60, 240);
}

}  // namespace

bool colour_wanted() {
  const char* terminal = std::getenv("TERM");
  const char* refused = std::getenv("NO_COLOR");
  return isatty(STDOUT_FILENO) != 0 && (refused == nullptr || *refused == 0) &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

std::vector<const CLI::Option*> TextLook::define(CLI::App& app, const std::string& left_out) {
  return {app.add_flag("--whole-names", whole_names,
                       "show long names of templates and all callers of inlined code in full"),
          app.add_flag("-q,--quiet", quiet, "leave out " + left_out)};
}

report::TextOptions TextLook::options() const {
  report::TextOptions options{.colour = colour_wanted(), .legend = !quiet, .whole_names = whole_names};
  options.width = terminal_width().value_or(options.width);
  return options;
}

}  // namespace bankshot::cli

#include "bankshot/host/shell.hpp"

#include <csignal>

#include <fmt/format.h>

#include "bankshot/host/captured.hpp"

namespace bankshot::host {

std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool ShellCommand::interrupted() const { return ending.shell_status() == 128 + SIGINT; }

std::string ShellCommand::failure(const std::string& command) const {
  constexpr size_t kMostText = 2000;
  std::string text = output.size() > kMostText ? "…" + output.substr(output.size() - kMostText) : output;
  while (text.ends_with('\n')) text.pop_back();
  return fmt::format("'{}' ended with status {}{}{}", command, ending.shell_status(), text.empty() ? "" : "\n", text);
}

Result<ShellCommand> run_in_shell(const std::string& command) {
  const Result<Captured> said = Captured::make();
  if (!said) return said.error();
  Target target;
  target.path = "/bin/sh";
  target.arguments = {"sh", "-c", command};
  const Result<Ending> ending =
      launch(target, {}, {.output = said->descriptor(), .error = said->descriptor(), .fixed_addresses = false});
  if (!ending) return ending.error();
  return ShellCommand{*ending, said->text()};
}

}  // namespace bankshot::host

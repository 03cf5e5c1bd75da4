// Commands of the shell.
#pragma once

#include <string>

#include "bankshot/host/launch.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// As one word of the shell, whatever it has in it.
std::string shell_word(const std::string& text);

struct ShellCommand {
  Ending ending;
  std::string output;  ///< what it wrote to both its outputs

  bool interrupted() const;  ///< by Ctrl-C
  /// "'make' ended with status 2", and the end of what it wrote.
  std::string failure(const std::string& command) const;
};
/// Runs it to its end.
Result<ShellCommand> run_in_shell(const std::string& command);

}  // namespace bankshot::host

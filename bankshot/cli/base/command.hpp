// A command of the program is one file: it derives from Command and registers itself; nothing else lists it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/App.hpp>

namespace bankshot::cli {

/// Exit statuses, the contract of the command line.
enum Status : int {
  kDone = 0,
  kProgramFailed = 1,  ///< the program under test failed (`run` passes its own status on instead)
  kBadInput = 2,       ///< bad usage or bad input: one message on standard error
  kGateFailed = 3,     ///< a limit of --fail-on is exceeded
  kStopped = 4,        ///< a simulation was stopped by --max-cycles
};

class Command {
 public:
  virtual ~Command() = default;

  /// Adds options to the subcommand. Called once, before parsing.
  virtual void define(CLI::App& app) = 0;
  /// Whether what follows the options is a program and its arguments.
  virtual bool takes_target() const { return false; }
  /// The values that an option, "--class", or the other arguments, "NAME", may have, for completion; empty: they cannot
  /// be listed.
  virtual std::vector<std::string> values_of(const std::string& /*option*/) const { return {}; }
  /// @param target  the program and its arguments, if takes_target()
  /// @return        exit status of the process
  virtual int run(const std::vector<std::string>& target) = 0;
};

struct CommandEntry {
  std::string name;      ///< as typed
  std::string summary;   ///< one line for --help
  std::string examples;  ///< the foot of the command's own --help
  std::function<std::unique_ptr<Command>()> make;
};

/// All commands, by name.
std::vector<CommandEntry>& commands();

/// The words that the user typed, "bankshot" first; main sets them once, before a command runs.
std::vector<std::string>& command_line();

struct RegisterCommand {
  explicit RegisterCommand(CommandEntry entry) { commands().push_back(std::move(entry)); }
};

/// The type of an argument that names a command.
inline constexpr const char* kCommandName = "COMMAND";

/// Parts of a command that users are told of: those in a group. The others are started by Bankshot itself.
std::vector<const CLI::App*> shown_parts(const CLI::App& command);

bool is_command(const std::string& word);
/// The message for a word that is not a command.
std::string unknown_command(const std::string& word);

/// "bankshot: MESSAGE" on standard error. @return kBadInput
int refuse(const std::string& message);

}  // namespace bankshot::cli

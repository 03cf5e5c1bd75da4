#include "bankshot/cli/base/usage_error.hpp"

#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bankshot/support/nearest_name.hpp"

namespace bankshot::cli {
namespace {

/// A command, or a part of one, as users type it.
struct Chosen {
  const CLI::App* app;
  std::string words;  ///< "bankshot atomics advise"
};

Chosen chosen(const CLI::App& app) {
  Chosen found{&app, app.get_name()};
  while (!found.app->get_subcommands().empty()) {
    found.app = found.app->get_subcommands()[0];
    found.words += " " + found.app->get_name();
  }
  return found;
}

/// The end of a message: the first example in the help that has `word`; empty if none has.
std::string example(const Chosen& command, std::string_view word) {
  for (const CLI::App* app = command.app; app != nullptr; app = app->get_parent()) {
    std::istringstream lines(app->get_footer());
    for (std::string line; std::getline(lines, line);) {
      line.erase(0, line.find_first_not_of(' '));
      line = line.substr(0, line.find("  "));  // an explanation follows
      if (line.starts_with(command.words + " ") && (line + " ").find(word) != line.npos)
        return "; for example: " + line;
    }
  }
  return {};
}

std::string missing_value(const Chosen& command, const CLI::Option& option) {
  const std::string name = option.get_name();
  return fmt::format("{} needs a value ({}){}", name, option.get_description(), example(command, " " + name + " "));
}

std::string missing_argument(const Chosen& command, const CLI::Option& option) {
  const std::string name = option.get_name();
  return fmt::format("{} is missing ({}){}", option.get_positional() ? "argument '" + name + "'" : name,
                     option.get_description(), example(command, " "));
}

/// What the command knows nothing of: an option is told before other words, which may be its value.
std::string unexpected(const Chosen& command, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (!word.starts_with('-')) continue;
    std::vector<std::string> names;
    for (const CLI::Option* option : command.app->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    const std::string name = word.substr(0, word.find('='));
    return fmt::format("there is no option {}{}", name, did_you_mean(name, names));
  }
  return fmt::format("unexpected argument '{}'", words.front());
}

std::string which_part(const std::vector<const CLI::App*>& parts) {
  std::string message;
  for (const CLI::App* part : parts) message += (message.empty() ? "which? " : " or ") + part->get_name();
  return message;
}

std::string finding(const Chosen& command, const CLI::App& app, const CLI::ParseError& error) {
  const auto parts = command.app->get_subcommands([](const CLI::App*) { return true; });
  if (command.app != &app && command.app->get_require_subcommand_min() > 0 && !parts.empty()) return which_part(parts);
  const std::string text = error.what();
  const std::string first = text.substr(0, text.find('\n'));
  const auto kind = static_cast<CLI::ExitCodes>(error.get_exit_code());
  if (kind == CLI::ExitCodes::ExtrasError) {
    const std::vector<std::string> words = app.remaining(true);
    if (!words.empty()) return unexpected(command, words);
  }
  for (const CLI::Option* option : command.app->get_options()) {
    if (kind == CLI::ExitCodes::ArgumentMismatch && option->count() == 0 && first.starts_with(option->get_name() + ":"))
      return missing_value(command, *option);
    if (kind == CLI::ExitCodes::RequiredError && option->get_required() && option->count() == 0)
      return missing_argument(command, *option);
  }
  return first;
}

}  // namespace

std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const Chosen command = chosen(app);
  return fmt::format("{} ({} --help explains)", finding(command, app, error), command.words);
}

}  // namespace bankshot::cli

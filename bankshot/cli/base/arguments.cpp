#include "bankshot/cli/base/arguments.hpp"

#include <CLI/CLI.hpp>

namespace bankshot::cli {
namespace {

/// Does this argument, an option, take the next one as its value?
bool takes_next(const std::string& argument, CLI::App& command) {
  if (argument.find('=') != std::string::npos) return false;
  const CLI::Option* option = command.get_option_no_throw(argument);
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

std::vector<std::string> take_target(std::vector<std::string>& arguments, CLI::App& command) {
  size_t at = 1;
  while (at < arguments.size()) {
    const std::string& argument = arguments[at];
    if (argument == "--") {
      std::vector<std::string> target(arguments.begin() + static_cast<long>(at) + 1, arguments.end());
      arguments.resize(at);
      return target;
    }
    if (argument.size() < 2 || argument[0] != '-') break;
    const bool has_value = at + 1 < arguments.size() && arguments[at + 1] != "--";  // if not, CLI says what is missing
    at += has_value && takes_next(argument, command) ? 2 : 1;
  }
  at = std::min(at, arguments.size());
  std::vector<std::string> target(arguments.begin() + static_cast<long>(at), arguments.end());
  arguments.resize(at);
  return target;
}

}  // namespace bankshot::cli

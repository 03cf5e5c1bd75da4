#include "bankshot/cli/base/command.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "bankshot/support/nearest_name.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::cli {

std::vector<CommandEntry>& commands() {
  static std::vector<CommandEntry> all;
  return all;
}

std::vector<std::string>& command_line() {
  static std::vector<std::string> words;
  return words;
}

std::vector<const CLI::App*> shown_parts(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App* part) { return !part->get_group().empty(); });
}

bool is_command(const std::string& word) {
  return std::any_of(commands().begin(), commands().end(),
                     [&](const CommandEntry& entry) { return entry.name == word; });
}

std::string unknown_command(const std::string& word) {
  std::error_code code;
  if (word.find('/') != std::string::npos || std::filesystem::is_regular_file(word, code)) {
    return "'" + word + "' is not a command; to run a program: bankshot run " + word;
  }
  std::vector<std::string> names;
  for (const CommandEntry& entry : commands()) names.push_back(entry.name);
  return fmt::format("unknown command '{}'; commands are: {} (bankshot --help explains){}", word,
                     fmt::join(names, ", "), did_you_mean(word, names));
}

int refuse(const std::string& message) {
  std::fprintf(stderr, "bankshot: %s%s", printable(message, true).c_str(), message.ends_with('\n') ? "" : "\n");
  return kBadInput;
}

}  // namespace bankshot::cli

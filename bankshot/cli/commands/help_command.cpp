// bankshot help: what bankshot and its commands do, for a terminal or as manual pages.
#include <algorithm>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/manual.hpp"
#include "bankshot/cli/base/output.hpp"

namespace bankshot::cli {
namespace {

class Help final : public Command {
 public:
  void define(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("command", command_,
                   "the command to explain, and its part if any; without it, all commands are listed")
        ->expected(0, 2)
        ->type_name(kCommandName);
    app.add_flag("--man", man_, "write the source of the manual page, for `man -l`");
  }

  int run(const std::vector<std::string>&) override {
    if (command_.empty()) {
      // App::help() would be that of the command in progress, this one.
      print(man_ ? manual_page(*program_)
                 : program_->get_formatter()->make_help(program_, program_->get_name(), CLI::AppFormatMode::Normal));
      return kDone;
    }
    const CLI::App* const command = part_of(*program_, command_[0]);
    if (command == nullptr) return refuse(unknown_command(command_[0]));
    if (command_.size() == 1) {
      print(man_ ? manual_page(*command, usage_of(*command)) : command->help("bankshot"));
      return kDone;
    }
    const CLI::App* const part = part_of(*command, command_[1]);
    if (part == nullptr) return refuse("the command " + command_[0] + " has no part '" + command_[1] + "'");
    if (man_) return refuse("the manual page is that of the command: bankshot help " + command_[0] + " --man");
    print(part->help("bankshot " + command_[0]));
    return kDone;
  }

 private:
  /// Null if there is none of this name.
  static const CLI::App* part_of(const CLI::App& app, const std::string& name) {
    const auto all = app.get_subcommands([](const CLI::App*) { return true; });
    const auto found = std::ranges::find_if(all, [&](const CLI::App* one) { return one->get_name() == name; });
    return found == all.end() ? nullptr : *found;
  }
  /// What follows "Usage: bankshot COMMAND" in the help of the command.
  static std::string usage_of(const CLI::App& command) {
    const std::string help = command.help("bankshot"), before = "Usage: bankshot " + command.get_name() + " ";
    const size_t at = help.find(before);
    if (at == std::string::npos) return "";
    const size_t begin = at + before.size();
    return help.substr(begin, help.find('\n', begin) - begin);
  }

  const CLI::App* program_ = nullptr;
  std::vector<std::string> command_;  ///< "atomics", "advise"
  bool man_ = false;
};

const RegisterCommand help_registered({"help", "Explain a command",
                                       "Examples:\n"
                                       "  bankshot help\n"
                                       "  bankshot help explain\n"
                                       "  bankshot help atomics advise\n"
                                       "  bankshot help explain --man | man -l -\n",
                                       [] { return std::make_unique<Help>(); }});

}  // namespace
}  // namespace bankshot::cli

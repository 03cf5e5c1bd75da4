// bankshot COMMAND [options] [--] target…
#include <algorithm>
#include <exception>
#include <iostream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/arguments.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/cli/base/usage_error.hpp"
#include "bankshot/cli/base/version.hpp"

namespace bankshot::cli {
namespace {

/// CLI11 knows nothing of what follows the options of a command that takes a program.
class Usage final : public CLI::Formatter {
 public:
  explicit Usage(bool target) : target_(target) {}
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (!target_) return Formatter::make_usage(app, name);
    return "Usage: bankshot " + app->get_name() + " [OPTIONS] [--] PROGRAM [ARGUMENTS...]\n";
  }

 private:
  bool target_;
};

/// No option takes an empty value: a shell variable that is not set must not pass for an option that is not given.
void refuse_empty_values(CLI::App& command) {
  const CLI::Validator something([](std::string& text) { return text.empty() ? "a value is missing" : ""; }, "",
                                 "something");
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() > 0) option->transform(something);  // before the option's own checks
  }
  for (CLI::App* part : command.get_subcommands({})) refuse_empty_values(*part);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app("Runs CUDA programs without a GPU and shows where their shared memory loses time.", "bankshot");
  app.set_version_flag("-V,--version", version_text());
  app.footer("bankshot help COMMAND explains a command. Example: bankshot explain ./app");
  app.require_subcommand(0, 1);  // in `help explain` the second word is an argument
  std::sort(commands().begin(), commands().end(),
            [](const CommandEntry& a, const CommandEntry& b) { return a.name < b.name; });
  std::vector<std::unique_ptr<Command>> made;
  std::vector<CLI::App*> parts;
  for (const CommandEntry& entry : commands()) {
    CLI::App* part = app.add_subcommand(entry.name, entry.summary);
    part->footer(entry.examples);
    made.push_back(entry.make());
    made.back()->define(*part);
    refuse_empty_values(*part);
    part->formatter(std::make_shared<Usage>(made.back()->takes_target()));
    parts.push_back(part);
  }

  std::vector<std::string> arguments(argv + 1, argv + argc), target;
  command_line() = {"bankshot"};
  command_line().insert(command_line().end(), arguments.begin(), arguments.end());
  if (!arguments.empty()) {
    for (size_t i = 0; i < parts.size(); ++i) {
      if (arguments[0] == parts[i]->get_name() && made[i]->takes_target()) target = take_target(arguments, *parts[i]);
    }
  }
  if (!arguments.empty() && !arguments[0].starts_with('-') && !is_command(arguments[0])) {
    return refuse(unknown_command(arguments[0]));
  }
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());  // the order CLI11 wants
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) {  // --help, --version
      std::ostringstream text;
      const int status = app.exit(error, text, std::cerr);
      print(text.str());
      return status;
    }
    return refuse(usage_error(app, error));
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i]->parsed()) return made[i]->run(target);
  }
  return refuse("which command? bankshot --help lists them");
}

}  // namespace
}  // namespace bankshot::cli

int main(int argc, char** argv) {
  using namespace bankshot::cli;
  try {
    occupy_closed_streams();
    const int status = parse_and_run(argc, argv);
    flush_output();
    return status;
  } catch (const OutputError& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    return refuse(std::string("internal error: ") + error.what());
  }
}

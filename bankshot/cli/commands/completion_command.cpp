// bankshot completion: a script for a shell.
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/completion.hpp"
#include "bankshot/cli/base/output.hpp"

namespace bankshot::cli {
namespace {

class Completion final : public Command {
 public:
  void define(CLI::App& app) override {
    program_ = app.get_parent();
    app.add_option("shell", shell_, "the shell: bash, zsh or fish")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  }

  int run(const std::vector<std::string>&) override {
    print(completion_script(*program_, shell_));
    return kDone;
  }

 private:
  const CLI::App* program_ = nullptr;
  std::string shell_;
};

const RegisterCommand completion_registered(
    {"completion", "Write a script with which a shell completes commands and options",
     "An installed package already has these scripts in the folders where shells look for them.\n\n"
     "Examples:\n"
     "  source <(bankshot completion bash)\n"
     "  bankshot completion zsh > ~/.zfunc/_bankshot\n"
     "  bankshot completion fish > ~/.config/fish/completions/bankshot.fish\n",
     [] { return std::make_unique<Completion>(); }});

}  // namespace
}  // namespace bankshot::cli

// bankshot lsp: reports in an editor.
#include <algorithm>
#include <iostream>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/lsp/server.hpp"
#include "include/bankshot/bankshot.h"

namespace bankshot::cli {
namespace {

class LspCommand final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option(
           "--report", reports_,
           "show this report of explain, simulate, check or fix, written with --json; may be repeated. Default: "
           "what the client or bankshot.toml names as `reports`, else bankshot*.json in the workspace")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_flag("--stdio", stdio_, "use standard input and output, as always; some clients pass this");
  }

  int run(const std::vector<std::string>&) override {
    if (std::ranges::find(reports_, "-") != reports_.end())
      return refuse("--report needs a file: standard input has the client's messages");
    return lsp::serve(std::cin, std::cout, {reports_, BANKSHOT_VERSION});
  }

 private:
  std::vector<std::string> reports_;
  bool stdio_ = false;  ///< accepted and ignored
};

const RegisterCommand lsp_registered(
    {"lsp", "Show reports in an editor: a language server",
     "Speaks the Language Server Protocol 3.17 on standard input and output: diagnostics for the lines of the last "
     "reports, a hover\nwith the picture of the worst access, and code actions with the advice of `bankshot fix`. "
     "docs/editors.md has the set-up of\neditors. Exit status: 0 if the client shut it down, else 1.\n\n"
     "Examples:\n"
     "  bankshot explain --json bankshot.json ./app     in the workspace, where the server finds it\n"
     "  bankshot fix --json bankshot-fix.json ./app\n"
     "  bankshot lsp                                    started by the editor\n",
     [] { return std::make_unique<LspCommand>(); }});

}  // namespace
}  // namespace bankshot::cli

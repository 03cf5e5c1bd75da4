// bankshot run: the program as it would run on a GPU, nothing more.
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/run_options.hpp"

namespace bankshot::cli {
namespace {

class Run final : public Command {
 public:
  void define(CLI::App& app) override { options_.define(app); }
  bool takes_target() const override { return true; }

  int run(const std::vector<std::string>& command) override {
    if (command.empty()) return refuse(which_program("run"));
    const Result<host::Setup> setup = set_up(options_, command);
    if (!setup) return refuse(setup.error().message);
    const Result<host::Ending> ending = host::launch(setup->target, setup->environment());
    if (!ending) return refuse(ending.error().message);
    if (const std::string text = host::killed_text(setup->target, *ending); !text.empty()) refuse(text);
    return ending->shell_status();
  }

 private:
  RunOptions options_;
};

const RegisterCommand run_registered(
    {"run", "Run a CUDA program without a GPU",
     "The program inherits standard input, output and error, and gets everything after its name as its arguments.\n"
     "The exit status is the program's own, 128 + signal if a signal killed it, or 2 if it cannot be run.\n\n"
     "Build the program with: nvcc -lineinfo app.cu -o app\n\n"
     "Examples:\n"
     "  bankshot run ./app\n"
     "  bankshot run --gpu a100 --threads 4 ./app --size 1024\n"
     "  bankshot run -- ./app < input.txt > output.txt\n",
     [] { return std::make_unique<Run>(); }});

}  // namespace
}  // namespace bankshot::cli

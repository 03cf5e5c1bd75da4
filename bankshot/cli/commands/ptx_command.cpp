// bankshot ptx: is this PTX something that can run here?
#include <cstdio>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/simt/decode/mistakes.hpp"
#include "bankshot/simt/rows/row.hpp"

namespace bankshot::cli {
namespace {

int complain(const Diagnostics& diagnostics, const std::string& file, const std::string& text) {
  std::fputs(format_diagnostics(diagnostics, file, text).c_str(), stderr);
  return kBadInput;
}

std::string counted(uint64_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string summary(const simt::KernelInfo& kernel) {
  std::string text = fmt::format("  {}: {}, {} of shared memory", kernel.name,
                                 counted(kernel.params.size(), "parameter"), counted(kernel.static_shared, "byte"));
  if (kernel.local_bytes != 0) text += ", " + counted(kernel.local_bytes, "byte") + " of local memory a thread";
  return text + "\n";
}

class Ptx final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("FILE", file_, "PTX text; - is standard input");
    app.add_flag("--table", table_, "print the table of instructions that run, as Markdown");
    app.add_flag("--print", print_, "print the module as it was understood");
  }

  int run(const std::vector<std::string>&) override {
    if (table_) {
      print(simt::instruction_table(*simt::rows_of("portable")));
      return kDone;
    }
    if (file_.empty()) return refuse("no PTX file is named; try: bankshot ptx kernel.ptx");
    const Result<std::string> text = host::read_text(file_);
    if (!text) return refuse(text.error().message);
    const std::string name = file_ == "-" ? "standard input" : file_;
    const auto module = ptx::parse(*text);
    if (!module) return complain(module.error(), name, *text);
    std::vector<simt::KernelInfo> kernels;
    if (const auto found = simt::mistakes(*module, kernels); !found.empty()) return complain(found, name, *text);
    if (print_) {
      print(ptx::print(*module));
      return kDone;
    }
    print(fmt::format("{}: {} kernel{} can run\n", name, kernels.size(), kernels.size() == 1 ? "" : "s"));
    for (const simt::KernelInfo& kernel : kernels) print(summary(kernel));
    return kDone;
  }

 private:
  std::string file_;
  bool print_ = false, table_ = false;
};

const RegisterCommand ptx_registered({"ptx", "Check PTX: syntax, names, and whether every instruction can run",
                                      "What cannot run is named with file, line and column. Exit status 0, or 2.\n\n"
                                      "Examples:\n"
                                      "  bankshot ptx kernel.ptx\n"
                                      "  nvcc -ptx kernel.cu -o - | bankshot ptx -\n"
                                      "  bankshot ptx --print kernel.ptx\n"
                                      "  bankshot ptx --table\n",
                                      [] { return std::make_unique<Ptx>(); }});

}  // namespace
}  // namespace bankshot::cli

// bankshot ptx: is this PTX something that can run here?
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "bankshot/agreement/agreement.hpp"
#include "bankshot/agreement/instructions.hpp"
#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/output.hpp"
#include "bankshot/host/elf.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/sass/cubin.hpp"
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
  if (kernel.local_bytes != 0) text += ", " + counted(kernel.local_bytes, "byte") + " of local memory per thread";
  return text + "\n";
}

class Ptx final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("FILE", file_, "PTX text; - is standard input");
    CLI::Option* const table =
        app.add_flag("--table", table_, "print the table of supported instructions, as Markdown");
    CLI::Option* const print = app.add_flag("--print", print_, "print the module as it was parsed");
    CLI::Option* const machine_code = app.add_option("--machine-code", cubin_,
                                                     "compare the shared-memory accesses that we expect from ptxas "
                                                     "with those of this cubin, compiled from FILE with -lineinfo")
                                          ->type_name("FILE.cubin");
    app.add_flag("--timing", timing_,
                 "with --machine-code: compare instead the machine instructions that `simulate` counts, by class, and "
                 "the distance from each load to the use of its result")
        ->needs(machine_code);
    CLI::Option* const joined =
        app.add_option("--joined", joined_, "print the module with its accesses joined as ptxas joins them for sm_N")
            ->check(CLI::Range(70, 121))
            ->type_name("N");
    for (CLI::Option* const other : {table, print, joined}) machine_code->excludes(other);
    table->excludes(print, joined);
  }

  int run(const std::vector<std::string>&) override {
    if (table_) {
      print(simt::instruction_table(*simt::rows_of("portable")));
      return kDone;
    }
    if (file_.empty()) return refuse("no PTX file given; try: bankshot ptx kernel.ptx");
    const Result<std::string> text = host::read_text(file_);
    if (!text) return refuse(text.error().message);
    if (host::is_elf(std::as_bytes(std::span(*text))))
      return refuse(file_ + " is a program or machine code, not PTX text; explain --static and run read the PTX in it");
    const std::string name = file_ == "-" ? "standard input" : file_;
    auto module = ptx::parse(*text);
    if (!module) return complain(module.error(), name, *text);
    std::vector<simt::KernelInfo> kernels;
    if (const auto found = simt::mistakes(*module, kernels); !found.empty()) return complain(found, name, *text);
    if (!cubin_.empty()) return compare(*module);
    if (joined_ != 0) optimise::optimise(*module, {.architecture = joined_});
    if (print_ || joined_ != 0) {
      print(ptx::print(*module));
      return kDone;
    }
    print(fmt::format("{}: {} kernel{} can run\n", name, kernels.size(), kernels.size() == 1 ? "" : "s"));
    for (const simt::KernelInfo& kernel : kernels) print(summary(kernel));
    return kDone;
  }

 private:
  /// Prints the kernels and where model and machine code differ. Exit status 3 if they do.
  int compare(ptx::Module& module) const {
    const Result<std::string> bytes = host::read_text(cubin_);
    if (!bytes) return refuse(bytes.error().message);
    const Result<sass::Cubin> cubin = sass::read_cubin(std::as_bytes(std::span(*bytes)));
    if (!cubin) return refuse(cubin_ + ": " + cubin.error().message);
    const bool made_of_it = agreement::is_made_of(module, *cubin);
    if (!made_of_it)
      fmt::print(stderr,
                 "bankshot: warning: {} seems to be compiled from another text than {}, so line numbers do not match; "
                 "compile it from this one: ptxas -lineinfo -arch=sm_{} {} -o {}\n",
                 cubin_, file_, cubin->architecture, file_, cubin_);
    if (timing_) return compare_timing(module, *cubin);
    const std::vector<agreement::Kernel> kernels = agreement::compare(module, *cubin);
    if (kernels.empty()) return refuse(cubin_ + " has no kernel of " + file_);
    const bool has_lines = std::any_of(cubin->kernels.begin(), cubin->kernels.end(), [](const sass::Kernel& kernel) {
      return std::any_of(kernel.code.begin(), kernel.code.end(), [](const auto& i) { return i.ptx_line != 0; });
    });
    if (!has_lines) return refuse(cubin_ + " has no line numbers of the PTX: compile it with -lineinfo");
    bool all = made_of_it;
    for (const std::string& name : ptx::kernel_names(module)) {
      if (std::any_of(kernels.begin(), kernels.end(), [&](const auto& kernel) { return kernel.name == name; }))
        continue;
      print(name + ": not compared, because the machine code lacks it\n");
      all = false;
    }
    for (const agreement::Kernel& kernel : kernels) {
      all &= kernel.agrees();
      print(fmt::format(
          "{}: sm_{}, {}; {} of {} expected accesses are in the machine code, {} of its {} are expected{}\n",
          kernel.name, cubin->architecture, counted(kernel.registers, "register"), kernel.model_found(), kernel.model(),
          kernel.machine_found(), kernel.machine(),
          kernel.not_compared == 0 ? "" : fmt::format("; {} of the text not compared", kernel.not_compared)));
      for (const agreement::Accesses& accesses : kernel.accesses) {
        if (accesses.agree()) continue;
        print(fmt::format("  {}: {} of {}: {} expected, {} in the machine code\n", accesses.place, accesses.kind,
                          counted(accesses.bytes, "byte"), accesses.model, accesses.machine));
      }
    }
    return all ? kDone : kGateFailed;
  }

  int compare_timing(ptx::Module& module, const sass::Cubin& cubin) const {
    const std::vector<agreement::Instructions> kernels = agreement::compare_instructions(module, cubin);
    if (kernels.empty()) return refuse(cubin_ + " has no kernel of " + file_);
    for (const agreement::Instructions& kernel : kernels) {
      print(fmt::format(
          "{}: sm_{}{}\n  {:<20}{:>8}{:>10}{:>14}\n", kernel.kernel, cubin.architecture,
          kernel.alike
              ? ""
              : ", with accesses that differ from the machine code (a loop is unrolled differently, for example)",
          "instructions", "PTX", "expected", "machine code"));
      std::vector<agreement::ClassCount> rows = kernel.classes;
      rows.push_back(kernel.all());
      for (const agreement::ClassCount& row : rows)
        print(fmt::format("  {:<20}{:>8}{:>10}{:>14}\n", row.name, row.text, row.model, row.machine));
      for (const agreement::LoadDistances& loads : kernel.loads)
        print(fmt::format("  from a {} to its use {:>7.1f}{:>10.1f}{:>14.1f}  (mean)\n", loads.name, mean(loads.text),
                          mean(loads.model), mean(loads.machine)));
    }
    return kDone;
  }

  static double mean(const std::vector<unsigned>& values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  std::string file_, cubin_;
  unsigned joined_ = 0;
  bool print_ = false, table_ = false, timing_ = false;
};

const RegisterCommand ptx_registered(
    {"ptx", "Check PTX: syntax, names, and whether every instruction can run",
     "Instructions that cannot run are reported with file, line and column. Exit status: 0; 2 if the module cannot "
     "run; 3 if\n--machine-code finds accesses that differ or a cubin of another text, or the cubin lacks a kernel.\n\n"
     "Examples:\n"
     "  bankshot ptx kernel.ptx\n"
     "  nvcc -ptx kernel.cu -o - | bankshot ptx -\n"
     "  bankshot ptx --print kernel.ptx\n"
     "  bankshot ptx --joined 80 kernel.ptx                    what we expect from ptxas\n"
     "  ptxas -lineinfo -arch=sm_80 kernel.ptx -o kernel.cubin\n"
     "  bankshot ptx --machine-code kernel.cubin kernel.ptx    … compared with what it made\n"
     "  bankshot ptx --table\n",
     [] { return std::make_unique<Ptx>(); }});

}  // namespace
}  // namespace bankshot::cli

// bankshot diff: what became better or worse between two reports.
#include <CLI/CLI.hpp>

#include "bankshot/cli/base/command.hpp"
#include "bankshot/cli/base/deliver.hpp"
#include "bankshot/cli/base/report_output.hpp"
#include "bankshot/cli/base/text_look.hpp"
#include "bankshot/compare/baseline.hpp"
#include "bankshot/compare/diff_json.hpp"
#include "bankshot/compare/diff_text.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/support/nearest_name.hpp"

namespace bankshot::cli {
namespace {

class DiffCommand final : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("before", before_,
                   "a report of explain, simulate or check as JSON, or a baseline; - is standard input")
        ->required()
        ->type_name("BEFORE.json");
    app.add_option("after", after_, "the report to compare with it")->required()->type_name("AFTER.json");
    app.add_option("--tolerance", tolerance_, "ignore changes of up to this percentage in any counter")
        ->type_name("N%");
    app.add_option("--allow", allow_, "ignore changes of up to this amount; may be repeated")
        ->type_name("'COUNTER+N'|'COUNTER+N%'")
        ->allow_extra_args(false);
    app.add_option("--kernel", kernels_, "compare only kernels with this in their name; may be repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    app.add_option("--top", top_, "source lines shown for each kernel, and findings")
        ->check(whole_number)
        ->capture_default_str()
        ->type_name("N");
    app.add_option("--json", json_, "write the result as JSON; - is standard output")->type_name("FILE|-");
  }

  int run(const std::vector<std::string>&) override {
    compare::Allowances allowances;
    if (!tolerance_.empty()) {
      const Result<compare::Allowance> tolerance = compare::parse_tolerance(tolerance_);
      if (!tolerance) return refuse("--tolerance " + tolerance.error().message);
      allowances.push_back(*tolerance);
    }
    for (const std::string& text : allow_) {
      const Result<compare::Allowance> allowance = compare::parse_allowance(text);
      if (!allowance) return refuse("--allow " + allowance.error().message);
      allowances.push_back(*allowance);
    }
    if (before_ == "-" && after_ == "-") return refuse("only one of the two reports can be standard input");
    if (const auto error = cannot_deliver(json_, {{"the first report", before_}, {"the second report", after_}}))
      return refuse(error->message);
    Result<compare::Snapshot> before = read(before_), after = read(after_);
    if (!before) return refuse(before.error().message);
    if (!after) return refuse(after.error().message);
    std::vector<std::string> names;
    for (const compare::Snapshot* one : {&*before, &*after})
      for (const compare::Kernel& kernel : one->kernels) names.push_back(kernel.demangled);
    compare::keep_kernels(*before, kernels_);
    compare::keep_kernels(*after, kernels_);
    if (!kernels_.empty() && before->kernels.empty() && after->kernels.empty())
      return refuse("--kernel: neither report has a kernel with this in its name" +
                    did_you_mean_part(kernels_[0], names));
    const Result<compare::Diff> diff = compare::diff(*before, *after, allowances);
    if (!diff) return refuse(diff.error().message);
    for (const std::string& text : allow_) {
      const std::string why = compare::without_effect(*compare::parse_allowance(text), before->mode, after->mode);
      if (!why.empty()) return refuse("--allow '" + text + "': " + why);
    }
    const int status = deliver(
        json_, json_.empty() ? "" : compare::to_json(*diff, *before, *after, before_, after_),
        compare::diff_text(*diff, *before, *after,
                           {.colour = colour_wanted(), .top = top_, .before_name = before_, .after_name = after_}));
    if (status != kDone) return status;
    if (!diff->incomplete.empty()) return kProgramFailed;
    return diff->is_worse() ? kGateFailed : kDone;
  }

 private:
  static Result<compare::Snapshot> read(const std::string& file) {
    const Result<std::string> text = host::read_text(file);
    if (!text) return text.error();
    Result<compare::Snapshot> snapshot = compare::read_snapshot(*text);
    if (!snapshot)
      return Error{file + ": " + snapshot.error().message +
                   "; expected a report of explain, simulate (one GPU) or check, written with --json, or a baseline"};
    return snapshot;
  }

  std::string before_, after_, tolerance_, json_;
  std::vector<std::string> allow_, kernels_;
  unsigned top_ = 10;
};

const RegisterCommand diff_registered(
    {"diff", "Compare two reports: which kernels and lines became better or worse",
     "Kernels and lines are matched over edits: by name and by the text of the source line. Lines are judged by their\n"
     "conflicts, kernels by conflicts, wavefronts and simulated cycles, findings of check by how often they were "
     "seen.\n"
     "Exit status: 0 if nothing is worse; 1 if one of the runs was not complete, so that there is no verdict; 2 if a "
     "report\ncannot be read; 3 if something is worse.\n\n"
     "Examples:\n"
     "  bankshot diff before.json after.json\n"
     "  bankshot diff --tolerance 1% before.json after.json\n"
     "  bankshot diff --allow 'conflicts+100' --json - baseline.json report.json\n",
     [] { return std::make_unique<DiffCommand>(); }});

}  // namespace
}  // namespace bankshot::cli

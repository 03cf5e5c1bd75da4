// What can be done for the shared arrays of a program that ran: a hash and a padding for each, or the reason why not.
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bankshot/fix/declaration.hpp"
#include "bankshot/fix/layouts.hpp"
#include "bankshot/fix/line_edit.hpp"
#include "bankshot/fix/machine_code.hpp"
#include "bankshot/fix/run.hpp"
#include "bankshot/gpu/gpu.hpp"
#include "bankshot/report/run/run_report.hpp"
#include "bankshot/report/text/source_lines.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"
#include "bankshot/scratchpad/patterns/pattern.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::fix {

/// What helps against conflicts.
enum class Remedy : uint8_t { hash, padding };
inline constexpr std::array kRemedies = {Remedy::hash, Remedy::padding};
/// "hash", "padding".
const char* name(Remedy remedy);

/// A value for each remedy.
template <class T>
struct ByRemedy {
  std::array<T, kRemedies.size()> values;
  T& operator[](Remedy remedy) { return values[static_cast<size_t>(remedy)]; }
  const T& operator[](Remedy remedy) const { return values[static_cast<size_t>(remedy)]; }
};

/// An array rewritten in one way.
struct Tried {
  std::optional<rewrite::Refusal> refusal;  ///< why it is not rewritten
  std::optional<rewrite::RewrittenArray> rewritten;
  std::vector<uint32_t> lines;  ///< of its accesses in the rewritten PTX
  report::SharedTotals after;
};

struct ArrayPlan {
  rewrite::Array array;
  std::vector<ptx::Place> places;          ///< source lines of its accesses, each once
  std::vector<uint32_t> lines;             ///< in the PTX, of each access
  std::optional<Declaration> declaration;  ///< in the source, where that can be read
  std::string file;                        ///< that it stands in
  std::string no_declaration;              ///< why none is known, or empty
  bool has_source = true;  ///< false: the compiler declares it, as for specializations, so that no advice applies
  report::SharedTotals before;
  bool sampled = false;             ///< some instruction had more different accesses than were kept
  scratchpad::PatternSet patterns;  ///< words from its start
  std::optional<rewrite::Refusal> left_alone;
  std::optional<search::Found> hash;           ///< with fewer conflicts
  std::optional<scratchpad::Padding> padding;  ///< likewise
  Layouts layouts;                             ///< what else a person can do, not tried on the PTX
  ByRemedy<Tried> tried;
  std::vector<LineEdit> edits;  ///< of `file`, which write the chosen remedy into it; empty: not possible or not known

  std::optional<rewrite::Move> move(Remedy remedy) const;
  /// Whether the program is to be run with it rewritten so.
  bool is_open(Remedy remedy) const { return !left_alone && move(remedy) && !tried[remedy].refusal; }
};

/// What a kernel takes in one form: as it is, or with its arrays rewritten.
struct Form {
  uint64_t warp_instructions = 0;
  report::SharedTotals shared;         ///< of all arrays
  report::SharedTotals loads, stores;  ///< of these; an atomic is both
  uint64_t shared_bytes = 0;           ///< of a CTA, dynamic ones included
  uint64_t static_bytes = 0;           ///< those of them that are static
  unsigned ctas = 0;                   ///< on an SM; at most, if the registers are not known
  std::optional<uint64_t> cycles;      ///< simulated, of all launches
  std::optional<double> nanoseconds;   ///< of KernelPlan::measured, on Plan::measured_on
  std::optional<MachineCode> machine_code;
};

/// The launch that was repeated on a GPU.
struct MeasuredLaunch {
  simt::Dim3 grid, block;
  bool compared = true;  ///< all forms left the same in memory; false: the kernel as it is does not repeat itself
};

/// What launches are repeated on.
struct MeasuredOn {
  std::string name, driver;
};

struct KernelPlan {
  report::Kernel kernel;  ///< as it is
  std::string title;      ///< report::kernel_title()
  Form original;
  ByRemedy<Form> forms;  ///< of those that are rewritten
  std::vector<ArrayPlan> arrays;
  std::optional<Remedy> chosen;
  std::optional<MeasuredLaunch> measured;
  std::string not_measured;  ///< why not, if Plan::measured_on is there; empty if nothing was tried
  std::string verdict;       ///< one sentence: why it was chosen, or why none was; empty if nothing was tried

  bool is_rewritten(Remedy remedy) const;
  const Form& chosen_form() const { return chosen ? forms[*chosen] : original; }
};

/// A kernel as it is and built from a copy of the source that has the advice.
struct AppliedKernel {
  std::string demangled;
  bool chosen = false;  ///< else no advice was for it: it shares an array's declaration with one that was
  Form before, after;   ///< without machine code
};

/// The advice in a copy of the source.
struct Applied {
  std::string folder;
  std::vector<std::string> sources;  ///< that changed, in the folder
  std::vector<std::string> left;     ///< advice that was not written: the array, and why
  std::vector<AppliedKernel> kernels;
  std::string failure;  ///< why there is no program that does the same as the original and is better; else empty
};

struct Plan {
  std::string program, gpu;
  scratchpad::Rules rules;
  unsigned machine_code = 0;        ///< accesses are joined as for this architecture; 0: as the PTX has them
  std::vector<KernelPlan> kernels;  ///< those that accessed shared memory
  ByRemedy<std::map<std::string, std::string>> patches;  ///< PTX by digest of the module
  std::map<std::string, std::string> chosen;             ///< likewise, of what was chosen
  std::string not_compared;  ///< what of the outputs changes from run to run of the original, or empty
  std::string no_cycles;     ///< why nothing was simulated, or empty
  std::optional<MeasuredOn> measured_on;
  std::string no_machine_code;  ///< why ptxas was not asked, or empty
  std::string target;           ///< of the modules: "sm_75"
  std::optional<Applied> applied;
};

struct PlanOptions {
  std::chrono::milliseconds time_limit{10000};  ///< for the search of each array's hash
  std::string hash_class = {};                  ///< of the hashes, as in `bankshot search --class`; empty: any
  std::vector<std::string> kernels;             ///< parts of the names of those to work on; empty: all
  report::SourcePolicy sources = {};            ///< which of them may be read
};

/// Finds the remedies. @param run  of the original
Result<Plan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, const PlanOptions& options);

/// Whether some kernel's accesses had any.
bool has_conflicts(const Plan& plan);

/// What a kernel's accesses at these PTX lines took.
report::SharedTotals totals_at(const report::Kernel& kernel, const std::vector<uint32_t>& lines);

/// Sets what a form executes and accesses to what a kernel did in a run.
void add_counts(Form& form, const report::Kernel& kernel);

/// What a kernel took in a run. @param run  it may have been simulated
Form form_of(const WitnessedRun& run, const gpu::Gpu& gpu, const report::Kernel& kernel, const simt::KernelInfo& info);

/// CTAs that fit on an SM with a kernel's threads, this much shared memory and, if they are known, its registers.
unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, const Form& form);

}  // namespace bankshot::fix

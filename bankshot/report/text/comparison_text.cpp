#include "bankshot/report/text/comparison_text.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "bankshot/report/text/names.hpp"
#include "bankshot/report/text/timing_text.hpp"

namespace bankshot::report {
namespace {

using timing::Cause;
using timing::Counters;

/// "global or local memory is waited for (63 %)": the most frequent cause of slots in which an active SM issues
/// nothing.
std::string main_cause(const Counters& c) {
  const auto slots = slots_of_active_sms(c);
  const auto most = std::max_element(slots.begin() + 1, slots.end());
  const uint64_t all = std::accumulate(slots.begin(), slots.end(), uint64_t{0});
  if (all == 0 || *most == 0) return "-";
  return fmt::format("{} ({:.0f} %)", meaning(static_cast<Cause>(most - slots.begin())), percent(*most, all));
}

/// The same kernel in another report: by its name, of equal names the one that came as late.
const Kernel* same_kernel(const RunReport& of, size_t which, const RunReport& in) {
  const std::string& name = of.kernels[which].name;
  auto before = std::count_if(of.kernels.begin(), of.kernels.begin() + static_cast<std::ptrdiff_t>(which),
                              [&](const Kernel& kernel) { return kernel.name == name; });
  for (const Kernel& kernel : in.kernels) {
    if (kernel.name == name && before-- == 0) return &kernel;
  }
  return nullptr;
}

class Table {
 public:
  explicit Table(std::span<const std::string> gpus) {
    for (const std::string& gpu : gpus) width_ = std::max(width_, gpu.size());
  }
  std::string head() const {
    return fmt::format("  {:<{}} {:>15} {:>12} {:>9} {:>6}  {}\n", "GPU", width_, "cycles", "time", "speedup", "IPC",
                       "slots without an instruction, mostly");
  }
  /// @param timing  null: it did not run there
  std::string row(const std::string& gpu, const KernelTiming* timing, const SimulatedMachine& machine) {
    if (timing == nullptr) return fmt::format("  {:<{}} {:>15}\n", gpu, width_, "did not run");
    const Counters& counters = timing->counters;
    const double seconds = machine.seconds(timing->cycles());
    // A launch that was stopped has done less work: its time compares with nothing.
    const bool stopped = timing->partial_launches != 0;
    if (first_ == 0 && !stopped) first_ = seconds;
    const std::string speedup = stopped || seconds == 0 ? "-" : fmt::format("{:.2f} ×", first_ / seconds);
    const std::string sample =
        timing->is_estimated() ? fmt::format("; estimated, ± {:.1f} %", 100 * timing->sampled->error / timing->cycles())
                               : "";
    return fmt::format("  {:<{}} {:>15} {:>12} {:>9} {:>6.2f}  {}{}{}\n", gpu, width_,
                       grouped(static_cast<uint64_t>(timing->cycles() + 0.5)), duration_text(seconds), speedup,
                       share(counters.machine_instructions, counters.active_cycles), main_cause(counters), sample,
                       stopped ? "; stopped" : "");
  }

 private:
  size_t width_ = 3;
  double first_ = 0;  ///< seconds on the first GPU
};

}  // namespace

std::string comparison_text(std::span<const std::string> gpus, std::span<const RunReport> reports,
                            const TextOptions& options) {
  std::string text = fmt::format("bankshot: {} on {}, simulated\n", printable(reports[0].program),
                                 counted(reports.size(), "GPU", "GPUs"));
  for (size_t k = 0; k < reports.size(); ++k)
    text += fmt::format("{}: {}, {}", gpus[k], reports[k].gpu, machine_text(*reports[k].machine));
  std::vector<KernelTiming> sums(reports.size());
  for (size_t which = 0; which < reports[0].kernels.size(); ++which) {
    const Kernel& kernel = reports[0].kernels[which];
    text += fmt::format("\n{}, {}\n", shown_name(kernel.demangled, options),
                        counted(kernel.launches, "launch", "launches"));
    Table table(gpus);
    text += table.head();
    for (size_t k = 0; k < reports.size(); ++k) {
      const Kernel* const here = same_kernel(reports[0], which, reports[k]);
      const bool timed = here != nullptr && here->timing;
      text += table.row(gpus[k], timed ? &*here->timing : nullptr, *reports[k].machine);
    }
  }
  for (size_t k = 0; k < reports.size(); ++k) {
    for (const Kernel& kernel : reports[k].kernels) {
      if (kernel.timing) sums[k].merge(*kernel.timing);
    }
  }
  if (reports[0].kernels.size() == 1) return text;
  Table table(gpus);
  text += "\nall kernels\n" + table.head();
  for (size_t k = 0; k < reports.size(); ++k)
    text += table.row(gpus[k], reports[k].kernels.empty() ? nullptr : &sums[k], *reports[k].machine);
  return text;
}

}  // namespace bankshot::report

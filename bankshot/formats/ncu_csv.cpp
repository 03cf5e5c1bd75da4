#include "bankshot/formats/ncu_csv.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "bankshot/formats/ncu_metrics.hpp"
#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/site_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/support/printable.hpp"

namespace bankshot::formats {
namespace {

using report::Kernel;
using Row = std::vector<std::string>;

const Row kFirstColumns{"ID",     "Process ID", "Process Name", "Host Name", "Kernel Name", "Context",
                        "Stream", "Block Size", "Grid Size",    "Device",    "CC"};
const Row kDetailColumns{"Section Name",     "Metric Name", "Metric Unit",      "Metric Value",
                         "Rule Name",        "Rule Type",   "Rule Description", "Estimated Speedup Type",
                         "Estimated Speedup"};

/// As ncu writes CSV: every field in quotes. Control characters, newlines too, become "?".
std::string csv_row(const Row& row) {
  std::string line;
  for (const std::string& field : row) {
    if (!line.empty()) line += ',';
    line += '"';
    for (const char c : printable(field)) line += c == '"' ? std::string("\"\"") : std::string(1, c);
    line += '"';
  }
  return line + "\n";
}

Row joined(Row first, const Row& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

std::string extent(const simt::Dim3& size) { return fmt::format("({}, {}, {})", size.x, size.y, size.z); }

std::string last_part(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// The first columns. Bankshot knows neither process nor stream: 0. Devices are numbered by run.
Row first_fields(const Kernel& kernel, const report::RunReport& report, size_t id, size_t device) {
  const unsigned code = report.machine_code;
  return {std::to_string(id),
          "0",
          last_part(report.program),
          "bankshot",
          kernel.demangled,
          "0",
          "0",
          extent(kernel.block),
          extent(kernel.grid),
          std::to_string(device),
          code == 0 ? "" : fmt::format("{}.{}", code / 10, code % 10)};
}

Row remark(std::string_view section, std::string_view rule, std::string_view type, const std::string& text,
           std::string_view speedup_type = "", const std::string& speedup = "") {
  return {std::string(section),      "",     "", "", std::string(rule), std::string(type), text,
          std::string(speedup_type), speedup};
}

/// The line that causes most conflicts of those that are not suppressed, as an end of a sentence.
std::string most_at(const Kernel& kernel, const report::RunReport& report) {
  const auto line = report::heaviest_line(report, kernel);
  if (!line || line->shared.conflicts() == 0) return {};
  return "; most at " + report::place_text(kernel.sites[line->sites[0]].source);
}

/// Nsight Compute's rule SharedMemoryConflicts: from 10 % of the wavefronts on. Its estimate without the throughput of
/// the cache, which Bankshot does not know, is their share.
void add_conflicts(std::vector<Row>& rows, const Kernel& kernel, const report::RunReport& report,
                   std::string_view operation, std::string_view noun) {
  const NcuShared shared = ncu_shared(kernel, report.rules, operation);
  if (shared.conflicts == 0 || shared.conflicts * 10 < shared.wavefronts) return;
  const double share = report::percent(shared.conflicts, shared.wavefronts);
  rows.push_back(remark("MemoryWorkloadAnalysis_Tables", "SharedMemoryConflicts", "OPT",
                        fmt::format("{} of the {} wavefronts of shared {} ({:.2f} %) are bank conflicts{}.",
                                    shared.conflicts, shared.wavefronts, noun, share, most_at(kernel, report)),
                        "local", fmt::format("{:.2f}", share)));
}

/// Nsight Compute's rule UncoalescedSharedAccess: the share of the conflicts, weighted by the time in which the cache
/// is active. Without a simulation that time is not known, and there is no estimate.
void add_uncoalesced(std::vector<Row>& rows, const Kernel& kernel, const report::RunReport& report) {
  const report::SharedTotals shared = kernel.shared();
  if (shared.conflicts() == 0) return;
  const double share = report::percent(shared.conflicts(), shared.wavefronts);
  const std::string text = fmt::format("{} of {} wavefronts of shared memory ({:.2f} %) are excessive{}.",
                                       shared.conflicts(), shared.wavefronts, share, most_at(kernel, report));
  const bool timed = kernel.timing && !kernel.timing->is_estimated() && kernel.timing->counters.sm_cycles != 0;
  if (timed) {
    const timing::Counters& counters = kernel.timing->counters;
    rows.push_back(remark("SourceCounters", "UncoalescedSharedAccess", "OPT", text, "global",
                          fmt::format("{:.2f}", share * report::share(counters.active_cycles, counters.sm_cycles))));
  } else {
    rows.push_back(remark("SourceCounters", "UncoalescedSharedAccess", "OPT", text));
  }
}

Row metric_row(std::string_view section, std::string_view name, const NcuMetric& metric) {
  return {std::string(section), std::string(name), std::string(metric.unit), value_text(metric), "", "", "", "", ""};
}

/// Where the numbers of a kernel come from.
std::string origin(const Kernel& kernel, const report::RunReport& report) {
  const bool estimated = kernel.timing && kernel.timing->is_estimated();
  const char* const how = !report.machine ? "Counted" : estimated ? "Simulated in part and estimated" : "Simulated";
  return fmt::format("{} by Bankshot without a GPU, as {}{}; sums over {}.", how, report.gpu, assumption(report),
                     report::counted(kernel.launches, "launch", "launches"));
}

/// All metrics by name, as if each had been asked for; those with a place in a section there, too.
std::vector<Row> details_of(const Kernel& kernel, const Run& run) {
  const report::RunReport& report = run.report;
  std::vector<Row> rows;
  const std::vector<NcuMetric> metrics = ncu_metrics(kernel, report);
  for (const NcuMetric& metric : metrics)
    rows.push_back(metric_row("Command line profiler metrics", metric.name, metric));
  for (const NcuMetric& metric : metrics) {
    if (!metric.section.empty()) rows.push_back(metric_row(metric.section, metric.label, metric));
  }
  add_conflicts(rows, kernel, report, "ld", "loads");
  add_conflicts(rows, kernel, report, "st", "stores");
  add_uncoalesced(rows, kernel, report);
  rows.push_back(remark("Bankshot", "Bankshot", "INF", origin(kernel, report)));
  for (const std::string& gap : all_gaps(run)) rows.push_back(remark("Bankshot", "Bankshot", "WRN", gap));
  return rows;
}

/// Of a run that is not known to have launched a kernel, why.
Row no_kernel_row(const std::string& gap) {
  return joined(Row(kFirstColumns.size()), remark("Bankshot", "Bankshot", "WRN", gap));
}

/// Calls `use` for each kernel of all runs, with its first fields.
template <class Use>
void each_kernel(const std::vector<Run>& runs, Use use) {
  size_t id = 0;
  for (size_t device = 0; device < runs.size(); ++device) {
    for (const Kernel& kernel : runs[device].report.kernels)
      use(kernel, runs[device], first_fields(kernel, runs[device].report, id++, device));
  }
}

}  // namespace

std::string to_ncu_details(const std::vector<Run>& runs) {
  std::string text = csv_row(joined(kFirstColumns, kDetailColumns));
  each_kernel(runs, [&](const Kernel& kernel, const Run& run, const Row& first) {
    for (const Row& row : details_of(kernel, run)) text += csv_row(joined(first, row));
  });
  for (const Run& run : runs) {
    if (!run.report.kernels.empty()) continue;
    for (const std::string& gap : all_gaps(run)) text += csv_row(no_kernel_row(gap));
  }
  return text;
}

std::string to_ncu_raw(const std::vector<Run>& runs) {
  Row names, units;
  each_kernel(runs, [&](const Kernel& kernel, const Run& run, const Row&) {
    for (const NcuMetric& metric : ncu_metrics(kernel, run.report)) {
      if (std::ranges::find(names, metric.name) != names.end()) continue;
      names.push_back(metric.name);
      units.emplace_back(metric.unit);
    }
  });
  const auto row = [](const Row& first, const Row& values, const std::string& note) {
    return csv_row(joined(joined(first, values), {note}));
  };
  const Row no_fields(kFirstColumns.size()), no_values(names.size());
  std::string text = row(kFirstColumns, names, "Bankshot") + row(no_fields, units, "");
  each_kernel(runs, [&](const Kernel& kernel, const Run& run, const Row& first) {
    Row values = no_values;
    for (const NcuMetric& metric : ncu_metrics(kernel, run.report))
      values[static_cast<size_t>(std::ranges::find(names, metric.name) - names.begin())] = value_text(metric);
    std::string remarks = origin(kernel, run.report);
    for (const std::string& gap : all_gaps(run)) remarks += " Incomplete: " + gap + ".";
    text += row(first, values, remarks);
  });
  for (const Run& run : runs) {
    if (!run.report.kernels.empty()) continue;
    for (const std::string& gap : all_gaps(run)) text += row(no_fields, no_values, "Incomplete: " + gap + ".");
  }
  return text;
}

}  // namespace bankshot::formats

#include "bankshot/compare/snapshot.hpp"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bankshot/report/json/rules_json.hpp"
#include "bankshot/report/run/line_groups.hpp"
#include "bankshot/report/text/sampled_text.hpp"
#include "bankshot/report/text/text.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::compare {
namespace {

std::string extent_of(const simt::Dim3& size) { return fmt::format("({},{},{})", size.x, size.y, size.z); }

/// Operations of a line in the order of the PTX; an unrolled loop is that of one turn.
std::string operations_of_line(const report::Kernel& kernel, const report::LineGroup& group) {
  std::vector<size_t> sites = group.sites;
  std::ranges::sort(sites);
  std::string text, last;
  for (const size_t site : sites) {
    const std::string& op = kernel.sites[site].op;
    if (op != last) text += (text.empty() ? "" : " ") + op;
    last = op;
  }
  return text;
}

std::vector<Line> snapshot_lines(const report::Kernel& kernel, const report::RunReport& report) {
  std::vector<std::pair<Line, size_t>> lines;  // with the first site, which says where it is in the PTX
  for (const report::LineGroup& group : report::line_groups(kernel)) {
    const simt::Source& source = kernel.sites[group.sites[0]].source;
    if (report.is_suppressed(kernel, source)) continue;
    lines.push_back({{source.file, source.line, report.text_of(source), operations_of_line(kernel, group),
                      group.shared.conflicts()},
                     std::ranges::min(group.sites)});
  }
  std::ranges::sort(lines, {}, [](const auto& one) {
    return std::tuple(std::string_view(one.first.file), one.first.line, one.second);
  });
  std::vector<Line> sorted;
  for (auto& [line, site] : lines) sorted.push_back(std::move(line));
  return sorted;
}

Kernel snapshot_kernel(const report::Kernel& kernel, const report::RunReport& report) {
  const report::SharedTotals judged = report.judged(kernel);
  Kernel snap{
      kernel.name,
      kernel.demangled,
      kernel.module.file,
      fmt::format("{}, grid {}, block {}{}", report::counted(kernel.launches, "launch", "launches"),
                  extent_of(kernel.grid), extent_of(kernel.block), kernel.launch_shapes_vary ? " at first" : ""),
      {judged.conflicts(), judged.wavefronts, std::nullopt},
      snapshot_lines(kernel, report)};
  if (kernel.timing) snap.numbers.cycles = static_cast<uint64_t>(kernel.timing->cycles() + 0.5);
  return snap;
}

Finding snapshot_finding(const simt::Finding& finding, const report::RunReport& report) {
  return {simt::name_of(finding.kind),
          finding.is_warning,
          finding.kernel,
          report::demangle(finding.kernel),
          report::demangle(finding.variable),
          finding.op + (finding.other_op.empty() ? "" : "; " + finding.other_op),
          finding.source.file,
          finding.source.line,
          report.text_of(finding.source),
          finding.count};
}

void add_machine(const report::SimulatedMachine& machine, std::map<std::string, std::string>& conditions) {
  const auto add = [&](const std::string& key, const std::string& value) { conditions["simulated." + key] = value; };
  add("scheduler", machine.scheduler);
  add("pipeline", machine.pipeline);
  add("atomics", machine.atomics);
  add("aware", machine.aware);
  add("bank_hash", machine.bank_hash);
  add("lock_hash", machine.lock_hash);
  add("transactions", machine.transactions);
  add("commit", machine.commit);
  for (const auto& [key, value] : machine.parameters) add("parameters." + key, std::to_string(value));
  for (const report::MachineNumber& number : report::machine_numbers())
    add(std::string(number.name), std::to_string(machine.*number.value));
}

std::map<std::string, std::string> conditions_of(const report::RunReport& report) {
  std::map<std::string, std::string> conditions = {
      {"gpu", report.gpu},
      {"warp_size", std::to_string(report.warp_size)},
      {"accesses", report.machine_code == 0 ? "as written" : fmt::format("joined for sm_{}", report.machine_code)},
      {"machine_code", report.checked ? "compared" : "not compared"},
      {"bank_hash", report.rules.hash ? scratchpad::spec(*report.rules.hash) : "none"},
      {"instruction_hashes",
       report.instruction_hashes.empty() ? "none" : "one for each instruction " + report.instruction_hashes_digest}};
  const nlohmann::ordered_json rules = report::rules_json(report.rules, true);
  for (const auto& [key, value] : rules.items()) {
    if (key != "hash") conditions["scratchpad." + key] = value.dump();
  }
  if (report.sample_ctas != 0) conditions["sample_ctas"] = std::to_string(report.sample_ctas);
  if (report.checks.any()) conditions["checks"] = simt::names_of(report.checks, ", ");
  if (!report.machine) return conditions;
  add_machine(*report.machine, conditions);
  const bool sampled =
      std::ranges::any_of(report.kernels, [](const auto& kernel) { return kernel.timing && kernel.timing->sampled; });
  conditions["simulated.sample"] = sampled ? "part of the launches" : "all launches";
  return conditions;
}

std::string why_incomplete(const report::RunReport& report) {
  if (report.lost != 0) return "a report of one of its processes was lost";
  if (report.partial) return "the program did not finish";
  if (report.failed_launches() != 0) return report::counted(report.failed_launches(), "launch", "launches") + " failed";
  if (report.is_partial()) return "launches were stopped";
  if (std::string sampled = report::sampled_sentence(report); !sampled.empty()) return sampled;
  return report.kernels.empty() ? "no kernel was launched" : "";
}

}  // namespace

std::string_view name(Mode mode) {
  constexpr std::array<std::string_view, 3> names{"explain", "simulate", "check"};
  return names[static_cast<size_t>(mode)];
}

std::string without_effect(const Allowance& allowance, Mode before, Mode after) {
  std::vector<Counter> compared{Counter::conflicts, Counter::wavefronts};
  if (before == Mode::simulate && after == Mode::simulate) compared.push_back(Counter::cycles);
  if (before == Mode::check || after == Mode::check) compared = {Counter::findings};
  if (!allowance.counter || std::ranges::find(compared, *allowance.counter) != compared.end()) return {};
  std::string list;
  for (const Counter counter : compared) list += (list.empty() ? "" : ", ") + std::string(name(counter));
  return fmt::format("{} are not compared here; what is compared: {}", name(*allowance.counter), list);
}

Snapshot snapshot_of(const report::RunReport& report) {
  Snapshot snapshot{report.machine        ? Mode::simulate
                    : report.checks.any() ? Mode::check
                                          : Mode::explain,
                    report.program,
                    conditions_of(report),
                    why_incomplete(report),
                    report.suppressed.size(),
                    {},
                    {}};
  for (const report::Kernel& kernel : report.kernels) {
    snapshot.kernels.push_back(snapshot_kernel(kernel, report));
    if (snapshot.mode != Mode::check) continue;
    snapshot.kernels.back().numbers = {};  // a run with checks is for its findings
    snapshot.kernels.back().lines.clear();
  }
  for (const simt::Finding& finding : report.findings) snapshot.findings.push_back(snapshot_finding(finding, report));
  return snapshot;
}

void keep_kernels(Snapshot& snapshot, const std::vector<std::string>& parts) {
  if (parts.empty()) return;
  const auto unwanted = [&](const std::string& name) {
    return std::ranges::none_of(parts, [&](const std::string& part) { return name.find(part) != name.npos; });
  };
  std::erase_if(snapshot.kernels, [&](const Kernel& kernel) { return unwanted(kernel.demangled); });
  std::erase_if(snapshot.findings,
                [&](const Finding& finding) { return !finding.demangled.empty() && unwanted(finding.demangled); });
}

}  // namespace bankshot::compare

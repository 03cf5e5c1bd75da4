// What the workers of a launch counted, added up.
#include <algorithm>
#include <optional>
#include <utility>

#include "bankshot/simt/run/launch.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

std::vector<OperandReport> operands_at(const LoadedProgram& program, const TileReads& tiles, uint32_t site) {
  std::vector<OperandReport> all;
  for (const OperandReads& reads : tiles.at(site)) {
    OperandReport report{reads.layout, reads.reads, {}};
    for (const OperandReads::Part& part : reads.written) {
      OperandReport::Part by{"", {}, part.by.is_tensor, part.by.swizzle, part.bytes};
      if (part.by.site != TileWriter::kNobody) {
        const Instr* const instr = program.code.data() + program.sites[part.by.site].instr;
        by.op = program.texts[program.info_of(instr).text];
        by.source = program.source_of(instr);
      }
      report.merge({reads.layout, 0, {by}});
    }
    all.push_back(std::move(report));
  }
  return all;
}

/// What a trace of this capacity would have kept.
scratchpad::AccessTrace at_most(const scratchpad::AccessTrace& trace, size_t capacity) {
  scratchpad::AccessTrace all(capacity);
  if (capacity == 0) return all;
  uint64_t lost = trace.recorded();
  for (const scratchpad::AccessTrace::Access& access : trace.kept()) {
    all.record_words(trace.words(access), access.mask, access.count);
    lost -= access.count;
  }
  all.record_lost(lost);
  return all;
}

void add_sites(const LaunchSetup& setup, std::span<Worker* const> workers, LaunchStats& stats) {
  const LoadedProgram& program = *setup.program;
  if (workers[0]->sites.empty()) return;
  std::optional<TileReads>& tiles = workers[0]->tiles;
  for (size_t k = 1; k < workers.size() && tiles; ++k) tiles->merge(*workers[k]->tiles);
  for (size_t site = 0; site < program.sites.size(); ++site) {
    for (size_t k = 1; k < workers.size(); ++k) workers[0]->sites[site].merge(workers[k]->sites[site]);
    if (workers[0]->sites[site].accesses == 0) continue;
    const SiteInfo& info = program.sites[site];
    const Instr* const instr = program.code.data() + info.instr;
    scratchpad::SiteCounter& counter = workers[0]->sites[site];
    SiteReport report{.source = program.source_of(instr),
                      .op = program.texts[program.info_of(instr).text],
                      .joined = program.info_of(instr).joined,
                      .width = info.width,
                      .kind = info.kind,
                      .matrix = info.matrix};
    if (tiles) {
      report.operands = operands_at(program, *tiles, static_cast<uint32_t>(site));
      using Layout = ptx::Access::Layout;
      const Layout layout = program.info_of(instr).access.layout;
      const bool own_hash = !program.hash_of_site.empty() && program.hash_of_site[site] != nullptr;
      if (!own_hash && (layout == Layout::lanes || layout == Layout::matrix))  // copies in bulk have no conflicts
        report.swizzles = conflicts_by_swizzle(*tiles, counter.trace, *workers[0]->rules, info.kind, info.width);
      if (setup.options->trace_accesses < kTileAccesses)
        counter.trace = at_most(counter.trace, setup.options->trace_accesses);
    }
    report.counter = std::move(counter);
    stats.sites.push_back(std::move(report));
  }
}

void add_l1_sites(const LoadedProgram& program, std::span<Worker* const> workers, LaunchStats& stats) {
  for (size_t site = 0; site < workers[0]->l1_sites.size(); ++site) {
    const L1SiteInfo& info = program.l1_sites[site];
    scratchpad::L1Totals totals;
    for (const Worker* worker : workers) totals.merge(worker->l1_sites[site].totals(*worker->l1, info.width));
    if (totals.accesses == 0) continue;
    const Instr* const instr = program.code.data() + info.instr;
    stats.l1_sites.push_back({program.source_of(instr), program.texts[program.info_of(instr).text], info.width,
                              info.kind, info.reads, totals});
  }
}

}  // namespace

LaunchStats collect(const LaunchSetup& setup, std::span<Worker* const> workers) {
  const LoadedProgram& program = *setup.program;
  LaunchStats stats;
  if (setup.options->tell_compiled) stats.compiled.emplace();
  for (const Worker* worker : workers) {
    if (stats.compiled) stats.compiled->warp_instructions += worker->native_instructions;
    stats.warp_instructions += worker->warp_instructions;
    stats.thread_instructions += worker->thread_instructions;
    add(stats.transactions, worker->tx);
    stats.launched.insert(stats.launched.end(), worker->launched.begin(), worker->launched.end());
  }
  stats.parallel = program.functions[setup.function].isolated;
  stats.why_serial = program.functions[setup.function].why_not_isolated;
  for (const LeftOpen what : kLeftOpen) {
    const Instr* first = nullptr;
    for (const Worker* worker : workers) {
      const Instr* const at = worker->relied_on_at[static_cast<size_t>(what)];
      if (at != nullptr && (first == nullptr || at < first)) first = at;
    }
    if (first != nullptr) stats.left_open.push_back({what, program.source_of(first)});
  }
  add_sites(setup, workers, stats);
  add_l1_sites(program, workers, stats);
  return stats;
}

}  // namespace bankshot::simt

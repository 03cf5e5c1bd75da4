#include "bankshot/report/run/run_report.hpp"

#include <algorithm>
#include <tuple>

#include "bankshot/report/run/scaled.hpp"

namespace bankshot::report {
namespace {

constexpr size_t kMostFailures = 100;  ///< kinds of failures kept apart; a program can make any number
constexpr std::string_view kOtherReasons = "reasons beyond the first 100";

void merge_into(Site& to, const Site& from) {
  to.totals.merge(from.totals);
  merge(to.operands, from.operands);
  merge(to.swizzles, from.swizzles);
}
void merge_into(L1Site& to, const L1Site& from) { to.totals.merge(from.totals); }

/// Adds to the site of the same instruction, of sites by place; or adds the site.
template <class AnySite>
void add_site(std::vector<AnySite>& sites, const AnySite& site) {
  if (site.totals.accesses == 0) return;
  const auto place = [](const AnySite& s) {
    return std::tie(s.source.ptx_line, s.source.file, s.source.line, s.op, s.width);
  };
  const auto before = [&](const AnySite& a, const AnySite& b) { return place(a) < place(b); };
  const auto at = std::lower_bound(sites.begin(), sites.end(), site, before);
  if (at != sites.end() && place(*at) == place(site)) {
    merge_into(*at, site);
  } else {
    sites.insert(at, site);
  }
}

/// A report holds word addresses; see Site.
scratchpad::SiteTotals in_words(scratchpad::SiteTotals totals) {
  for (uint32_t& address : totals.worst.addresses) address = address / 4 * 4;
  return totals;
}

void add(SampledLaunches& to, const SampledLaunches& from) {
  to.launches += from.launches;
  to.ctas += from.ctas;
  to.ran += from.ran;
  to.errors.warp_instructions += from.errors.warp_instructions;
  to.errors.wavefronts += from.errors.wavefronts;
  to.errors.conflicts += from.errors.conflicts;
}

void add_kernel(std::vector<Kernel>& kernels, const Kernel& kernel) {
  const auto same = [&](const Kernel& k) { return k.name == kernel.name && k.module.digest == kernel.module.digest; };
  const auto found = std::find_if(kernels.begin(), kernels.end(), same);
  if (found == kernels.end()) {
    kernels.push_back(kernel);
    return;
  }
  found->launches += kernel.launches;
  found->launch_shapes_vary |= kernel.launch_shapes_vary || kernel.grid != found->grid || kernel.block != found->block;
  found->warp_instructions += kernel.warp_instructions;
  found->thread_instructions += kernel.thread_instructions;
  scratchpad::add(found->transactions, kernel.transactions);
  found->stopped.launches += kernel.stopped.launches;
  found->stopped.ctas_ended += kernel.stopped.ctas_ended;
  found->stopped.ctas += kernel.stopped.ctas;
  add(found->sampled, kernel.sampled);
  if (found->why_all_ctas.empty()) found->why_all_ctas = kernel.why_all_ctas;
  if (found->parallel) found->why_serial = kernel.why_serial;
  found->parallel &= kernel.parallel;
  for (const Site& site : kernel.sites) add_site(found->sites, site);
  for (const L1Site& site : kernel.l1_sites) add_site(found->l1_sites, site);
  for (const simt::LeftOpenPlace& place : kernel.left_open) {
    const auto known = std::ranges::find(found->left_open, place.what, &simt::LeftOpenPlace::what);
    if (known == found->left_open.end()) {
      found->left_open.push_back(place);
    } else if (place.source.ptx_line < known->source.ptx_line) {
      known->source = place.source;
    }
  }
  std::ranges::sort(found->left_open, {}, &simt::LeftOpenPlace::what);
  if (kernel.compiled) (found->compiled ? *found->compiled : found->compiled.emplace()).add(*kernel.compiled);
  if (!kernel.timing) return;
  if (!found->timing) found->timing.emplace();
  found->timing->merge(*kernel.timing);
}

}  // namespace

std::string_view name(MachineCode::From from) {
  switch (from) {
    case MachineCode::From::program: return "program";
    case MachineCode::From::ptxas: return "ptxas";
    case MachineCode::From::model: break;
  }
  return "model";
}

scratchpad::AccessKind kind_of(const Site& site) {
  return site.totals.in_transactions != 0 ? scratchpad::AccessKind::atomic : site.kind;
}

SharedTotals Kernel::shared() const {
  SharedTotals all;
  for (const Site& site : sites) {
    all.accesses += site.totals.accesses;
    all.wavefronts += site.totals.wavefronts;
    all.ideal_wavefronts += site.totals.ideal;
  }
  return all;
}

scratchpad::L1Sums<uint64_t> Kernel::l1() const {
  scratchpad::L1Sums<uint64_t> all;
  for (const L1Site& site : l1_sites) scratchpad::add(all, site.totals.sums);
  return all;
}

void RunReport::add(const simt::LaunchStats& stats, std::string_view kernel, simt::Dim3 grid, simt::Dim3 block,
                    const ModuleId& module, const timing::LaunchTiming* timing, const KernelFacts& facts) {
  Kernel launch;
  launch.facts = facts;
  launch.name = kernel;
  launch.demangled = demangle(kernel);
  launch.module = module;
  launch.launches = 1;
  launch.grid = grid;
  launch.block = block;
  launch.warp_instructions = stats.warp_instructions;
  launch.thread_instructions = stats.thread_instructions;
  launch.transactions = stats.transactions;
  if (stats.stopped && !timing) launch.stopped = {.launches = 1, .ctas_ended = stats.ctas_ended, .ctas = grid.count()};
  launch.why_all_ctas = stats.why_all_ctas;
  launch.parallel = stats.parallel;
  launch.why_serial = stats.why_serial;
  launch.left_open = stats.left_open;
  launch.compiled = stats.compiled;
  for (const simt::SiteReport& site : stats.sites) {
    add_site(launch.sites, {.source = site.source,
                            .op = site.op,
                            .joined = site.joined,
                            .width = site.width,
                            .kind = site.kind,
                            .matrix = site.matrix,
                            .totals = in_words(site.counter),
                            .operands = site.operands,
                            .swizzles = site.swizzles});
  }
  for (const simt::L1SiteReport& site : stats.l1_sites) {
    add_site(launch.l1_sites, {site.source, site.op, site.width, site.kind, site.reads, site.totals});
  }
  if (timing) launch.timing.emplace().add(*timing, grid, block);
  if (stats.sampled) {
    launch.sampled = {1, stats.sampled->ctas, stats.sampled->ran, stats.sampled->errors};
    scale(launch, *stats.sampled);
  }
  add_kernel(kernels, launch);
}

void RunReport::add_failed(std::string_view kernel, std::string_view reason, uint64_t launches) {
  reason = reason.substr(0, reason.find('\n'));
  const auto find = [&] {
    return std::find_if(failed.begin(), failed.end(),
                        [&](const FailedLaunches& f) { return f.kernel == kernel && f.reason == reason; });
  };
  auto found = find();
  if (found == failed.end() && failed.size() >= kMostFailures) {
    kernel = {};
    reason = kOtherReasons;
    found = find();
  }
  if (found == failed.end()) {
    failed.push_back({std::string(kernel), demangle(kernel), std::string(reason), launches});
  } else {
    found->launches += launches;
  }
}

uint64_t RunReport::failed_launches() const {
  uint64_t all = 0;
  for (const FailedLaunches& failure : failed) all += failure.launches;
  return all;
}

uint64_t RunReport::partial_launches() const {
  uint64_t all = 0;
  for (const Kernel& kernel : kernels)
    all += kernel.stopped.launches + (kernel.timing ? kernel.timing->partial_launches : 0);
  return all;
}

SampledLaunches RunReport::sampled() const {
  SampledLaunches all;
  for (const Kernel& kernel : kernels) report::add(all, kernel.sampled);
  return all;
}

void RunReport::merge(const RunReport& other) {
  if (program.empty()) program = other.program;
  if (gpu.empty()) {
    gpu = other.gpu;
    warp_size = other.warp_size;
    machine_code = other.machine_code;
    checked = other.checked;
    rules = other.rules;
    l1 = other.l1;
  }
  if (!machine) machine = other.machine;
  sample_ctas = std::max(sample_ctas, other.sample_ctas);
  partial |= other.partial;
  checks.memory |= other.checks.memory;
  checks.race |= other.checks.race;
  checks.sync |= other.checks.sync;
  checks.same_value |= other.checks.same_value;
  findings.insert(findings.end(), other.findings.begin(), other.findings.end());
  running.insert(running.end(), other.running.begin(), other.running.end());
  for (const Kernel& kernel : other.kernels) add_kernel(kernels, kernel);
  for (const FailedLaunches& failure : other.failed) add_failed(failure.kernel, failure.reason, failure.launches);
}

}  // namespace bankshot::report

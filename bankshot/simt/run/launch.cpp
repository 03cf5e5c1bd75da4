#include "bankshot/simt/run/launch.hpp"

#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <limits>
#include <optional>

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/run/cta_sample.hpp"
#include "bankshot/simt/state/reserved_shared.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

constexpr uint64_t kCallRegisterStack = 8 << 20;  // of a warp, behind the kernel's own; touched as far as calls nest
constexpr uint64_t kTellAfter = 1 << 16;          // warp instructions of a worker: about a millisecond

}  // namespace

Worker make_worker(const LaunchSetup& setup, const Launch& launch, bool parallel) {
  const LoadedProgram& program = *setup.program;
  const FunctionInfo& kernel = program.functions[setup.function];
  Worker worker;
  worker.launch = &launch;
  worker.program = &program;
  worker.memory = setup.memory;
  worker.textures = setup.textures;
  worker.native = setup.native;
  worker.parallel = parallel;
  worker.counting = setup.options->count_conflicts;
  worker.warp_size = setup.options->machine.warp_size;
  worker.sms = std::max(1u, setup.options->machine.sms);
  worker.register_stack = kernel.register_bytes + (kernel.has_calls ? kCallRegisterStack : 64);
  worker.local_stack =
      kernel.local_bytes + (kernel.has_calls || kernel.has_alloca ? setup.options->machine.stack_bytes : 0);
  if (worker.counting) worker.sites.resize(program.sites.size());
  if (worker.counting && program.has_tiles) worker.tiles.emplace(launch.shared_bytes, program.sites.size());
  for (size_t site = 0; site < worker.sites.size(); ++site) {
    const bool may_be_of_tiles = worker.tiles && !program.sites[site].operands;
    worker.sites[site].trace =
        scratchpad::AccessTrace(std::max(setup.options->trace_accesses, may_be_of_tiles ? kTileAccesses : size_t{0}));
  }
  if (worker.counting && setup.options->l1) {
    worker.l1_sites.resize(program.l1_sites.size());
    worker.l1 = &*setup.options->l1;
  }
  worker.rules = setup.rules;
  worker.hashes = program.hash_of_site;
  worker.observer = setup.options->observer;
  worker.checks = setup.options->checks;
  worker.tx_config = &setup.options->machine.transactions;
  worker.windows = setup.windows;
  return worker;
}

void print(std::vector<Output>& outputs) {
  std::sort(outputs.begin(), outputs.end(), [](const Output& a, const Output& b) { return a.cta < b.cta; });
  for (const Output& output : outputs) std::fwrite(output.text.data(), 1, output.text.size(), stdout);
  outputs.clear();
}

void keep_output(Cta& cta, std::vector<Output>& outputs) {
  if (!cta.output.empty()) outputs.push_back({cta.linear, std::move(cta.output)});
  cta.output.clear();
}

namespace {

/// Counts the finished CTAs for EngineOptions::progress; does nothing without it.
class Progress {
 public:
  /// CTAs of one worker that have not been reported, and its instructions at its last report.
  struct Share {
    uint64_t ctas = 0, told_at = 0;
  };

  /// @param ctas  that are to run
  Progress(const std::function<void(const LaunchProgress&)>& tell, uint64_t ctas, bool parallel)
      : tell_(tell), ctas_(ctas), parallel_(parallel) {}

  /// @param ctas  that have ended since the last call
  void update(const Worker& worker, Share& share, uint64_t ctas) {
    share.ctas += ctas;
    if (worker.warp_instructions - share.told_at < kTellAfter || !tell_) return;
    const uint64_t ran = worker.warp_instructions - share.told_at;
    tell_({.ctas_done = done_.fetch_add(share.ctas, std::memory_order_relaxed) + share.ctas,
           .ctas = ctas_,
           .warp_instructions = ran_.fetch_add(ran, std::memory_order_relaxed) + ran,
           .parallel = parallel_});
    share = {0, worker.warp_instructions};
  }
  void launch_done() const {
    if (!tell_) return;
    tell_({.ctas_done = ctas_,
           .ctas = ctas_,
           .warp_instructions = ran_.load(std::memory_order_relaxed),
           .parallel = parallel_});
  }

 private:
  const std::function<void(const LaunchProgress&)>& tell_;
  const uint64_t ctas_;
  const bool parallel_;
  std::atomic<uint64_t> done_{0}, ran_{0};
};

bool is_set(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(std::memory_order_relaxed); }

/// Clusters that cannot see each other, on all cores. Where a launch has none a CTA is one.
class Parallel {
 public:
  /// Clusters [begin, end) of the launch, or of the sample. @param sample  null: of the launch
  /// @param stop  see EngineOptions
  Parallel(uint64_t begin, uint64_t end, const CtaSample* sample, std::vector<Worker>& workers,
           LaunchResources& resources, Progress& progress, const std::atomic<bool>* stop)
      : sample_(sample),
        end_(end),
        workers_(workers),
        resources_(resources),
        progress_(progress),
        stop_(stop),
        outputs_(workers.size()),
        next_(begin) {
    chunk_ = std::clamp<uint64_t>((end - begin) / (workers_.size() * 16), 1, 64);
    for (SlotPool& slots : resources.slots) slots.begin_launch();
  }

  /// @param all  receives what they printed @return the worker of the lowest cluster that faulted; null if there was
  /// none
  const Worker* run(std::vector<Output>& all) {
    resources_.pool.run(static_cast<unsigned>(workers_.size()), [&](unsigned k) { work(k); });
    progress_.launch_done();
    const Worker* faulty = nullptr;
    for (size_t k = 0; k < workers_.size(); ++k) {
      // Which clusters above the fault ran depends on the host; what they printed must not.
      std::erase_if(outputs_[k], [&](const Output& output) { return cluster_of(output.cta) > fault_; });
      std::move(outputs_[k].begin(), outputs_[k].end(), std::back_inserter(all));
      if (faulted_[k] == fault_ && fault_ != kNone) faulty = &workers_[k];
    }
    return faulty;
  }

  /// CTAs that came to their end.
  uint64_t ended() const { return ended_.load(); }
  /// What the clusters of a sample counted.
  ClusterSpread spread() const {
    ClusterSpread all;
    for (const ClusterSpread& one : spreads_) all.merge(one);
    return all;
  }

 private:
  static constexpr uint64_t kNone = std::numeric_limits<uint64_t>::max();

  uint64_t cluster_of(uint64_t cta) const {
    const Launch& launch = *workers_[0].launch;
    const Dim3& grid = launch.config->grid;
    return in_cluster(launch, {static_cast<uint32_t>(cta % grid.x), static_cast<uint32_t>(cta / grid.x % grid.y),
                               static_cast<uint32_t>(cta / grid.x / grid.y)})
        .linear;
  }

  void work(unsigned k) {
    const unsigned mxcsr = _mm_getcsr();
    _mm_setcsr(kDefaultMxcsr);
    Worker& worker = workers_[k];
    Residents residents(worker, resources_.slots[k]);
    Progress::Share share;
    while (!is_set(stop_)) {
      const uint64_t begin = next_.fetch_add(chunk_);
      if (begin >= end_) break;
      for (uint64_t at = begin; at < std::min(end_, begin + chunk_); ++at) {
        const uint64_t cluster = sample_ == nullptr ? at : (*sample_)[at];
        // A cluster below the lowest fault still has to run: its own fault would come first.
        if (cluster > fault_.load() || is_set(stop_)) break;
        const CtaSlot::Turn last = run_one(residents, cluster, share);
        residents.for_each([&](Cta& cta) { keep_output(cta, outputs_[k]); });
        if (last == CtaSlot::Turn::done) {
          ended_.fetch_add(residents.size(), std::memory_order_relaxed);
          if (sample_ != nullptr) spreads_[k].ran(worker);
          progress_.update(worker, share, residents.size());
          continue;
        }
        if (last != CtaSlot::Turn::faulted) break;
        faulted_[k] = cluster;
        uint64_t lowest = fault_.load();
        while (cluster < lowest && !fault_.compare_exchange_weak(lowest, cluster)) {
        }
        _mm_setcsr(mxcsr);
        return;
      }
    }
    _mm_setcsr(mxcsr);
  }

  /// @return `waiting` if it was stopped
  CtaSlot::Turn run_one(Residents& residents, uint64_t cluster, Progress::Share& share) {
    residents.start(cluster);
    for (;;) {
      const CtaSlot::Turn turn = residents.turn(stop_);
      if (turn != CtaSlot::Turn::waiting || is_set(stop_)) return turn;
      progress_.update(residents.worker(), share, 0);
    }
  }

  const CtaSample* const sample_;
  uint64_t end_, chunk_ = 1;
  std::vector<Worker>& workers_;
  LaunchResources& resources_;
  Progress& progress_;
  const std::atomic<bool>* stop_;
  std::vector<std::vector<Output>> outputs_;
  std::vector<ClusterSpread> spreads_ = std::vector<ClusterSpread>(workers_.size());
  std::vector<uint64_t> faulted_ = std::vector<uint64_t>(workers_.size(), kNone);
  std::atomic<uint64_t> next_, fault_{kNone}, ended_{0};
};

/// How many CTAs join in a round. One, when those before it could not finish without waiting; where they wait for
/// others, as at a barrier of the grid, more and more. A cooperative launch has all of them at once, as it says itself.
class Joining {
 public:
  explicit Joining(bool cooperative) : at_once_(cooperative ? std::numeric_limits<uint64_t>::max() : 1) {}
  uint64_t at_once() const { return at_once_; }
  /// @param finished  whether a CTA came to its end
  void round_done(bool finished) {
    constexpr unsigned kPatience = 16;
    idle_ = finished ? 0 : idle_ + 1;
    if (idle_ >= kPatience && at_once_ <= std::numeric_limits<uint64_t>::max() / 2) at_once_ *= 2;
    if (finished && at_once_ != std::numeric_limits<uint64_t>::max()) at_once_ = 1;
  }

 private:
  uint64_t at_once_;
  unsigned idle_ = 0;  ///< rounds in which none finished
};

/// CTAs that can see each other: one fixed interleaving on this thread, round robin by warp over the resident CTAs.
/// A cluster joins when those before it could not finish without waiting, unless one that runs has taken it over.
/// @param most  CTAs that are resident at once @param stop  see EngineOptions
/// @return CTAs that came to their end; none if a CTA faulted
std::optional<uint64_t> run_interleaved(UnstartedClusters& unstarted, uint64_t most, Worker& worker, SlotPool& slots,
                                        Progress& progress, const std::atomic<bool>* stop) {
  const unsigned mxcsr = _mm_getcsr();
  _mm_setcsr(kDefaultMxcsr);
  std::vector<Output> outputs;
  std::deque<Residents> all;
  std::vector<Residents*> resident, idle;
  uint64_t ended = 0;
  bool fine = true;
  Progress::Share share;
  const uint64_t size = cluster_size(*worker.launch->config);
  Joining joining(worker.launch->config->cooperative);
  const auto has_room = [&] { return resident.empty() || (resident.size() + 1) * size <= most; };
  while (fine && !is_set(stop) && (unstarted.next < unstarted.end || !resident.empty())) {
    for (uint64_t k = 0; k < joining.at_once() && unstarted.next < unstarted.end && has_room(); ++k) {
      if (idle.empty()) idle.push_back(&all.emplace_back(worker, slots));
      resident.push_back(idle.back());
      idle.pop_back();
      resident.back()->start(unstarted.next++);
    }
    const size_t before = resident.size();
    for (size_t k = 0; fine && !is_set(stop) && k < resident.size();) {
      const CtaSlot::Turn turn = resident[k]->turn(stop);
      if (turn == CtaSlot::Turn::waiting) {
        progress.update(worker, share, 0);
        ++k;
        continue;
      }
      fine = turn == CtaSlot::Turn::done;
      if (fine) ended += size;
      progress.update(worker, share, size);
      resident[k]->for_each([&](Cta& cta) { keep_output(cta, outputs); });
      idle.push_back(resident[k]);
      resident.erase(resident.begin() + static_cast<ptrdiff_t>(k));
    }
    joining.round_done(resident.size() != before);
  }
  // A launch that was stopped or faulted: what its other CTAs have printed so far.
  for (Residents* const left : resident) left->for_each([&](Cta& cta) { keep_output(cta, outputs); });
  progress.launch_done();
  print(outputs);
  _mm_setcsr(mxcsr);
  if (!fine) return std::nullopt;
  return ended + unstarted.taken * size;
}

/// Asked for once: finding out reads a file.
unsigned host_threads() {
  static const unsigned threads = std::thread::hardware_concurrency();
  return threads;
}

/// One a host thread, with storage for their CTAs.
/// @param clusters  that are to run
std::vector<Worker> make_workers(const LaunchSetup& setup, const Launch& launch, uint64_t clusters,
                                 LaunchResources& resources) {
  const bool isolated = is_isolated(setup);
  unsigned threads = setup.options->threads != 0 ? setup.options->threads : host_threads();
  if (setup.options->checks != nullptr || !isolated) threads = 1;
  threads = static_cast<unsigned>(std::clamp<uint64_t>(clusters, 1, std::max(1u, threads)));
  while (resources.slots.size() < threads) resources.slots.emplace_back();
  std::vector<Worker> workers;
  workers.reserve(threads);
  for (unsigned k = 0; k < threads; ++k) workers.push_back(make_worker(setup, launch, isolated));
  return workers;
}

}  // namespace

bool is_isolated(const LaunchSetup& setup) { return setup.program->functions[setup.function].isolated; }

Launch begin_launch(const LaunchSetup& setup) {
  Launch launch;
  launch.config = setup.config;
  launch.kernel = setup.kernel;
  launch.params = setup.params;
  launch.grid_workspace = setup.grid_workspace;
  launch.function = setup.function;
  const Dim3 grid = setup.config->grid, cluster = setup.config->cluster;
  launch.clusters = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  launch.shared_bytes = all_shared(*setup.program, setup.function, own_shared(*setup.kernel, *setup.config));
  // A joined load may read past the last word; the value is unused, and hardware has memory there.
  if (setup.options->machine_code != 0) launch.shared_bytes = round_up(launch.shared_bytes, 16u);
  return launch;
}

namespace {

/// The CTAs of a launch that run.
struct Plan {
  CtaSample sample;
  std::string why_all;  ///< why not the sample that is wanted; empty: it is that
};

Plan plan_of(const LaunchSetup& setup, uint64_t clusters) {
  const uint64_t size = cluster_size(*setup.config);
  const CtaSample all(clusters, size, 0), wanted(clusters, size, setup.options->sample_ctas);
  if (wanted.is_all() || setup.options->checks != nullptr) return {all, {}};
  if (setup.config->cooperative) return {all, "the launch is cooperative, so each CTA may wait for all others"};
  const std::string& why_all = setup.program->functions[setup.function].why_all_ctas;
  if (!why_all.empty()) return {all, "its CTAs may wait for each other or share work: " + why_all};
  return {wanted, {}};
}

}  // namespace

Result<LaunchStats, Fault> run_launch(const LaunchSetup& setup, LaunchResources& resources) {
  Launch launch = begin_launch(setup);
  const uint64_t clusters = launch.clusters.count(), size = cluster_size(*setup.config);
  Plan plan = plan_of(setup, clusters);
  const CtaSample& sample = plan.sample;
  const uint64_t ctas = sample.count() * size;
  UnstartedClusters unstarted{.end = clusters};
  const bool one_by_one = is_isolated(setup) || !sample.is_all();
  if (!one_by_one) launch.unstarted = &unstarted;
  std::vector<Worker> workers = make_workers(setup, launch, sample.count(), resources);
  Progress progress(setup.options->progress, ctas, is_isolated(setup) && setup.options->checks == nullptr);
  const std::atomic<bool>* const stop = setup.options->stop;
  uint64_t ended = 0;
  ClusterSpread spread;
  if (one_by_one) {
    std::vector<Output> outputs;
    Parallel parallel(0, sample.count(), sample.is_all() ? nullptr : &sample, workers, resources, progress, stop);
    const Worker* const faulty = parallel.run(outputs);
    print(outputs);
    if (faulty != nullptr) return faulty->fault;
    ended = parallel.ended();
    spread = parallel.spread();
  } else {
    resources.slots[0].begin_launch();
    const uint64_t most = setup.config->cooperative ? ctas : setup.options->machine.resident_ctas;
    const auto all = run_interleaved(unstarted, most, workers[0], resources.slots[0], progress, stop);
    if (!all) return workers[0].fault;
    ended = *all;
  }
  std::vector<Worker*> all;
  for (Worker& worker : workers) all.push_back(&worker);
  LaunchStats stats = collect(setup, all);
  stats.ctas_ended = ended;
  stats.stopped = ended != ctas;
  if (!sample.is_all() && !stats.stopped) stats.sampled = {clusters * size, ctas, spread.errors(clusters)};
  stats.why_all_ctas = std::move(plan.why_all);
  return stats;
}

ClusterRunner::ClusterRunner(const LaunchSetup& setup, const Launch& launch, LaunchResources& resources)
    : resources_(resources), workers_(make_workers(setup, launch, launch.clusters.count(), resources)) {}

const Fault* ClusterRunner::run(uint64_t begin, uint64_t end, std::vector<Output>& outputs) {
  static const std::function<void(const LaunchProgress&)> nobody;
  Progress progress(nobody, end - begin, true);
  const Worker* const faulty = Parallel(begin, end, nullptr, workers_, resources_, progress, nullptr).run(outputs);
  return faulty == nullptr ? nullptr : &faulty->fault;
}

}  // namespace bankshot::simt

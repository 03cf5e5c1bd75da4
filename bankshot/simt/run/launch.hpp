// One launch: the workers, the order of CTAs, the merge of what they counted.
#pragma once

#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "bankshot/simt/run/resident.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::simt {

/// Kept from launch to launch: threads, and storage for CTAs.
struct LaunchResources {
  ThreadPool pool;
  std::deque<SlotPool> slots;  ///< by worker
};

struct LaunchSetup {
  const EngineOptions* options = nullptr;
  LoadedProgram* program = nullptr;
  Memory* memory = nullptr;
  const TextureTable* textures = nullptr;
  Windows windows;
  const LaunchConfig* config = nullptr;
  const scratchpad::Rules* rules = nullptr;  ///< under which accesses are counted
  const KernelInfo* kernel = nullptr;
  uint32_t function = 0;
  const std::byte* params = nullptr;
  uint64_t grid_workspace = 0;      ///< address, if the launch is cooperative
  NativeProgram* native = nullptr;  ///< null: everything is interpreted
};

// The parts of a launch, for who drives its CTAs otherwise.

/// Whether clusters of the kernel cannot see each other.
bool is_isolated(const LaunchSetup& setup);
/// What the workers of a launch share. Refers to the setup.
Launch begin_launch(const LaunchSetup& setup);
/// Different accesses of an instruction that are kept in programs with tiles, to be priced in other swizzles.
inline constexpr size_t kTileAccesses = 512;
/// A worker without CTAs. Refers to both.
Worker make_worker(const LaunchSetup& setup, const Launch& launch, bool parallel);
/// Adds up what the workers counted; their sites are merged into the first one's.
LaunchStats collect(const LaunchSetup& setup, std::span<Worker* const> workers);

/// What a CTA printed.
struct Output {
  uint64_t cta;
  std::string text;
};
/// Takes what the CTA printed, if anything.
void keep_output(Cta& cta, std::vector<Output>& outputs);
/// Prints it in the order of the CTAs.
void print(std::vector<Output>& outputs);

/// The state of the floating-point unit in which handlers expect to begin: to nearest, subnormals kept.
constexpr unsigned kDefaultMxcsr = FpMode::kMxcsr[FpMode::kNearest];

Result<LaunchStats, Fault> run_launch(const LaunchSetup& setup, LaunchResources& resources);

/// Runs clusters of a kernel whose CTAs cannot see each other (FunctionInfo::isolated), some at a time, on all host
/// threads, for who runs the others otherwise. Where a launch has no clusters a CTA is one.
class ClusterRunner {
 public:
  /// What it is given must outlive it.
  ClusterRunner(const LaunchSetup& setup, const Launch& launch, LaunchResources& resources);

  /// Runs clusters [begin, end). @param outputs  receives what they printed
  /// @return the fault of the lowest one that had any, valid as long as this; null if none had
  const Fault* run(uint64_t begin, uint64_t end, std::vector<Output>& outputs);
  std::vector<Worker>& workers() { return workers_; }

 private:
  LaunchResources& resources_;
  std::vector<Worker> workers_;
};

}  // namespace bankshot::simt

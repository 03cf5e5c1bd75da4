// The functional SIMT engine as its users see it: load PTX, launch kernels, get counters or a fault.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/counting/l1_site.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/transactions/tx_config.hpp"
#include "bankshot/scratchpad/transactions/tx_totals.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/run/operand_report.hpp"
#include "bankshot/simt/state/compiled.hpp"
#include "bankshot/simt/state/fault.hpp"
#include "bankshot/simt/state/instruction_hash.hpp"
#include "bankshot/simt/state/kernel.hpp"
#include "bankshot/simt/state/left_open.hpp"
#include "bankshot/simt/state/native.hpp"
#include "bankshot/simt/textures/texture_table.hpp"
#include "bankshot/simt/tiles/swizzle_conflicts.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::optimise {
struct SeenAccesses;
}

namespace bankshot::simt {

/// What the engine needs to know of a GPU.
struct Machine {
  unsigned warp_size = 32;           ///< lanes: 4, 8, 16, 32 or 64
  unsigned sms = 132;                ///< %nsmid
  unsigned resident_ctas = 1024;     ///< CTAs interleaved at once when CTAs can see each other
  uint64_t stack_bytes = 64 * 1024;  ///< local memory and call frames of one thread
  scratchpad::Rules scratchpad;
  scratchpad::TxConfig transactions;  ///< on shared memory
};

class TransactionObserver;  ///< state/worker.hpp
class Checker;              ///< state/checker.hpp

/// Launch progress.
struct LaunchProgress {
  uint64_t ctas_done = 0, ctas = 0;  ///< of those that are to run
  uint64_t warp_instructions = 0;    ///< so far
  bool parallel = true;              ///< more threads would run more CTAs at once
};

struct EngineOptions {
  Machine machine;
  unsigned threads = 0;                  ///< host threads; 0 = all cores
  uint64_t memory_bytes = kMemoryBytes;  ///< what the device has
  bool count_conflicts = true;           ///< collect per-site counters of shared memory
  /// Accesses of shared memory are joined as ptxas joins them for this architecture (75: sm_75); 0: they are those of
  /// the text.
  unsigned machine_code = 0;
  /// For a timing model, with machine_code: instructions are put in the order of machine code, and it is known how many
  /// of its instructions each becomes.
  bool timing = false;
  /// With count_conflicts: accesses of global memory are counted, too, as such a first-level cache serves them. Modules
  /// with transactions are left out.
  std::optional<scratchpad::L1Rules> l1;
  size_t trace_accesses = 0;  ///< with them, up to so many different accesses of each site
  /// When instructions are compiled to code of the host. Not where there are checks, observers or transactions.
  Compile compile = Compile::never;
  /// For tests, with Compile::at_once: not 0 has each place where native code may begin choose at random, by this seed,
  /// between it and the interpreter. With one thread each launch of a fresh program chooses alike.
  uint64_t tier_seed = 0;
  bool tell_compiled = false;               ///< with LaunchStats::compiled
  std::string isa;                          ///< "", "portable", "avx2", "avx512": widest available if empty
  TransactionObserver* observer = nullptr;  ///< called by the threads that run CTAs. For tests
  Checker* checks = nullptr;  ///< what looks for misuse of memory and barriers; then one thread runs all CTAs
  /// Progress callback; may be empty. The threads that run CTAs call it now and then. The launching thread calls it
  /// with ctas_done == ctas when no CTA runs any more, before the output of the kernel is written.
  std::function<void(const LaunchProgress&)> progress;
  /// Of a launch with more CTAs, so many run, rounded up to whole clusters; 0: all. A launch whose CTAs may depend on
  /// each other runs in full, as does any with checks.
  uint64_t sample_ctas = 0;
  /// Null, or looked at before each CTA and each turn of a warp: true stops the launch. Its counters are then of what
  /// ran.
  const std::atomic<bool>* stop = nullptr;
};

/// Counters of one shared-memory instruction.
struct SiteReport {
  Source source;
  std::string op;       ///< "ld.shared.f32": opcode with modifiers
  unsigned joined = 1;  ///< how many instructions of the text it stands for
  unsigned width = 0;   ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool matrix = false;  ///< it moves the lines of a matrix: ldmatrix, stmatrix, wmma
  scratchpad::SiteCounter counter = {};
  std::vector<OperandReport> operands = {};     ///< by layout: what a product read by matrix descriptors
  std::vector<SwizzleConflicts> swizzles = {};  ///< its accesses to tiles that products read so, by their swizzle
};

/// Counters of one instruction that accesses global memory.
struct L1SiteReport {
  Source source;
  std::string op;      ///< "ld.global.f32": opcode with modifiers
  unsigned width = 0;  ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool reads = false;  ///< a load that looks for its data in the first-level cache
  scratchpad::L1Totals totals;
};

/// A launch of which a sample of the CTAs ran. Its counters are of these.
struct SampledCtas {
  uint64_t ctas = 0, ran = 0;
  /// Of estimates for all CTAs, counters times ctas / ran: half of the interval in which the counter of all CTAs lies
  /// in 95 % of all samples, by the spread of the clusters that ran.
  struct Errors {
    double warp_instructions = 0, wavefronts = 0, conflicts = 0;
  } errors;
};

struct LaunchStats {
  uint64_t warp_instructions = 0;      ///< PTX instructions issued, one a warp
  uint64_t thread_instructions = 0;    ///< … times the lanes active (before the guard predicate)
  uint64_t ctas_ended = 0;             ///< all that were to run, unless the launch was stopped
  bool stopped = false;                ///< EngineOptions::stop ended it before its last CTA
  std::optional<SampledCtas> sampled;  ///< with EngineOptions::sample_ctas, if not all CTAs ran and it was not stopped
  std::string why_all_ctas;  ///< … why all ran although there are more; empty: there are not, or it is sampled
  bool parallel = true;      ///< CTAs ran in parallel; false: fixed interleaving, as they can see each other
  std::string why_serial;    ///< the instruction that decided it, if not parallel
  scratchpad::TxTotals transactions;
  std::vector<DeviceLaunch> launched;    ///< by the kernel, in order; to be run now that it has ended
  std::vector<LeftOpenPlace> left_open;  ///< that it relied on, each once
  std::vector<SiteReport> sites;         ///< one a shared-memory instruction of the module that ran at least once
  std::vector<L1SiteReport> l1_sites;  ///< the same of instructions that accessed global memory, with EngineOptions::l1
  /// With EngineOptions::tell_compiled: what was compiled since the last launch of the kernel.
  std::optional<Compiled> compiled;
  std::string compiler_fault;  ///< empty, or why nothing is compiled although it should be
};

class Program;       ///< a decoded module; its globals live in the engine's memory until it is destroyed
struct LaunchSetup;  ///< launch.hpp: what a launch starts from

class Engine {
 public:
  explicit Engine(EngineOptions options);
  ~Engine();

  Memory& memory();
  TextureTable& textures();
  const EngineOptions& options() const;
  /// Stretches of all programs whose native code is kept.
  size_t native_stretches() const;

  /// Parses, checks and decodes a module and allocates its globals. What cannot run is refused here, naming
  /// instruction, line and kernel. @param name  shown in messages as the file
  /// @param seen  accesses of machine code that is taken at its word, where accesses are joined; null: none
  Result<std::shared_ptr<Program>, Diagnostics> load(std::string_view ptx, std::string_view name,
                                                     const optimise::SeenAccesses* seen = nullptr);

  /// Runs a kernel to its end. Not thread-safe: the caller serialises launches.
  /// @return counters, partial if EngineOptions::stop ended it; or the fault of the lowest CTA that had one
  Result<LaunchStats, Fault> launch(Program& program, std::string_view kernel, const LaunchConfig& config);

  /// The same for who runs the CTAs themselves, as a timing model does: parameters are in place, nothing runs.
  Result<LaunchSetup, Fault> set_up(Program& program, std::string_view kernel, const LaunchConfig& config);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Gives instructions of a kernel their own hashes, for all launches from now on. Its other instructions, which keep
/// the machine's, must keep off the blocks of words in which these hashes move words; a fault where one does not. What
/// functions that it calls access is not checked.
/// @param rules  of the machine
void set_hashes(Program& program, std::string_view kernel, const scratchpad::Rules& rules,
                std::vector<InstructionHash> hashes);

const std::vector<KernelInfo>& kernels(const Program& program);
const std::vector<GlobalInfo>& globals(const Program& program);

}  // namespace bankshot::simt

// The functional SIMT engine as its users see it: load PTX, launch kernels, get counters or a fault.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/scratchpad/transactions/tx_config.hpp"
#include "bankshot/scratchpad/transactions/tx_totals.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/simt/textures/texture_table.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::simt {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  bool operator==(const Dim3&) const = default;
};

/// What the engine needs to know of a GPU.
struct Machine {
  unsigned warp_size = 32;           ///< lanes: 4, 8, 16, 32 or 64
  unsigned sms = 132;                ///< %nsmid
  unsigned resident_ctas = 1024;     ///< CTAs interleaved at once when CTAs can see each other
  uint64_t stack_bytes = 64 * 1024;  ///< local memory and call frames of one thread
  scratchpad::Rules scratchpad;
  scratchpad::TxConfig transactions;  ///< on shared memory
};

class TransactionObserver;  ///< warp.hpp
class Checks;               ///< checks.hpp

struct EngineOptions {
  Machine machine;
  unsigned threads = 0;                        ///< host threads; 0 = all cores
  uint64_t memory_bytes = uint64_t{16} << 30;  ///< what the device has
  bool count_conflicts = true;                 ///< collect per-site counters of shared memory
  size_t trace_accesses = 0;                   ///< with them, up to so many different accesses of each site
  std::string isa;                             ///< "", "portable", "avx2", "avx512": widest available if empty
  TransactionObserver* observer = nullptr;     ///< told by the threads that run CTAs. For tests
  Checks* checks = nullptr;  ///< what looks for misuse of memory and barriers; then one thread runs all CTAs
  /// Told how far a launch is, or empty: now and then when CTAs have ended, by the threads that ran them, and with
  /// done == ctas by the launching thread when no CTA runs any more, before what the kernel printed is written.
  std::function<void(uint64_t done, uint64_t ctas)> progress;
};

/// A place in the program text.
struct Source {
  std::string file;       ///< of .file/.loc, empty if the PTX has no line information
  uint32_t line = 0;      ///< in that file
  uint32_t ptx_line = 0;  ///< in the PTX text
};

/// What stopped a kernel.
struct Fault {
  enum class Kind {
    illegal_address,    ///< outside every allocation, or of a freed one
    misaligned,         ///< not a multiple of the access size
    out_of_shared,      ///< outside the CTA's shared memory
    out_of_local,       ///< outside the thread's local memory or stack
    deadlock,           ///< all live warps blocked
    divergent_barrier,  ///< lanes of one CTA wait at barriers that can never complete
    trap,               ///< trap instruction
    assertion,          ///< __assertfail
    bad_call,           ///< indirect call to something that is not a function
    bad_barrier,        ///< an mbarrier that was not set up, or more arrivals than it expects
    bad_copy,           ///< an asynchronous copy of a size or to an address that it cannot have
    bad_transaction,    ///< a barrier or the like in a transaction, or a commit without one
    partial_warp,       ///< an instruction that all lanes of a warp execute alike, and some did not
  };
  Kind kind = Kind::illegal_address;
  std::string message;  ///< whole sentence(s) with kernel, source line, CTA, thread and address
  std::string kernel;
  Source source;
  Dim3 cta, thread;
  uint64_t address = 0;
};

/// Counters of one shared-memory instruction.
struct SiteReport {
  Source source;
  std::string op;      ///< "ld.shared.f32": opcode with modifiers
  unsigned width = 0;  ///< bytes a lane
  scratchpad::SiteCounter counter;
};

/// A launch by a kernel.
struct DeviceLaunch {
  std::string kernel;
  Dim3 grid, block;
  uint32_t dynamic_shared = 0;  ///< bytes
  std::vector<std::byte> params;
  bool tail = false;  ///< comes when all else that the launching grid launched has ended
};

struct LaunchStats {
  uint64_t warp_instructions = 0;    ///< PTX instructions issued, one a warp
  uint64_t thread_instructions = 0;  ///< … times the lanes active (before the guard predicate)
  bool parallel = true;              ///< CTAs ran in parallel; false: fixed interleaving, as they can see each other
  std::string why_serial;            ///< the instruction that decided it, if not parallel
  scratchpad::TxTotals transactions;
  std::vector<DeviceLaunch> launched;  ///< by the kernel, in order; to be run now that it has ended
  std::vector<SiteReport> sites;       ///< one a shared-memory instruction of the module that ran at least once
};

struct ParamInfo {
  uint32_t offset = 0, size = 0;  ///< bytes in the parameter buffer
};

/// A static .shared variable that a kernel sees.
struct SharedInfo {
  std::string name;
  uint32_t offset = 0, size = 0;  ///< bytes, from the start of shared memory
};

/// An entry of a loaded module.
struct KernelInfo {
  std::string name;
  std::vector<ParamInfo> params;
  uint32_t param_bytes = 0;
  uint32_t static_shared = 0;      ///< bytes
  std::vector<SharedInfo> shared;  ///< module scope first, then its own
  uint32_t dynamic_base = 0;       ///< offset at which dynamic shared memory starts
  uint32_t local_bytes = 0;        ///< bytes a thread, in this function
  bool has_transactions = false;   ///< it, or a function of its module
  uint32_t registers = 0;          ///< 32-bit registers a thread: most live at once, see register_need.hpp; 16 to 255;
                                   ///< what a launch takes: cuda/launch.hpp
  uint32_t max_threads = 1024;     ///< .maxntid / .reqntid product, else 1024
  bool has_launch_bounds = false;  ///< .maxntid or .reqntid: the compiler knew max_threads
  uint32_t least_ctas = 1;         ///< .minnctapersm: that the compiler was to fit on an SM
  std::array<uint32_t, 3> required_block{};    ///< .reqntid, zeros if none
  std::array<uint32_t, 3> required_cluster{};  ///< .reqnctapercluster, zeros if none
  bool explicit_cluster = false;               ///< .explicitcluster: a launch has to say how large clusters are
  uint32_t most_cluster = 0;                   ///< .maxclusterrank: CTAs of a cluster at the most; 0: not said
  uint32_t target = 0;                         ///< of .target: 75 for sm_75, 90 for sm_90a; 0 if it names no sm_
};

/// A .global or .const variable of a loaded module, at its device address.
struct GlobalInfo {
  std::string name;
  uint64_t address = 0;
  uint64_t size = 0;
  bool constant = false;
  bool managed = false;
  std::string opaque;  ///< "texref" or "surfref": its address is a handle, of which nothing is stored
};

struct LaunchConfig {
  Dim3 grid, block;
  Dim3 cluster;                       ///< CTAs of a cluster: they are resident together. The grid is a multiple
  bool explicit_cluster = false;      ///< somebody asked for clusters, of one CTA perhaps: %is_explicit_cluster
  uint32_t dynamic_shared = 0;        ///< bytes
  bool cooperative = false;           ///< all CTAs are resident at once, and the kernel may wait for its whole grid
  std::span<const std::byte> params;  ///< KernelInfo::param_bytes bytes
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

  /// Parses, checks and decodes a module and allocates its globals. What cannot run is refused here, naming
  /// instruction, line and kernel. @param name  shown in messages as the file
  Result<std::shared_ptr<Program>, Diagnostics> load(std::string_view ptx, std::string_view name);

  /// Runs a kernel to its end. Not thread-safe: the caller serialises launches.
  /// @return counters, or the fault of the lowest CTA that had one
  Result<LaunchStats, Fault> launch(Program& program, std::string_view kernel, const LaunchConfig& config);

  /// The same for who runs the CTAs themselves, as a timing model does: parameters are in place, nothing runs.
  Result<LaunchSetup, Fault> set_up(Program& program, std::string_view kernel, const LaunchConfig& config);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

const std::vector<KernelInfo>& kernels(const Program& program);
const std::vector<GlobalInfo>& globals(const Program& program);

}  // namespace bankshot::simt

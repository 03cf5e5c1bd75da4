// What a run of a program did to shared memory: kernels, their counters, their sites. Plain data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/agreement/difference.hpp"
#include "bankshot/report/run/kernel_timing.hpp"
#include "bankshot/scratchpad/counting/l1_site.hpp"
#include "bankshot/scratchpad/counting/site.hpp"
#include "bankshot/simt/checks/finding.hpp"
#include "bankshot/simt/run/engine.hpp"

namespace bankshot::report {

/// One shared-memory instruction. Addresses of the worst access are whole words: times 4, whatever the width.
struct Site {
  simt::Source source;
  std::string op;       ///< "ld.shared.f32"
  unsigned joined = 1;  ///< how many of them machine code makes one access
  unsigned width = 0;   ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool matrix = false;  ///< it moves the lines of a matrix: ldmatrix, stmatrix, wmma
  scratchpad::SiteTotals totals;
  std::optional<scratchpad::BankHash> hash = {};  ///< of its own, under which it was counted
};

/// One instruction that accesses global memory.
struct L1Site {
  simt::Source source;
  std::string op;      ///< "ld.global.f32"
  unsigned width = 0;  ///< bytes a lane
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  bool reads = false;  ///< a load that looks for its data in the first-level cache
  scratchpad::L1Totals totals;
};

struct SharedTotals {
  uint64_t accesses = 0, wavefronts = 0, ideal_wavefronts = 0;
  uint64_t conflicts() const { return wavefronts - ideal_wavefronts; }
};

/// What tells kernels of one name apart that come from different modules.
struct ModuleId {
  std::string digest;  ///< of the PTX: the same in all processes and however often it is loaded; empty if not known
  std::string file;    ///< source file, or empty
};

/// What was asked for the accesses of a kernel: --machine-code.
struct MachineCode {
  enum class From : uint8_t {
    model,    ///< there is none: they are those that the model of ptxas expects
    program,  ///< of the program, for exactly this GPU
    ptxas,    ///< that an installed ptxas made of the PTX that ran
  };
  From from = From::model;
  std::string reason = {};  ///< why it is not of the program, nor by ptxas; one line, empty if it is of the program
  std::vector<agreement::Difference> differences = {};
  uint64_t not_compared = 0;  ///< accesses of shared memory in the PTX: agreement::Kernel::not_compared
};
inline constexpr std::array kMachineCodeFrom{MachineCode::From::program, MachineCode::From::ptxas,
                                             MachineCode::From::model};
/// "program", "ptxas", "model"
std::string_view name(MachineCode::From from);

/// What is known of a kernel before it runs.
struct KernelFacts {
  unsigned registers = 0;        ///< per thread; 0: not known
  bool registers_known = false;  ///< machine code has as many; otherwise an estimate
  std::optional<MachineCode> machine_code;
};

/// Launches that were stopped before their end, by Ctrl-C: counters are of what ran.
struct StoppedLaunches {
  uint64_t launches = 0;
  uint64_t ctas_ended = 0, ctas = 0;  ///< of their grids
};

struct Kernel {
  std::string name;       ///< as in the PTX
  std::string demangled;  ///< as in the source
  ModuleId module;
  KernelFacts facts;  ///< registers are those of the first launch
  uint64_t launches = 0;
  simt::Dim3 grid, block;  ///< of the first launch
  bool launch_shapes_vary = false;
  uint64_t warp_instructions = 0, thread_instructions = 0;
  StoppedLaunches stopped;  ///< simulated ones are in KernelTiming
  bool parallel = true;     ///< every launch ran its CTAs in parallel
  std::string why_serial;   ///< the instruction that decided otherwise
  scratchpad::TxTotals transactions;
  std::optional<simt::Compiled> compiled;      ///< if that was to be told
  std::vector<simt::LeftOpenPlace> left_open;  ///< what PTX leaves open and it relied on, each once
  std::vector<Site> sites;                     ///< by place in the PTX
  std::vector<L1Site> l1_sites;                ///< the same of global memory, if RunReport::l1 is there
  std::optional<KernelTiming> timing;          ///< if its launches were simulated

  SharedTotals shared() const;
  scratchpad::L1Sums<uint64_t> l1() const;  ///< of all l1_sites
};

/// Launches of one kernel that were refused or did not come to their end, for one reason.
struct FailedLaunches {
  std::string kernel;     ///< as in the PTX
  std::string demangled;  ///< as in the source
  std::string reason;     ///< one line
  uint64_t launches = 0;
};

struct RunReport {
  std::string program;
  std::string gpu;  ///< its name
  unsigned warp_size = 32;
  unsigned machine_code = 0;  ///< accesses are joined as for this architecture (90: sm_90); 0: as the PTX has them
  bool checked = false;       ///< --machine-code: kernels tell what their accesses were held against
  scratchpad::Rules rules;
  std::string instruction_hashes;           ///< file with the hashes of single instructions; empty: none had any
  std::vector<std::string> without_hashes;  ///< kernels that accessed shared memory and are not in it, as in the source
  std::optional<scratchpad::L1Rules> l1;    ///< if accesses of global memory were counted
  std::optional<SimulatedMachine> machine;  ///< if the launches were simulated
  bool partial = false;                     ///< the program did not come to its end
  uint64_t lost = 0;                        ///< files of its processes that are missing; then it is partial, too
  std::vector<std::string> running;         ///< kernels that ran when their processes ended, as in the PTX
  std::vector<Kernel> kernels;              ///< in the order of their first launches
  simt::CheckOptions checks;                ///< what was looked for
  std::vector<simt::Finding> findings;      ///< … and found, in that order
  std::vector<FailedLaunches> failed;       ///< in the order of the first failures; the kernels do not count these

  /// Whether the numbers lack something that the program did or wanted to do.
  bool is_partial() const { return partial || !failed.empty() || partial_launches() != 0; }
  uint64_t partial_launches() const;  ///< that were stopped
  uint64_t failed_launches() const;

  /// Adds one launch. @param kernel  name as in the PTX @param timing  if it was simulated
  void add(const simt::LaunchStats& stats, std::string_view kernel, simt::Dim3 grid, simt::Dim3 block,
           const ModuleId& module = {}, const timing::LaunchTiming* timing = nullptr, const KernelFacts& facts = {});
  /// Adds launches that failed. @param kernel  name as in the PTX @param reason  its first line is kept
  void add_failed(std::string_view kernel, std::string_view reason, uint64_t launches = 1);
  /// Adds the kernels of another process of the same program.
  void merge(const RunReport& other);
};

/// "scale(float*, int)" of "_Z5scalePfi"; the name itself if it is not a C++ name.
std::string demangle(std::string_view name);

/// How its lanes are served: in transactions as those of atomics, one after the other on each bank.
scratchpad::AccessKind kind_of(const Site& site);

}  // namespace bankshot::report

#include "bankshot/simt/run/engine.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <map>

#include "bankshot/optimise/optimise.hpp"
#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/simt/decode/decoder.hpp"
#include "bankshot/simt/memory/labels.hpp"
#include "bankshot/simt/run/compiling.hpp"
#include "bankshot/simt/run/launch.hpp"
#include "bankshot/simt/state/native.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

constexpr uint64_t kParameterBytes = 64 * 1024;

/// What %envreg1 (high half) and %envreg2 (low half) of a cooperative launch point to: its size, and the counter of the
/// barrier of the grid, which begins at 0. Source: CUDA 13.0, cooperative_groups/details/driver_abi.h
struct GridWorkspace {
  uint32_t bytes, barrier;
};

Fault bad_launch(std::string_view kernel, std::string message) {
  Fault fault;
  fault.kind = Fault::Kind::bad_call;
  fault.kernel = kernel;
  fault.message = std::move(message);
  return fault;
}

/// Why launches of the kernel are interpreted, however long they are; empty: they are compiled.
std::string_view why_interpreted(const EngineOptions& options, const KernelInfo& kernel) {
  if (options.compile == Compile::never) return "compiling is switched off";
  if (options.checks != nullptr || options.observer != nullptr) return "each of its instructions is watched";
  if (options.machine.warp_size != 32) return "only warps of 32 lanes are compiled";
  if (kernel.has_transactions) return "it has transactions";
  return {};
}

/// Aligned memory that nothing is in, or null.
uint64_t reserve(uint64_t bytes, uint64_t alignment) {
  const uint64_t reserved = bytes + alignment;
  void* const base = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return 0;
  const auto begin = reinterpret_cast<uint64_t>(base), first = round_up(begin, alignment), unused = first + bytes;
  if (first != begin) munmap(base, first - begin);
  if (unused != begin + reserved) munmap(reinterpret_cast<void*>(unused), begin + reserved - unused);
  return first;
}

/// So that the lower half of generic addresses is an offset; where addresses are limited, they are aligned as offsets
/// are at least.
Windows reserve_windows() {
  Windows windows;
  windows.shared = reserve(Windows::kAllBytes, uint64_t{1} << 32);
  if (windows.shared == 0) windows.shared = reserve(Windows::kAllBytes, Windows::kSharedBytes);
  if (windows.shared != 0) windows.local = windows.shared + Windows::kClusterBytes;
  return windows;
}

}  // namespace

Program::~Program() {
  if (forget_native) forget_native();
  if (memory == nullptr) return;
  for (const GlobalInfo& global : globals) memory->free(global.address);
}

struct Engine::Impl {
  explicit Impl(EngineOptions given) : options(std::move(given)), memory(options.memory_bytes), compiling(options) {
    // A warp of more than 32 lanes needs rows of 64; smaller warps leave lanes of a row of 32 empty.
    const std::string isa = options.machine.warp_size > 32 ? "wide"
                            : options.isa.empty()          ? std::string(best_isa())
                                                           : options.isa;
    rows = rows_of(isa);
    if (rows == nullptr) rows = rows_of("portable");
    lanes = options.machine.warp_size > 32 ? 64 : 32;
    windows = reserve_windows();
    if (Result<uint64_t> address =
            memory.allocate(kParameterBytes, MemoryKind::module_constant, 256, std::string(kParametersLabel))) {
      params = reinterpret_cast<std::byte*>(*address);
    }
  }
  ~Impl() {
    if (windows.shared != 0) {
      munmap(reinterpret_cast<void*>(windows.shared), Windows::kAllBytes);
    }
  }

  /// Made for the first cooperative launch: where other programs' data lies, and so what simulating them takes, does
  /// not depend on it. Null if the device has no memory left.
  GridWorkspace* workspace() {
    if (grid_workspace != nullptr) return grid_workspace;
    if (Result<uint64_t> address =
            memory.allocate(sizeof(GridWorkspace), MemoryKind::module_global, 256, "grid barrier")) {
      grid_workspace = reinterpret_cast<GridWorkspace*>(*address);
    }
    return grid_workspace;
  }

  EngineOptions options;
  Memory memory;
  TextureTable textures;
  const Rows* rows = nullptr;
  unsigned lanes = 32;
  Windows windows;
  std::byte* params = nullptr;
  GridWorkspace* grid_workspace = nullptr;
  LaunchResources resources;
  Compiling compiling;
};

Engine::Engine(EngineOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Engine::~Engine() = default;

Memory& Engine::memory() { return impl_->memory; }
TextureTable& Engine::textures() { return impl_->textures; }
const EngineOptions& Engine::options() const { return impl_->options; }
size_t Engine::native_stretches() const { return impl_->compiling.stretches(); }

Result<std::shared_ptr<Program>, Diagnostics> Engine::load(std::string_view text, std::string_view name,
                                                           const optimise::SeenAccesses* seen) {
  Result<ptx::Module, Diagnostics> module = ptx::parse(text);
  if (!module) return module.error();
  if (Diagnostics problems = ptx::check(*module); !problems.empty()) return problems;
  if (impl_->options.machine_code != 0)
    optimise::optimise(*module,
                       {.architecture = impl_->options.machine_code, .seen = seen, .timing = impl_->options.timing});
  auto program = std::make_shared<Program>();
  program->name = name;
  static std::atomic<uint64_t> loaded{0};
  program->serial = ++loaded;
  program->lanes = impl_->lanes;
  program->memory = &impl_->memory;
  Diagnostics diagnostics;
  if (!decode(*module, *impl_->rows, impl_->windows, reinterpret_cast<uint64_t>(impl_->params),
              impl_->options.machine.warp_size, *program, diagnostics, impl_->options.checks != nullptr,
              impl_->options.l1.has_value())) {
    return diagnostics;
  }
  return program;
}

Result<LaunchStats, Fault> Engine::launch(Program& program, std::string_view kernel, const LaunchConfig& config) {
  Result<LaunchSetup, Fault> setup = set_up(program, kernel, config);
  if (!setup) return setup.error();
  const EngineOptions& options = impl_->options;
  const std::string_view why_not = why_interpreted(options, *setup->kernel);
  if (why_not.empty()) setup->native = impl_->compiling.of(program);
  Result<LaunchStats, Fault> stats = run_launch(*setup, impl_->resources);
  if (!stats) return stats;
  stats->compiler_fault = impl_->compiling.fault();
  if (stats->compiled)
    stats->compiled->add(why_not.empty() ? impl_->compiling.news(program, setup->function)
                                         : Compiled{.why_not = std::string(why_not)});
  return stats;
}

Result<LaunchSetup, Fault> Engine::set_up(Program& program, std::string_view kernel, const LaunchConfig& config) {
  for (size_t k = 0; k < program.kernels.size(); ++k) {
    if (program.kernels[k].name != kernel) continue;
    LaunchSetup setup;
    setup.options = &impl_->options;
    setup.program = &program;
    setup.memory = &impl_->memory;
    setup.textures = &impl_->textures;
    setup.windows = impl_->windows;
    setup.config = &config;
    setup.rules = &impl_->options.machine.scratchpad;
    setup.kernel = &program.kernels[k];
    setup.function = program.kernel_function[k];
    setup.params = impl_->params;
    if (config.cooperative) {
      GridWorkspace* const workspace = impl_->workspace();
      if (workspace == nullptr)
        return bad_launch(kernel, "the device has no memory left for the barrier of a cooperative launch");
      *workspace = {sizeof(GridWorkspace), 0};
      setup.grid_workspace = reinterpret_cast<uint64_t>(workspace);
    }
    if (!config.params.empty()) {
      std::memcpy(impl_->params, config.params.data(), std::min<size_t>(config.params.size(), kParameterBytes));
    }
    return setup;
  }
  return bad_launch(kernel, "there is no kernel '" + std::string(kernel) + "' in " + program.name);
}

void set_hashes(Program& program, std::string_view kernel, const scratchpad::Rules& rules,
                std::vector<InstructionHash> hashes) {
  InstructionHash others{rules, {}};
  scratchpad::WordRanges taken;  // by the hashes: whole blocks of words, to which they move their own
  for (const InstructionHash& hash : hashes) {
    const uint32_t block = hash.rules.hash ? scratchpad::block_of(hash.rules, *hash.rules.hash) : row_words(hash.rules);
    for (const scratchpad::WordRange& range : hash.words)
      scratchpad::add(taken, {range.begin / block * block, round_up(range.end, block)});
  }
  uint32_t begin = 0;
  for (const scratchpad::WordRange& range : taken) {
    scratchpad::add(others.words, {begin, range.begin});
    begin = range.end;
  }
  scratchpad::add(others.words, {begin, UINT32_MAX});
  const InstructionHash* const rest = &program.hashes.emplace_back(std::move(others));
  std::map<uint32_t, const InstructionHash*> by_line;
  for (InstructionHash& hash : hashes) {
    const InstructionHash& kept = program.hashes.emplace_back(std::move(hash));
    for (const uint32_t line : kept.ptx_lines) by_line[line] = &kept;
  }
  program.hash_of_site.resize(program.sites.size());
  for (size_t site = 0; site < program.sites.size(); ++site) {
    const InstrInfo& info = program.info[program.sites[site].instr];
    if (program.functions[info.function].name != kernel) continue;
    const auto own = by_line.find(info.ptx_line);
    program.hash_of_site[site] = own == by_line.end() ? rest : own->second;
  }
}

const std::vector<KernelInfo>& kernels(const Program& program) { return program.kernels; }
const std::vector<GlobalInfo>& globals(const Program& program) { return program.globals; }

}  // namespace bankshot::simt

#include "tests/differential/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>

#include "bankshot/ptx/checker.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/simt/rows/isa_names.hpp"
#include "bankshot/simt/run/compiling.hpp"
#include "tests/device/real_gpu.hpp"

namespace bankshot::differential {
namespace {

constexpr size_t kRoom = size_t{1} << 18;  ///< bytes of `out`, at the most
constexpr uint64_t kFreshAfter = 2000;     ///< kernels: freed device memory stays out of use
constexpr uint64_t kCompiledEach = 32;     ///< each host that compiles takes one kernel of so many, for it takes long

struct HostKind {
  const char* isa;
  unsigned warp_size;
  unsigned machine_code = 0;  ///< EngineOptions::machine_code
  bool timing = false;        ///< EngineOptions::timing
  simt::Compile compile = simt::Compile::never;
  uint64_t compiled_seeds = 0;  ///< those with this remainder by kCompiledEach are compiled
  bool mixed = false;           ///< … and at random interpreted in places
};
constexpr HostKind kHosts[] = {{"portable", 32},
                               {"avx2", 32},
                               {"avx512", 32},
                               {"wide", 64},
                               {"portable", 16},
                               {"portable", 32, 90},
                               {"portable", 32, 75, true},
                               {"avx512", 32, 0, false, simt::Compile::at_once, 0},
                               {"avx2", 32, 0, false, simt::Compile::at_once, 8},
                               {"avx512", 32, 0, false, simt::Compile::at_once, 20, true},
                               {"avx2", 32, 0, false, simt::Compile::at_once, 28, true}};

/// The first byte that differs, as the 8 bytes around it on both sides.
std::string first_difference(const Shape& shape, const std::vector<uint8_t>& expected, const uint8_t* actual) {
  const auto at = static_cast<size_t>(std::mismatch(expected.begin(), expected.end(), actual).first - expected.begin());
  if (at == expected.size()) return "";
  const size_t from = at / 8 * 8;
  uint64_t wanted = 0, found = 0;
  std::memcpy(&wanted, &expected[from], 8);
  std::memcpy(&found, actual + from, 8);
  return fmt::format("{} is {:#x}, but {:#x} by the reference", place_in_output(shape, at), found, wanted);
}

/// Whether native code for an instruction set runs on this host. The build need not have rows for it.
bool host_has(std::string_view isa) {
  return std::ranges::find(simt::kIsaNames, isa) <= std::ranges::find(simt::kIsaNames, simt::host_isa());
}

/// Whether this build or the host has no compiler of kernels, which is printed; one that is broken is not lacking.
bool lacks_compiler() {
  static const bool lacks = [] {
    const simt::NativeProblem problem = simt::compiler_problem();
    if (problem.why.empty() || problem.is_fault) return false;
    fmt::print("nothing is compiled: {}\n", problem.why);
    return true;
  }();
  return lacks;
}

Kernel without(const Kernel& kernel, const std::set<int>& groups) {
  Kernel out = kernel;
  out.lines.clear();
  for (const Line& line : kernel.lines) {
    if (groups.count(line.group) == 0) out.lines.push_back(line);
  }
  return out;
}

std::vector<int> groups_of(const Kernel& kernel) {
  std::set<int> groups;
  for (const Line& line : kernel.lines) {
    if (line.group >= 0) groups.insert(line.group);
  }
  return {groups.begin(), groups.end()};
}

/// The groups of the lines that a driver's messages name: "… line 117; error : …".
std::set<int> groups_named(const Kernel& kernel, const std::string& messages) {
  std::vector<int> group_of = {-1};  // by number of the line, from 1
  for (const Line& line : kernel.lines) {
    group_of.insert(group_of.end(), 1 + static_cast<size_t>(std::ranges::count(line.text, '\n')), line.group);
  }
  std::set<int> groups;
  constexpr std::string_view kLine = "line ";
  for (size_t at = messages.find(kLine); at != messages.npos; at = messages.find(kLine, at)) {
    at += kLine.size();
    const auto number = std::strtoull(&messages[at], nullptr, 10);
    if (number < group_of.size() && group_of[number] >= 0) groups.insert(group_of[number]);
  }
  return groups;
}

}  // namespace

struct Comparison::Host {
  HostKind kind;
  std::unique_ptr<simt::Engine> engine;
  uint64_t in = 0, out = 0;

  explicit Host(HostKind kind_) : kind(kind_) {
    simt::EngineOptions options;
    options.machine.warp_size = kind.warp_size;
    options.isa = kind.isa;
    options.machine_code = kind.machine_code;
    options.timing = kind.timing;
    options.compile = kind.compile;
    options.tier_seed = kind.mixed ? 1 : 0;
    options.tell_compiled = kind.compile != simt::Compile::never;
    options.threads = 1;
    options.count_conflicts = false;
    engine = std::make_unique<simt::Engine>(options);
    in = *engine->memory().allocate(kRoom, simt::MemoryKind::device);
    out = *engine->memory().allocate(kRoom, simt::MemoryKind::device);
  }
  std::string name() const {
    return fmt::format("{}, warps of {}{}{}{}{}", kind.isa, kind.warp_size, kind.machine_code != 0 ? ", joined" : "",
                       kind.timing ? ", in the order of machine code" : "",
                       kind.compile != simt::Compile::never ? ", compiled" : "",
                       kind.mixed ? " or interpreted at random" : "");
  }

  /// @return what differs, or ""
  std::string run(const Kernel& kernel, const std::string& text, const std::vector<uint8_t>& input,
                  const std::vector<uint8_t>& before, const std::vector<uint8_t>& expected) const {
    const auto program = engine->load(text, "kernel.ptx");
    if (!program) return "refused: " + format_diagnostics(program.error(), "kernel.ptx", text);
    std::memcpy(reinterpret_cast<void*>(in), input.data(), input.size());
    std::memcpy(reinterpret_cast<void*>(out), before.data(), before.size());
    const uint64_t parameters[] = {in, out};
    simt::LaunchConfig config;
    config.grid = {kernel.shape.ctas};
    config.block = {kernel.shape.block_x, kernel.shape.block_y};
    config.params = std::as_bytes(std::span(parameters));
    const auto result = engine->launch(**program, "k", config);
    if (!result) return "a fault: " + result.error().message;
    if (result->compiled && result->compiled->warp_instructions == 0 && !kind.mixed)
      return "nothing ran compiled: " + result->compiled->why_not;
    return first_difference(kernel.shape, expected, reinterpret_cast<const uint8_t*>(out));
  }
};

Comparison::Comparison() { make_hosts(); }
Comparison::~Comparison() = default;

void Comparison::make_hosts() {
  hosts_.clear();
  if (device::real_gpu() != nullptr) return;
  for (const HostKind& kind : kHosts) {
    const bool compiles = kind.compile != simt::Compile::never;
    if (compiles ? lacks_compiler() || !host_has(kind.isa) : simt::rows_of(kind.isa) == nullptr) continue;
    hosts_.push_back(std::make_unique<Host>(kind));
  }
}

Difference Comparison::compare(const Kernel& kernel) {
  using Kind = Difference::Kind;
  if (++totals_.kernels % kFreshAfter == 0) make_hosts();
  const std::string text = kernel.text();
  const auto module = ptx::parse(text);
  if (!module) return {Kind::undefined, format_diagnostics(module.error(), "kernel.ptx", text)};
  const Diagnostics mistakes = ptx::check(*module);
  if (!mistakes.empty()) return {Kind::undefined, format_diagnostics(mistakes, "kernel.ptx", text)};
  if (noted_ != nullptr) noted_->note(*module);

  const std::vector<uint8_t> input = input_bytes(kernel.seed);
  std::vector<uint8_t> before(output_size(kernel.shape));
  for (size_t k = 0; k < before.size(); ++k) before[k] = input[k * 7 % input.size()];
  const Outcome expected = interpret(*module, "k", kernel.shape, {input, before});
  totals_.instructions += expected.instructions;
  if (!expected.error.empty()) return {Kind::undefined, expected.error};
  if (expected.buffers[0] != input) return {Kind::undefined, "it writes its input"};
  if (device::real_gpu() != nullptr) return compare_on_gpu(kernel, text, input, before, expected.buffers[1]);
  for (const auto& host : hosts_) {
    if (host->kind.warp_size != 32 && !kernel.any_warp_size) continue;
    if (host->kind.compile != simt::Compile::never && kernel.seed % kCompiledEach != host->kind.compiled_seeds)
      continue;
    ++totals_.runs;
    const std::string what = host->run(kernel, text, input, before, expected.buffers[1]);
    if (!what.empty()) return {Kind::results, host->name() + ": " + what};
  }
  return {};
}

Difference Comparison::compare_on_gpu(const Kernel& kernel, const std::string& text, const std::vector<uint8_t>& input,
                                      const std::vector<uint8_t>& before, const std::vector<uint8_t>& expected) {
  using Kind = Difference::Kind;
  const device::Outcome outcome = device::run(*device::real_gpu(), text, input, before, {kernel.shape.ctas},
                                              {kernel.shape.block_x, kernel.shape.block_y});
  if (!outcome.refused.empty()) {  // instructions of other GPUs
    const std::set<int> groups = groups_named(kernel, outcome.refused);
    if (groups.empty()) return {Kind::undefined, outcome.refused};
    --totals_.kernels;
    ++totals_.shortened;
    return compare(without(kernel, groups));
  }
  ++totals_.runs;
  if (!outcome.failed.empty()) {  // it answers nothing more
    fmt::print("seed {}: {}\n{}", kernel.seed, outcome.failed, text);
    std::exit(1);
  }
  const std::string what = first_difference(kernel.shape, expected, outcome.out.data());
  if (what.empty()) return {};
  return {Kind::results, device::real_gpu()->device().name + ": " + what};
}

Kernel without(const Kernel& kernel, const std::regex& pattern) {
  std::set<int> groups;
  for (const Line& line : kernel.lines) {
    if (line.group >= 0 && std::regex_search(line.text, pattern)) groups.insert(line.group);
  }
  return without(kernel, groups);
}

Kernel reduced(const Kernel& kernel, Comparison& comparison) {
  Kernel smallest = kernel;
  bool smaller = true;
  // Runs of groups, long ones first; again from the start as long as something could go.
  while (smaller) {
    smaller = false;
    for (size_t length = std::max<size_t>(groups_of(smallest).size() / 2, 1); length > 0; length /= 2) {
      for (size_t first = 0; first < groups_of(smallest).size();) {
        const std::vector<int> groups = groups_of(smallest);
        const auto begin = groups.begin() + static_cast<std::ptrdiff_t>(first);
        const auto end = groups.begin() + static_cast<std::ptrdiff_t>(std::min(first + length, groups.size()));
        const Kernel candidate = without(smallest, std::set<int>(begin, end));
        if (comparison.compare(candidate).kind == Difference::Kind::results) {
          smallest = candidate;
          smaller = true;
        } else {
          first += length;
        }
      }
    }
  }
  return smallest;
}

std::string report_of(const Kernel& kernel, const Difference& difference, Comparison& comparison) {
  const std::string head = fmt::format("seed {}, {} CTAs of {} x {} threads\nas made: {}\n", kernel.seed,
                                       kernel.shape.ctas, kernel.shape.block_x, kernel.shape.block_y, difference.what);
  if (comparison.compare(kernel).kind == Difference::Kind::none)
    return head + "not so again: it is a matter of timing\n";
  const Kernel small = reduced(kernel, comparison);
  std::string left;
  for (const Line& line : small.lines) left += line.group < 0 ? "" : line.text + "\n";
  return head + fmt::format("reduced: {}\n{}in:\n{}", comparison.compare(small).what, left, small.text());
}

}  // namespace bankshot::differential

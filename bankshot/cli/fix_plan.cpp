#include "bankshot/cli/fix_plan.hpp"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"

namespace bankshot::cli {
namespace {

using rewrite::KernelArrays;

/// PTX lines of a kernel's instructions on memory, in order. Rewriting adds none, so that they correspond.
std::vector<uint32_t> memory_lines(const KernelArrays& kernel) {
  std::vector<uint32_t> lines;
  for (const rewrite::Step& step : kernel.code.steps()) {
    const std::string& op = step.instruction->opcode;
    if (op == "ld" || op == "st" || op == "atom" || op == "red") lines.push_back(step.instruction->position.line);
  }
  return lines;
}

report::SharedTotals totals_at(const report::Kernel& kernel, const std::vector<uint32_t>& lines) {
  report::SharedTotals sum;
  for (const report::Site& site : kernel.sites) {
    if (std::find(lines.begin(), lines.end(), site.source.ptx_line) == lines.end()) continue;
    sum.accesses += site.totals.accesses;
    sum.wavefronts += site.totals.wavefronts;
    sum.ideal_wavefronts += site.totals.ideal;
  }
  return sum;
}

/// The words that the kernel accessed at an array's lines, from the array's start. @return why they are of no use, or
/// empty
std::string take_patterns(const report::Kernel& kernel, const scratchpad::Rules& rules, uint32_t start,
                          ArrayPlan& plan) {
  plan.patterns.rules = rules;
  const uint64_t end = plan.array.dynamic ? UINT64_MAX : (plan.array.bytes + 3) / 4 * 4;
  for (const report::Site& site : kernel.sites) {
    if (std::find(plan.lines.begin(), plan.lines.end(), site.source.ptx_line) == plan.lines.end()) continue;
    plan.sampled |= site.totals.trace.is_sample();
    for (scratchpad::Pattern pattern : scratchpad::patterns(site.totals.trace, report::kind_of(site), site.width)) {
      if (!scratchpad::count_from(pattern, scratchpad::WordAddress(start / 4), scratchpad::ByteOffset(end))) {
        return "an access by its address was outside it, at " +
               rewrite::to_string({site.source.ptx_line, site.source.file, site.source.line});
      }
      plan.patterns.patterns.push_back(pattern);
    }
  }
  scratchpad::merge_equal(plan.patterns.patterns);
  const unsigned least = static_cast<unsigned>(std::countr_zero(rules.banks)) + 1;
  return scratchpad::fit_address_bits(plan.patterns, least) ? "" : "it is larger than what hashes work on";
}

uint32_t start_of(const simt::KernelInfo& info, const rewrite::Array& array) {
  if (array.dynamic) return info.dynamic_base;
  const auto found = std::find_if(info.shared.begin(), info.shared.end(),
                                  [&](const simt::SharedInfo& s) { return s.name == array.name; });
  return found == info.shared.end() ? 0 : found->offset;
}

std::string plan_array(ArrayPlan& plan, const report::Kernel& kernel, const scratchpad::Rules& rules,
                       const KernelArrays& arrays, const simt::KernelInfo& info, std::chrono::milliseconds time_limit) {
  if (plan.before.wavefronts == plan.before.ideal_wavefronts) return "it has no conflicts";
  if (std::string reason = take_patterns(kernel, rules, start_of(info, plan.array), plan); !reason.empty())
    return reason;
  const Result<search::Found> found = search_hash(rules, plan.patterns, plan.array.widest, time_limit);
  if (!found) return found.error().message;
  const uint64_t before =
      scratchpad::excess(rules, plan.patterns, scratchpad::modulo_hash(scratchpad::size_of(plan.patterns)));
  const bool proved = found->status == search::Status::optimal && !plan.sampled;
  if (found->excess >= before)
    return proved ? "no hash of its rows lessens its conflicts (proved)"
                  : "no hash that lessens its conflicts was found";
  plan.found = *found;
  plan.left_alone = rewrite::cannot_rewrite(arrays, plan.array, found->hash, rules.bank_bytes);
  if (plan.left_alone) return {};
  const uint64_t words = plan.array.dynamic ? uint64_t{1} << plan.patterns.address_bits : (plan.array.bytes + 3) / 4;
  plan.padding = scratchpad::best_padding(rules, plan.patterns, words);
  return {};
}

void add_places(ArrayPlan& plan, const KernelArrays& arrays) {
  for (const rewrite::Access& access : plan.array.accesses) {
    const rewrite::Place place = arrays.code.place(arrays.code.steps()[access.step]);
    plan.lines.push_back(place.ptx_line);
    const bool known = std::any_of(plan.places.begin(), plan.places.end(), [&](const rewrite::Place& p) {
      return p.file == place.file && p.line == place.line && (place.line != 0 || p.ptx_line == place.ptx_line);
    });
    if (!known) plan.places.push_back(place);
  }
}

/// A module loaded by an engine that nothing runs on: the checks of the real loading, and where shared variables lie.
class Loader {
 public:
  explicit Loader(const gpu::Gpu& gpu) {
    options_.machine = gpu.machine;
    options_.threads = 1;
    engine_.emplace(options_);
  }
  Result<std::shared_ptr<simt::Program>> load(const std::string& text) {
    auto program = engine_->load(text, "module.ptx");
    if (!program) return Error{format_diagnostics(program.error(), "module.ptx", text)};
    return *program;
  }

 private:
  simt::EngineOptions options_;
  std::optional<simt::Engine> engine_;
};

const simt::KernelInfo* info_of(const simt::Program& program, const std::string& name) {
  for (const simt::KernelInfo& info : simt::kernels(program)) {
    if (info.name == name) return &info;
  }
  return nullptr;
}

Result<ptx::Module> parse(const std::string& text) {
  Result<ptx::Module, Diagnostics> module = ptx::parse(text);
  if (!module) return Error{format_diagnostics(module.error(), "module.ptx", text)};
  return std::move(*module);
}

/// The lines that accesses have in the patched text, and what its kernels take.
std::optional<Error> look_again(FixPlan& plan, Loader& loader, const gpu::Gpu& gpu, const std::string& digest,
                                const ptx::Module& before, const WitnessedRun& run) {
  const std::string& text = plan.patches.at(digest);
  const Result<std::shared_ptr<simt::Program>> program = loader.load(text);
  if (!program) return Error{"internal error: what was rewritten cannot be loaded: " + program.error().message};
  const Result<ptx::Module> after = parse(text);
  if (!after) return after.error();
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.kernel.module.digest != digest) continue;
    const KernelArrays old_arrays(before, *ptx::find_kernel(before, kernel.kernel.name));
    const KernelArrays new_arrays(*after, *ptx::find_kernel(*after, kernel.kernel.name));
    const std::vector<uint32_t> old_lines = memory_lines(old_arrays), new_lines = memory_lines(new_arrays);
    if (old_lines.size() != new_lines.size())
      return Error{"internal error: accesses of " + kernel.kernel.name + " are gone"};
    for (ArrayPlan& array : kernel.arrays) {
      for (size_t i = 0; i < old_lines.size(); ++i) {
        if (std::find(array.lines.begin(), array.lines.end(), old_lines[i]) != array.lines.end())
          array.new_lines.push_back(new_lines[i]);
      }
    }
    const simt::KernelInfo* info = info_of(**program, kernel.kernel.name);
    const uint64_t dynamic = dynamic_shared(run, kernel.kernel.name);
    kernel.static_after = info->static_shared;
    kernel.shared_after = dynamic != 0 ? info->dynamic_base + dynamic : info->static_shared;
    kernel.ctas_after = ctas_on_sm(gpu, kernel.kernel, kernel.shared_after);
  }
  return std::nullopt;
}

}  // namespace

Result<search::Found> search_hash(const scratchpad::Rules& rules, const scratchpad::PatternSet& patterns,
                                  unsigned widest, std::chrono::milliseconds time_limit) {
  if (rules.hash || rules.ports != 1) {
    return Error{
        "a hash in software is sought for banks of one port that take words modulo their number, and this GPU has "
        "others"};
  }
  search::SearchOptions options;
  options.time_limit = time_limit;
  options.in_place = true;
  if (widest > rules.bank_bytes)
    options.plain_low_bits = static_cast<unsigned>(std::countr_zero(widest / rules.bank_bytes));
  const search::Problem problem = search::problem(rules, patterns);
  Result<search::Found> found = search::find(problem, "gf2", search::Method::optimal, options);
  if (!found) return found;
  // Of hashes that are as good, one that moves all bits by the same distance takes the fewest instructions.
  const search::Found simple = search::exhaustive_bitvector(problem, false, false, options);
  if (simple.excess <= found->excess) {
    found->hash = simple.hash;
    found->excess = simple.excess;
  }
  if (const auto form = scratchpad::in_place_form(found->hash)) found->hash = *form;
  return found;
}

bool KernelPlan::is_rewritten() const {
  return std::any_of(arrays.begin(), arrays.end(), [](const ArrayPlan& array) { return array.rewritten.has_value(); });
}

unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, uint64_t shared) {
  return cuda::blocks_per_sm(
      cuda::device_info(gpu).sm,
      {.threads = static_cast<uint32_t>(kernel.block.count()), .registers = 0, .shared = shared});
}

Result<FixPlan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, std::chrono::milliseconds time_limit) {
  const report::RunReport& report = run.seen.report;
  FixPlan plan{report.program, report.gpu, report.rules, {}, {}, {}};
  Loader loader(gpu);
  for (const auto& [digest, text] : run.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    const Result<std::shared_ptr<simt::Program>> program = loader.load(text);
    if (!program) return program.error();
    for (const report::Kernel& kernel : report.kernels) {
      const ptx::Function* function = kernel.module.digest == digest ? ptx::find_kernel(*module, kernel.name) : nullptr;
      if (function == nullptr || kernel.sites.empty()) continue;
      const KernelArrays arrays(*module, *function);
      const simt::KernelInfo& info = *info_of(**program, kernel.name);
      KernelPlan& kernel_plan = plan.kernels.emplace_back();
      kernel_plan.kernel = kernel;
      const uint64_t dynamic = dynamic_shared(run, kernel.name);
      kernel_plan.shared_before = kernel_plan.shared_after =
          dynamic != 0 ? info.dynamic_base + dynamic : info.static_shared;
      kernel_plan.ctas_before = kernel_plan.ctas_after = ctas_on_sm(gpu, kernel, kernel_plan.shared_before);
      for (const rewrite::Array& array : arrays.arrays) {
        ArrayPlan& one = kernel_plan.arrays.emplace_back();
        one.array = array;
        add_places(one, arrays);
        one.before = one.after = totals_at(kernel, one.lines);
        one.left_alone = array.refusal;
        if (one.left_alone) continue;
        if (std::string reason = plan_array(one, kernel, report.rules, arrays, info, time_limit); !reason.empty()) {
          one.left_alone = rewrite::Refusal{reason, {}};
        }
      }
    }
  }
  return plan;
}

/// Static shared memory is at most 48 KB on every GPU: ptxas refuses more. Leaves arrays alone that do not fit when
/// their rows are filled up: first those that grow, then those that are aligned only. @return whether there are any
static bool leave_alone_what_does_not_fit(FixPlan& plan) {
  constexpr uint64_t kMostStatic = 48 * 1024;
  bool any = false;
  for (KernelPlan& kernel : plan.kernels) {
    if (kernel.static_after <= kMostStatic) continue;
    const bool growing = std::any_of(kernel.arrays.begin(), kernel.arrays.end(),
                                     [](const ArrayPlan& a) { return a.rewritten && a.rewritten->extra_bytes != 0; });
    for (ArrayPlan& array : kernel.arrays) {
      if (!array.rewritten || (growing && array.rewritten->extra_bytes == 0)) continue;
      array.left_alone = rewrite::Refusal{
          fmt::format("whole and aligned rows would take the kernel's static shared memory to {} bytes; {} are allowed",
                      kernel.static_after, kMostStatic),
          {}};
      any = true;
    }
    kernel.static_after = 0;
    for (ArrayPlan& array : kernel.arrays) array.rewritten.reset(), array.new_lines.clear();
    kernel.shared_after = kernel.shared_before;
    kernel.ctas_after = kernel.ctas_before;
  }
  return any;
}

std::optional<Error> rewrite_modules(FixPlan& plan, const WitnessedRun& run, const gpu::Gpu& gpu) {
  Loader loader(gpu);
  plan.patches.clear();
  for (const auto& [digest, text] : run.ptx) {
    const Result<ptx::Module> original = parse(text);
    Result<ptx::Module> changed = parse(text);
    if (!original || !changed) return original.error();
    bool any = false;
    for (KernelPlan& kernel : plan.kernels) {
      if (kernel.kernel.module.digest != digest) continue;
      std::vector<rewrite::Choice> choices;
      for (const ArrayPlan& array : kernel.arrays) {
        if (!array.left_alone) choices.push_back({array.array.name, array.found->hash});
      }
      if (choices.empty()) continue;
      any = true;
      const auto done = rewrite::rewrite(*changed, kernel.kernel.name, choices, plan.rules.bank_bytes);
      if (!done) return Error{"internal error: " + done.error().message};
      for (const rewrite::Rewritten& what : *done) {
        for (ArrayPlan& array : kernel.arrays) {
          if (array.array.name == what.array) array.rewritten = what;
        }
      }
    }
    if (!any) continue;
    plan.patches[digest] = ptx::print(*changed);
    if (const auto error = look_again(plan, loader, gpu, digest, *original, run)) return error;
  }
  if (!leave_alone_what_does_not_fit(plan)) return std::nullopt;
  for (KernelPlan& kernel : plan.kernels) {
    for (ArrayPlan& array : kernel.arrays) array.new_lines.clear();
  }
  return rewrite_modules(plan, run, gpu);
}

bool drop_what_does_not_help(FixPlan& plan) {
  bool dropped = false;
  for (KernelPlan& kernel : plan.kernels) {
    bool rewritten = false;
    for (ArrayPlan& array : kernel.arrays) {
      if (array.rewritten && array.after.conflicts() >= array.before.conflicts()) {
        array.rewritten.reset();
        array.after = array.before;
        const std::string reason = "the best hash found does not lessen its conflicts when the program runs";
        array.left_alone =
            rewrite::Refusal{reason + (array.sampled ? "; it was found from a sample of the accesses" : ""), {}};
        dropped = true;
      }
      array.new_lines.clear();
      rewritten |= array.rewritten.has_value();
    }
    if (!rewritten) kernel.shared_after = kernel.shared_before, kernel.ctas_after = kernel.ctas_before;
  }
  return dropped;
}

void add_results(FixPlan& plan, const WitnessedRun& run) {
  for (KernelPlan& kernel : plan.kernels) {
    for (const report::Kernel& after : run.seen.report.kernels) {
      if (after.name != kernel.kernel.name || after.module.digest != kernel.kernel.module.digest) continue;
      kernel.instructions_after = after.warp_instructions;
      for (ArrayPlan& array : kernel.arrays) {
        array.after = totals_at(after, array.new_lines.empty() ? array.lines : array.new_lines);
      }
    }
  }
}

}  // namespace bankshot::cli

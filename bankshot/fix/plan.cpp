#include "bankshot/fix/plan.hpp"

#include <algorithm>
#include <utility>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/modules.hpp"
#include "bankshot/ptx/lookup.hpp"

namespace bankshot::fix {
namespace {

using rewrite::KernelArrays;

/// The words that the kernel accessed at an array's lines, from the array's start. @return why they are of no use, or
/// empty
std::string take_patterns(const report::Kernel& kernel, const scratchpad::Rules& rules, uint32_t start,
                          ArrayPlan& plan) {
  plan.patterns.rules = rules;
  const uint64_t end = plan.array.dynamic ? UINT64_MAX : (plan.array.bytes + 3) / 4 * 4;
  for (const report::Site& site : kernel.sites) {
    if (std::find(plan.lines.begin(), plan.lines.end(), site.source.ptx_line) == plan.lines.end()) continue;
    plan.sampled |= site.totals.trace.is_sample();
    std::vector<scratchpad::Pattern> patterns =
        scratchpad::patterns(site.totals.trace, report::kind_of(site), site.width);
    if (!add_from_start(plan.patterns, std::move(patterns), scratchpad::WordAddress(start / 4),
                        scratchpad::ByteOffset(end))) {
      return "an access by its address was outside it, at " +
             ptx::to_string({site.source.ptx_line, site.source.file, site.source.line});
    }
  }
  return make_searchable(plan.patterns);
}

uint32_t start_of(const simt::KernelInfo& info, const rewrite::Array& array) {
  if (array.dynamic) return info.dynamic_base;
  const auto found = std::find_if(info.shared.begin(), info.shared.end(),
                                  [&](const simt::SharedInfo& s) { return s.name == array.name; });
  return found == info.shared.end() ? 0 : found->offset;
}

/// Finds what has fewer conflicts. @return why there is nothing to try, or empty
std::string find_remedies(ArrayPlan& plan, const scratchpad::Rules& rules, const KernelArrays& arrays,
                          std::chrono::milliseconds time_limit) {
  const uint64_t before =
      scratchpad::excess(rules, plan.patterns, scratchpad::modulo_hash(scratchpad::size_of(plan.patterns)));
  const Result<search::Found> found = search_hash(rules, plan.patterns, plan.array.widest, time_limit);
  if (!found) return found.error().message;
  if (found->excess < before) plan.hash = *found;
  const uint64_t words = plan.array.dynamic ? uint64_t{1} << plan.patterns.address_bits : (plan.array.bytes + 3) / 4;
  plan.padding = scratchpad::best_padding(rules, plan.patterns, words);
  if (plan.padding && plan.padding->excess >= before) plan.padding.reset();
  for (const Remedy remedy : kRemedies) {
    if (const auto move = plan.move(remedy))
      plan.tried[remedy].refusal = rewrite::cannot_rewrite(arrays, plan.array, *move, rules.bank_bytes);
  }
  if (plan.hash || plan.padding) return {};
  const bool proved = found->status == search::Status::optimal && !plan.sampled;
  return no_hash_text(proved) + ", nor does padding";
}

std::string plan_array(ArrayPlan& plan, const report::Kernel& kernel, const scratchpad::Rules& rules,
                       const KernelArrays& arrays, const simt::KernelInfo& info, std::chrono::milliseconds time_limit) {
  if (plan.before.wavefronts == plan.before.ideal_wavefronts) return "it has no conflicts";
  if (std::string reason = take_patterns(kernel, rules, start_of(info, plan.array), plan); !reason.empty())
    return reason;
  return find_remedies(plan, rules, arrays, time_limit);
}

void add_places(ArrayPlan& plan, const KernelArrays& arrays) {
  for (const rewrite::Access& access : plan.array.accesses) {
    const ptx::Place place = arrays.code.place(arrays.code.steps()[access.step]);
    plan.lines.push_back(place.ptx_line);
    const bool known = std::any_of(plan.places.begin(), plan.places.end(), [&](const ptx::Place& p) {
      return p.file == place.file && p.line == place.line && (place.line != 0 || p.ptx_line == place.ptx_line);
    });
    if (!known) plan.places.push_back(place);
  }
}

/// What the kernel takes as it is.
Form original_form(const WitnessedRun& run, const gpu::Gpu& gpu, const report::Kernel& kernel,
                   const simt::KernelInfo& info) {
  Form form;
  form.warp_instructions = kernel.warp_instructions;
  form.shared = kernel.shared();
  const uint64_t dynamic = dynamic_shared(run, kernel.name);
  form.static_bytes = info.static_shared;
  form.shared_bytes = dynamic != 0 ? info.dynamic_base + dynamic : info.static_shared;
  form.ctas = ctas_on_sm(gpu, kernel, form);
  return form;
}

bool is_wanted(const report::Kernel& kernel, const std::vector<std::string>& parts) {
  return parts.empty() || std::ranges::any_of(parts, [&](const std::string& part) {
           return kernel.name.find(part) != std::string::npos || kernel.demangled.find(part) != std::string::npos;
         });
}

}  // namespace

const char* name(Remedy remedy) { return remedy == Remedy::hash ? "hash" : "padding"; }

std::optional<rewrite::Move> ArrayPlan::move(Remedy remedy) const {
  if (remedy == Remedy::hash) return hash ? std::optional<rewrite::Move>(hash->hash) : std::nullopt;
  return padding ? std::optional<rewrite::Move>(*padding) : std::nullopt;
}

bool KernelPlan::is_rewritten(Remedy remedy) const {
  return std::ranges::any_of(arrays, [&](const ArrayPlan& array) { return array.tried[remedy].rewritten.has_value(); });
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

unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, const Form& form) {
  return cuda::blocks_per_sm(cuda::device_info(gpu).sm,
                             {.threads = static_cast<uint32_t>(kernel.block.count()),
                              .registers = form.machine_code ? form.machine_code->registers : 0,
                              .shared = form.shared_bytes});
}

Result<Plan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, const PlanOptions& options) {
  const report::RunReport& report = run.seen.report;
  Plan plan;
  plan.program = report.program;
  plan.gpu = report.gpu;
  plan.rules = report.rules;
  plan.machine_code = report.machine_code;
  Loader loader(gpu);
  for (const auto& [digest, text] : run.seen.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    const Result<std::shared_ptr<simt::Program>> program = loader.load(text);
    if (!program) return program.error();
    for (const report::Kernel& kernel : report.kernels) {
      const ptx::Function* function = kernel.module.digest == digest ? ptx::find_kernel(*module, kernel.name) : nullptr;
      if (function == nullptr || kernel.sites.empty() || !is_wanted(kernel, options.kernels)) continue;
      const KernelArrays arrays(*module, *function);
      const simt::KernelInfo& info = *info_of(**program, kernel.name);
      KernelPlan& kernel_plan = plan.kernels.emplace_back();
      kernel_plan.kernel = kernel;
      kernel_plan.original = original_form(run, gpu, kernel, info);
      for (const rewrite::Array& array : arrays.arrays) {
        ArrayPlan& one = kernel_plan.arrays.emplace_back();
        one.array = array;
        add_places(one, arrays);
        one.before = totals_at(kernel, one.lines);
        for (Tried& tried : one.tried.values) tried.after = one.before;
        one.left_alone = array.refusal;
        if (one.left_alone) continue;
        if (std::string reason = plan_array(one, kernel, report.rules, arrays, info, options.time_limit);
            !reason.empty())
          one.left_alone = rewrite::Refusal{reason, {}};
      }
    }
  }
  return plan;
}

}  // namespace bankshot::fix

#include "bankshot/fix/plan.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "bankshot/cuda/device/device.hpp"
#include "bankshot/fix/compare.hpp"
#include "bankshot/fix/hash_search.hpp"
#include "bankshot/fix/modules.hpp"
#include "bankshot/fix/source.hpp"
#include "bankshot/host/read_text.hpp"
#include "bankshot/ptx/access.hpp"
#include "bankshot/ptx/lookup.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "bankshot/support/nearest_name.hpp"

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

/// The best hash; of equals one that moves whole elements. @param element  bytes, a power of two
Result<search::Found> find_hash(const scratchpad::Rules& rules, const ArrayPlan& plan, uint32_t element,
                                const PlanOptions& options) {
  const auto search = [&](uint32_t widest) {
    return search_hash(rules, plan.patterns, widest, options.time_limit, options.hash_class);
  };
  Result<search::Found> whole = search(std::max(plan.array.widest, element));
  if (!whole || element <= plan.array.widest) return whole;
  Result<search::Found> torn = search(plan.array.widest);
  return !torn || torn->excess >= whole->excess ? whole : torn;
}

/// Takes the words that the kernel accessed from an array's start to its end, whatever its instructions are.
/// @return false if an access goes over its borders
bool take_all_patterns(const report::Kernel& kernel, uint32_t start, const rewrite::Array& array, LayoutSubject& to) {
  const uint64_t first = start / 4, last = array.dynamic ? UINT64_MAX : first + (array.bytes + 3) / 4;
  const auto is_inside = [&](uint64_t word) { return word >= first && word < last; };
  for (const report::Site& site : kernel.sites) {
    for (scratchpad::Pattern pattern : scratchpad::patterns(site.totals.trace, report::kind_of(site), site.width)) {
      size_t inside = 0, lanes = 0;
      for (size_t lane = 0; lane < pattern.words.size(); ++lane) {
        if ((pattern.mask >> lane & 1) == 0) continue;
        ++lanes;
        inside += is_inside(pattern.words[lane]) ? 1 : 0;
      }
      if (inside == 0) continue;
      if (inside != lanes || !scratchpad::count_from(pattern, scratchpad::WordAddress(start / 4))) return false;
      to.patterns.patterns.push_back(pattern);
      if (site.op.starts_with("wmma")) to.tiles.push_back(pattern);
      to.is_tensor |= site.op.starts_with("wgmma");
    }
  }
  return make_searchable(to.patterns).empty();
}

/// Whether boxes of tensors are copied to or from the array.
bool is_copied_by_tensor_maps(const KernelArrays& arrays, const rewrite::Array& array) {
  const auto number = static_cast<size_t>(&array - arrays.arrays.data());
  return std::ranges::any_of(arrays.code.steps(), [&](const ptx::Step& step) {
    const ptx::Access what = ptx::access_of(*step.instruction);
    return what.kind == ptx::Access::Kind::copy && what.layout == ptx::Access::Layout::tensor &&
           std::ranges::any_of(step.instruction->operands, [&](const ptx::Operand& operand) {
             return operand.kind == ptx::Operand::Kind::address &&
                    (arrays.provenance.value(step, operand).arrays >> (2 * number) & 3) != 0;
           });
  });
}

/// What a person can do in the source.
void add_layouts(ArrayPlan& plan, const report::Kernel& kernel, const scratchpad::Rules& rules, uint32_t start,
                 bool is_tensor, std::chrono::milliseconds time_limit) {
  LayoutSubject subject{
      .name = source_name(plan.array.name), .declaration = plan.declaration, .bytes = plan.array.bytes};
  subject.is_rewritten = plan.hash || plan.padding;
  subject.tried_row = plan.padding ? plan.padding->row * 4 : 0;
  subject.is_tensor = is_tensor;
  subject.patterns.rules = rules;
  if (take_all_patterns(kernel, start, plan.array, subject)) plan.layouts = find_layouts(subject, time_limit);
}

/// Finds what has fewer conflicts. @return why there is nothing to try, or empty
std::string find_remedies(ArrayPlan& plan, const scratchpad::Rules& rules, const KernelArrays& arrays,
                          const PlanOptions& options) {
  const uint64_t before =
      scratchpad::excess(rules, plan.patterns, scratchpad::modulo_hash(scratchpad::size_of(plan.patterns)));
  // Elements whose size is a power of two stay whole: then the move can be written in the source.
  const uint32_t element = plan.declaration && std::has_single_bit(plan.declaration->element_bytes)
                               ? plan.declaration->element_bytes
                               : rules.bank_bytes;
  const Result<search::Found> found = find_hash(rules, plan, element, options);
  if (!found) return found.error().message;
  if (found->excess < before) plan.hash = *found;
  const uint64_t words = plan.array.dynamic ? uint64_t{1} << plan.patterns.address_bits : (plan.array.bytes + 3) / 4;
  const bool has_rows = plan.declaration && plan.declaration->sizes.size() > 1;
  const uint64_t row = has_rows ? plan.declaration->sizes.back() * plan.declaration->element_bytes / 4 : 0;
  plan.padding = scratchpad::best_padding(rules, plan.patterns, words, std::max(1u, element / 4), row);
  // What tears elements can be written only if their own lengths are the rows.
  const auto torn = scratchpad::best_padding(rules, plan.patterns, words, 1, element / 4);
  if (torn && (!plan.padding || torn->excess < plan.padding->excess)) plan.padding = torn;
  if (plan.padding && plan.padding->excess >= before) plan.padding.reset();
  for (const Remedy remedy : kRemedies) {
    if (const auto move = plan.move(remedy))
      plan.tried[remedy].refusal = rewrite::cannot_rewrite(arrays, plan.array, *move, rules.bank_bytes);
  }
  if (plan.hash || plan.padding) return {};
  const bool proved = found->status == search::Status::optimal && !plan.sampled;
  return no_hash_text(proved) + ", nor does padding";
}

/// Whether all accesses of the array were seen and none had a conflict; also if instructions make them that are not
/// followed, such as ldmatrix.
bool has_no_conflicts(const ArrayPlan& plan, const report::Kernel& kernel) {
  if (kernel.shared().conflicts() == 0) return true;
  const bool sampled =
      std::ranges::any_of(kernel.sites, [](const report::Site& site) { return site.totals.trace.is_sample(); });
  return !sampled && plan.before.conflicts() == 0 && plan.layouts.ideal_wavefronts != 0 && plan.layouts.conflicts == 0;
}

std::string plan_array(ArrayPlan& plan, const report::Kernel& kernel, const scratchpad::Rules& rules,
                       const KernelArrays& arrays, const simt::KernelInfo& info, const PlanOptions& options) {
  if (plan.before.wavefronts == plan.before.ideal_wavefronts) return "it has no conflicts";
  if (std::string reason = take_patterns(kernel, rules, start_of(info, plan.array), plan); !reason.empty())
    return reason;
  return find_remedies(plan, rules, arrays, options);
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

/// The sources that declarations are looked for in.
class Sources {
 public:
  explicit Sources(report::SourcePolicy policy) : policy_(std::move(policy)) {}

  /// Looks into the files of the array's accesses, then into those of its kernel.
  void find(ArrayPlan& array, const std::string& kernel, const ptx::KernelCode& code) {
    std::vector<std::string> files;
    const auto add = [&](const std::string& file) {
      if (file.starts_with('/') && std::ranges::find(files, file) == files.end()) files.push_back(file);
    };
    for (const ptx::Place& place : array.places) add(place.file);
    for (const ptx::Step& step : code.steps()) add(code.place(step).file);
    const std::string& name = array.array.name;
    for (const std::string& file : files) {
      const auto [at, is_new] = texts_.try_emplace(file, Error{""});
      if (is_new) at->second = read(file);
      if (!at->second) {
        if (array.no_declaration.empty()) array.no_declaration = at->second.error().message;
        continue;
      }
      array.declaration =
          find_declaration(*at->second, source_name(name), name.starts_with("_ZZ") ? name : kernel, array.array.bytes);
      if (!array.declaration) continue;
      array.file = file;
      array.no_declaration.clear();
      return;
    }
    if (files.empty()) array.no_declaration = "its lines in the source are not known; compile with -lineinfo";
    if (array.no_declaration.empty()) array.no_declaration = "its declaration was not found in " + files[0];
  }

 private:
  Result<std::string> read(const std::string& file) const {
    if (report::may_be_read(file, policy_)) return host::read_text(file);
    return Error{"its source " + printable(file) + " is outside the project; to read it: --source-root " +
                 printable(file.substr(0, file.rfind('/')))};
  }

  report::SourcePolicy policy_;
  std::map<std::string, Result<std::string>> texts_;
};

/// Whether a kernel's name has one of the parts in it; if there are none, yes.
bool is_wanted(const report::Kernel& kernel, const std::vector<std::string>& parts) {
  return parts.empty() || std::ranges::any_of(parts, [&](const std::string& part) {
           return kernel.name.find(part) != std::string::npos || kernel.demangled.find(part) != std::string::npos;
         });
}

std::optional<Error> names_no_kernel(const report::RunReport& report, const std::vector<std::string>& parts) {
  if (std::ranges::any_of(report.kernels, [&](const report::Kernel& k) { return is_wanted(k, parts); })) return {};
  if (parts.empty()) return {};
  std::string names, known;
  for (const std::string& part : parts) names += (names.empty() ? "" : " or ") + part;
  NearestName nearest(parts[0]);
  for (const report::Kernel& kernel : report.kernels) {
    known += (known.empty() ? "; there are " : ", ") + kernel.demangled;
    nearest.compare_words(kernel.demangled);
  }
  return Error{"no kernel that ran has " + names + " in its name" + known + did_you_mean(nearest)};
}

report::SharedTotals totals_if(const report::Kernel& kernel, auto is_counted) {
  report::SharedTotals sum;
  for (const report::Site& site : kernel.sites) {
    if (!is_counted(site)) continue;
    sum.accesses += site.totals.accesses;
    sum.wavefronts += site.totals.wavefronts;
    sum.ideal_wavefronts += site.totals.ideal;
  }
  return sum;
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

bool has_conflicts(const Plan& plan) {
  return std::ranges::any_of(plan.kernels, [](const KernelPlan& k) { return k.original.shared.conflicts() != 0; });
}

report::SharedTotals totals_at(const report::Kernel& kernel, const std::vector<uint32_t>& lines) {
  return totals_if(kernel, [&](const report::Site& site) {
    return std::find(lines.begin(), lines.end(), site.source.ptx_line) != lines.end();
  });
}

void add_counts(Form& form, const report::Kernel& kernel) {
  form.warp_instructions = kernel.warp_instructions;
  form.shared = kernel.shared();
  form.loads = totals_if(kernel, [](const report::Site& site) { return scratchpad::reads(report::kind_of(site)); });
  form.stores = totals_if(kernel, [](const report::Site& site) { return scratchpad::writes(report::kind_of(site)); });
}

Form form_of(const WitnessedRun& run, const gpu::Gpu& gpu, const report::Kernel& kernel, const simt::KernelInfo& info) {
  Form form;
  add_counts(form, kernel);
  const uint64_t dynamic = dynamic_shared(run, kernel.name).most;
  form.static_bytes = info.static_shared;
  form.shared_bytes = dynamic != 0 ? info.dynamic_base + dynamic : info.static_shared;
  form.ctas = ctas_on_sm(gpu, kernel, form);
  if (kernel.timing) form.cycles = kernel.timing->counters.cycles;
  return form;
}

unsigned ctas_on_sm(const gpu::Gpu& gpu, const report::Kernel& kernel, const Form& form) {
  return cuda::blocks_per_sm(cuda::device_info(gpu).sm,
                             {.threads = static_cast<uint32_t>(kernel.block.count()),
                              .registers = form.machine_code ? form.machine_code->registers : 0,
                              .shared = form.shared_bytes});
}

Result<Plan> make_plan(const WitnessedRun& run, const gpu::Gpu& gpu, const PlanOptions& options) {
  const report::RunReport& report = run.seen.report;
  if (auto error = names_no_kernel(report, options.kernels)) return *error;
  Plan plan;
  plan.program = report.program;
  plan.gpu = report.gpu;
  plan.rules = report.rules;
  plan.machine_code = report.machine_code;
  Loader loader(gpu);
  Sources sources(options.sources);
  for (const auto& [digest, text] : run.seen.ptx) {
    Result<ptx::Module> module = parse(text);
    if (!module) return module.error();
    if (plan.target.empty() && !module->targets.empty()) plan.target = module->targets[0];
    const Result<std::shared_ptr<simt::Program>> program = loader.load(text);
    if (!program) return program.error();
    for (const report::Kernel& kernel : report.kernels) {
      const ptx::Function* function = kernel.module.digest == digest ? ptx::find_kernel(*module, kernel.name) : nullptr;
      if (function == nullptr || kernel.sites.empty() || !is_wanted(kernel, options.kernels)) continue;
      const KernelArrays arrays(*module, *function);
      const simt::KernelInfo& info = *info_of(**program, kernel.name);
      KernelPlan& kernel_plan = plan.kernels.emplace_back();
      kernel_plan.kernel = kernel;
      kernel_plan.title = report::kernel_title(kernel, report);
      kernel_plan.original = form_of(run, gpu, kernel, info);
      for (const rewrite::Array& array : arrays.arrays) {
        ArrayPlan& one = kernel_plan.arrays.emplace_back();
        one.array = array;
        add_places(one, arrays);
        sources.find(one, kernel.name, arrays.code);
        one.before = totals_at(kernel, one.lines);
        for (Tried& tried : one.tried.values) tried.after = one.before;
        one.left_alone = array.refusal;
        if (!one.left_alone) {
          if (std::string reason = plan_array(one, kernel, report.rules, arrays, info, options); !reason.empty())
            one.left_alone = rewrite::Refusal{reason, {}};
        }
        one.has_source = kernel.module.specialization.empty();
        add_layouts(one, kernel, report.rules, start_of(info, array), is_copied_by_tensor_maps(arrays, array),
                    options.time_limit);
        if (has_no_conflicts(one, kernel)) one.left_alone = rewrite::Refusal{"it has no conflicts", {}};
        if (!one.has_source) one.layouts.list.clear();
      }
    }
  }
  return plan;
}

}  // namespace bankshot::fix

#include "bankshot/analysis/analyse.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/ptx/lookup.hpp"

namespace bankshot::analysis {
namespace {

using scratchpad::AccessKind;

constexpr size_t kMostPatterns = 1024, kMostInstances = 64;

/// What is gathered of one instruction while its accesses come in.
struct Gathered {
  scratchpad::SiteCounter counter;
  std::map<std::pair<uint64_t, std::array<uint32_t, scratchpad::kMaxLanes>>, uint64_t> patterns;
  uint64_t left_out = 0;
  bool shifted = false, reached = false;
  std::string reason;
  uint32_t arrays = 0;
  std::vector<Assumption> assumptions;
  std::vector<uint32_t> loops;
  std::vector<Instance> instances;
  bool more_instances = false;
};

template <class T>
void add_once(std::vector<T>& list, const T& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

AccessKind kind_of(const Step& step) {
  // In a transaction banks serve one lane after the other.
  return step.in_transaction ? AccessKind::atomic : step.kind;
}

/// Puts lanes whose common offset is not known at word 0. Shifting by whole words changes no cost: banks are counted
/// modulo their number. Accesses as wide as a bank are shifted by whole words whatever is added, as they are aligned.
/// @return why not, or empty
std::string unshifted(const Forms& forms, const Access& access, unsigned width, unsigned bank_bytes,
                      std::array<uint32_t, scratchpad::kMaxLanes>& address) {
  const Value sample{0, access.form, 0};
  const unsigned modulus = std::min(32u, forms.form(sample).modulus);
  const auto unit = static_cast<unsigned>(std::countr_zero(bank_bytes));
  if (width < bank_bytes && forms.low_known(sample) < unit) {
    return "where the lanes lie within a word depends on " + forms.text(sample);
  }
  const auto first = static_cast<unsigned>(std::countr_zero(access.mask));
  int64_t least = 0;
  std::array<int64_t, scratchpad::kMaxLanes> from{};
  for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    from[lane] = static_cast<int64_t>(extended(access.address[lane] - access.address[first], modulus, true));
    least = std::min(least, from[lane]);
  }
  const int64_t start = width < bank_bytes ? (access.address[first] + least) & (bank_bytes - 1) : 0;
  for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    address[lane] = static_cast<uint32_t>(from[lane] - least + start);
    if (address[lane] % width != 0) return "the addresses are not multiples of the width";
  }
  return {};
}

class Gatherer {
 public:
  Gatherer(const Code& code, const scratchpad::Rules& rules, const Launch& launch)
      : code_(code), rules_(rules), launch_(launch), sites_(code.steps.size()) {}

  /// Takes in what happened since the last call, of one CTA. @param formulas  whether to look for formulas
  void add(Walk& walk, bool formulas) {
    for (const Event& event : walk.events) add(walk, event);
    if (formulas) find_formulas(walk);
    walk.events.clear();
  }

  /// @param times  every CTA is like the one that was walked
  std::vector<Site> finish(uint64_t times) {
    std::vector<Site> sites;
    for (size_t k = 0; k < code_.steps.size(); ++k) {
      const Step& step = code_.steps[k];
      const bool shared = step.act == Step::Act::access && step.space == ptx::Space::shared;
      if (shared || sites_[k].reached) sites.push_back(finish(step, sites_[k], times));
    }
    return sites;
  }

 private:
  void add(const Walk& walk, const Event& event) {
    Gathered& site = sites_[event.step];
    const Step& step = code_.steps[event.step];
    const Access& access = walk.accesses[event.access];
    const Context& context = walk.contexts[event.context];
    site.reached = true;
    site.arrays |= access.arrays;
    for (const uint32_t number : context.assumptions) add_once(site.assumptions, walk.assumptions[number]);
    for (const uint32_t loop : context.loops) add_once(site.loops, loop);
    std::array<uint32_t, scratchpad::kMaxLanes> address = access.address;
    std::string reason = access.reason;
    if (reason.empty() && access.form != Forms::kKnown) {
      site.shifted = true;
      // What moves to other words moves to other banks.
      if (rules_.hash) reason = "under a bank hash the cost depends on " + walk.forms.text(Value{0, access.form, 0});
    }
    if (reason.empty() && access.form != Forms::kKnown) {
      reason = unshifted(walk.forms, access, step.width, rules_.bank_bytes, address);
    }
    constexpr uint32_t kMostShared = 256 * 1024;
    for (unsigned lane = 0; lane < scratchpad::kMaxLanes && reason.empty(); ++lane) {
      if ((access.mask >> lane & 1) == 0) continue;
      if (address[lane] % step.width != 0)
        reason = "the addresses are not multiples of the width: a run would fail here";
      else if (address[lane] >= kMostShared)
        reason = "the addresses are beyond shared memory: a run would fail here";
    }
    if (!reason.empty()) {
      if (site.reason.empty()) site.reason = reason;
      return;
    }
    site.counter.record(rules_, kind_of(step), step.width, address.data(), access.mask, event.cta);
    for (unsigned lane = 0; lane < scratchpad::kMaxLanes; ++lane) address[lane] /= 4;
    const auto key = std::pair(access.mask, address);
    if (const auto known = site.patterns.find(key); known != site.patterns.end())
      ++known->second;
    else if (site.patterns.size() < kMostPatterns)
      site.patterns[key] = 1;
    else
      ++site.left_out;
  }

  /// The warps of a CTA that execute an instruction in the same iterations make one formula.
  void find_formulas(const Walk& walk) {
    struct Threads {
      std::vector<ThreadAddress> list;
      uint32_t form = 0;
      bool alike = true;
    };
    std::map<std::pair<uint32_t, uint32_t>, Threads> executions;  // (step, iterations)
    std::vector<std::pair<uint32_t, uint32_t>> order;
    for (const Event& event : walk.events) {
      const Access& access = walk.accesses[event.access];
      if (!access.reason.empty()) continue;
      const auto [at, added] = executions.try_emplace({event.step, event.iterations});
      if (added) order.push_back(at->first);
      Threads& threads = at->second;
      if (threads.list.empty()) threads.form = access.form;
      // Every warp has its own count of iterations, which is the same number for one execution of the CTA.
      threads.alike &=
          threads.form == access.form || walk.forms.text({0, threads.form, 0}) == walk.forms.text({0, access.form, 0});
      for (uint64_t rest = access.mask; rest != 0; rest &= rest - 1) {
        const auto lane = static_cast<uint32_t>(std::countr_zero(rest));
        threads.list.push_back({event.warp * launch_.warp_size + lane, access.address[lane]});
      }
    }
    for (const auto& key : order) {
      Gathered& site = sites_[key.first];
      Threads& threads = executions[key];
      if (site.instances.size() == kMostInstances) {
        site.more_instances = true;
        continue;
      }
      std::sort(threads.list.begin(), threads.list.end(),
                [](const auto& a, const auto& b) { return a.thread < b.thread; });
      Instance instance{walk.iterations[key.second], {}};
      if (threads.alike) instance.formula = formula_of(threads.list, launch_.block);
      const Value sample{0, threads.form, 0};
      if (threads.alike && threads.form != Forms::kKnown) {
        instance.formula.unknown =
            walk.forms.low_known(sample) >= 2 ? walk.forms.text(sample, 4) : walk.forms.text(sample) + " bytes";
      }
      site.instances.push_back(std::move(instance));
    }
  }

  static void multiply(scratchpad::SiteTotals& totals, uint64_t times) {
    for (uint64_t* sum : {&totals.accesses, &totals.lanes, &totals.wavefronts, &totals.ideal, &totals.position})
      *sum *= times;
    for (uint64_t& count : totals.classes) count *= times;
    for (uint64_t& count : totals.degrees) count *= times;
  }

  Site finish(const Step& step, const Gathered& gathered, uint64_t times) const {
    Site site;
    site.file = step.file;
    site.line = step.line;
    site.frames = code_.sources.frames(step.chain);
    site.ptx_line = step.ptx_line;
    site.op = ptx::as_written(*step.instruction);
    site.joined = step.instruction->joined;
    site.kind = kind_of(step);
    site.width = step.width;
    for (uint32_t k = 0; k < code_.arrays.size() && k < Value::kArrayBits; ++k) {
      if ((gathered.arrays >> k & 1) != 0) site.arrays.push_back(k);
    }
    const auto index = static_cast<size_t>(&step - code_.steps.data());
    for (int32_t loop = code_.loop_of[index]; loop >= 0; loop = code_.loops[static_cast<size_t>(loop)].parent) {
      site.around.insert(site.around.begin(), code_.steps[code_.loops[static_cast<size_t>(loop)].header].ptx_line);
    }
    site.reason = gathered.reason;
    site.loops = gathered.loops;
    bool uniform = true;
    for (const Assumption& assumption : gathered.assumptions) {
      add_once(site.assumptions, assumption.text);
      uniform &= assumption.uniform;
    }
    site.certainty = !gathered.reached                                  ? Certainty::unreached
                     : !site.reason.empty()                             ? Certainty::unknown
                     : !uniform                                         ? Certainty::assumed
                     : !site.loops.empty() || !site.assumptions.empty() ? Certainty::each
                                                                        : Certainty::exact;
    site.totals = gathered.counter;
    multiply(site.totals, times);
    for (const auto& [key, weight] : gathered.patterns) {
      scratchpad::Pattern pattern;
      pattern.weight = weight * times;
      pattern.kind = site.kind;
      pattern.width = site.width;
      pattern.mask = key.first;
      pattern.words = key.second;
      site.patterns.push_back(pattern);
    }
    site.patterns_left_out = gathered.left_out * times;
    site.shifted = gathered.shifted;
    site.instances = gathered.instances;
    site.more_instances = gathered.more_instances;
    return site;
  }

  const Code& code_;
  const scratchpad::Rules& rules_;
  const Launch& launch_;
  std::vector<Gathered> sites_;
};

/// Whether knowing the CTA's index tells more of some instruction.
bool is_surer(const std::vector<Site>& one, const std::vector<Site>& all) {
  const auto rank = [](const Site& site) {
    return site.certainty == Certainty::unreached ? Certainty::exact : site.certainty;
  };
  std::map<uint32_t, Certainty> before;  // an instruction without an access may be missing
  for (const Site& site : all) before[site.ptx_line] = std::max(before[site.ptx_line], rank(site));
  std::map<uint32_t, Certainty> now;
  for (const Site& site : one) now[site.ptx_line] = std::max(now[site.ptx_line], rank(site));
  return std::any_of(before.begin(), before.end(), [&](const auto& b) { return b.second > now[b.first]; });
}

}  // namespace

std::string_view name(Certainty certainty) {
  constexpr std::string_view kNames[] = {"exact", "each", "assumed", "unknown", "unreached"};
  return kNames[static_cast<size_t>(certainty)];
}

std::optional<std::vector<int64_t>> loop_factors(const std::vector<Instance>& instances) {
  if (instances.size() < 2 || instances[0].formula.kind == Formula::Kind::other) return std::nullopt;
  const Instance& first = instances[0];
  const auto steps = [&](const Instance& instance, size_t loop) {
    return int64_t{instance.iterations[loop]} - first.iterations[loop];  // 0 where both are any iteration
  };
  std::vector<int64_t> factors(first.iterations.size());
  for (size_t loop = 0; loop < factors.size(); ++loop) {
    for (const Instance& instance : instances) {
      bool alone = steps(instance, loop) != 0;
      for (size_t other = 0; other < factors.size(); ++other) alone &= other == loop || steps(instance, other) == 0;
      if (!alone) continue;
      const int64_t apart = instance.formula.offset - first.formula.offset;
      if (apart % steps(instance, loop) != 0) return std::nullopt;
      factors[loop] = apart / steps(instance, loop);
      break;
    }
  }
  for (const Instance& instance : instances) {
    Formula expected = first.formula;
    for (size_t loop = 0; loop < factors.size(); ++loop) expected.offset += factors[loop] * steps(instance, loop);
    if (!(expected == instance.formula)) return std::nullopt;
  }
  return factors;
}

Result<Kernel> analyse(const ptx::Module& module, std::string_view name, const Launch& launch,
                       const scratchpad::Rules& rules, const Options& options) {
  const ptx::Function* function = ptx::find_kernel(module, name);
  if (function == nullptr) return Error{"there is no kernel '" + std::string(name) + "'"};
  constexpr uint32_t kMostThreads = 1024;
  const Extent& block = launch.block;
  if (std::max({block.x, block.y, block.z}) > kMostThreads || block.count() == 0 || block.count() > kMostThreads) {
    return Error{"a block must have 1 to " + std::to_string(kMostThreads) + " threads"};
  }
  Kernel kernel;
  kernel.name = name;
  kernel.launch = launch;
  const Code code = code_of(module, *function);
  for (const auto& [parameter, value] : launch.parameters) {
    if (std::find(code.parameters.begin(), code.parameters.end(), parameter.first) == code.parameters.end()) {
      return Error{"kernel " + kernel.name + " has no parameter '" + parameter.first + "'"};
    }
  }
  kernel.arrays = code.arrays;
  for (const Step& step : code.steps) {
    if (step.instruction != nullptr && step.instruction->opcode == "call") kernel.calls.push_back(step.ptx_line);
  }
  const auto warps = static_cast<uint32_t>((launch.block.count() + launch.warp_size - 1) / launch.warp_size);
  uint64_t steps_left = options.most_steps;
  // One CTA for all first, its indices being symbols; then each by itself if that was not enough.
  const auto walk_cta = [&](Gatherer& gatherer, const std::optional<Extent>& cta, uint64_t number) {
    Walk walk;
    walk.steps_left = steps_left;
    Walker walker(code, launch, walk);
    for (uint32_t warp = 0; warp < warps; ++warp) {
      if (!walker.run_warp(warp, cta, number)) return false;
    }
    steps_left = walk.steps_left;
    gatherer.add(walk, number == 0);
    return true;
  };
  Gatherer gatherer(code, rules, launch);
  if (!walk_cta(gatherer, std::nullopt, 0)) {
    return Error{"kernel " + kernel.name + " cannot be analysed: its branches nest too deeply, or it takes more than " +
                 std::to_string(options.most_steps) + " steps; known parameters or a smaller block may help"};
  }
  kernel.ctas = launch.grid ? launch.grid->count() : 1;
  kernel.sites = gatherer.finish(kernel.ctas);
  const bool sure = std::all_of(kernel.sites.begin(), kernel.sites.end(), [](const Site& site) {
    return site.certainty == Certainty::exact || site.certainty == Certainty::unreached;
  });
  if (sure || !launch.grid || kernel.ctas > options.most_ctas) return kernel;
  Gatherer each(code, rules, launch);
  for (uint64_t number = 0; number < kernel.ctas; ++number) {
    const Extent& grid = *launch.grid;
    const Extent cta{static_cast<uint32_t>(number % grid.x), static_cast<uint32_t>(number / grid.x % grid.y),
                     static_cast<uint32_t>(number / grid.x / grid.y)};
    if (!walk_cta(each, cta, number)) return kernel;  // what all CTAs have in common is known
    if (number == 0 && !is_surer(each.finish(1), kernel.sites)) return kernel;
  }
  kernel.sites = each.finish(1);
  return kernel;
}

}  // namespace bankshot::analysis

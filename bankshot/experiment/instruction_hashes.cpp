// Section 9 of the XOR-hash paper (TC'16), its future work: hash parameters inside load and store instructions.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <sstream>

#include <fmt/format.h>

#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/experiment/hash_paper.hpp"
#include "bankshot/experiment/parameters.hpp"
#include "bankshot/regions/choose.hpp"
#include "bankshot/report/json/instruction_hashes_json.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {
namespace {

/// How hashes are chosen.
struct Search {
  std::string hash_class;
  search::Method method = search::Method::exhaustive;
  search::SearchOptions options;
  std::string label;  ///< "bitwise-perm, mih"

  Result<search::Found> operator()(const search::Problem& problem) const {
    return search::find(problem, hash_class, method, options);
  }
};

constexpr search::Method kMethods[] = {search::Method::exhaustive, search::Method::givargis, search::Method::mih,
                                       search::Method::optimal};

std::vector<Search> searches(Parameters& parameters, unsigned threads) {
  std::vector<Search> all;
  for (const std::string& text : parameters.texts("classes")) {
    std::istringstream words(text);
    Search& one = all.emplace_back();
    std::string method, in_place;
    words >> one.hash_class >> method >> in_place;
    one.options.threads = std::max(1u, threads);
    one.options.time_limit = std::chrono::hours(1);  // what is found must not depend on the host
    one.options.in_place = in_place == "in-place";
    one.label = one.hash_class + ", " + method + (one.options.in_place ? ", in place" : "");
    const auto* const found = std::ranges::find(kMethods, method, [](search::Method m) { return search::name(m); });
    if (found != std::end(kMethods) && (in_place.empty() || one.options.in_place)) {
      one.method = *found;
      continue;
    }
    parameters.fail("classes", "has '" + text + "', which is not CLASS METHOD, perhaps with in-place behind it");
  }
  if (all.empty()) parameters.fail("classes", "is missing");
  return all;
}

/// What one benchmark has under one way to choose.
struct Compared {
  uint64_t baseline = 0, one = 0, own = 0;            ///< conflicts
  std::string one_hash;                               ///< of each kernel
  size_t hashes = 0;                                  ///< of the kernel with the most
  report::InstructionHashes of_one, of_instructions;  ///< for the simulator

  static double removed(uint64_t left, uint64_t of) {
    return of == 0 ? 0 : 100 * (1 - static_cast<double>(left) / static_cast<double>(of));
  }
};

Result<Compared> compare(const Benchmark& benchmark, const report::InstructionPatterns& patterns,
                         const Search& search) {
  Compared all;
  all.of_one.banks = all.of_instructions.banks = patterns.rules.banks;
  all.of_one.bank_bytes = all.of_instructions.bank_bytes = patterns.rules.bank_bytes;
  for (const report::PatternsOfKernel& kernel : patterns.kernels) {
    Result<report::HashedKernel> made = regions::choose_hashes(kernel, patterns.rules, search);
    if (!made) return at(benchmark, made.error().message);
    all.baseline += made->baseline;
    all.one += made->one.excess;
    all.own += made->excess;
    all.hashes = std::max(all.hashes, made->hashes.size());
    all.one_hash += (all.one_hash.empty() ? "" : ", ") + scratchpad::spec(made->one.hash);
    report::HashedKernel& one = all.of_one.kernels.emplace_back(*made);
    one.hashes = {made->one};
    all.of_instructions.kernels.push_back(std::move(*made));
  }
  return all;
}

class Comparison {
 public:
  Comparison(const Experiment& experiment, const Settings& settings) : experiment_(experiment), settings_(settings) {}

  Result<Outcome> outcome() {
    Parameters parameters(experiment_);
    searches_ = searches(parameters, settings_.threads);
    if (parameters.error()) return *parameters.error();
    if (auto error = trace_all()) return *error;
    for (const Search& search : searches_) {
      if (auto error = add(search)) return *error;
    }
    return std::move(outcome_);
  }

 private:
  std::optional<Error> trace_all() {
    size_t apart = 0, instructions = 0, by_words = 0;
    for (const Benchmark& benchmark : experiment_.benchmarks) {
      if (settings_.progress) settings_.progress(benchmark.label);
      Result<report::InstructionPatterns> patterns = settings_.trace_by_instruction(benchmark, benchmark.arguments);
      if (!patterns) return at(benchmark, patterns.error().message);
      bool several = false;
      for (const report::PatternsOfKernel& kernel : patterns->kernels) {
        several |= kernel.parts.size() > 1;
        for (const report::PatternsOfPart& part : kernel.parts) {
          instructions += part.instructions.size();
          by_words +=
              static_cast<size_t>(std::ranges::count(part.instructions, true, &report::PartInstruction::by_walk));
        }
      }
      apart += several ? 1 : 0;
      traced_.push_back(std::move(*patterns));
    }
    row("benchmarks with instructions that share no words", static_cast<double>(apart), "",
        fmt::format("of {}", traced_.size()));
    row("instructions whose words the analysis tells", static_cast<double>(by_words), "",
        fmt::format("of {}; of the others their arrays are known", instructions));
    return {};
  }

  std::optional<Error> add(const Search& search) {
    double one = 0, own = 0, faster = 0;
    size_t counted = 0, timed = 0, most = 0;
    for (size_t k = 0; k < traced_.size(); ++k) {
      const Benchmark& benchmark = experiment_.benchmarks[k];
      if (settings_.progress) settings_.progress(search.label + ": " + benchmark.label);
      const Result<Compared> found = compare(benchmark, traced_[k], search);
      if (!found) return found.error();
      if (found->baseline == 0) continue;
      ++counted;
      one += Compared::removed(found->one, found->baseline);
      own += Compared::removed(found->own, found->baseline);
      most = std::max(most, found->hashes);
      if (found->own == found->one) continue;
      row(fmt::format("{}: {}", search.label, benchmark.label),
          rounded(Compared::removed(found->own, found->baseline), 1), "% removed", note(*found));
      if (found->own > found->one) continue;
      const Result<double> gain = speedup(benchmark, *found);
      if (!gain) return gain.error();
      row(fmt::format("{}: {}, over one hash", search.label, benchmark.label), rounded(*gain, 3), "times as fast",
          "simulated");
      faster += std::log(*gain);
      ++timed;
    }
    if (counted == 0) return {};
    const auto n = static_cast<double>(counted);
    const std::string of = fmt::format("mean of {} benchmarks with conflicts", counted);
    row(search.label + ": one hash a kernel", rounded(one / n, 1), "% removed", of);
    row(search.label + ": a hash an instruction", rounded(own / n, 1), "% removed", of);
    row(search.label + ": over one hash, geometric mean", rounded(std::exp(faster / n), 3), "times as fast",
        fmt::format("{} of {} gain anything", timed, counted));
    row(search.label + ": bits of parameters in an instruction",
        regions::bits_of_parameters(search.hash_class, traced_.front().rules.banks), "bits", "");
    row(search.label + ": bits of a number in an instruction", std::bit_width(most), "bits",
        fmt::format("at most {} in a kernel, or none", most == 1 ? "1 hash" : fmt::format("{} hashes", most)));
    return {};
  }

  static std::string note(const Compared& found) {
    return fmt::format("{} of {} conflicts are left, by {}; with one hash, {}, {}", found.own, found.baseline,
                       found.hashes == 1 ? "1 hash" : fmt::format("{} hashes", found.hashes), found.one_hash,
                       found.one);
  }

  /// In cycles, against one hash in each kernel.
  Result<double> speedup(const Benchmark& benchmark, const Compared& found) const {
    std::array<double, 2> cycles{};
    for (const size_t k : {0u, 1u}) {
      Machine machine;
      machine.set = benchmark.set;
      machine.instruction_hashes = report::to_json(k == 0 ? found.of_one : found.of_instructions);
      const Result<Simulated> ran = settings_.simulate(benchmark, benchmark.arguments, machine);
      if (!ran) return at(benchmark, ran.error().message);
      if (ran->cycles == 0) return at(benchmark, "no cycle was simulated");
      cycles[k] = static_cast<double>(ran->cycles);
    }
    return cycles[0] / cycles[1];
  }

  void row(const std::string& label, double value, const std::string& unit, const std::string& note) {
    outcome_.rows.push_back({label, published(experiment_, label), value, unit, note});
  }

  const Experiment& experiment_;
  const Settings& settings_;
  std::vector<Search> searches_;
  std::vector<report::InstructionPatterns> traced_;  ///< beside the benchmarks
  Outcome outcome_;
};

}  // namespace

Result<Outcome> instruction_hashes(const Experiment& experiment, const Settings& settings) {
  return Comparison(experiment, settings).outcome();
}

}  // namespace bankshot::experiment

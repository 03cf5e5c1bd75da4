#include "bankshot/experiment/machines.hpp"

#include <algorithm>
#include <sstream>

#include "bankshot/experiment/hash_functions.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"

namespace bankshot::experiment {
namespace {

constexpr std::string_view kFound = "found";

/// The configurable bit-vector XOR that leaves the fewest conflicts of those that the training run has.
Result<std::string> found_hash(const Benchmark& benchmark, const Settings& settings) {
  const Result<scratchpad::PatternSet> train = settings.trace(benchmark, benchmark.arguments);
  if (!train) return train.error();
  const search::Problem problem = search::problem(train->rules, *train);
  if (excess(*train, scratchpad::modulo_hash(problem.size)) == 0) return std::string("none");
  return scratchpad::spec(hash_functions()[kBitvectorXor].choose(problem)->hash);
}

}  // namespace

Machines::Machines(Parameters& parameters, const Settings& settings)
    : settings_(settings), set_(parameters.texts("set")) {
  for (const std::string& text : parameters.texts("machines")) {
    const size_t colon = text.find(": ");
    Spec spec{text.substr(0, colon), {"none", {}, {}, set_}};
    std::istringstream words(colon == text.npos ? "" : text.substr(colon + 2));
    for (std::string word; words >> word;) {
      if (word.starts_with("bank_hash=")) {
        spec.machine.bank_hash = word.substr(word.find('=') + 1);
      } else if (word.find('=') == word.npos) {
        parameters.fail("machines", "'" + word + "' of '" + spec.label + "' is not section.key=value");
      } else {
        spec.machine.set.push_back(word);
      }
    }
    all_.push_back(std::move(spec));
  }
}

size_t Machines::find(const std::string& label) const {
  return static_cast<size_t>(
      std::find_if(all_.begin(), all_.end(), [&](const Spec& one) { return one.label == label; }) - all_.begin());
}

Result<Simulated> Machines::run(const Benchmark& benchmark, size_t machine) const {
  if (settings_.progress) settings_.progress(benchmark.label + ", " + all_[machine].label);
  return run(benchmark, all_[machine].machine);
}

Result<Simulated> Machines::run_plain(const Benchmark& benchmark) const {
  if (settings_.progress) settings_.progress(benchmark.label);
  return run(benchmark, Machine{"none", {}, {}, set_});
}

Result<Simulated> Machines::run(const Benchmark& benchmark, Machine machine) const {
  machine.set.insert(machine.set.end(), benchmark.set.begin(), benchmark.set.end());
  if (machine.bank_hash == kFound) {
    const Result<std::string> hash = found_hash(benchmark, settings_);
    if (!hash) return at(benchmark, hash.error().message);
    machine.bank_hash = *hash;
  }
  const bool whole = !settings_.quick && !benchmark.timed.empty();
  Result<Simulated> seen = settings_.simulate(benchmark, whole ? benchmark.timed : benchmark.arguments, machine);
  if (!seen) return at(benchmark, seen.error().message);
  if (seen->cycles == 0) return at(benchmark, "no cycle was simulated");
  return seen;
}

}  // namespace bankshot::experiment

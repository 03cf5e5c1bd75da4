// Latencies of random patterns on simulated GPUs are those of the rules: for banks the wavefronts, for locks the closed
// form.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "bankshot/cuda/process/simulate.hpp"
#include "bankshot/measure/latency.hpp"
#include "bankshot/measure/runner_simulated.hpp"
#include "bankshot/scratchpad/atomics/atomics_model.hpp"
#include "tests/paths.hpp"

namespace bankshot::measure {
namespace {

std::unique_ptr<Runner> loaded_runner(const std::string& name) {
  const auto gpu = gpu::load_gpu(paths::source() + "/gpus/" + name + ".toml");
  auto runner = simulated_runner(*gpu, *cuda::simulated_config(*gpu, {}, {}));
  if ((*runner)->load(programs())) return nullptr;
  return std::move(*runner);
}

/// Words of few rows, so that lanes meet; some lanes off, never all.
std::vector<Pattern> some_patterns() {
  const auto words = *rc::gen::inRange<uint32_t>(1, 4096);
  const auto lane =
      rc::gen::weightedOneOf<uint32_t>({{7, rc::gen::inRange<uint32_t>(0, words)}, {1, rc::gen::just(kOff)}});
  std::vector<Pattern> patterns(4);
  for (Pattern& pattern : patterns) {
    for (uint32_t& word : pattern) word = *lane;
    pattern[*rc::gen::inRange<size_t>(0, 32)] = *rc::gen::inRange<uint32_t>(0, words);
  }
  return patterns;
}

RC_GTEST_PROP(MeasureProperty, loads_and_native_atomics_take_their_wavefronts, ()) {
  static const std::unique_ptr<Runner> runner = loaded_runner("v100");
  const std::vector<Pattern> patterns = some_patterns();
  const bool atomic = *rc::gen::arbitrary<bool>();
  const auto all = latencies(*runner, atomic ? Access::add : Access::load, patterns, 1);
  RC_ASSERT(static_cast<bool>(all));
  for (size_t k = 0; k < patterns.size(); ++k) {
    std::array<uint32_t, 32> bytes{};
    uint64_t lanes = 0;
    for (size_t lane = 0; lane < 32; ++lane) {
      if (patterns[k][lane] == kOff) continue;
      bytes[lane] = patterns[k][lane] * 4;
      lanes |= uint64_t{1} << lane;
    }
    const auto kind = atomic ? scratchpad::AccessKind::atomic : scratchpad::AccessKind::load;
    RC_ASSERT(all->at(k).of[0] == 18 + scratchpad::cost({}, kind, 4, bytes.data(), lanes).wavefronts);
  }
}

RC_GTEST_PROP(MeasureProperty, atomics_under_locks_take_what_the_closed_form_says, ()) {
  static const std::unique_ptr<Runner> runner = loaded_runner("gtx580");
  scratchpad::LockGeometry geometry;
  geometry.locks = *scratchpad::parse_lock_hash("none", {});
  scratchpad::LockWalker walker(geometry);
  const std::vector<Pattern> patterns = some_patterns();
  const auto all = latencies(*runner, Access::add, patterns, 1);
  RC_ASSERT(static_cast<bool>(all));
  for (size_t k = 0; k < patterns.size(); ++k) {
    std::vector<uint32_t> words;
    for (const uint32_t word : patterns[k]) {
      if (word != kOff) words.push_back(word);
    }
    // ICCD'13, section III, in hot clocks: read 32, update 18, write 36, branch 32.
    const auto walk = walker.walk(words.data(), static_cast<unsigned>(words.size()));
    RC_ASSERT(all->at(k).of[0] == static_cast<double>(latency(walk, {118, 118, 32, 36}).total()));
  }
}

}  // namespace
}  // namespace bankshot::measure

// Searches for bank hashes: conflicts evaluated a second, and whole searches.
#include <benchmark/benchmark.h>

#include <random>

#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/optimal.hpp"

namespace {

using namespace bankshot;

/// 256 random gathers of 32 words.
std::vector<scratchpad::Group> gathers() {
  std::mt19937 random(1);
  std::vector<scratchpad::Group> groups(256);
  for (scratchpad::Group& group : groups) {
    for (int k = 0; k < 32; ++k) group.words.push_back(random() % 16384);
  }
  return groups;
}

/// One pattern under one hash is one item.
void evaluate(benchmark::State& state) {
  const std::vector<scratchpad::Group> groups = gathers();
  const search::Evaluator evaluator(groups);
  std::mt19937 random(2);
  uint32_t rows[5] = {};
  for (auto _ : state) {
    for (uint32_t& row : rows) row = random() % 16384;
    benchmark::DoNotOptimize(evaluator.excess(rows));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * groups.size()));
}

scratchpad::Pattern pattern(uint32_t (*word)(uint32_t)) {
  scratchpad::Pattern p;
  p.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) p.words[lane] = word(lane);
  return p;
}

/// A tile by rows and columns, power-of-two strides, blocks of two and three dimensions.
search::Problem tiles() {
  scratchpad::PatternSet set;
  for (auto word :
       {+[](uint32_t l) { return l; }, +[](uint32_t l) { return l * 2; }, +[](uint32_t l) { return l * 4; },
        +[](uint32_t l) { return l * 8; }, +[](uint32_t l) { return l * 16; }, +[](uint32_t l) { return l * 32; },
        +[](uint32_t l) { return l * 64; }, +[](uint32_t l) { return (l & 7) + (l >> 3) * 32; },
        +[](uint32_t l) { return (l & 3) + (l >> 2 & 3) * 32 + (l >> 4) * 1024; },
        +[](uint32_t l) { return (l & 15) * 64 + (l >> 4); }}) {
    set.patterns.push_back(pattern(word));
  }
  return search::problem({}, set);
}

void prove_tiles(benchmark::State& state) {
  const search::Problem problem = tiles();
  for (auto _ : state) {
    const search::Found optimum = search::optimal(problem, {});
    if (optimum.status != search::Status::optimal) state.SkipWithError("not proved");
  }
}
/// Irregular patterns, whose sums say little: 32 strides, and 64 affine patterns of 10 address bits.
void prove_strides(benchmark::State& state) {
  scratchpad::PatternSet set;
  for (uint32_t stride = 1; stride <= 32; ++stride) {
    scratchpad::Pattern p;
    p.mask = 0xffffffff;
    for (uint32_t lane = 0; lane < 32; ++lane) p.words[lane] = lane * stride;
    set.patterns.push_back(p);
  }
  const search::Problem problem = search::problem({}, set);
  search::SearchOptions options;
  options.time_limit = std::chrono::minutes(2);
  for (auto _ : state) {
    if (search::optimal(problem, options).status != search::Status::optimal) state.SkipWithError("not proved");
  }
}
void prove_affine(benchmark::State& state) {
  std::mt19937 random(1);
  scratchpad::PatternSet set;
  set.address_bits = 10;
  for (int k = 0; k < 64; ++k) {
    uint32_t basis[5];
    for (uint32_t& word : basis) word = random() % 1024;
    scratchpad::Pattern p;
    p.mask = 0xffffffff;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      for (int bit = 0; bit < 5; ++bit) p.words[lane] ^= (lane >> bit & 1) * basis[bit];
    }
    set.patterns.push_back(p);
  }
  const search::Problem problem = search::problem({}, set);
  for (auto _ : state) {
    if (search::optimal(problem, {}).status != search::Status::optimal) state.SkipWithError("not proved");
  }
}
void all_bitvector_hashes(benchmark::State& state) {
  const search::Problem problem = tiles();
  for (auto _ : state) benchmark::DoNotOptimize(search::exhaustive_bitvector(problem, false, false).excess);
}
void givargis_pairs(benchmark::State& state) {
  const search::Problem problem = tiles();
  for (auto _ : state) benchmark::DoNotOptimize(search::givargis(problem, true).excess);
}
void minimum_imbalance_pairs(benchmark::State& state) {
  const search::Problem problem = tiles();
  for (auto _ : state) benchmark::DoNotOptimize(search::minimum_imbalance(problem, true).excess);
}

BENCHMARK(evaluate);
BENCHMARK(prove_tiles);
BENCHMARK(prove_strides)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(prove_affine)->Unit(benchmark::kMillisecond);
BENCHMARK(all_bitvector_hashes);
BENCHMARK(givargis_pairs);
BENCHMARK(minimum_imbalance_pairs);

}  // namespace

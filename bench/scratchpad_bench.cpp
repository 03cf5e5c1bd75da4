// Nanoseconds to count one warp access, by the kind of access.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "bankshot/scratchpad/atomics/voting.hpp"
#include "bankshot/scratchpad/counting/site.hpp"

namespace {

using namespace bankshot::scratchpad;

using Warp = std::array<uint32_t, 32>;

/// The accesses of a loop: `count` of them, made by `address(access, lane)`.
template <class F>
std::vector<Warp> accesses(unsigned count, F address) {
  std::vector<Warp> all(count);
  for (unsigned i = 0; i < count; ++i) {
    for (unsigned lane = 0; lane < 32; ++lane) all[i][lane] = address(i, lane);
  }
  return all;
}

void count(benchmark::State& state, const std::vector<Warp>& warps, AccessKind kind = AccessKind::load,
           unsigned width = 4, uint64_t mask = 0xffffffff, const Rules& rules = {}) {
  SiteCounter counter;
  size_t i = 0;
  for (auto _ : state) {
    counter.record(rules, kind, width, warps[i].data(), mask, 0);
    if (++i == warps.size()) i = 0;
  }
  benchmark::DoNotOptimize(counter.wavefronts);
  state.counters["degree"] = counter.degree_mean();
}

std::vector<Warp> gathers(uint32_t words, uint32_t width) {
  std::mt19937 random(1);
  return accesses(1024, [&](unsigned, unsigned) { return random() % words * width; });
}

std::vector<Warp> permutations() {
  std::mt19937 random(1);
  return accesses(1024, [&, order = Warp{}](unsigned, unsigned lane) mutable {
    if (lane == 0) {
      for (unsigned i = 0; i < 32; ++i) order[i] = i * 4;
      std::shuffle(order.begin(), order.end(), random);
    }
    return order[lane];
  });
}

void unit_stride(benchmark::State& state) {
  count(state, accesses(64, [](unsigned i, unsigned lane) { return i * 128 + lane * 4; }));
}
void broadcast(benchmark::State& state) {
  count(state, accesses(64, [](unsigned i, unsigned) { return i * 4; }));
}
void stride_32(benchmark::State& state) {
  count(state, accesses(32, [](unsigned i, unsigned lane) { return i * 4 + lane * 128; }));
}
void strides_in_turn(benchmark::State& state) {
  count(state, accesses(4, [](unsigned i, unsigned lane) { return lane * (4u << i); }));
}
void half_warp(benchmark::State& state) {
  count(state, accesses(64, [](unsigned i, unsigned lane) { return i * 128 + lane * 4; }), AccessKind::load, 4, 0xffff);
}
void unit_stride_128_bit(benchmark::State& state) {
  count(state, accesses(64, [](unsigned i, unsigned lane) { return i * 512 + lane * 16; }), AccessKind::load, 16);
}
void conflict_free_permutations(benchmark::State& state) { count(state, permutations()); }
void random_gathers(benchmark::State& state) { count(state, gathers(4096, 4)); }
void random_gathers_64_bit(benchmark::State& state) { count(state, gathers(4096, 8), AccessKind::load, 8); }
void random_atomics_256_words(benchmark::State& state) { count(state, gathers(256, 4), AccessKind::atomic); }
void random_rows_of_one_bank(benchmark::State& state) { count(state, gathers(256, 128)); }

const BankHash kXor = fixed_xor_hash({kMaxAddressBits, 5});

void hashed(benchmark::State& state, const std::vector<Warp>& warps) {
  Rules rules;
  rules.hash = kXor;
  count(state, warps, AccessKind::load, 4, 0xffffffff, rules);
}

void hashed_unit_stride(benchmark::State& state) {
  hashed(state, accesses(64, [](unsigned i, unsigned lane) { return i * 128 + lane * 4; }));
}
void hashed_stride_32(benchmark::State& state) {
  hashed(state, accesses(32, [](unsigned i, unsigned lane) { return i * 4 + lane * 128; }));
}
void hashed_random_gathers(benchmark::State& state) { hashed(state, gathers(4096, 4)); }
void banks_of_a_warp(benchmark::State& state) {
  const std::vector<Warp> warps = gathers(4096, 1);
  Warp banks;
  size_t i = 0;
  for (auto _ : state) {
    banks_of(kXor, warps[i], banks.data());
    benchmark::DoNotOptimize(banks);
    if (++i == warps.size()) i = 0;
  }
}

/// The closed model of an atomic addition: random votes for 256 words in 4 copies. A warp's access is one item.
void atomics_model(benchmark::State& state) {
  const AtomicsModel model = lock_model({32, std::nullopt, *parse_lock_hash("none", {})}, {108, 120, 32, 32});
  const Votes votes = random_votes(1, 4096, 32, 256);
  for (auto _ : state) benchmark::DoNotOptimize(voting_cost(model, {256, 4, 0, Mapping::cyclic}, votes));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations() * votes.warps()));
}

BENCHMARK(atomics_model);
BENCHMARK(banks_of_a_warp);
BENCHMARK(hashed_unit_stride);
BENCHMARK(hashed_stride_32);
BENCHMARK(hashed_random_gathers);
BENCHMARK(unit_stride);
BENCHMARK(broadcast);
BENCHMARK(stride_32);
BENCHMARK(strides_in_turn);
BENCHMARK(half_warp);
BENCHMARK(unit_stride_128_bit);
BENCHMARK(conflict_free_permutations);
BENCHMARK(random_gathers);
BENCHMARK(random_gathers_64_bit);
BENCHMARK(random_atomics_256_words);
BENCHMARK(random_rows_of_one_bank);

}  // namespace

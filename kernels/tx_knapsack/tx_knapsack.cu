// Solutions of a knapsack problem, improved by crossover in shared memory, after the benchmark GA of Hardware Support
// for Local Memory Transactions on GPU Architectures, section 5.1.3. There are eight objects, all with the same price
// for their weight, so that the bag should be as full as can be. The low 8 bits of a solution say which objects are in
// the bag; the bits above count how often the solution was written. A transaction reads two solutions that the thread
// drew before, and mixes them: the less fit one takes over some of the other's bits (drawn, too), and keeps them if
// that makes it fitter. Both are written, with their counts raised. Each CTA has a set of its own.
// What comes out depends on the order. Each thread notes the counts that it read, from which the CPU finds an order to
// do the same in: there is one if, and only if, each transaction was as if alone.
//   tx_knapsack [solutions: 16, from 2 to 256] [--iterations=N: 1, transactions of a thread]
//               [--version=transactions|serial|coarse|fine: how two solutions are changed (critical_section.hpp)]
//               [--ctas=N: 1] [--threads=N: 256 of a CTA, at most] [--seed=N: 1]
#include "../critical_section.hpp"

constexpr int objects = 8;
constexpr int capacity = 130;
constexpr int mask_bits = (1 << objects) - 1;

/// The weight in the bag if it can be carried, else below 0 by what is too much.
__host__ __device__ inline int fitness(int solution) {
  const int weights[objects] = {7, 11, 18, 26, 35, 43, 57, 72};
  int weight = 0;
  for (int object = 0; object < objects; ++object) weight += solution >> object & 1 ? weights[object] : 0;
  return weight <= capacity ? weight : capacity - weight;
}

/// What a transaction does to the two solutions that it has read.
/// @param taken  the bits that the less fit one takes from the other; of two equally fit ones b is the less fit
__host__ __device__ inline void cross(int& a, int& b, int taken) {
  const int fit_a = fitness(a), fit_b = fitness(b);
  const bool swapped = fit_a < fit_b;
  const int fitter = swapped ? b : a, other = swapped ? a : b;
  int child = (other & ~taken) | (fitter & taken);
  if (fitness(child) < (swapped ? fit_a : fit_b)) child = other;
  a = (swapped ? child : fitter) + mask_bits + 1;
  b = (swapped ? fitter : child) + mask_bits + 1;
}

/// What a thread draws for its n-th transaction.
struct Draw {
  Pair pair;
  int taken;
};
__host__ __device__ inline Draw draw(uint32_t seed, uint32_t n, int solutions) {
  const uint32_t random = scattered(scattered(seed) + n);
  return {different(random, solutions), static_cast<int>(scattered(~random) & mask_bits)};
}

/// @param counts  for each transaction those of its two solutions that it read
template <class Version>
__global__ void tx_knapsack(const int* initial, int solutions, int iterations, uint32_t seed, int* results,
                            Pair* counts) {
  extern __shared__ int words[];
  int* locks = words + solutions;
  for (int i = threadIdx.x; i < solutions + Version::locks(solutions); i += blockDim.x)
    words[i] = i < solutions ? initial[blockIdx.x * solutions + i] : 0;
  __syncthreads();
  for (int i = 0; i < iterations; ++i) {
    const int n = (blockIdx.x * blockDim.x + threadIdx.x) * iterations + i;
    const Draw drawn = draw(seed, n, solutions);
    Pair read;
    Version::run(locks, drawn.pair.a, drawn.pair.b, [&] {
      volatile int *first = &words[drawn.pair.a], *second = &words[drawn.pair.b];
      int a = *first, b = *second;
      read = {a >> objects, b >> objects};
      cross(a, b, drawn.taken);
      *first = a;
      *second = b;
    });
    counts[n] = read;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < solutions; i += blockDim.x) results[blockIdx.x * solutions + i] = words[i];
}

/// Does the transactions of a CTA again: each when both of its solutions have the counts that it read.
/// @param set    the solutions, changed
/// @param draws  of each transaction
/// @param read   the counts that it read
/// @return whether all could be done
bool replay(std::vector<int>& set, const std::vector<Draw>& draws, const Pair* read) {
  // By solution and count: the transaction that read it.
  std::vector<std::vector<int>> reader(set.size());
  for (const Draw& drawn : draws)
    for (int solution : {drawn.pair.a, drawn.pair.b}) reader[solution].push_back(-1);
  for (size_t n = 0; n < draws.size(); ++n)
    for (auto [solution, count] : {Pair{draws[n].pair.a, read[n].a}, Pair{draws[n].pair.b, read[n].b}}) {
      if (count < 0 || count >= static_cast<int>(reader[solution].size())) return false;
      if (reader[solution][count] >= 0) return false;  // two have read the same: one has overwritten the other
      reader[solution][count] = static_cast<int>(n);
    }
  std::vector<int> look(set.size());  // solutions whose next transaction may have come up
  for (size_t solution = 0; solution < set.size(); ++solution) look[solution] = static_cast<int>(solution);
  size_t done = 0;
  while (!look.empty()) {
    const int solution = look.back(), count = set[solution] >> objects;
    look.pop_back();
    if (count >= static_cast<int>(reader[solution].size())) continue;
    const int n = reader[solution][count];
    int &a = set[draws[n].pair.a], &b = set[draws[n].pair.b];
    if (a >> objects != read[n].a || b >> objects != read[n].b) continue;
    cross(a, b, draws[n].taken);
    ++done;
    look.push_back(draws[n].pair.a);
    look.push_back(draws[n].pair.b);
  }
  return done == draws.size();
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--iterations=", "--version=", "--ctas=", "--threads=", "--seed="}, 1);
  const int solutions = arguments.number(0, 16), iterations = arguments.number("--iterations=", 1);
  const int seed = arguments.number("--seed=", 1);
  const Grid grid = read_grid(arguments);
  if (solutions < 2 || solutions > 256)
    refuse_arguments("a transaction takes two of up to 256 solutions", "give 2 to 256");
  if (1LL * grid.all() * iterations > 1 << 22) refuse_arguments("too many transactions", "give up to 4,194,304 in all");
  const char* version = arguments.option("--version=");
  if (version && !std::strcmp(version, Atomics::name))
    refuse_arguments("an atomic changes one word, and a transaction of this program two that depend on each other",
                     "give --version=transactions, serial, coarse or fine");

  Random random = seeded(seed);
  std::vector<int> initial(size_t(grid.ctas) * solutions);
  for (int& solution : initial) solution = static_cast<int>(random.below(mask_bits + 1));
  DeviceArray<int> device_initial(initial), results(initial.size());
  DeviceArray<Pair> counts(size_t(grid.all()) * iterations);
  with_version<Transactions, Serial, Coarse, Fine>(arguments, [&](auto chosen) {
    using Version = decltype(chosen);
    const size_t bytes = (solutions + Version::locks(solutions)) * sizeof(int);
    tx_knapsack<Version><<<grid.ctas, grid.threads, bytes>>>(device_initial.get(), solutions, iterations, seed,
                                                             results.get(), counts.get());
  });
  finish_kernel();

  std::printf("seed %d\n", seed);
  const std::vector<int> measured = results.to_host();
  const std::vector<Pair> read = counts.to_host();
  std::vector<int> expected;
  for (int cta = 0; cta < grid.ctas; ++cta) {
    std::vector<int> set(initial.begin() + cta * solutions, initial.begin() + (cta + 1) * solutions);
    std::vector<Draw> draws;
    const int first = cta * grid.threads * iterations;
    for (int n = 0; n < grid.threads * iterations; ++n) draws.push_back(draw(seed, first + n, solutions));
    if (!replay(set, draws, &read[first])) {
      std::printf("FAIL tx_knapsack: CTA %d: no order of the transactions has them read what they read\n", cta);
      return 1;
    }
    expected.insert(expected.end(), set.begin(), set.end());
  }
  for (size_t i = 0; i < initial.size(); ++i)
    if (fitness(measured[i]) < fitness(initial[i])) {
      std::printf("FAIL tx_knapsack: solution %zu is less fit than it was\n", i);
      return 1;
    }
  return verdict("tx_knapsack", measured, expected);
}

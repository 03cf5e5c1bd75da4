// The voting process of Performance Modeling of Atomic Additions on GPU Scratchpad Memory (TPDS 2013), section 3: warps vote
// in a vote space of V words, of which each CTA has R copies in shared memory. A pattern is the 32 votes of a warp at a time,
// random words of equal probability; sorted, they ascend from lane to lane, as spatially correlated data would (the same
// votes, and the sorting is not measured). What is measured is the latency of each atomic addition, summed over the patterns.
//   voting [--words=V: 256] [--copies=R: 1] [--block: mapping; else cyclic] [--pad=P: 0 words between copies] [--stretch]
//          [--sorted] [--patterns=N: 2000] [--threads=N: 32 of a CTA] [--grid=N: 8 CTAs] [--seed=N: 1] [--print: the cycles]
#include <algorithm>

#include "../clock.hpp"
#include "../replication.hpp"

constexpr int lanes = 32;

/// @param votes   by pattern and lane; each warp takes every so-many-eth pattern
/// @param cycles  of the atomic additions of each thread
/// @param counts  votes by word
__global__ void voting(const int* votes, int patterns, unsigned amount, Copies of, unsigned long long* cycles,
                       unsigned* counts) {
  extern __shared__ unsigned space[];
  for (int i = threadIdx.x; i < of.span(); i += blockDim.x) space[i] = 0;
  __syncthreads();
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const unsigned* copy = space + of.start(threadIdx.x, blockDim.x);
  unsigned long long sum = 0;
#pragma unroll 1
  for (int i = thread; i < patterns * lanes; i += threads) {
    const unsigned address = shared_address(&copy[votes[i] * of.of_bin]);
    const unsigned before = clock_when_there(address);
    const unsigned begin = clock_when_there(address);
    const unsigned end = clock_when_there(shared_add(address, amount));
    sum += (end - begin) - (begin - before);  // less what the readings take by themselves
    __syncwarp();
  }
  cycles[thread] = sum;
  __syncthreads();
  for (int bin = threadIdx.x; bin < of.words; bin += blockDim.x) atomicAdd(&counts[bin], sum_of_copies(space, bin, of));
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--words=", "--copies=", "--block", "--pad=", "--stretch", "--sorted",
                   "--patterns=", "--threads=", "--grid=", "--seed=", "--print"});
  const int words = arguments.number("--words=", 256), patterns = arguments.number("--patterns=", 2000);
  const int threads = arguments.number("--threads=", lanes), grid = arguments.number("--grid=", 8);
  const int seed = arguments.number("--seed=", 1);
  if (threads % lanes || threads > 1024)
    refuse_arguments("a CTA is 1 to 32 whole warps", "give --threads=32, 64 … 1024");
  if (patterns > 1 << 25 || grid > 1 << 16) refuse_arguments("too much", "give up to 2^25 --patterns, 65,536 CTAs");
  const Copies of = read_copies(arguments, words, 1, threads);

  std::vector<int> votes(size_t(patterns) * lanes);
  std::vector<unsigned> expected(words);
  Random random = seeded(seed);
  for (int& vote : votes) ++expected[vote = static_cast<int>(random.below(words))];
  if (arguments.flag("--sorted"))
    for (auto at = votes.begin(); at != votes.end(); at += lanes) std::sort(at, at + lanes);

  DeviceArray<int> device_votes(votes);
  DeviceArray<unsigned long long> cycles(size_t(grid) * threads);
  DeviceArray<unsigned> counts(words);
  counts.fill_zero();
  voting<<<grid, threads, of.span() * sizeof(unsigned)>>>(device_votes.get(), patterns, 1, of, cycles.get(),
                                                          counts.get());
  finish_kernel();
  std::printf("seed %d\n", seed);
  if (arguments.flag("--print")) {
    const std::vector<unsigned long long> measured = cycles.to_host();
    unsigned long long sum = 0;  // of each warp the lane that waited longest
    for (auto at = measured.begin(); at != measured.end(); at += lanes) sum += *std::max_element(at, at + lanes);
    std::printf("%llu cycles in %d atomic additions, %.2f each\n", sum, patterns, double(sum) / patterns);
  }
  return verdict("voting", counts.to_host(), expected);
}

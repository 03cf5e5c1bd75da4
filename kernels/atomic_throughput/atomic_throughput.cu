// How long the warps of one CTA take for many atomic additions on shared memory when lanes collide: the throughput tests of
// Performance Modeling of Atomic Additions on GPU Scratchpad Memory (TPDS 2013), sections 2.1.1 and 2.2. One launch each:
//   intra-warp            n lanes of every warp add to one word, which is the warp's own: n = 1 to 32
//   inter-warp, warps     no two lanes of a warp meet, but k of the warps add to the same 32 words: k = 1, 2, 4 … all
//   inter-warp, lanes     c lanes of every warp do so, the others add to words of their own: c = 1, 2, 4 … 32
//   atomic_throughput [--warps=N: 16, up to 32] [--repeat=N: 1, times 16 additions a thread and one at the end]
//                     [--intra=N] [--colliding=K --lanes=C: 32] [--print: the cycles, last end minus first begin]
#include <algorithm>

#include "../clock.hpp"

constexpr int lanes = 32, unrolled = 16;

/// One CTA of as many warps as `words` has rows of 32.
/// @param places  the word of each thread
/// @param begins  the clock before a thread's first addition
/// @param ends    the clock when the result of its last one is there
/// @param counts  what is in shared memory at the end
__global__ void atomic_throughput(const int* places, int repeat, unsigned amount, unsigned* begins, unsigned* ends,
                                  unsigned* counts) {
  __shared__ unsigned words[lanes * lanes];
  words[threadIdx.x] = 0;
  const unsigned address = shared_address(&words[places[threadIdx.x]]);
  __syncthreads();
  const unsigned begin = clock_when_there(address);
#pragma unroll 1
  for (int i = 0; i < repeat; ++i) {
#pragma unroll
    for (int k = 0; k < unrolled; ++k)
      shared_add_only(address, amount);  // with no loop to wait for, whatever the compiler
  }
  const unsigned end = clock_when_there(shared_add(address, amount));
  __syncthreads();
  begins[threadIdx.x] = begin;
  ends[threadIdx.x] = end;
  counts[threadIdx.x] = words[threadIdx.x];
}

struct Test {
  char name[64];
  std::vector<int> places;  // by thread
};

static Test intra_warp(int warps, int colliding_lanes) {
  Test test;
  std::snprintf(test.name, sizeof(test.name), "intra-warp lanes %d", colliding_lanes);
  for (int i = 0; i < warps * lanes; ++i) {
    const int lane = i % lanes;
    test.places.push_back(i - lane + (lane < colliding_lanes ? 0 : lane));
  }
  return test;
}

/// The first warps collide in their first lanes, at the words of warp 0.
static Test inter_warp(int warps, int colliding_warps, int colliding_lanes) {
  Test test;
  std::snprintf(test.name, sizeof(test.name), "inter-warp warps %d lanes %d", colliding_warps, colliding_lanes);
  for (int i = 0; i < warps * lanes; ++i) {
    const int warp = i / lanes, lane = i % lanes;
    test.places.push_back(warp < colliding_warps && lane < colliding_lanes ? lane : i);
  }
  return test;
}

static std::vector<Test> tests_of(const Arguments& arguments, int warps) {
  const int intra = arguments.number("--intra=", 0), colliding = arguments.number("--colliding=", 0);
  const int of_lanes = arguments.number("--lanes=", lanes);
  if (intra > lanes || of_lanes > lanes) refuse_arguments("a warp has 32 lanes", "give --intra or --lanes up to 32");
  if (colliding > warps) refuse_arguments("there are fewer --warps than --colliding", "give as many at least");
  std::vector<Test> tests;
  if (intra) tests.push_back(intra_warp(warps, intra));
  if (colliding) tests.push_back(inter_warp(warps, colliding, of_lanes));
  if (!tests.empty()) return tests;
  for (int n = 1; n <= lanes; ++n) tests.push_back(intra_warp(warps, n));
  for (int k = 1; k < warps; k *= 2) tests.push_back(inter_warp(warps, k, lanes));
  for (int c = 1; c <= lanes; c *= 2) tests.push_back(inter_warp(warps, warps, c));
  return tests;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--warps=", "--repeat=", "--intra=", "--colliding=", "--lanes=", "--print"});
  const int warps = arguments.number("--warps=", 16), repeat = arguments.number("--repeat=", 1);
  if (warps > lanes) refuse_arguments("a CTA has at most 32 warps", "give --warps=1 to 32");
  const int threads = warps * lanes;
  std::vector<unsigned> measured, expected;
  for (const Test& test : tests_of(arguments, warps)) {
    DeviceArray<int> places(test.places);
    DeviceArray<unsigned> begins(threads), ends(threads), counts(threads);
    atomic_throughput<<<1, threads>>>(places.get(), repeat, 1, begins.get(), ends.get(), counts.get());
    finish_kernel();
    const std::vector<unsigned> begin = begins.to_host(), end = ends.to_host(), count = counts.to_host();
    if (arguments.flag("--print")) {
      unsigned last = 0;  // counted from one thread's begin, as the clock may pass 2^32 meanwhile
      int first = 0;
      for (int i = 0; i < threads; ++i) {
        last = std::max(last, end[i] - begin[0] + (1u << 31));
        first = std::min(first, static_cast<int>(begin[i] - begin[0]));
      }
      std::printf("%s: %u cycles\n", test.name, last - (1u << 31) - static_cast<unsigned>(first));
    }
    measured.insert(measured.end(), count.begin(), count.end());
    const size_t at = expected.size();
    expected.resize(at + threads);
    for (int place : test.places) expected[at + place] += static_cast<unsigned>(repeat) * unrolled + 1;
  }
  return verdict("atomic_throughput", measured, expected);
}

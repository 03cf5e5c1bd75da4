// The latency of one atomic addition on shared memory by one warp alone, for access patterns with conflicts: cycles from its
// issue until its result can be used. Without other arguments the patterns are those of equation 1 of Simulation and
// Architecture Improvements of Atomic Operations on GPU Scratchpad Memory (ICCD 2013), its figure 5: lane `id` adds to word
// id * stride if id < conflicts, else to word id; strides 0, 32 and 256, conflicts 1 to 32.
//   atomic_latency [--stride=N] [--conflicts=N: only these] [--file=patterns.json: these patterns] [--print: the cycles]
#include <algorithm>

#include "../clock.hpp"
#include "patterns.hpp"

/// @param places  words by pattern and lane; negative: the lane is off
/// @param cycles  by pattern and lane
/// @param counts  what is in shared memory at the end
__global__ void atomic_latency(const int* places, int patterns, unsigned amount, unsigned* cycles, unsigned* counts) {
  __shared__ unsigned words[shared_words];
  for (int i = threadIdx.x; i < shared_words; i += lanes) words[i] = 0;
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < patterns * lanes; i += lanes) {
    const int place = places[i];
    unsigned latency = 0;
    if (place >= 0) {
      const unsigned address = shared_address(&words[place]);
      const unsigned before = clock_when_there(address);
      const unsigned begin = clock_when_there(address);
      const unsigned end = clock_when_there(shared_add(address, amount));
      latency = (end - begin) - (begin - before);  // less what the readings take by themselves
    }
    cycles[i] = latency;
    __syncwarp();
  }
  __syncthreads();
  for (int i = threadIdx.x; i < shared_words; i += lanes) counts[i] = words[i];
}

static std::vector<Pattern> patterns_of(const Arguments& arguments) {
  if (const char* file = arguments.option("--file=")) return read_patterns(file);
  const int only_stride = arguments.number("--stride=", -1, 0), only_conflicts = arguments.number("--conflicts=", 0);
  if (only_conflicts > lanes) refuse_arguments("a warp has 32 lanes", "give --conflicts=1 to 32");
  std::vector<int> strides{0, 32, 256};
  if (only_stride >= 0) strides = {only_stride};
  std::vector<Pattern> patterns;
  for (int stride : strides)
    for (int conflicts = 1; conflicts <= lanes; ++conflicts) {
      if (only_conflicts && conflicts != only_conflicts) continue;
      if ((conflicts - 1LL) * stride >= shared_words)
        refuse_arguments("the last conflicting lane is beyond the 12,288 words of shared memory",
                         "give a smaller --stride");
      patterns.push_back(strided(stride, conflicts));
    }
  return patterns;
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--stride=", "--conflicts=", "--file=", "--print"});
  const std::vector<Pattern> patterns = patterns_of(arguments);
  std::vector<int> flat;
  std::vector<unsigned> expected(shared_words);
  for (const Pattern& pattern : patterns)
    for (int word : pattern.words) {
      flat.push_back(word);
      if (word >= 0) ++expected[word];
    }
  DeviceArray<int> places(flat);
  DeviceArray<unsigned> cycles(flat.size()), counts(shared_words);
  atomic_latency<<<1, lanes>>>(places.get(), static_cast<int>(patterns.size()), 1, cycles.get(), counts.get());
  finish_kernel();
  if (arguments.flag("--print")) {
    const std::vector<unsigned> measured = cycles.to_host();
    for (size_t i = 0; i < patterns.size(); ++i) {
      const unsigned* of = &measured[i * lanes];
      std::printf("%s: %u cycles\n", patterns[i].name.c_str(), *std::max_element(of, of + lanes));
    }
  }
  return verdict("atomic_latency", counts.to_host(), expected);
}

// Threads put their IDs into a hash table in shared memory, after the benchmark HT of Hardware Support for Local Memory
// Transactions on GPU Architectures, section 5.1.1. ID i belongs into bucket i mod N. A thread probes the slots of its
// bucket one after the other, and takes the first that is empty; each probe is one transaction: a word is read and, if
// it is empty, written. A bucket has as many slots as IDs can come to it; slot k of bucket b is word b * slots + k, as
// an array of buckets has it, or k * buckets + b with --interleaved. Each CTA has a table of its own.
//   tx_hash_table [buckets: 32, up to 256] [--interleaved]
//                 [--version=transactions|serial|coarse|fine|atomics: how IDs get in (critical_section.hpp)]
//                 [--ctas=N: 1] [--threads=N: 256 of a CTA, at most]
#include <algorithm>

#include "../critical_section.hpp"

constexpr int empty = -1;

struct Table {
  int buckets, slots, of_bucket, of_slot;

  __host__ __device__ int words() const { return buckets * slots; }
  __host__ __device__ int word(int bucket, int slot) const { return bucket * of_bucket + slot * of_slot; }
};

/// @return whether the word was empty and holds the ID now
__device__ bool probe(volatile int* word, int id) {
  if (*word != empty) return false;
  *word = id;
  return true;
}

/// Under a lock, and in a turn, all of the bucket is probed at once.
template <class Version>
__device__ void insert(Version, int* words, int* locks, const Table& table, int bucket, int id) {
  Version::run(locks, bucket, bucket, [&] {
    for (int slot = 0; slot < table.slots; ++slot)
      if (probe(&words[table.word(bucket, slot)], id)) break;
  });
}

__device__ void insert(Transactions, int* words, int*, const Table& table, int bucket, int id) {
  bool in = false;
  for (int slot = 0; !in && slot < table.slots; ++slot) {
    tx_begin();
    in = probe(&words[table.word(bucket, slot)], id);
    tx_commit();
  }
}

__device__ void insert(Atomics, int* words, int*, const Table& table, int bucket, int id) {
  bool in = false;
  for (int slot = 0; !in && slot < table.slots; ++slot)
    in = atomicCAS(&words[table.word(bucket, slot)], empty, id) == empty;
}

/// @param tables  what each CTA's table holds at the end
template <class Version>
__global__ void tx_hash_table(Table table, int* tables) {
  extern __shared__ int words[];
  int* locks = words + table.words();
  for (int i = threadIdx.x; i < table.words() + Version::locks(table.buckets); i += blockDim.x)
    words[i] = i < table.words() ? empty : 0;
  __syncthreads();
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  insert(Version{}, words, locks, table, id % table.buckets, id);
  __syncthreads();
  for (int i = threadIdx.x; i < table.words(); i += blockDim.x) tables[blockIdx.x * table.words() + i] = words[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--interleaved", "--version=", "--ctas=", "--threads="}, 1);
  const int buckets = arguments.number(0, 32);
  const Grid grid = read_grid(arguments);
  if (buckets > 256) refuse_arguments("too many buckets", "give up to 256");
  const int slots = (grid.threads + buckets - 1) / buckets;
  Table table{buckets, slots, slots, 1};
  if (arguments.flag("--interleaved")) table = {buckets, slots, 1, buckets};

  DeviceArray<int> tables(size_t(grid.ctas) * table.words());
  with_version<Transactions, Serial, Coarse, Fine, Atomics>(arguments, [&](auto version) {
    using Version = decltype(version);
    const size_t bytes = (table.words() + Version::locks(buckets)) * sizeof(int);
    tx_hash_table<Version><<<grid.ctas, grid.threads, bytes>>>(table, tables.get());
  });
  finish_kernel();

  // By CTA and bucket: its IDs, which may have come in any order but left no gap, then what is empty.
  const std::vector<int> words = tables.to_host();
  std::vector<int> measured, expected;
  for (int cta = 0; cta < grid.ctas; ++cta)
    for (int bucket = 0; bucket < buckets; ++bucket) {
      std::vector<int> held, wanted;
      for (int slot = 0; slot < slots; ++slot) held.push_back(words[cta * table.words() + table.word(bucket, slot)]);
      std::sort(held.begin(), std::find(held.begin(), held.end(), empty));
      for (int id = cta * grid.threads; id < (cta + 1) * grid.threads; ++id)
        if (id % buckets == bucket) wanted.push_back(id);
      wanted.resize(slots, empty);
      measured.insert(measured.end(), held.begin(), held.end());
      expected.insert(expected.end(), wanted.begin(), wanted.end());
    }
  return verdict("tx_hash_table", measured, expected);
}

// Transfers between accounts in shared memory, the usual example of transactions. Each thread makes some, of random
// amounts between two different random accounts: a transaction reads both balances and, if the source has enough,
// changes both. Each CTA has accounts of its own. Whether a transfer is made depends on the order, so threads note
// which were: balances must be those from the start after just these transfers, and none below zero.
// With atomics, a transfer is first taken from the source and then added to the target. In between the amount is in
// neither, so this is no transaction; but here nobody looks at both, and in the end all is there.
//   tx_bank [accounts: 64, from 2 to 256] [--transfers=N: 8 of a thread]
//           [--version=transactions|serial|coarse|fine|atomics: how balances are changed (critical_section.hpp)]
//           [--ctas=N: 1] [--threads=N: 256 of a CTA, at most] [--seed=N: 1] [--print: how many transfers were made]
#include <algorithm>

#include "../critical_section.hpp"

struct Transfer {
  Pair accounts;  // from a to b
  int amount;
};

/// What a thread draws for its n-th transfer.
__host__ __device__ inline Transfer draw(uint32_t seed, uint32_t n, int accounts) {
  const uint32_t random = scattered(scattered(seed) + n);
  return {different(random, accounts), static_cast<int>(1 + scattered(~random) % 100)};
}

/// @return whether the source had enough
template <class Version>
__device__ bool move(Version, int* balances, int* locks, const Transfer& transfer) {
  bool made = false;
  Version::run(locks, transfer.accounts.a, transfer.accounts.b, [&] {
    volatile int *from = &balances[transfer.accounts.a], *to = &balances[transfer.accounts.b];
    const int source = *from, target = *to;
    made = source >= transfer.amount;
    if (made) {
      *from = source - transfer.amount;
      *to = target + transfer.amount;
    }
  });
  return made;
}

__device__ bool move(Atomics, int* balances, int*, const Transfer& transfer) {
  int* from = &balances[transfer.accounts.a];
  bool made = false;
  int expected = *static_cast<volatile int*>(from);
  while (!made && expected >= transfer.amount) {
    const int found = atomicCAS(from, expected, expected - transfer.amount);
    made = found == expected;
    expected = found;
  }
  if (made) atomicAdd(&balances[transfer.accounts.b], transfer.amount);
  return made;
}

/// @param made  for each transfer
template <class Version>
__global__ void tx_bank(const int* initial, int accounts, int transfers, uint32_t seed, int* results, uint8_t* made) {
  extern __shared__ int words[];
  int* locks = words + accounts;
  for (int i = threadIdx.x; i < accounts + Version::locks(accounts); i += blockDim.x)
    words[i] = i < accounts ? initial[blockIdx.x * accounts + i] : 0;
  __syncthreads();
  for (int i = 0; i < transfers; ++i) {
    const int n = (blockIdx.x * blockDim.x + threadIdx.x) * transfers + i;
    made[n] = move(Version{}, words, locks, draw(seed, n, accounts));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < accounts; i += blockDim.x) results[blockIdx.x * accounts + i] = words[i];
}

int main(int argc, char** argv) {
  Arguments arguments(argc, argv);
  arguments.allow({"--transfers=", "--version=", "--ctas=", "--threads=", "--seed=", "--print"}, 1);
  const int accounts = arguments.number(0, 64), transfers = arguments.number("--transfers=", 8);
  const int seed = arguments.number("--seed=", 1);
  const Grid grid = read_grid(arguments);
  if (accounts < 2 || accounts > 256) refuse_arguments("a transfer takes two of up to 256 accounts", "give 2 to 256");
  if (1LL * grid.all() * transfers > 1 << 22) refuse_arguments("too many transfers", "give up to 4,194,304 in all");

  Random random = seeded(seed);
  std::vector<int> initial(size_t(grid.ctas) * accounts);
  for (int& balance : initial) balance = static_cast<int>(random.below(200));
  DeviceArray<int> device_initial(initial), results(initial.size());
  DeviceArray<uint8_t> device_made(size_t(grid.all()) * transfers);
  with_version<Transactions, Serial, Coarse, Fine, Atomics>(arguments, [&](auto version) {
    using Version = decltype(version);
    const size_t bytes = (accounts + Version::locks(accounts)) * sizeof(int);
    tx_bank<Version><<<grid.ctas, grid.threads, bytes>>>(device_initial.get(), accounts, transfers, seed, results.get(),
                                                         device_made.get());
  });
  finish_kernel();

  std::printf("seed %d\n", seed);
  const std::vector<int> measured = results.to_host();
  const std::vector<uint8_t> made = device_made.to_host();
  std::vector<int> expected = initial;
  for (size_t n = 0; n < made.size(); ++n) {
    const Transfer transfer = draw(seed, static_cast<uint32_t>(n), accounts);
    const size_t cta = n / (size_t(grid.threads) * transfers);
    expected[cta * accounts + transfer.accounts.a] -= made[n] ? transfer.amount : 0;
    expected[cta * accounts + transfer.accounts.b] += made[n] ? transfer.amount : 0;
  }
  const auto poorest = std::min_element(measured.begin(), measured.end());
  if (*poorest < 0) {
    std::printf("FAIL tx_bank: account %td has %d\n", poorest - measured.begin(), *poorest);
    return 1;
  }
  if (arguments.flag("--print"))
    std::printf("%td of %zu transfers made\n", std::count(made.begin(), made.end(), 1), made.size());
  return verdict("tx_bank", measured, expected);
}

// Five ways to let the threads of a CTA change shared data one at a time, from which a program takes one by
// --version=NAME:
//   transactions  tx_begin and tx_commit around the section (Hardware Support for Local Memory Transactions on GPU
//                 Architectures, which calls it GPU-LocalTM)
//   serial        threads take turns, with a barrier behind each: that paper's "TX. Serialization"
//   coarse        one spin lock a CTA
//   fine          a spin lock for each piece of the data
//   atomics       without a section: each program has its own function for it, where there can be one
// A kernel is a template of one of the types below, so that reports name it by its version. Locks are words of shared
// memory, 0 when free. Sections read and write shared data through volatile, so that compilers keep nothing from before
// a lock.
#pragma once

#include <bankshot/tm.cuh>
#include <string>

#include "check.hpp"

struct Transactions {
  static constexpr const char* name = "transactions";
  static __host__ __device__ constexpr int locks(int /*pieces*/) { return 0; }

  /// Runs the section for the calling thread, as if it were alone.
  /// @param locks  as many as locks() says
  /// @param a, b   the pieces of the data that the section touches; may be the same
  template <class Section>
  static __device__ void run(int* /*locks*/, int /*a*/, int /*b*/, const Section& section) {
    tx_begin();
    section();
    tx_commit();
  }
};

struct Serial {
  static constexpr const char* name = "serial";
  static __host__ __device__ constexpr int locks(int /*pieces*/) { return 0; }

  /// All threads of the CTA must come here, equally often.
  template <class Section>
  static __device__ void run(int* /*locks*/, int /*a*/, int /*b*/, const Section& section) {
    for (int turn = 0; turn < blockDim.x; ++turn) {
      if (threadIdx.x == turn) section();
      __syncthreads();
    }
  }
};

struct Fine {
  static constexpr const char* name = "fine";
  static __host__ __device__ constexpr int locks(int pieces) { return pieces; }

  /// A thread that does not get both locks has none when it tries again, and whoever has them gives them back in the
  /// same round of the loop: so a warp in lockstep never waits for one of its own lanes. Locks are taken in ascending
  /// order: of all threads that have their first, the one with the highest can only be kept from its second by one that
  /// has both.
  template <class Section>
  static __device__ void run(int* locks, int a, int b, const Section& section) {
    int* first = &locks[min(a, b)];
    int* second = &locks[max(a, b)];
    for (int done = 0; !done;) {
      if (atomicCAS(first, 0, 1) == 0) {
        if (first == second || atomicCAS(second, 0, 1) == 0) {
          __threadfence_block();
          section();
          __threadfence_block();
          if (first != second) atomicExch(second, 0);
          done = 1;
        }
        atomicExch(first, 0);
      }
      // Compilers must not see that done ends the loop: they would move the section behind it, where a warp in lockstep
      // waits for all of its lanes.
      asm volatile("" : "+r"(done));
    }
  }
};

struct Coarse {
  static constexpr const char* name = "coarse";
  static __host__ __device__ constexpr int locks(int /*pieces*/) { return 1; }

  template <class Section>
  static __device__ void run(int* locks, int /*a*/, int /*b*/, const Section& section) {
    Fine::run(locks, 0, 0, section);
  }
};

struct Atomics {
  static constexpr const char* name = "atomics";
  static __host__ __device__ constexpr int locks(int /*pieces*/) { return 0; }
};

/// Calls launch with an object of the type that --version=NAME chooses among Versions; without it, of Transactions.
template <class... Versions, class Launch>
void with_version(const Arguments& arguments, const Launch& launch) {
  const char* option = arguments.option("--version=");
  const std::string chosen = option ? option : Transactions::name;
  if (((chosen == Versions::name && (launch(Versions{}), true)) || ...)) return;
  std::string remedy = "give --version=";
  ((remedy += Versions::name, remedy += ", "), ...);
  remedy.resize(remedy.size() - 2);
  refuse_arguments(("there is no version '" + chosen + "'").c_str(), remedy.c_str());
}

/// CTAs and threads of each. GPU-LocalTM knows up to 256 owners of a word.
struct Grid {
  int ctas, threads;

  int all() const { return ctas * threads; }
};

/// Reads --ctas=N and --threads=N.
inline Grid read_grid(const Arguments& arguments) {
  const Grid grid{arguments.number("--ctas=", 1), arguments.number("--threads=", 256)};
  if (grid.threads > 256 || grid.ctas > 4096) refuse_arguments("too much", "give up to 256 --threads, 4,096 --ctas");
  return grid;
}

/// A number whose bits all depend on all bits of x, for random choices that the CPU can make again.
__host__ __device__ inline uint32_t scattered(uint32_t x) {
  for (int round = 0; round < 3; ++round) x = (x ^ x >> 16) * 2654435761u;
  return x ^ x >> 16;
}

/// Two different numbers below a bound, which must be 2 or more.
struct Pair {
  int a, b;
};
__host__ __device__ inline Pair different(uint32_t random, uint32_t bound) {
  const uint32_t a = random % bound, distance = 1 + scattered(random) % (bound - 1);
  return {static_cast<int>(a), static_cast<int>((a + distance) % bound)};
}

// Copies of a vote space in shared memory, among which the threads of a CTA are divided so that fewer of them meet on a
// word. Sources: Performance Modeling of Atomic Additions on GPU Scratchpad Memory (TPDS 2013), section 3, for replication,
// its two mappings and padding; Simulation and Architecture Improvements of Atomic Operations on GPU Scratchpad Memory (ICCD
// 2013), section V, for bin-stretching, which differs in the order of the words only.
#pragma once

#include "check.hpp"

/// The 48 KB of shared memory of a CTA on Fermi, in words.
constexpr int shared_words = 12288;

/// Word `bin` of a copy lies at bin * of_bin + copy * of_copy: copies one after the other have of_bin = 1 and of_copy = words
/// + padding; stretched bins, in which the copies of a bin are neighbours, have of_bin = copies and of_copy = 1.
struct Copies {
  int words = 1, copies = 1, of_bin = 1, of_copy = 1;
  bool block = false;  // the mapping of threads to copies: block or cyclic

  /// The word at which a thread's copy starts: equations 1 and 2 of the TPDS paper.
  __host__ __device__ int start(int thread, int threads) const {
    return (block ? thread / (threads / copies) % copies : thread % copies) * of_copy;
  }
  /// From one space with all its copies to the next.
  __host__ __device__ int stride() const { return copies * (of_copy == 1 ? words : of_copy); }
  /// Words of so many spaces with all their copies.
  __host__ __device__ int span(int spaces = 1) const {
    return (spaces - 1) * stride() + (words - 1) * of_bin + (copies - 1) * of_copy + 1;
  }
};

/// The sum of a bin over all copies. Of stretched bins, threads begin with different copies, such that 32 neighbouring threads
/// read from 32 banks where the number of copies is a power of two.
template <class T>
__device__ T sum_of_copies(const T* space, int bin, const Copies& of) {
  const T* word = space + bin * of.of_bin;
  T sum = 0;
  if (of.of_copy != 1) {
    for (int copy = 0; copy < of.copies; ++copy) sum += word[copy * of.of_copy];
  } else {
    const int first = bin * min(of.copies, 32) / 32 % of.copies;
    for (int i = first; i < first + of.copies; ++i) sum += word[i < of.copies ? i : i - of.copies];
  }
  return sum;
}

/// Reads --copies=R, --pad=P (words between copies), --block and --stretch; ends the program if that cannot be.
/// @param words    of a vote space
/// @param spaces   vote spaces with as many copies each
/// @param threads  of a CTA
inline Copies read_copies(const Arguments& arguments, int words, int spaces, int threads) {
  Copies of;
  of.words = words;
  of.copies = arguments.number("--copies=", 1);
  of.block = arguments.flag("--block");
  const int pad = arguments.number("--pad=", 0, 0);
  const bool stretch = arguments.flag("--stretch");
  if (stretch && pad) refuse_arguments("stretched bins have no padding", "give --stretch or --pad");
  if (of.block && of.copies > threads)
    refuse_arguments("block mapping needs a thread for each copy", "give fewer --copies or more threads");
  if (words > shared_words || of.copies > shared_words || pad > shared_words ||
      1LL * spaces * of.copies * (words + pad) - pad > shared_words)
    refuse_arguments("the copies need more than the 12,288 words (48 KB) of shared memory", "give less of them");
  of.of_bin = stretch ? of.copies : 1;
  of.of_copy = stretch ? 1 : words + pad;
  return of;
}

// Loops that ptxas unrolls.
#pragma once

#include <cstdint>
#include <set>

#include "bankshot/ptx/module.hpp"
#include "bankshot/ptx/shared_layout.hpp"

namespace bankshot::optimise {

struct UnrollOptions {
  unsigned architecture = 75;  ///< as Options::architecture
  /// Only loops of which nothing is left, as the number of iterations is known and small.
  bool whole_only = false;
  /// Only loops that have one of these lines of the PTX between their label and their branch; null: any.
  const std::set<uint32_t>* lines = nullptr;
};

/// Copies the bodies of loops as often as ptxas 13.0 does. What the copies compute is what the loop computes; counters
/// and addresses that copies have in common, and comparisons that machine code does once for several iterations, have
/// no `slots`.
/// @return whether there were any
bool unroll(const ptx::Module& module, const ptx::SharedLayout& layout, ptx::Function& function,
            const UnrollOptions& options);

}  // namespace bankshot::optimise

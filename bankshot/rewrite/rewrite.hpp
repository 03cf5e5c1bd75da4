// PTX to PTX: every access to a shared array goes to the place that a bank hash, or padding, gives its word.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/rewrite/arrays.hpp"
#include "bankshot/scratchpad/hash/hash.hpp"
#include "bankshot/scratchpad/patterns/padding.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::rewrite {

/// How the words of an array are moved: by a hash that is linear and in place, or by longer rows.
using Move = std::variant<scratchpad::BankHash, scratchpad::Padding>;

struct Choice {
  std::string array;  ///< Array::name
  Move move;
};

/// What became of an array.
struct RewrittenArray {
  std::string array;
  size_t accesses = 0;       ///< instructions that were given another address
  size_t added = 0;          ///< instructions that compute places, in the text
  uint64_t extra_bytes = 0;  ///< of shared memory: what filling the last row takes, or the padding
};

/// What became of a kernel.
struct Rewritten {
  std::vector<RewrittenArray> arrays;  ///< one for each choice
  /// By number of an instruction before (KernelCode::steps()), its number afterwards: new ones stand between them.
  std::vector<size_t> step_after;
};

/// Why the words of an array cannot be moved so, or nothing. @param word_bytes  width of a bank: 4 or 8
std::optional<Refusal> cannot_rewrite(const KernelArrays& kernel, const Array& array, const Move& move,
                                      unsigned word_bytes);

/// Rewrites a kernel. Each word of an array moves, within its row of shared memory or with its row, the same for all
/// accesses, so that the kernel computes the same as before. Registers keep their values: only what accesses add to
/// them changes. A place is computed where its address register is written, so outside of the loops that the address
/// does not change in. Arrays are aligned to rows if they are hashed; static ones are filled up to whole rows; in
/// dynamic shared memory a hash is off in launches whose size is not whole rows.
/// @return  what was done; an error (nothing changed) if there is no such kernel or array, or
///          cannot_rewrite() has a reason
Result<Rewritten> rewrite(ptx::Module& module, const std::string& kernel, const std::vector<Choice>& choices,
                          unsigned word_bytes);

}  // namespace bankshot::rewrite

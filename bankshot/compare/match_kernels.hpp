// Which kernels are the same after an edit.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/compare/snapshot.hpp"

namespace bankshot::compare {

/// Pairs of indices as of match_lines. Each rule takes from what the earlier ones have left:
///
/// 1. The same name in the PTX; of several, those whose files have the longest common end, then in their order.
/// 2. The same name in the source.
/// 3. The same name without namespaces, template arguments and parameters, if it is left once before and once after. If
///    it is left more often: those that have more words of the full names in common with each other than with any
///    other.
/// 4. The same shared-memory instructions line by line, if they are left once before and once after.
std::vector<std::pair<size_t, size_t>> match_kernels(const std::vector<Kernel>& before,
                                                     const std::vector<Kernel>& after);

/// "gemm" of "void cutlass::gemm<float, 32>(float*)".
std::string base_name(std::string_view demangled);

}  // namespace bankshot::compare

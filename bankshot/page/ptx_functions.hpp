// The functions of a PTX text that a report speaks of.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace bankshot::page {

struct PtxFunction {
  uint32_t first_line = 1;  ///< of the directive .entry or .func, from 1
  std::vector<std::string> lines;
};

/// The functions that have at least one of these lines, in their order, each up to its closing brace.
std::vector<PtxFunction> functions_with(std::string_view ptx, const std::set<uint32_t>& lines);

}  // namespace bankshot::page

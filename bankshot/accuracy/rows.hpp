// Published measurements of real GPUs: the rows of hardware/*.tsv.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::accuracy {

/// One measurement. The columns of the file, in this order, and the line it stands in.
struct Row {
  std::string gpu, arch, quantity, condition;
  double value = 0;  ///< of several ("13/15/17/19": one of each sub-core) the mean
  std::string unit, source;
  unsigned line = 0;
};

/// Reads a text whose first line names the columns: gpu, arch, quantity, condition, value, unit, source, separated by
/// tabs. Empty lines are skipped.
/// @param file  what messages call it
/// @return an error "FILE:LINE: what is wrong" for the first line with another number of columns, an empty gpu,
///         quantity or source, a value that is not a positive number, or a unit that unit.hpp does not know
Result<std::vector<Row>> parse_rows(std::string_view text, const std::string& file);

/// The same from a file.
Result<std::vector<Row>> load_rows(const std::string& path);

}  // namespace bankshot::accuracy

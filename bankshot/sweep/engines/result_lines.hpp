// Files with a line of JSON for each task or outcome, which others may still be writing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/sweep/points/task.hpp"

namespace bankshot::sweep {

/// The lines of a text that end with a newline, without it.
std::vector<std::string_view> whole_lines(std::string_view text);

/// The outcomes of a file that grows or is replaced by a longer one.
class ResultFile {
 public:
  explicit ResultFile(std::string path) : path_(std::move(path)) {}
  /// Those that came since the last call. What cannot be read is left out.
  std::vector<Outcome> fresh();
  /// All that there are.
  std::vector<Outcome> all();

 private:
  std::string path_;
  uint64_t read_ = 0;  ///< bytes
};

}  // namespace bankshot::sweep

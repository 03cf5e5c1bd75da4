// The text of source lines, where the files can still be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/printable.hpp"

namespace bankshot::report {

/// Reads each file once. A file that is missing, not a plain file, too large or without the
/// ending of a source file has no lines.
class SourceLines {
 public:
  /// @return the line without blanks around it and without control characters, or empty
  std::string get(const std::string& file, uint32_t line);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace bankshot::report

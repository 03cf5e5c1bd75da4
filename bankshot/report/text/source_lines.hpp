// The text of source lines, where the files can still be read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bankshot/support/printable.hpp"

namespace bankshot::report {

/// Reads each file once. A file that is missing, not a plain file, too large or without the
/// ending of a source file has no lines.
class SourceLines {
 public:
  /// @param program  the program that was built of the sources; empty: not known
  explicit SourceLines(std::string program = {}) : program_(std::move(program)) {}
  /// @return the line without blanks around it and without control characters, or empty
  std::string get(const std::string& file, uint32_t line);
  /// All lines of a file as they are, whatever bytes they have.
  const std::vector<std::string>& all(const std::string& file);

  /// A line that names the files of quoted lines that have changed since the program was built; empty if none has.
  std::string newer_text() const;

 private:
  std::string program_;
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace bankshot::report

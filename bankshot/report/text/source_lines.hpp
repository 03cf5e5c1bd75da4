// The text of source lines, where the files can still be read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/support/printable.hpp"

namespace bankshot::report {

/// Which files may be quoted, and what is known of their age.
struct SourcePolicy {
  /// A program names its sources itself, so only files below these folders are read. Without a list: any file.
  std::optional<std::vector<std::string>> roots = {};
  std::string program = {};  ///< built of these sources: later changes are noted; empty: not known
};

/// Whether the policy lets the file be read: it has the ending of a source file and lies below a root. Symbolic links
/// are followed first.
bool may_be_read(const std::string& file, const SourcePolicy& policy);

/// Reads each file once. A file that is missing, not a plain file, too large, outside the roots or without the
/// ending of a source file has no lines.
class SourceLines {
 public:
  explicit SourceLines(SourcePolicy policy = {});
  /// @return the line without blanks around it and without control characters, or empty
  std::string get(const std::string& file, uint32_t line);
  /// All lines as they are in the file, without their ends.
  const std::vector<std::string>& lines(const std::string& file);

  /// Files that were read and that were written after the program was built, sorted: their lines may be others than the
  /// program has. Empty if the policy names no program.
  std::vector<std::string> changed_files() const;

  /// What the reader of quoted lines must know, a sentence each: files that have changed since the program was built,
  /// and folders outside the roots that were not read.
  std::vector<std::string> notes() const;

 private:
  struct File {
    std::vector<std::string> lines;
    bool outside = false;  ///< of the roots, and otherwise readable
  };
  const File& file(const std::string& name);
  std::string changed() const;
  std::string outside() const;

  SourcePolicy policy_;
  std::map<std::string, File> files_;
};

}  // namespace bankshot::report

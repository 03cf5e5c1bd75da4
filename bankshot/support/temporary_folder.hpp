// A folder for files that live as long as a command.
#pragma once

#include <string>
#include <utility>

#include "bankshot/support/result.hpp"

namespace bankshot {

/// What to do when there is no room for temporary files, for the end of a message.
inline constexpr const char* kNeedsRoom = "set TMPDIR to a writable folder with free space";

/// Private, and removed with everything in it at the end of its lifetime. If the process is killed before, a later
/// make() on the same host removes it.
class TemporaryFolder {
 public:
  /// In $TMPDIR, or /tmp. Names are of one length.
  static Result<TemporaryFolder> make();
  ~TemporaryFolder();
  TemporaryFolder(TemporaryFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), marker_(std::exchange(other.marker_, -1)) {}
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }  ///< absolute

 private:
  TemporaryFolder(std::string path, int marker) : path_(std::move(path)), marker_(marker) {}
  std::string path_;
  int marker_;  ///< of a locked file in it, by which others know that it is in use; or -1
};

}  // namespace bankshot

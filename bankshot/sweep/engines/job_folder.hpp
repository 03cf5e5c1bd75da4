// The folder through which a sweep and the tasks of a cluster speak. All nodes see it.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::sweep {

/// A sweep holds a lock on its folder, and touches a file in it where locks do not reach other hosts.
class JobFolder {
 public:
  /// A new one within `parent`, which is made if it is not there.
  static Result<JobFolder> make(const std::string& parent, const std::string& store);
  /// Those that sweeps of this store left that were killed.
  static std::vector<JobFolder> left(const std::string& parent, const std::string& store);

  JobFolder(JobFolder&& other) noexcept : path_(std::move(other.path_)), lock_(std::exchange(other.lock_, -1)) {}
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  ~JobFolder();

  const std::string& path() const { return path_; }
  /// Its last part, by which its jobs can be found.
  std::string name() const;
  /// Path of the files of a task, without their endings: "3-17" in it.
  std::string file(size_t array, size_t task) const;
  /// The same of all files with an ending.
  std::vector<std::string> stems(const char* kind) const;
  /// Tells other hosts that a sweep uses it. Also lets this host see files anew that others have made.
  void touch() const;
  void remove();

 private:
  JobFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}
  std::string path_;
  int lock_;  ///< open file, or -1
};

}  // namespace bankshot::sweep

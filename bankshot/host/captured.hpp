// What a program writes to its standard output or error, kept in memory.
#pragma once

#include <string>

#include "bankshot/support/result.hpp"

namespace bankshot::host {

/// A file without a name. To the program it is a file that is appended to; it needs no room on any disk.
class Captured {
 public:
  static Result<Captured> make();
  ~Captured();
  Captured(Captured&& other) noexcept;
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;

  int descriptor() const { return descriptor_; }
  std::string text() const;  ///< all that was written so far

 private:
  explicit Captured(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

}  // namespace bankshot::host

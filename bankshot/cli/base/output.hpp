// Standard output: whatever a command prints goes through here, so that a full disk or a closed output is never missed.
#pragma once

#include <stdexcept>
#include <string_view>

namespace bankshot::cli {

/// Standard output cannot be written. Thrown by print() and flush_output(), caught by main, which ends with kBadInput.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Writes to standard output, which is buffered.
void print(std::string_view text);
void flush_output();

/// Puts /dev/null in place of standard streams that are closed, so that no file opened later takes their numbers.
/// Reading and writing them still fails.
void occupy_closed_streams();

}  // namespace bankshot::cli

// Numbers of points by their keys.
#pragma once

#include <cstdint>
#include "bankshot/sweep/points/resolver.hpp"
#include "bankshot/sweep/store/sqlite.hpp"

namespace bankshot::sweep {

/// The 16 bytes of a key of 32 hexadecimal digits.
std::string bytes_of_key(const std::string& key);
/// What the table of points calls a run's program and arguments.
std::string program_name(const Task& task);
std::string arguments_text(const Task& task);

/// Enters what is not there. To be used within a transaction.
class PointIds {
 public:
  explicit PointIds(Database& database);
  uint64_t of(const Point& point);

 private:
  int64_t model_;
  Statement insert_, query_;
};

}  // namespace bankshot::sweep

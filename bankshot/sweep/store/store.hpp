// The store: the results of all points that ever ran, in a SQLite database. Its tables are described in docs/sweep.md.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/sweep/plan/plan.hpp"
#include "bankshot/sweep/points/resolver.hpp"
#include "bankshot/sweep/points/task.hpp"
#include "bankshot/sweep/store/sqlite.hpp"

namespace bankshot::sweep {

/// $BANKSHOT_STORE; else bankshot/store.sqlite in $XDG_DATA_HOME or ~/.local/share. "" if there is no home.
std::string default_store();

/// A sweep that a store knows.
struct SweepInfo {
  int64_t id = 0;
  std::string name, title, file;
  std::vector<std::string> settings;  ///< as the plan has them: "gpu", "l1.bytes"; SQL has column_of() each
  bool simulates = true, is_grid = true, one_at_a_time = false;  ///< as in the plan
};

struct Counts {
  uint64_t points = 0;  ///< different runs: points of a plan that mean the same are one
  uint64_t done = 0, failed = 0;
  uint64_t open() const { return points - done - failed; }
};

/// A point of a sweep without a result.
struct OpenPoint {
  size_t row = 0;      ///< in the plan
  uint64_t point = 0;  ///< in the store
};

/// What a program is expected to need, from points that ran.
struct Expected {
  double seconds = 0;  ///< mean
  uint64_t peak_bytes = 0;
};

class Expectations {
 public:
  void add(const std::string& program, const std::string& arguments, const Expected& expected, uint64_t points);
  /// What runs with these arguments took; else what runs of the program took; else nothing is known.
  std::optional<Expected> of(const Task& task) const;

 private:
  std::map<std::pair<std::string, std::string>, Expected> runs_;
  std::map<std::string, std::pair<Expected, uint64_t>> programs_;  ///< with the number of their points
};

/// What is known of a run.
struct Known {
  uint64_t point = 0;
  std::string status;  ///< "open", "done", "failed"
};

struct Failure {
  std::string message;
  uint64_t points = 0;
  size_t row = 0;  ///< of the first point that has it
};

/// Functions throw StoreError.
class Store {
 public:
  /// Opens a store, and makes it if `create` and it is not there.
  static Store open(const std::string& file, bool create);

  const std::string& file() const { return file_; }
  /// Throws if the file is no longer the one that was opened: somebody removed it.
  void check_file() const;

  /// Enters the points of a plan. A sweep of the same name is replaced; results stay.
  /// @param progress  called now and then with the number of points so far; may be empty
  /// @return the sweep, or what is wrong with a file that changed meanwhile
  Result<SweepInfo> put(const Plan& plan, Resolver& resolver, const std::function<void(size_t)>& progress);

  /// All sweeps, by name.
  std::vector<SweepInfo> sweeps();
  /// By name, or by the file of its plan.
  std::optional<SweepInfo> find(const std::string& name);

  /// Removes a sweep. @param results  also those that no other sweep has @return how many of these were removed
  uint64_t forget(const SweepInfo& sweep, bool results);
  /// The text of its plan.
  std::string plan(const SweepInfo& sweep);
  Counts counts(const SweepInfo& sweep);
  std::vector<Failure> failures(const SweepInfo& sweep);
  /// Points that ran none of the kernels that count, as their program's `kernel` says, and the names of those they ran.
  Failure without_kernel(const SweepInfo& sweep);
  /// @param failed  those that failed, too
  std::vector<OpenPoint> open_points(const SweepInfo& sweep, bool failed);
  /// Of all points that ran, by program and arguments.
  Expectations expectations();

  /// Whether a point has a result by now: another process may have run it.
  bool is_done(uint64_t point);
  /// Keeps a result. One that is there already stays.
  void record(const Outcome& outcome);

  /// The number of a point, which is entered if it is not there.
  uint64_t enter(const Point& point);
  std::optional<Known> known(const std::string& key);
  /// A measure of a point, "cycles" or "conflicts", of the kernels whose names contain `kernel`; none: it has no
  /// result.
  std::optional<double> result(uint64_t point, const std::string& measure, const std::string& kernel);
  /// The whole report of a point that has one.
  std::optional<std::string> report(uint64_t point);

  Database& database() { return *database_; }

 private:
  explicit Store(std::string file) : file_(std::move(file)) {}
  static Store open_once(const std::string& file, bool create);
  std::string file_;
  uint64_t inode_ = 0;
  std::unique_ptr<Database> database_;
};

/// What makes the tables.
extern const char* const kStoreSchema;

}  // namespace bankshot::sweep

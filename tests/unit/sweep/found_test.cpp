#include <gtest/gtest.h>

#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/sweep/run/run_open.hpp"

namespace bankshot::sweep {
namespace {

Outcome outcome(double cycles, const std::string& failure = "") {
  Outcome one;
  one.id = 4711;  // of another store
  one.failure = failure;
  one.kernels.push_back({.name = "k", .launches = 1, .cycles = cycles, .counters = "{}"});
  return one;
}

/// Finds results that a killed run left, and runs nothing.
class Finder final : public Engine {
 public:
  explicit Finder(std::vector<std::pair<std::string, Outcome>> left) : left_(std::move(left)) {}
  std::optional<Error> run(std::vector<Job> jobs, const Caller& caller) override {
    for (const Job& job : jobs) keys.push_back(caller.task(job)->key);
    for (const auto& [key, one] : left_) found.push_back(caller.found(key.empty() ? keys[0] : key, one));
    return std::nullopt;
  }
  std::vector<std::string> keys;
  std::vector<std::optional<uint64_t>> found;

 private:
  std::vector<std::pair<std::string, Outcome>> left_;
};

TEST(RunOpen, a_result_that_was_left_is_kept_by_its_key_and_once) {
  const Result<TemporaryFolder> folder = TemporaryFolder::make();
  ASSERT_TRUE(folder);
  const Result<Plan> plan = parse_plan(R"(
[[program]]
run = "/bin/true"
[axes]
gpu = ["v100", "gtx480"]
)",
                                       folder->path() + "/plan.toml");
  ASSERT_TRUE(plan) << plan.error().message;
  Result<Resolver> resolver = Resolver::make(*plan);
  ASSERT_TRUE(resolver) << resolver.error().message;
  Store store = Store::open(folder->path() + "/store.sqlite", true);
  const Result<SweepInfo> sweep = store.put(*plan, *resolver, {});
  ASSERT_TRUE(sweep) << sweep.error().message;

  const std::string unknown(32, 'a');
  Finder finder({{unknown, outcome(1)}, {"", outcome(0, "killed")}, {"", outcome(7)}, {"", outcome(8)}});
  const Result<RunProgress> ran = run_open(store, *sweep, *resolver, finder, {});
  ASSERT_TRUE(ran) << ran.error().message;
  ASSERT_EQ(finder.keys.size(), 2u);
  const uint64_t first = store.known(finder.keys[0])->point;
  // No point of this store; a failure is a result; a success replaces it; there is a result already.
  EXPECT_EQ(finder.found, (std::vector<std::optional<uint64_t>>{std::nullopt, first, first, std::nullopt}));
  EXPECT_EQ(store.counts(*sweep).done, 1u);
  EXPECT_EQ(store.counts(*sweep).open(), 1u);
  EXPECT_EQ(store.database().number("SELECT cycles FROM bankshot_points WHERE status = 'done'"), 7);
}

}  // namespace
}  // namespace bankshot::sweep

// The store: results stay, whatever happens; a database that is none is refused.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "bankshot/support/temporary_folder.hpp"
#include "bankshot/sweep/store/store.hpp"

namespace bankshot::sweep {
namespace {

class SweepStore : public testing::Test {
 protected:
  SweepStore() : folder_(std::move(*TemporaryFolder::make())), file_(folder_.path() + "/s.sqlite") {}

  Point point(const std::string& key) const {
    Point one;
    one.key = key + std::string(32 - key.size(), '0');
    one.task.command = {"/bin/app", "1", "2"};
    one.task.gpu = "/gpus/v100.toml";
    return one;
  }

  static Outcome outcome(uint64_t id, double cycles) {
    Outcome one;
    one.id = id;
    one.seconds = 0.5;
    one.peak_bytes = 1000;
    one.kernels = {{"f(int)", 2, cycles, 3, 10, 320, 4, 7, 2, "{\"l2_reads\":9}"},
                   {"g()", 1, 100, 1, 1, 32, 1, 1, 0, "{}"}};
    return one;
  }

  TemporaryFolder folder_;
  std::string file_;
};

TEST_F(SweepStore, a_result_is_there_when_the_store_is_opened_again) {
  uint64_t id = 0;
  {
    Store store = Store::open(file_, true);
    id = store.enter(point("ab"));
    EXPECT_EQ(store.enter(point("ab")), id);
    EXPECT_NE(store.enter(point("ac")), id);
    EXPECT_FALSE(store.is_done(id));
    store.record(outcome(id, 200));
  }
  Store store = Store::open(file_, false);
  EXPECT_TRUE(store.is_done(id));
  EXPECT_EQ(store.known(point("ab").key)->status, "done");
  EXPECT_EQ(store.known(point("ac").key)->status, "open");
  EXPECT_FALSE(store.known(point("ad").key));
  EXPECT_EQ(store.result(id, "cycles", ""), 300);    // both kernels
  EXPECT_EQ(store.result(id, "cycles", "f("), 200);  // one of them
  EXPECT_EQ(store.result(id, "conflicts", ""), 2);   // of both kernels
  EXPECT_FALSE(store.result(id, "cycles", "h"));     // no such kernel
  EXPECT_EQ(store.expectations().of(point("ab").task)->peak_bytes, 1000u);
}

TEST_F(SweepStore, a_failure_does_not_replace_a_result_but_a_result_a_failure) {
  Store store = Store::open(file_, true);
  const uint64_t id = store.enter(point("1"));
  Outcome failed;
  failed.id = id;
  failed.failure = "killed";
  store.record(failed);
  EXPECT_EQ(store.known(point("1").key)->status, "failed");
  store.record(outcome(id, 5));
  EXPECT_TRUE(store.is_done(id));
  store.record(failed);
  EXPECT_TRUE(store.is_done(id));
  EXPECT_EQ(store.result(id, "cycles", "f"), 5);
}

TEST_F(SweepStore, reports_are_kept_as_they_are) {
  Store store = Store::open(file_, true);
  Outcome one = outcome(store.enter(point("2")), 1);
  EXPECT_FALSE(store.report(one.id));
  one.report = "{\"a\": \"" + std::string(10000, 'x') + "\"}";
  store.record(one);
  EXPECT_EQ(store.report(one.id), one.report);
}

TEST_F(SweepStore, rejects_what_is_no_store) {
  const auto problem = [&](const std::string& file, bool create) -> std::string {
    try {
      Store::open(file, create);
    } catch (const StoreError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(problem(file_, false).find("there is no store"), std::string::npos);
  std::ofstream(file_) << "some text that is long enough to be no database at all, whatever SQLite thinks of it";
  EXPECT_NE(problem(file_, true).find("cannot be used as a store: file is not a database"), std::string::npos)
      << problem(file_, true);
  const std::string other = folder_.path() + "/other.sqlite";
  Database(other, Database::Mode::create).execute("CREATE TABLE t(x)");
  EXPECT_NE(problem(other, true).find("not a store of Bankshot"), std::string::npos);
  const std::string newer = folder_.path() + "/newer.sqlite";
  {
    Store::open(newer, true).database().execute("PRAGMA user_version = 99");
  }
  EXPECT_NE(problem(newer, true).find("it has version 99"), std::string::npos);
  EXPECT_NE(problem("/proc/none/s.sqlite", true).find("cannot be created"), std::string::npos);
}

TEST(SweepTask, lines_say_what_they_were_made_of) {
  Task task;
  task.id = 7;
  task.command = {"/a b", "\n", "{}"};
  task.folder = "/f";
  task.environment = {{"A", "b"}};
  task.gpu = "/g.toml";
  task.bank_hash = "xor";
  task.simulate.emplace();
  task.simulate->scheduler = "gto";
  task.simulate->set = {"l1.bytes=0"};
  task.threads = 3;
  const Result<Task> read = task_from(to_line(task));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_line(*read), to_line(task));
  EXPECT_EQ(read->command, task.command);
  EXPECT_EQ(read->simulate, task.simulate);
  Outcome outcome;
  outcome.id = 7;
  outcome.failure = "because";
  outcome.kernels.emplace_back().name = "k";
  const Result<Outcome> back = outcome_from(to_line(outcome));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(to_line(*back), to_line(outcome));
  EXPECT_FALSE(task_from("{"));
  EXPECT_FALSE(outcome_from("[1]"));
}

TEST(SweepKey, changes_with_each_part_of_a_run) {
  const RunIdentity run{"p", {"1", "2"}, {"i"}, {{"A", "b"}}, "m", "mode"};
  std::vector<RunIdentity> others(8, run);
  others[0].program = "q";
  others[1].arguments = {"12"};
  others[2].arguments = {"2", "1"};
  others[3].inputs = {};
  others[4].environment = {{"A", "c"}};
  others[5].machine = "n";
  others[6].mode = "other";
  others[7].arguments = {"1", "2", "i"};
  others[7].inputs = {};
  EXPECT_EQ(key_of(run), key_of(run));
  for (const RunIdentity& other : others) EXPECT_NE(key_of(other), key_of(run));
}

TEST(SweepKey, machines_that_say_the_same_in_other_words_are_one) {
  const gpu::Gpu v100 = *gpu::find_gpu("v100");
  cuda::SimulateRequest by_option, by_key, other;
  by_option.scheduler = "gto";
  by_key.set = {"issue.policy=gto"};
  other.scheduler = "lrr";
  const std::string text = *machine_text(v100, by_option, "");
  EXPECT_EQ(*machine_text(v100, by_key, ""), text);
  EXPECT_EQ(*machine_text(v100, by_option, "none"), text);
  EXPECT_NE(*machine_text(v100, other, ""), text);
  EXPECT_NE(*machine_text(v100, by_option, "xor"), text);
  // The same banks, but hardware that can be set takes a cycle.
  EXPECT_NE(*machine_text(v100, by_option, "bvxor:0,5,31"), *machine_text(v100, by_option, "xor"));
  EXPECT_FALSE(machine_text(v100, by_option, "nonsense"));
}

TEST(SweepKey, a_mode_is_all_but_the_machine_and_the_host) {
  cuda::Request request;
  request.simulate.emplace();
  const std::string mode = mode_text(request);
  request.gpu = "x";
  request.threads = 3;
  request.report_folder = "/f";
  request.bank_hash = "xor";
  request.simulate->scheduler = "gto";
  request.simulate->set = {"l1.bytes=1"};
  EXPECT_EQ(mode_text(request), mode);
  request.simulate->sample = true;
  EXPECT_NE(mode_text(request), mode);
  request.simulate->sample = false;
  request.trace_accesses = 4;
  EXPECT_NE(mode_text(request), mode);
}

}  // namespace
}  // namespace bankshot::sweep

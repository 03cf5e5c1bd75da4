// The checker of histories: each property, violated by hand, is noticed; good histories are not blamed.
#include "tests/property/tx_history.hpp"

#include <gtest/gtest.h>

namespace bankshot::scratchpad {
namespace {

using What = TxEvent::What;
TxEvent begin(uint16_t t) { return {What::begin, 0, t, 0}; }
TxEvent read(uint16_t t, uint32_t byte, uint8_t value) { return {What::read, value, t, byte}; }
TxEvent write(uint16_t t, uint32_t byte, uint8_t value) { return {What::write, value, t, byte}; }
TxEvent commit(uint16_t t) { return {What::commit, 0, t, 0}; }
TxEvent abort(uint16_t t) { return {What::abort, 0, t, 0}; }

/// Memory is 10 20 30 at the start.
std::string check(const std::vector<TxEvent>& history, const std::vector<uint8_t>& last) {
  return check_history(history, {10, 20, 30}, last);
}
void finds(const std::string& what, const std::vector<TxEvent>& history, const std::vector<uint8_t>& last) {
  const std::string violation = check(history, last);
  EXPECT_NE(violation.find(what), std::string::npos) << what << ", but: '" << violation << "'";
}

TEST(TxHistory, what_could_have_run_one_after_the_other_is_accepted) {
  EXPECT_EQ(check({}, {10, 20, 30}), "");
  EXPECT_EQ(check({begin(0), read(0, 0, 10), write(0, 0, 11), read(0, 0, 11), commit(0)}, {11, 20, 30}), "");
  // Two interleave on different bytes, and read one that both do not write.
  EXPECT_EQ(check({begin(0), begin(1), read(1, 2, 30), write(0, 0, 11), read(0, 2, 30), write(1, 1, 21), commit(1),
                   commit(0)},
                  {11, 21, 30}),
            "");
  // Aborted, then again.
  EXPECT_EQ(check({begin(0), write(0, 0, 99), begin(1), abort(0), read(1, 0, 10), write(1, 0, 12), commit(1), begin(0),
                   read(0, 0, 12), write(0, 0, 13), commit(0)},
                  {13, 20, 30}),
            "");
  // The reader comes before the writer in the order of commits.
  EXPECT_EQ(check({begin(0), begin(1), read(0, 0, 10), commit(0), write(1, 0, 11), commit(1)}, {11, 20, 30}), "");
}

TEST(TxHistory, a_lost_update_is_found) {
  finds("lost update: thread 1 commits having read byte 0 as 0x0a, which others made 0x0b since",
        {begin(0), begin(1), read(0, 0, 10), read(1, 0, 10), write(0, 0, 11), write(1, 0, 11), commit(0), commit(1)},
        {11, 20, 30});
  finds("lost update: byte 1 ends as 0x14; committed: 0x15", {begin(0), write(0, 1, 21), commit(0)}, {10, 20, 30});
}

TEST(TxHistory, a_dirty_read_is_found_whether_the_writer_or_the_reader_commits_or_not) {
  const TxEvent dirty = read(1, 0, 11);
  finds("dirty read: thread 1 reads byte 0 as 0x0b, expected 0x0a, and thread 0 has not committed it",
        {begin(0), begin(1), write(0, 0, 11), dirty, commit(0), commit(1)}, {11, 20, 30});
  finds("dirty read", {begin(0), begin(1), write(0, 0, 11), dirty, abort(0), abort(1)}, {10, 20, 30});
}

TEST(TxHistory, what_an_aborted_attempt_leaves_is_found) {
  finds("leak of an aborted write: byte 0 ends as 0x63, which thread 3 wrote and took back; committed: 0x0a",
        {begin(3), write(3, 0, 98), write(3, 0, 99), abort(3), begin(3), commit(3)}, {99, 20, 30});
  finds("leak of an aborted write: thread 1 reads byte 0 as 0x63",
        {begin(0), write(0, 0, 99), abort(0), begin(1), read(1, 0, 99)}, {10, 20, 30});
}

TEST(TxHistory, a_read_that_is_not_repeated_is_found) {
  finds("non-repeatable read: thread 0 reads byte 0 as 0x0b, expected 0x0a",
        {begin(0), read(0, 0, 10), begin(1), write(1, 0, 11), commit(1), read(0, 0, 11), commit(0)}, {11, 20, 30});
  // Read once, but out of date at the commit.
  finds("stale read", {begin(0), read(0, 0, 10), write(0, 1, 5), begin(1), write(1, 0, 11), commit(1), commit(0)},
        {11, 5, 30});
}

TEST(TxHistory, who_goes_on_with_values_of_different_times_is_found) {
  const std::string what = "thread 0 goes on having read byte 0 as 0x0a, which others made 0x0b since";
  finds(what, {begin(0), read(0, 0, 10), begin(1), write(1, 0, 11), commit(1), read(0, 1, 20), abort(0)}, {11, 20, 30});
  finds(what, {begin(0), read(0, 0, 10), begin(1), write(1, 0, 11), commit(1), write(0, 1, 5), abort(0)}, {11, 20, 30});
  EXPECT_EQ(check({begin(0), read(0, 0, 10), begin(1), write(1, 0, 11), commit(1), abort(0)}, {11, 20, 30}), "");
}

TEST(TxHistory, what_makes_no_sense_is_found) {
  finds("its own write is lost", {begin(0), write(0, 0, 11), read(0, 0, 10)}, {10, 20, 30});
  finds("nobody committed last", {begin(0), read(0, 0, 77)}, {10, 20, 30});
  finds("in no transaction", {read(0, 0, 10)}, {10, 20, 30});
  finds("is in a transaction", {begin(0), begin(0)}, {10, 20, 30});
  finds("commits, and is in no transaction", {commit(0)}, {10, 20, 30});
  finds("neither commits nor aborts", {begin(2)}, {10, 20, 30});
  finds("which is not there", {begin(0), read(0, 3, 0)}, {10, 20, 30});
}

}  // namespace
}  // namespace bankshot::scratchpad

// The log of a lane's accesses to global memory, by hand.
#include "bankshot/simt/state/global_log.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>

namespace bankshot::simt {
namespace {

class GlobalLogTest : public ::testing::Test {
 protected:
  uint64_t at(unsigned word) const { return reinterpret_cast<uint64_t>(memory.data() + word); }
  /// What the transaction sees there.
  uint32_t load(unsigned word) {
    const uint32_t held = log.show(at(word), true), seen = memory[word];
    log.hide(at(word), 0, held);
    return seen;
  }
  void store(unsigned word, uint32_t value, uint32_t bits = ~0u) {
    const uint32_t held = log.show(at(word), false);
    memory[word] = (memory[word] & ~bits) | (value & bits);
    log.hide(at(word), bits, held);
  }
  uint32_t add(unsigned word, uint32_t value) {
    const uint32_t held = log.show(at(word), true), seen = memory[word];
    memory[word] += value;
    log.hide(at(word), ~0u, held);
    return seen;
  }

  std::array<uint32_t, 4> memory{0x10, 0x11, 0x12, 0x13};
  const std::array<uint32_t, 4> first = memory;
  GlobalLog log;
};

TEST_F(GlobalLogTest, a_new_one_is_empty_and_valid_and_publishes_nothing) {
  EXPECT_TRUE(log.empty());
  EXPECT_TRUE(log.is_valid());
  log.publish();
  EXPECT_EQ(memory, first);
}

TEST_F(GlobalLogTest, memory_is_as_before_until_writes_are_published) {
  store(1, 77);
  EXPECT_EQ(memory, first);
  EXPECT_FALSE(log.empty());
  EXPECT_EQ(load(1), 77u);
  EXPECT_EQ(memory, first);
  EXPECT_EQ(add(1, 3), 77u);
  EXPECT_EQ(memory, first);
  log.publish();
  EXPECT_EQ(memory, (std::array<uint32_t, 4>{0x10, 80, 0x12, 0x13}));
}

TEST_F(GlobalLogTest, the_last_write_of_a_word_counts) {
  store(0, 1);
  store(0, 2);
  store(0, 3);
  EXPECT_EQ(load(0), 3u);
  EXPECT_EQ(log.writes().size(), 1u);
  log.publish();
  EXPECT_EQ(memory[0], 3u);
}

TEST_F(GlobalLogTest, a_write_does_not_read) {
  store(2, 9);
  EXPECT_TRUE(log.reads().empty());
  memory[2] = 1234;  // others'
  EXPECT_TRUE(log.is_valid());
  EXPECT_EQ(load(2), 9u);
  EXPECT_TRUE(log.is_valid()) << "its own word is nobody else's";
  log.publish();
  EXPECT_EQ(memory[2], 9u);
}

TEST_F(GlobalLogTest, who_has_read_what_others_change_is_invalid_until_it_is_back) {
  EXPECT_EQ(load(1), 0x11u);
  EXPECT_TRUE(log.is_valid());
  memory[2] = 5;
  EXPECT_TRUE(log.is_valid()) << "it has not read that word";
  memory[1] = 5;
  EXPECT_FALSE(log.is_valid());
  memory[1] = 0x11;
  EXPECT_TRUE(log.is_valid()) << "values count, not who wrote them";
}

TEST_F(GlobalLogTest, an_update_reads_and_writes) {
  EXPECT_EQ(add(3, 10), 0x13u);
  memory[3] = 0x14;
  EXPECT_FALSE(log.is_valid());
  EXPECT_EQ(memory[3], 0x14u);
}

TEST_F(GlobalLogTest, a_word_that_it_reads_and_then_writes_must_still_be_as_it_was) {
  load(0);
  store(0, 50);
  EXPECT_TRUE(log.is_valid());
  memory[0] = 50;  // others wrote the same as it would
  EXPECT_FALSE(log.is_valid());
}

TEST_F(GlobalLogTest, bytes_are_written_apart) {
  memory[0] = 0x44332211;
  store(0, 0xaaaaaaaa, 0x0000ff00);
  EXPECT_EQ(memory[0], 0x44332211u);
  EXPECT_EQ(load(0), 0x4433aa11u);
  memory[0] = 0x99999999;  // others', which publish() must not take back
  log.publish();
  EXPECT_EQ(memory[0], 0x9999aa99u);
}

TEST_F(GlobalLogTest, bytes_of_several_writes_come_together) {
  memory[0] = 0x44332211;
  store(0, 0x000000aa, 0x000000ff);
  store(0, 0xbbbb0000, 0xffff0000);
  store(0, 0x00cc0000, 0x00ff0000);
  EXPECT_EQ(load(0), 0xbbcc22aau);
  EXPECT_EQ(log.writes().size(), 1u);
  log.publish();
  EXPECT_EQ(memory[0], 0xbbcc22aau);
}

TEST_F(GlobalLogTest, a_word_that_it_has_written_in_part_is_read_for_the_rest) {
  store(0, 0xff, 0xff);
  EXPECT_EQ(load(0), 0xffu);
  ASSERT_EQ(log.reads().size(), 1u);
  EXPECT_EQ(log.reads()[0].value, 0x10u) << "as memory has it, not as the transaction sees it";
  EXPECT_TRUE(log.is_valid());
  memory[0] = 0x100;
  EXPECT_FALSE(log.is_valid());
}

TEST_F(GlobalLogTest, a_word_that_it_has_written_in_all_its_bytes_is_not_read) {
  for (unsigned byte = 0; byte < 4; ++byte) store(0, 0x01010101 * byte, 0xffu << 8 * byte);
  EXPECT_EQ(load(0), 0x03020100u);
  EXPECT_TRUE(log.reads().empty());
}

TEST_F(GlobalLogTest, words_of_an_access_are_seen_together) {
  store(1, 21);
  const uint32_t a = log.show(at(0), true), b = log.show(at(1), true), c = log.show(at(2), true);
  EXPECT_EQ(memory, (std::array<uint32_t, 4>{0x10, 21, 0x12, 0x13}));
  memory[0] = 30, memory[1] = 31;
  log.hide(at(0), ~0u, a);
  log.hide(at(1), ~0u, b);
  log.hide(at(2), 0, c);
  EXPECT_EQ(memory, first);
  EXPECT_EQ(log.writes().size(), 2u);
  log.publish();
  EXPECT_EQ(memory, (std::array<uint32_t, 4>{30, 31, 0x12, 0x13}));
}

TEST_F(GlobalLogTest, reads_are_in_the_order_in_which_they_came) {
  load(2);
  load(0);
  store(3, 1);
  store(1, 1);
  ASSERT_EQ(log.reads().size(), 2u);
  EXPECT_EQ(log.reads()[0].address, at(2));
  EXPECT_EQ(log.reads()[1].address, at(0));
  ASSERT_EQ(log.writes().size(), 2u);
  EXPECT_EQ(log.writes()[0].address, at(3));
  EXPECT_EQ(log.writes()[1].address, at(1));
}

TEST_F(GlobalLogTest, a_word_that_is_read_again_and_again_is_kept_once) {
  for (unsigned k = 0; k < 1000; ++k) load(k % 2);
  EXPECT_EQ(log.reads().size(), 2u);
  memory[1] = 0;
  EXPECT_FALSE(log.is_valid());
}

TEST_F(GlobalLogTest, a_word_read_twice_with_different_values_is_never_valid) {
  load(0);
  memory[0] = 1;
  load(0);
  EXPECT_FALSE(log.is_valid());
  memory[0] = 0x10;
  EXPECT_FALSE(log.is_valid());
}

TEST_F(GlobalLogTest, what_was_cleared_is_forgotten) {
  load(0);
  store(1, 99);
  log.clear();
  EXPECT_TRUE(log.empty());
  memory[0] = 1;
  EXPECT_TRUE(log.is_valid());
  log.publish();
  EXPECT_EQ(memory[1], 0x11u);
  EXPECT_EQ(load(1), 0x11u);
}

}  // namespace
}  // namespace bankshot::simt

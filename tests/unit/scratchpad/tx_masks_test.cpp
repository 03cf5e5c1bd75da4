// The masks of a warp in a transaction: Table 1 of GPU-LocalTM row by row, escalation, progress.
#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "bankshot/scratchpad/transactions/tx_masks.hpp"

namespace bankshot::scratchpad {
namespace {

/// A mask as the paper prints it, work-item 0 leftmost.
constexpr uint64_t mask(const char* text) {
  uint64_t bits = 0;
  for (unsigned lane = 0; text[lane] != 0; ++lane) bits |= uint64_t{text[lane] == '1'} << lane;
  return bits;
}

void expect_row(const TxMasks& masks, const char* exec, const char* tcm, const char* old, const char* mode) {
  EXPECT_EQ(masks.exec, mask(exec));
  EXPECT_EQ(masks.conflicts, mask(tcm));
  EXPECT_EQ(masks.has_last, old[0] != '-');
  if (masks.has_last) {
    EXPECT_EQ(masks.last, mask(old));
  }
  EXPECT_EQ(paper_name(masks.mode), mode);
}

TEST(TxMasks, are_those_of_table_1_in_all_four_tries) {
  TxMasks masks;
  EXPECT_EQ(paper_name(masks.mode), "NORMAL");
  masks.enter(mask("1111"));
  EXPECT_EQ(masks.begin(), mask("1111"));
  expect_row(masks, "1111", "0000", "-", "TX");  // line 2
  masks.conflict(mask("0011"));                  // line 13: WI2 and WI3
  expect_row(masks, "1111", "0011", "-", "TX");
  EXPECT_EQ(masks.commit(), mask("1100"));  // line 16: EXEC = TCM

  EXPECT_EQ(masks.begin(), mask("0011"));
  expect_row(masks, "0011", "0000", "0011", "TX");
  masks.conflict(mask("0010"));
  masks.conflict(mask("0001"));
  expect_row(masks, "0011", "0011", "0011", "TX");
  EXPECT_EQ(masks.commit(), 0u);  // the same TCM twice

  EXPECT_EQ(masks.begin(), mask("0010"));  // WI2 runs, the lowest
  expect_row(masks, "0011", "0001", "0011", "WF Serial.");
  EXPECT_EQ(masks.commit(), mask("0010"));

  EXPECT_EQ(masks.begin(), mask("0001"));
  expect_row(masks, "0001", "0000", "0001", "TX");
  EXPECT_EQ(masks.commit(), mask("0001"));
  EXPECT_EQ(masks.exec, 0u);
  EXPECT_EQ(paper_name(masks.mode), "NORMAL");
}

TEST(TxMasks, a_transaction_without_conflicts_is_one_attempt) {
  TxMasks masks;
  masks.enter(~uint64_t{0});
  EXPECT_EQ(masks.begin(), ~uint64_t{0});
  EXPECT_EQ(masks.commit(), ~uint64_t{0});
  EXPECT_EQ(masks.mode, TxMode::none);
}

TEST(TxMasks, a_mask_that_changes_does_not_escalate) {
  TxMasks masks;
  masks.enter(mask("1111"));
  for (const char* conflicts : {"1111", "0111", "0011", "0001"}) {
    masks.begin();
    masks.conflict(mask(conflicts));
    masks.commit();
    EXPECT_EQ(masks.mode, TxMode::concurrent) << conflicts;
  }
}

TEST(TxMasks, a_serialised_try_that_fails_runs_alone_and_a_commit_leads_back_to_all_at_once) {
  TxMasks masks;
  masks.enter(mask("0110"));
  masks.begin();
  masks.conflict(mask("0110"));
  masks.commit();
  masks.begin();
  masks.conflict(mask("0110"));
  masks.commit();
  EXPECT_EQ(masks.mode, TxMode::warp_serialised);
  EXPECT_EQ(masks.begin(), mask("0100"));
  masks.conflict(mask("0100"));  // with another warp
  EXPECT_EQ(masks.commit(), 0u);
  EXPECT_EQ(paper_name(masks.mode), "WG Serial.");
  EXPECT_EQ(masks.begin(), mask("0100"));
  EXPECT_EQ(masks.conflicts, mask("0010"));
  EXPECT_EQ(masks.commit(), mask("0100"));
  EXPECT_EQ(masks.mode, TxMode::concurrent);
  EXPECT_EQ(masks.begin(), mask("0010"));
}

TEST(TxMasks, the_cta_serialised_mode_stays_as_long_as_it_fails) {
  TxMasks masks;
  masks.enter(1);
  for (unsigned attempt = 1; attempt <= 6; ++attempt) {
    masks.begin();
    const TxMode expected = attempt <= 2   ? TxMode::concurrent
                            : attempt == 3 ? TxMode::warp_serialised
                                           : TxMode::cta_serialised;
    EXPECT_EQ(masks.mode, expected) << attempt;
    masks.conflict(1);
    masks.commit();
  }
}

TEST(TxMasks, what_an_earlier_transaction_left_is_forgotten) {
  TxMasks masks;
  masks.enter(mask("11"));
  masks.begin();
  masks.conflict(mask("01"));
  masks.commit();
  masks.begin();
  masks.commit();
  masks.enter(mask("01"));
  EXPECT_EQ(masks.begin(), mask("01"));
  EXPECT_FALSE(masks.has_last);
  masks.conflict(mask("01"));
  masks.commit();
  EXPECT_EQ(masks.mode, TxMode::concurrent) << "the mask is that of the last transaction, not of this one's last try";
}

// A try that runs alone commits. n lanes take at most 3 n + 1 tries: the first has no mask to compare its own with, and
// then each lane fails at most with all, alone in its warp, and is through.
TEST(TxMasks, every_lane_commits_within_a_bounded_number_of_tries_whatever_conflicts) {
  std::mt19937_64 random(4);
  for (unsigned run = 0; run < 300; ++run) {
    const uint64_t lanes = run == 0 ? ~uint64_t{0} : random() & random();
    if (lanes == 0) continue;
    const unsigned malice = run % 3;  // conflicts: of all, of about half, of about three quarters
    TxMasks masks;
    masks.enter(lanes);
    uint64_t committed = 0;
    unsigned tries = 0;
    for (; masks.exec != 0; ++tries) {
      const uint64_t before = masks.exec, runs = masks.begin();
      ASSERT_NE(runs, 0u);
      ASSERT_EQ(runs & ~before, 0u);
      if (masks.mode == TxMode::warp_serialised || masks.mode == TxMode::cta_serialised) {
        ASSERT_EQ(std::popcount(runs), 1);
      } else {
        ASSERT_EQ(runs, before);
      }
      if (masks.mode != TxMode::cta_serialised) {
        const uint64_t some = malice == 0 ? ~uint64_t{0} : malice == 1 ? random() : random() | random();
        masks.conflict(runs & some);
      }
      const uint64_t now = masks.commit();
      ASSERT_EQ(now & committed, 0u) << "once each";
      ASSERT_EQ(now & ~runs, 0u);
      ASSERT_EQ(masks.exec, before & ~now);
      committed |= now;
      ASSERT_LE(tries, 3 * 64u);
    }
    EXPECT_EQ(committed, lanes);
    EXPECT_LE(tries, 3u * static_cast<unsigned>(std::popcount(lanes)) + 1);
    if (malice == 0) {
      EXPECT_EQ(tries, 3u * static_cast<unsigned>(std::popcount(lanes)) + 1);
    }
  }
}

}  // namespace
}  // namespace bankshot::scratchpad

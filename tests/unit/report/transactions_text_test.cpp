// What the reports print of transactions, of launches made up by hand.
#include <gtest/gtest.h>

#include "bankshot/report/text/transactions_text.hpp"
#include "timing_fixture.hpp"

namespace bankshot::report {
namespace {

Kernel made_transactions() {
  Kernel kernel = made_simulation().kernels.at(0);
  kernel.transactions = {.transactions = 8,
                         .attempts = 57,
                         .warp_serialised = 12,
                         .cta_serialised = 3,
                         .lanes = 1'024,
                         .commits = 256,
                         .aborts = 768,
                         .conflicts = 700,
                         .conflicting_accesses = 41,
                         .false_conflicts = 120,
                         .read_conflicts = 30,
                         .killed = 60,
                         .invalid = 8,
                         .accesses = 5'000};
  timing::Counters& c = kernel.timing->counters;
  c.warp_cycles = 1'000;
  c.tx_warp_cycles = 600;
  c.tx_retry_cycles = 181;
  c.tx_access_cycles = 200;
  c.tx_mask_cycles = 20;
  return kernel;
}

TEST(ReportTransactionsText, tells_attempts_aborts_and_cycles_that_add_up) {
  EXPECT_EQ(transactions_text(made_transactions()),
            R"(  transactions                     8 of warps in 57 attempts, 12 serialised in their warp, 3 in their CTA
  commits                        256 by lanes, 768 aborts: commit ratio 25.0 %
  aborting accesses              700 of 5,000 by lanes: 120 false conflicts, 30 on words only read so far
  … by warps                      41 at which one or more lanes met a conflict
  other aborts                    60 for a warp that ran alone, 8 because global memory that was read has changed
  cycles of warps               40.0 % outside of transactions; 38.0 % in their code, 20.0 % added to their accesses,
                                 2.0 % in begins and commits
  do aborts cost anything? Yes: warps spend 18.1 % of their cycles in attempts after the first.
)");
}

TEST(ReportTransactionsText, without_a_simulation_no_cycles_are_told) {
  Kernel kernel = made_transactions();
  kernel.timing.reset();
  EXPECT_EQ(transactions_text(kernel).find("cycles"), std::string::npos);
  kernel.transactions = {};
  EXPECT_EQ(transactions_text(kernel), "");
}

TEST(ReportTransactionsText, without_aborts_they_cost_nothing) {
  Kernel kernel = made_transactions();
  kernel.transactions.conflicts = kernel.transactions.killed = kernel.transactions.invalid =
      kernel.transactions.aborts = 0;
  kernel.timing->counters.tx_retry_cycles = 0;
  const std::string text = transactions_text(kernel);
  EXPECT_NE(text.find("do aborts cost anything? No: no warp retries.\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("aborting accesses"), std::string::npos);
  EXPECT_EQ(text.find("other aborts"), std::string::npos);
  kernel.timing->counters.tx_retry_cycles = 9;
  EXPECT_NE(transactions_text(kernel).find("Hardly: warps spend 0.9 %"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::report

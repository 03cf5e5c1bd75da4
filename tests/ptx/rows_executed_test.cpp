// Whether the tests execute each row of the table of instructions that has no rule about the values of a lane. With
// BANKSHOT_RECORD_ROWS in the environment programs tell which rows they execute, and what no test of the process has
// executed is an error at its end. The ctest entry rows.all_are_executed runs the tests of the engine so.
#include <gtest/gtest.h>

#include <cstdlib>

#include "bankshot/simt/rows/row_recorder.hpp"
#include "elsewhere.hpp"

namespace bankshot::simt {
namespace {

class RowsExecuted final : public ::testing::Environment {
  void SetUp() override {
    if (on()) record_rows();
  }

  void TearDown() override {
    if (!on()) return;
    const std::set<const Row*> executed = recorded_rows();
    const Rows& portable = *rows_of("portable");
    for (size_t k = 0; k < portable.size(); ++k) {
      if (!conformance::is_elsewhere(portable[k])) continue;  // EveryForm executes each of these
      bool any = false;
      for (const char* isa : {"portable", "avx2", "avx512", "wide"}) {
        const Rows* const rows = rows_of(isa);
        any |= rows != nullptr && executed.count(&(*rows)[k]) != 0;
      }
      EXPECT_TRUE(any) << "no test executes " << portable[k].syntax << "  (" << portable[k].sets
                       << "); or it does, and rows.all_are_executed in tests/CMakeLists.txt leaves it out";
    }
  }

  static bool on() { return std::getenv("BANKSHOT_RECORD_ROWS") != nullptr; }
};

const ::testing::Environment* const kRowsExecuted = ::testing::AddGlobalTestEnvironment(new RowsExecuted);

}  // namespace
}  // namespace bankshot::simt

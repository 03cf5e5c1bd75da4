#include "bankshot/accuracy/rows.hpp"

#include <gtest/gtest.h>

#include "bankshot/accuracy/unit.hpp"

namespace bankshot::accuracy {
namespace {

const std::string kHeader = "gpu\tarch\tquantity\tcondition\tvalue\tunit\tsource\n";

std::string problem(const std::string& rows) {
  const auto parsed = parse_rows(kHeader + rows, "x.tsv");
  return parsed ? "" : parsed.error().message;
}

TEST(AccuracyRows, reads_columns_and_lines) {
  const auto rows = parse_rows(kHeader + "\nV100\tsm_70\tL1 latency\t8 KB\t29.9\tcycles\tsomebody\r\n", "x.tsv");
  ASSERT_TRUE(rows) << rows.error().message;
  ASSERT_EQ(rows->size(), 1u);
  const Row& row = rows->front();
  EXPECT_EQ(row.gpu, "V100");
  EXPECT_EQ(row.condition, "8 KB");
  EXPECT_EQ(row.value, 29.9);
  EXPECT_EQ(row.source, "somebody");
  EXPECT_EQ(row.line, 3u);
}

TEST(AccuracyRows, takes_the_mean_of_several_values) {
  const auto rows = parse_rows(kHeader + "A\t\tq\t\t13/15/17/19\tcycle\ts\n", "x.tsv");
  ASSERT_TRUE(rows) << rows.error().message;
  EXPECT_EQ(rows->front().value, 16);
}

TEST(AccuracyRows, rejects_what_is_no_row) {
  EXPECT_TRUE(problem("A\ta\tq\tc\t1\tcycles\n").starts_with("x.tsv:2: 6 columns; a row has 7"));
  EXPECT_TRUE(problem("A\ta\tq\tc\t1\tcycles\ts\tmore\n").starts_with("x.tsv:2: 8 columns"));
  EXPECT_EQ(problem("\ta\tq\tc\t1\tcycles\ts\n"), "x.tsv:2: the column gpu is empty");
  EXPECT_EQ(problem("A\ta\tq\tc\t1\tcycles\t\n"), "x.tsv:2: the column source is empty");
  for (const char* value : {"", "many", "-3", "0", "1e", "1/", "nan", "inf"}) {
    SCOPED_TRACE(value);
    EXPECT_TRUE(problem("A\ta\tq\tc\t" + std::string(value) + "\tcycles\ts\n").starts_with("x.tsv:2: the value '"));
  }
  EXPECT_TRUE(
      problem("A\ta\tq\tc\t1\tfurlongs\ts\n").starts_with("x.tsv:2: the unit 'furlongs' is unknown; known are"));
}

TEST(AccuracyRows, rejects_other_first_lines) {
  EXPECT_EQ(parse_rows("", "x.tsv").error().message, "x.tsv: the file is empty");
  EXPECT_TRUE(parse_rows("gpu\tarch\n", "x.tsv").error().message.starts_with("x.tsv:1: the first line must name"));
}

TEST(AccuracyRows, rejects_files_that_are_not_there) {
  EXPECT_EQ(load_rows("/nowhere/x.tsv").error().message, "/nowhere/x.tsv cannot be read: No such file or directory");
}

TEST(AccuracyUnit, converts_by_the_clock) {
  const Reading cycles{30, Dimension::cycles}, rate{64, Dimension::per_cycle};
  EXPECT_EQ(in_unit(cycles, *find_unit("cycles"), 1.5), 30);
  EXPECT_EQ(in_unit(cycles, *find_unit("ns"), 1.5), 20);
  EXPECT_EQ(in_unit(rate, *find_unit("GB/s"), 1.5), 96);
  EXPECT_EQ(in_unit({3e6, Dimension::time}, *find_unit("ms"), 1.5), 3);
  EXPECT_FALSE(in_unit(rate, *find_unit("cycles"), 1.5));
}

}  // namespace
}  // namespace bankshot::accuracy

// Metrics by the names of Nsight Compute, and its CSV.
#include <gtest/gtest.h>

#include <map>

#include "bankshot/formats/ncu_csv.hpp"
#include "bankshot/formats/ncu_metrics.hpp"
#include "bankshot/formats/ncu_report.hpp"
#include "fixture.hpp"
#include "tests/unit/report/timing_fixture.hpp"

namespace bankshot::formats {
namespace {

std::map<std::string, double> values_of(const report::RunReport& report) {
  std::map<std::string, double> values;
  for (const NcuMetric& metric : ncu_metrics(report.kernels[0], report)) values[metric.name] = metric.value;
  return values;
}

const std::string kWavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared",
                  kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";

/// RFC 4180: fields in quotes, which are doubled inside.
std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows(1);
  for (size_t at = 0; at < csv.size();) {
    EXPECT_EQ(csv[at], '"') << csv.substr(at);
    std::string field;
    for (++at; csv[at] != '"' || csv[at + 1] == '"'; ++at) {
      field += csv[at];
      if (csv[at] == '"') ++at;
    }
    rows.back().push_back(field);
    if (csv[++at] == '\n' && at + 1 < csv.size()) rows.emplace_back();
    ++at;
  }
  return rows;
}

TEST(NcuMetrics, loads_and_stores_are_told_apart) {
  std::map<std::string, double> values = values_of(with_conflicts());
  EXPECT_EQ(values[kWavefronts + ".sum"], 97);
  EXPECT_EQ(values[kWavefronts + "_op_ld.sum"], 96);
  EXPECT_EQ(values[kWavefronts + "_op_st.sum"], 1);
  EXPECT_EQ(values[kConflicts + ".sum"], 93);
  EXPECT_EQ(values[kConflicts + "_op_ld.sum"], 93);
  EXPECT_EQ(values[kConflicts + "_op_st.sum"], 0);
  EXPECT_EQ(values["memory_l1_wavefronts_shared"], 97);
  EXPECT_EQ(values["memory_l1_wavefronts_shared_ideal"], 4);
  EXPECT_EQ(values["derived__memory_l1_wavefronts_shared_excessive"], 93);
  EXPECT_EQ(values["launch__block_size"], 256);
  EXPECT_EQ(values["launch__grid_size"], 8);
  EXPECT_EQ(values["launch__thread_count"], 2048);
  EXPECT_FALSE(values.contains("launch__registers_per_thread"));  // an estimate
  EXPECT_FALSE(values.contains("gpu__time_duration.sum"));
}

// 32 lanes on one bank: 31 conflicts. With two passes a compare-and-swap has 62, of which the counter sees 31.
TEST(NcuMetrics, one_pass_of_a_compare_and_swap_is_counted) {
  report::RunReport report =
      report::made_report({report::made_site(88, "atom.shared.cas.b32", 4, [](uint32_t lane) { return 128 * lane; })});
  report.rules.cas_passes = 2;
  scratchpad::SiteTotals& totals = report.kernels[0].sites[0].totals;
  totals.wavefronts = 64;
  totals.ideal = 2;
  std::map<std::string, double> values = values_of(report);
  EXPECT_EQ(values[kWavefronts + "_op_atom.sum"], 64);
  EXPECT_EQ(values[kConflicts + "_op_atom.sum"], 31);
}

TEST(NcuMetrics, loops_of_atomics_are_left_out) {
  const std::map<std::string, double> values = values_of(report::made_report(
      {report::column(), report::made_site(90, "atom.shared.add.f32", 4, [](uint32_t) { return 64u; })}));
  EXPECT_FALSE(values.contains(kWavefronts + ".sum"));
  EXPECT_FALSE(values.contains(kWavefronts + "_op_atom.sum"));
  EXPECT_TRUE(values.contains(kWavefronts + "_op_ld.sum"));
  EXPECT_FALSE(values.contains("memory_l1_wavefronts_shared"));
}

// A matrix of 8 lines of 16 bytes, 128 bytes apart: 8 wavefronts. A copy past the cache is in no counter.
TEST(NcuMetrics, matrix_loads_are_loads_and_copies_past_the_cache_are_not_counted) {
  const auto lines = [](uint32_t lane) { return 128 * lane; };
  const report::RunReport report = report::made_report(
      {report::made_site(80, "ldmatrix.sync.aligned.m8n8.x1.shared.b16", 16, lines, 1, 0xff),
       report::made_site(90, "cp.async.cg.shared.global", 16, [](uint32_t lane) { return 16 * lane; })});
  std::map<std::string, double> values = values_of(report);
  EXPECT_EQ(values[kWavefronts + "_op_ld.sum"], 8);
  EXPECT_EQ(values[kConflicts + "_op_ld.sum"], 7);
  EXPECT_EQ(values[kWavefronts + ".sum"], 8);
  EXPECT_FALSE(values.contains("memory_l1_wavefronts_shared"));
}

TEST(NcuMetrics, what_a_check_does_not_count_is_left_out) {
  EXPECT_FALSE(values_of(with_race()).contains(kWavefronts + ".sum"));
}

TEST(NcuMetrics, a_hash_is_told) {
  report::RunReport report = with_conflicts();
  EXPECT_EQ(assumption(report), "");
  report.instruction_hashes = "h.json";
  EXPECT_EQ(assumption(report), ", as if loads and stores had the hashes in h.json");
}

TEST(NcuMetrics, simulated_launches_have_times) {
  const report::RunReport report = report::made_simulation();  // 100 cycles at 1 GHz, 160 active of 200 of 2 SMs
  std::map<std::string, double> values = values_of(report);
  EXPECT_EQ(values["gpc__cycles_elapsed.max"], 100);
  EXPECT_EQ(values["gpu__time_duration.sum"], 100);
  EXPECT_EQ(values["sm__cycles_active.avg"], 80);
  EXPECT_EQ(values["sm__warps_active.avg.per_cycle_active"], 10);  // 1,600 cycles of warps
  EXPECT_NEAR(values["sm__warps_active.avg.pct_of_peak_sustained_active"], 100 * 10 / 48.0, 1e-9);
}

TEST(NcuMetrics, values_are_written_as_ncu_writes_them) {
  EXPECT_EQ(value_text({"", "", 1234567}), "1,234,567");
  EXPECT_EQ(value_text({"", "", 1234.5, false}), "1,234.50");
  EXPECT_EQ(value_text({"", "", 61.839, false}), "61.84");
  EXPECT_EQ(value_text({"", "", 0.999, false}), "1.00");
}

TEST(NcuCsv, the_page_of_details_has_its_columns_and_rules) {
  const report::RunReport report = report::made_simulation();
  const auto rows = rows_of(to_ncu_details({{report}}));
  EXPECT_EQ(rows[0], (std::vector<std::string>{"ID",
                                               "Process ID",
                                               "Process Name",
                                               "Host Name",
                                               "Kernel Name",
                                               "Context",
                                               "Stream",
                                               "Block Size",
                                               "Grid Size",
                                               "Device",
                                               "CC",
                                               "Section Name",
                                               "Metric Name",
                                               "Metric Unit",
                                               "Metric Value",
                                               "Rule Name",
                                               "Rule Type",
                                               "Rule Description",
                                               "Estimated Speedup Type",
                                               "Estimated Speedup"}));
  std::map<std::string, std::vector<std::string>> rules;
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 20u);
    if (!row[15].empty()) rules[row[15]] = row;
  }
  EXPECT_EQ(rows[1][4], "scale(float*, int)");
  EXPECT_EQ(rows[1][7], "(32, 8, 1)");
  EXPECT_EQ(rows[1][8], "(4, 2, 1)");
  EXPECT_EQ(rows[1][12], kWavefronts + ".sum");
  EXPECT_EQ(rows[1][14], "97");
  // 93 of 96 wavefronts of loads; in all 93 of 97, with 160 of 200 cycles active.
  EXPECT_EQ(rules["SharedMemoryConflicts"][18], "local");
  EXPECT_EQ(rules["SharedMemoryConflicts"][19], "96.88");
  EXPECT_EQ(rules["UncoalescedSharedAccess"][18], "global");
  EXPECT_EQ(rules["UncoalescedSharedAccess"][19], "76.70");
  EXPECT_EQ(rules["Bankshot"][17], "Simulated by Bankshot without a GPU, as Test GPU; sums over 1 launch.");
}

TEST(NcuCsv, hostile_names_and_gaps_keep_the_table_whole) {
  const report::RunReport report = hostile();
  const formats::Run run{report, {.gaps = {kHostile}}};
  size_t warnings = 0;
  for (const auto& row : rows_of(to_ncu_details({run}))) {
    ASSERT_EQ(row.size(), 20u);
    warnings += row[16] == "WRN";
  }
  EXPECT_EQ(warnings, 2u);  // the program's end, and the failed launch
  const report::RunReport nothing;
  const auto rows = rows_of(to_ncu_details({{nothing}}));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][17], "no kernel was launched");
}

TEST(NcuCsv, the_raw_page_has_units_and_a_row_per_kernel) {
  report::RunReport report = with_conflicts();
  report.merge(report::made_report({report::made_site(90, "atom.shared.add.f32", 4, [](uint32_t) { return 64u; })}));
  report.add(report::made_launch({report::row()}), "other", {1, 1, 1}, {32, 1, 1});
  const auto rows = rows_of(to_ncu_raw({{report}}));
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  const auto column = static_cast<size_t>(std::ranges::find(rows[0], "launch__thread_count") - rows[0].begin());
  EXPECT_EQ(rows[1][0], "");
  EXPECT_EQ(rows[1][column], "thread");
  EXPECT_EQ(rows[3][column], "32");
  const auto total = static_cast<size_t>(std::ranges::find(rows[0], kWavefronts + ".sum") - rows[0].begin());
  EXPECT_EQ(rows[2][total], "");  // its loop is not known
  EXPECT_EQ(rows[3][total], "1");
}

TEST(NcuCsv, the_raw_page_says_where_its_numbers_come_from_and_what_is_missing) {
  report::RunReport report = with_conflicts();
  report.partial = true;
  const auto rows = rows_of(to_ncu_raw({{report}}));
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].back(), "Bankshot");
  EXPECT_TRUE(rows[2].back().starts_with("Counted by Bankshot without a GPU, as "));
  EXPECT_TRUE(rows[2].back().ends_with(" Incomplete: the program did not finish."));
  const report::RunReport nothing;
  const auto empty = rows_of(to_ncu_raw({{nothing}}));
  ASSERT_EQ(empty.size(), 3u);
  EXPECT_EQ(empty[2].back(), "Incomplete: no kernel was launched.");
}

TEST(NcuReport, says_what_is_missing) {
  report::RunReport report = with_conflicts();
  report.partial = true;
  const std::string text = to_ncu_text(report, false);
  EXPECT_NE(text.find("partial: the program did not finish\n"), text.npos) << text;
  EXPECT_NE(text.find("  l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum                             93\n"),
            text.npos)
      << text;
  EXPECT_NE(to_ncu_json(report).find("\"partial\": true"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::formats

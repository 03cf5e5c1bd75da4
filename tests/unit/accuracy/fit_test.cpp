// Parameters of a description, found again from rows that a machine with other parameters gave.
#include "bankshot/accuracy/fit/fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bankshot/accuracy/work.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::accuracy {
namespace {

Row row(const std::string& quantity, const std::string& condition, const std::string& unit, double value = 1) {
  static unsigned line = 1;
  return {"V100", "sm_70", quantity, condition, value, unit, "made up", ++line};
}

/// Rows whose values are those of v100 with some changes.
std::vector<Row> measured(std::vector<Row> rows, const std::vector<std::string>& changes) {
  for (Row& one : rows) {
    Work work;
    const auto plan = plan_of(one);
    EXPECT_TRUE(plan) << one.quantity;
    EXPECT_TRUE(work.add(one, *plan->first, plan->second, *find_target("V100")));
    EXPECT_FALSE(gpu::change(work.machines[0], changes));
    const Result<double> value = in_unit_of(work.asked[0], simulate(plan->second, work.machines[0]));
    EXPECT_TRUE(value) << value.error().message;
    one.value = value ? *value : 1;
  }
  return rows;
}

Result<Fit> fitted(const std::vector<Row>& rows, unsigned threads = 0) {
  return fit(rows, {.base = "v100", .devices = {}, .file = "x.tsv", .threads = threads, .progress = {}});
}

FittedParameter find(const Result<Fit>& fit, std::string_view key) {
  EXPECT_TRUE(fit) << fit.error().message;
  if (!fit) return {};
  const auto found = std::ranges::find(fit->parameters, key, &FittedParameter::key);
  EXPECT_NE(found, fit->parameters.end());
  return *found;
}

TEST(FitParameters, those_of_another_machine_are_found_again) {
  BANKSHOT_LEAVE_OUT_IF_SANITIZED();
  const std::vector<std::string> changes = {
      "units.alu.latency=6",   "units.fp32.latency=5", "units.fp64.lanes=2",      "units.sfu.latency=23",
      "scratchpad.latency=31", "l1.latency=35",        "issue.barrier_cycles=33", "issue.barrier_warp_cycles=5",
      "l2.latency=130",        "dram.latency=61"};
  const char* chain = "instruction latency, dependent chain";
  const char* chase = "pointer-chase latency, ld.ca";
  const auto fit = fitted(measured(
      {row(chain, "PTX add.u32 = SASS IADD", "cycles"), row(chain, "PTX add.f32 = SASS FADD", "cycles"),
       row("FP64 throughput", "MaxFlops", "flop/clk/SM"), row(chain, "PTX rsqrt.approx.f32 = SASS MUFU", "cycles"),
       row("shared load latency", "-", "cycles"), row(chase, "buffer 8 kB", "cycles"),
       row("sync.bar.lat latency_cycles", "w1", "cycles"), row("sync.bar.lat latency_cycles", "w32", "cycles"),
       row(chase, "buffer 1024 kB", "cycles"), row(chase, "buffer 65536 kB", "cycles")},
      changes));
  for (const std::string& change : changes) {
    const size_t equals = change.find('=');
    const FittedParameter one = find(fit, change.substr(0, equals));
    EXPECT_EQ(one.not_determined, "") << one.key;
    EXPECT_EQ(std::to_string(one.value), change.substr(equals + 1)) << one.key;
    EXPECT_NEAR(one.off_after, 0, 0.5) << one.key;
  }
  EXPECT_EQ(find(fit, "units.multiply.latency").not_determined, "no row");
}

TEST(FitParameters, a_value_that_fits_best_stays) {
  // 29.01 cycles with l1.latency = 28: 3 % off either way, and one cycle more or less is as far on the other side.
  const auto fit = fitted({row("L1 latency", "8 KB", "cycles", 28.9), row("L1 latency", "8 KB", "cycles", 29.1)});
  const FittedParameter one = find(fit, "l1.latency");
  EXPECT_EQ(one.value, 28u);
  EXPECT_EQ(one.rows.size(), 2u);
  EXPECT_EQ(one.off_after, one.off_before);
}

TEST(FitParameters, a_row_far_from_the_others_does_not_move_the_value) {
  // Two of three say 40 cycles; 28 gives 29.01, so 39 gives 40.01.
  const auto fit = fitted({row("L1 latency", "8 KB", "cycles", 40), row("L1 latency", "8 KB", "cycles", 40),
                           row("L1 latency", "8 KB", "cycles", 400)});
  EXPECT_EQ(find(fit, "l1.latency").value, 39u);
  EXPECT_NEAR(find(fit, "l1.latency").off_before, 27.5, 0.1);  // (40 - 29.01) / 40
  ASSERT_EQ(fit->after.answers.size(), 3u);
  EXPECT_NEAR(fit->after.answers[0].simulated, 40, 0.1);
}

TEST(FitParameters, lanes_are_powers_of_two) {
  // v100 has 4 units of 8 lanes: 64 operations of a cycle. 16 lanes would make 128, 11 the 88 that the row says.
  const auto fit = fitted({row("FP64 throughput", "MaxFlops", "flop/clk/SM", 88)});
  EXPECT_EQ(find(fit, "units.fp64.lanes").value, 8u);
  EXPECT_NEAR(find(fit, "units.fp64.lanes").off_after, 27.4, 0.3);  // 63.9 of 88
}

TEST(FitParameters, less_than_a_tenth_of_a_percent_moves_nothing) {
  // 98 gives 212.1 cycles, 99 one more: 212.6 lies between them.
  const auto fit = fitted({row("L2 latency", "-", "cycles", 212.6)});
  EXPECT_EQ(find(fit, "l2.latency").value, 98u);
}

TEST(FitParameters, dram_of_other_memory_tells_nothing) {
  Row one = row("DRAM latency", "256 MB", "cycles", 500);
  one.gpu = "TU102 (Quadro RTX 6000)";  // the T4's chip with memory of twice the clock
  const auto fit = accuracy::fit({one}, {.base = "t4", .devices = {}, .file = "x.tsv", .threads = 1, .progress = {}});
  EXPECT_EQ(find(fit, "dram.latency").not_determined, "no row");
}

TEST(FitParameters, do_not_depend_on_the_number_of_threads) {
  const std::vector<Row> rows = {row("L1 latency", "8 KB", "cycles", 33), row("L2 latency", "-", "cycles", 250),
                                 row("FFMA latency", "-", "cycles", 7)};
  const auto one = fitted(rows, 1), four = fitted(rows, 4);
  ASSERT_TRUE(one && four);
  for (size_t k = 0; k < one->parameters.size(); ++k) {
    EXPECT_EQ(one->parameters[k].value, four->parameters[k].value);
    EXPECT_EQ(one->parameters[k].off_after, four->parameters[k].off_after);
  }
}

TEST(FitParameters, rejects_rows_of_other_gpus) {
  const auto none = fit({row("L1 latency", "8 KB", "cycles", 33)},
                        {.base = "a100", .devices = {}, .file = "x.tsv", .threads = 1, .progress = {}});
  ASSERT_FALSE(none);
  EXPECT_TRUE(none.error().message.starts_with("x.tsv has no row")) << none.error().message;
  EXPECT_NE(none.error().message.find("it has rows for V100"), std::string::npos) << none.error().message;
  EXPECT_FALSE(fit({}, {.base = "v100", .devices = {}, .file = "x.tsv", .threads = 1, .progress = {}}));
}

TEST(FitParameters, every_key_is_of_a_description) {
  const auto base = gpu::find_gpu("v100");
  ASSERT_TRUE(base);
  for (const Parameter& one : parameters()) {
    gpu::Gpu gpu = *base;
    const std::string change = std::string(one.key) + "=2";
    const auto error = gpu::change(gpu, std::span(&change, 1));
    EXPECT_FALSE(error) << error->message;
    EXPECT_LT(one.stage, stages());
    EXPECT_TRUE(std::ranges::any_of(families(), [&](const Family& family) { return family.name == one.family; }));
  }
}

TEST(FitParameters, patterns_fit_whole_texts) {
  EXPECT_TRUE(fits("barrier 1", "barrier 1"));
  EXPECT_FALSE(fits("barrier 1", "barrier 16"));
  EXPECT_TRUE(fits("barrier *", "barrier 16"));
  EXPECT_TRUE(fits("shared chain ? * 4 1 *", "shared chain 0 32 4 1 true"));
  EXPECT_FALSE(fits("shared chain ? * 4 1 *", "shared chain 32 32 4 1 true"));
  EXPECT_TRUE(fits("*", ""));
  EXPECT_FALSE(fits("?", ""));
}

/// Whether the chase in v100 (L1 128 KB, L2 6 MB) tells the parameter.
bool chase_tells(const std::string& kilobytes, std::string_view key, const char* how = "ca") {
  const auto base = gpu::find_gpu("v100");
  const auto plan =
      plan_of(row(std::string("pointer-chase latency, ld.") + how, "buffer " + kilobytes + " kB", "cycles"));
  const auto parameter = std::ranges::find(parameters(), key, &Parameter::key);
  return tells(*plan->first, plan->second, *base, *parameter);
}

TEST(FitParameters, a_chase_tells_of_the_level_that_holds_its_buffer) {
  EXPECT_TRUE(chase_tells("64", "l1.latency"));
  EXPECT_FALSE(chase_tells("65", "l1.latency"));  // with room between the levels: half of 128
  EXPECT_FALSE(chase_tells("64", "l1.latency", "cg"));
  EXPECT_TRUE(chase_tells("64", "l2.latency", "cg"));
  EXPECT_FALSE(chase_tells("255", "l2.latency"));
  EXPECT_TRUE(chase_tells("256", "l2.latency"));
  EXPECT_TRUE(chase_tells("3072", "l2.latency"));
  EXPECT_FALSE(chase_tells("3073", "l2.latency"));
  EXPECT_FALSE(chase_tells("24575", "dram.latency"));
  EXPECT_TRUE(chase_tells("24576", "dram.latency"));
}

}  // namespace
}  // namespace bankshot::accuracy

// The parts of the command line: whose argument is whose, limits, which kernels are shown.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "bankshot/cli/base/arguments.hpp"
#include "bankshot/cli/base/keep_kernels.hpp"
#include "bankshot/compare/gate.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::cli {
namespace {

using compare::Gate;
using compare::parse_gate;
using Words = std::vector<std::string>;

std::pair<Words, Words> split(Words arguments) {
  CLI::App app;
  std::string gpu;
  bool flag = false;
  app.add_option("--gpu", gpu);
  app.add_option("-n", gpu);
  app.add_flag("--flag", flag);
  const Words target = take_target(arguments, app);
  return {arguments, target};
}

TEST(Cli, options_after_the_program_are_the_programs) {
  EXPECT_EQ(split({"run", "--gpu", "t4", "./app", "--gpu", "x"}),
            (std::pair<Words, Words>{{"run", "--gpu", "t4"}, {"./app", "--gpu", "x"}}));
  EXPECT_EQ(split({"run", "--gpu=t4", "--flag", "./app"}),
            (std::pair<Words, Words>{{"run", "--gpu=t4", "--flag"}, {"./app"}}));
  EXPECT_EQ(split({"run", "-n", "-", "app", "--", "x"}),
            (std::pair<Words, Words>{{"run", "-n", "-"}, {"app", "--", "x"}}));
}

TEST(Cli, everything_after_two_dashes_is_the_programs) {
  EXPECT_EQ(split({"run", "--flag", "--", "--odd-name", "1"}),
            (std::pair<Words, Words>{{"run", "--flag"}, {"--odd-name", "1"}}));
  EXPECT_EQ(split({"run", "--gpu"}), (std::pair<Words, Words>{{"run", "--gpu"}, {}}));
  EXPECT_EQ(split({"run", "--gpu", "--", "app"}),
            (std::pair<Words, Words>{{"run", "--gpu"}, {"app"}}));  // a value is missing
}

TEST(Cli, gates_have_a_counter_and_a_limit) {
  EXPECT_EQ(parse_gate("conflicts>10")->limit, 10u);
  EXPECT_EQ(parse_gate(" wavefronts > 0 ")->counter, Gate::Counter::wavefronts);
  for (const char* text : {"", "conflicts", "conflicts>", "conflicts>-1", "conflicts>1x", "stalls>1", "conflicts<1",
                           "conflicts>99999999999999999999"}) {
    EXPECT_FALSE(parse_gate(text)) << text;
  }
}

TEST(Cli, gates_name_the_kernel_that_exceeds_them) {
  const report::RunReport report = report::made_report({report::column()});
  const report::Kernel& kernel = report.kernels[0];
  const auto sentence = [&](const char* gate) { return compare::how_exceeded(*parse_gate(gate), kernel, report); };
  EXPECT_EQ(sentence("conflicts>30"), "scale(float*, int) has 31 conflicts, more than 30");
  EXPECT_EQ(sentence("conflicts>31"), "");
  EXPECT_NE(sentence("wavefronts>31"), "");
}

TEST(Cli, kernels_are_chosen_by_parts_of_their_names) {
  report::RunReport report = report::made_report({report::column()});
  report.add(report::made_launch({}), "_Z3addPfi", {}, {});
  report.add(report::made_launch({}), "other", {}, {});
  EXPECT_EQ(keep_kernels(report, {}), "");
  EXPECT_EQ(report.kernels.size(), 3u);
  EXPECT_NE(keep_kernels(report, {"scale", "scan"}).find("--kernel scan: no launched kernel"), std::string::npos);
  EXPECT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(keep_kernels(report, {"scale(float", "oth"}), "");
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[1].name, "other");
  report.kernels.clear();
  EXPECT_EQ(keep_kernels(report, {"scale"}), "");
}

}  // namespace
}  // namespace bankshot::cli

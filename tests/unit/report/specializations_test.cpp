// Names of kernels that were compiled several times from one function.
#include <gtest/gtest.h>

#include "bankshot/report/json/json.hpp"
#include "bankshot/report/run/specializations.hpp"
#include "bankshot/report/text/findings_text.hpp"
#include "bankshot/report/text/kernel_title.hpp"
#include "fixture.hpp"

namespace bankshot::report {
namespace {

using Parts = std::vector<std::string>;

void add_kernel_for(RunReport& report, const std::string& name, const Parts& parts, const std::string& file = "mm.py") {
  std::string digest = name + file;
  for (const std::string& part : parts) digest += part;
  report.add(made_launch({column()}), name, {4, 1, 1}, {128, 1, 1}, {digest, file, parts});
}

Parts names_in(const RunReport& report) {
  Parts all;
  for (const Kernel& kernel : report.kernels) all.push_back(kernel.demangled);
  return all;
}

TEST(Specializations, are_told_apart_by_what_not_all_have) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32", "BN=64", "num_warps=4", "x: *fp16"});
  add_kernel_for(report, "mm", {"BM=64", "BN=64", "num_warps=4", "x: *fp16"});
  add_kernel_for(report, "mm", {"BM=64", "BN=64", "num_warps=8", "x: *fp32"});
  tell_apart(report);
  EXPECT_EQ(names_in(report), (Parts{"mm<BM=32, num_warps=4, x: *fp16>", "mm<BM=64, num_warps=4, x: *fp16>",
                                     "mm<BM=64, num_warps=8, x: *fp32>"}));
  EXPECT_EQ(kernel_title(report.kernels[2], report), "mm<BM=64, num_warps=8, x: *fp32>");
}

TEST(Specializations, long_names_have_what_is_needed) {
  RunReport report;
  const std::string long_name(70, 'y');
  add_kernel_for(report, "mm", {"BM=32", "x: *fp16", long_name + ": *fp16", "x divisible by 16"});
  add_kernel_for(report, "mm", {"BM=64", "x: *fp16", long_name + ": *fp16", "x divisible by 16"});
  add_kernel_for(report, "mm", {"BM=64", "x: *fp32", long_name + ": *fp32"});
  tell_apart(report);
  EXPECT_EQ(names_in(report), (Parts{"mm<BM=32, x: *fp16>", "mm<BM=64, x: *fp16>", "mm<BM=64, x: *fp32>"}));
}

TEST(Specializations, one_alone_keeps_its_name) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32"});
  add_kernel_for(report, "add", {"BM=64"});
  add_kernel_for(report, "_Z5scalePfi", {});
  tell_apart(report);
  EXPECT_EQ(names_in(report), (Parts{"mm", "add", "scale(float*, int)"}));
}

TEST(Specializations, functions_of_other_files_are_others) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32"});
  add_kernel_for(report, "mm", {"BM=64"}, "other.py");
  tell_apart(report);
  EXPECT_EQ(names_in(report), (Parts{"mm", "mm"}));
}

TEST(Specializations, names_follow_when_kernels_are_added) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32", "num_warps=4"});
  add_kernel_for(report, "mm", {"BM=64", "num_warps=4"});
  tell_apart(report);
  add_kernel_for(report, "mm", {"BM=64", "num_warps=8"});
  tell_apart(report);
  EXPECT_EQ(names_in(report), (Parts{"mm<BM=32, num_warps=4>", "mm<BM=64, num_warps=4>", "mm<BM=64, num_warps=8>"}));
}

TEST(Specializations, are_in_json_and_read_back) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32", "num_warps=4"});
  add_kernel_for(report, "mm", {"BM=64", "num_warps=4"});
  tell_apart(report);
  const auto back = from_json(to_json(report));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->kernels[1].module.specialization, (Parts{"BM=64", "num_warps=4"}));
  EXPECT_EQ(back->kernels[1].demangled, "mm<BM=64>");
}

TEST(Specializations, each_counts_as_a_kernel_that_was_checked) {
  RunReport report;
  add_kernel_for(report, "mm", {"BM=32"});
  add_kernel_for(report, "mm", {"BM=64"});
  report.add_failed("mm", "too many threads");
  report.add_failed("add", "too many threads");
  const std::string text = findings_text(report, {});
  EXPECT_NE(text.find(" in 4 launches of 3 kernels, 2 failed\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace bankshot::report

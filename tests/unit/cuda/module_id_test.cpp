// What a module is known by.
#include <gtest/gtest.h>

#include "bankshot/cuda/modules/module_id.hpp"
#include "bankshot/report/run/module_digest.hpp"

namespace bankshot::cuda {
namespace {

constexpr std::string_view kText = ".version 8.0\n.target sm_80\n\t.file\t1 \"/a/mm.py\"\n\t.file\t2 \"/b/other.py\"\n";

TEST(ModuleId, is_the_digest_and_the_first_file) {
  const report::ModuleId id = id_of(kText);
  EXPECT_EQ(id.digest, report::module_digest(kText));
  EXPECT_EQ(id.file, "/a/mm.py");
  EXPECT_TRUE(id.specialization.empty());
}

TEST(ModuleId, the_specialization_is_in_lines_of_their_own) {
  const std::string text = std::string(kText) +
                           "\n// Specialization: BM=64\n// Specialization: s='// Specialization: x'\n"
                           "mov.u32 %r1, %r2; // Specialization: no\n// Specialization: x: *fp16";
  const std::vector<std::string> parts{"BM=64", "s='// Specialization: x'", "x: *fp16"};
  EXPECT_EQ(id_of(text).specialization, parts);
  EXPECT_NE(id_of(text).digest, id_of(kText).digest);
}

}  // namespace
}  // namespace bankshot::cuda

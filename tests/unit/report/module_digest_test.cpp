#include "bankshot/report/run/module_digest.hpp"

#include <gtest/gtest.h>

namespace bankshot::report {
namespace {

/// Source: draft-eastlake-fnv, appendix C.
TEST(ModuleDigest, is_fnv_1a) {
  EXPECT_EQ(module_digest(""), "cbf29ce484222325");
  EXPECT_EQ(module_digest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(module_digest("foobar"), "85944171f73967e8");
}

}  // namespace
}  // namespace bankshot::report

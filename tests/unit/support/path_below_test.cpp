#include "bankshot/support/path_below.hpp"

#include <gtest/gtest.h>

namespace bankshot {
namespace {

std::string below(const char* path, const char* folder) {
  const auto found = path_below(path, folder);
  return found ? found->string() : "elsewhere";
}

TEST(PathBelow, is_what_follows_the_folder) {
  EXPECT_EQ(below("/a/b/c", "/a"), "b/c");
  EXPECT_EQ(below("/a/b", "/a/"), "b");
  EXPECT_EQ(below("/a/./x/../b", "/a/."), "b");
  EXPECT_EQ(below("/a", "/"), "a");
  EXPECT_EQ(below("/a", "/a"), ".");
}

TEST(PathBelow, is_nothing_elsewhere) {
  EXPECT_EQ(below("/ab/c", "/a"), "elsewhere") << "names are compared whole";
  EXPECT_EQ(below("/a/../b", "/a"), "elsewhere");
  EXPECT_EQ(below("/", "/a"), "elsewhere");
  EXPECT_EQ(below("a/b", "/a"), "elsewhere") << "of a relative path nothing is known";
  EXPECT_EQ(below("/a/b", ""), "elsewhere");
}

}  // namespace
}  // namespace bankshot

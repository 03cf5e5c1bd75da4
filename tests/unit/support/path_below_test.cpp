#include "bankshot/support/path_below.hpp"

#include <gtest/gtest.h>

namespace bankshot {
namespace {

std::string seen_from(const char* path, const char* folder) {
  const auto found = path_below(path, folder);
  return found ? found->string() : "elsewhere";
}

TEST(PathBelow, is_what_follows_the_folder) {
  EXPECT_EQ(seen_from("/a/b/c", "/a"), "b/c");
  EXPECT_EQ(seen_from("/a/b", "/a/"), "b");
  EXPECT_EQ(seen_from("/a/./x/../b", "/a/."), "b");
  EXPECT_EQ(seen_from("/a", "/"), "a");
  EXPECT_EQ(seen_from("/a", "/a"), ".");
}

TEST(PathBelow, is_nothing_elsewhere) {
  EXPECT_EQ(seen_from("/ab/c", "/a"), "elsewhere") << "names are compared whole";
  EXPECT_EQ(seen_from("/a/../b", "/a"), "elsewhere");
  EXPECT_EQ(seen_from("/", "/a"), "elsewhere");
  EXPECT_EQ(seen_from("a/b", "/a"), "elsewhere") << "of a relative path nothing is known";
  EXPECT_EQ(seen_from("/a/b", ""), "elsewhere");
}

}  // namespace
}  // namespace bankshot

// Which folders' sources may be quoted.
#include "bankshot/host/source_roots.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bankshot/support/temporary_folder.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

/// A folder with a program in build/bin, and a home of the user's.
class SourceRoots : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(folder_);
    top_ = fs::weakly_canonical(folder_->path());
    const char* home = std::getenv("HOME");
    home_ = home == nullptr ? "" : home;
    fs::create_directories(top_ / "home/me/app/build/bin");
    std::ofstream(top_ / "home/me/app/build/bin/app") << "";
    setenv("HOME", (top_ / "home/me").c_str(), 1);
  }
  void TearDown() override { setenv("HOME", home_.c_str(), 1); }

  std::string program() const { return (top_ / "home/me/app/build/bin/app").string(); }
  void cmake_says(const fs::path& source) const {
    std::ofstream(top_ / "home/me/app/build/CMakeCache.txt")
        << "CMAKE_HOME_DIRECTORY:INTERNAL=" << source.string() << "\n";
  }
  bool has(const fs::path& root) const {
    const std::vector<std::string> roots = source_roots(program());
    return std::ranges::find(roots, root.string()) != roots.end();
  }

  Result<TemporaryFolder> folder_ = TemporaryFolder::make();
  fs::path top_;
  std::string home_;
};

TEST_F(SourceRoots, are_the_working_directory_and_that_of_the_program) {
  EXPECT_TRUE(has(top_ / "home/me/app/build/bin"));
  EXPECT_FALSE(has(top_ / "home/me/app"));
  const std::string here = fs::current_path().string();
  const std::vector<std::string> roots = source_roots("no such program");
  ASSERT_EQ(roots.size(), 1u);
  EXPECT_TRUE(here.starts_with(roots[0])) << roots[0];  // the top of its repository, if it is in one
}

TEST_F(SourceRoots, reach_to_the_top_of_the_repository) {
  fs::create_directories(top_ / "home/me/app/.git");
  EXPECT_TRUE(has(top_ / "home/me/app"));
}

TEST_F(SourceRoots, are_never_the_home_of_the_user_nor_around_it) {
  fs::create_directories(top_ / "home/me/.git");
  EXPECT_FALSE(has(top_ / "home/me"));
  EXPECT_TRUE(has(top_ / "home/me/app/build/bin"));
  for (const fs::path& wide : {top_ / "home/me", top_ / "home", fs::path("/")}) {
    cmake_says(wide);
    EXPECT_FALSE(has(wide)) << wide;
  }
}

TEST_F(SourceRoots, are_what_cmake_built_the_program_from) {
  cmake_says(top_ / "home/me/app");
  EXPECT_TRUE(has(top_ / "home/me/app"));
  cmake_says(top_ / "home/me/app/../app/.");
  EXPECT_TRUE(has(top_ / "home/me/app"));
  fs::create_directories(top_ / "home/me/other");
  cmake_says(top_ / "home/me/other");  // not around the program
  EXPECT_FALSE(has(top_ / "home/me/other"));
}

}  // namespace
}  // namespace bankshot::host

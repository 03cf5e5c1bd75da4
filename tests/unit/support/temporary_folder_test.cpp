#include "bankshot/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

TEST(TemporaryFolder, what_killed_processes_left_is_removed_and_nothing_else) {
  const Result<TemporaryFolder> outer = TemporaryFolder::make();
  ASSERT_TRUE(outer);
  const char* const before = std::getenv("TMPDIR");
  const std::string restored = before == nullptr ? "" : before;
  setenv("TMPDIR", outer->path().c_str(), 1);
  const auto hours_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  const fs::path parent = outer->path();
  const auto old_folder = [&](const char* name) {
    fs::create_directories(parent / name / "in it");
    fs::last_write_time(parent / name, hours_ago);
    return parent / name;
  };
  const fs::path left = old_folder("bankshot-AbCdEf"), longer = old_folder("bankshot-AbCdEfg"),
                 other = old_folder("somebody-AbCdEf");
  fs::create_directory(parent / "bankshot-young0");
  fs::create_directory_symlink(other, parent / "bankshot-linked");
  {
    const Result<TemporaryFolder> in_use = TemporaryFolder::make();
    ASSERT_TRUE(in_use);
    EXPECT_FALSE(fs::exists(left));
    EXPECT_TRUE(fs::exists(longer) && fs::exists(other / "in it") && fs::exists(parent / "bankshot-young0"));
    fs::last_write_time(in_use->path(), hours_ago);
    const Result<TemporaryFolder> third = TemporaryFolder::make();
    EXPECT_TRUE(fs::exists(in_use->path())) << "it is locked";
  }
  if (before == nullptr) {
    unsetenv("TMPDIR");
  } else {
    setenv("TMPDIR", restored.c_str(), 1);
  }
}

}  // namespace
}  // namespace bankshot

#include "bankshot/support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace bankshot {
namespace {

namespace fs = std::filesystem;

/// $TMPDIR is another folder as long as this lives.
class OtherTmpdir {
 public:
  explicit OtherTmpdir(const std::string& folder) {
    if (const char* const before = std::getenv("TMPDIR")) before_ = before;
    setenv("TMPDIR", folder.c_str(), 1);
  }
  ~OtherTmpdir() {
    if (before_) {
      setenv("TMPDIR", before_->c_str(), 1);
    } else {
      unsetenv("TMPDIR");
    }
  }

 private:
  std::optional<std::string> before_;
};

TEST(TemporaryFolder, what_killed_processes_left_is_removed_and_nothing_else) {
  const Result<TemporaryFolder> outer = TemporaryFolder::make();
  ASSERT_TRUE(outer);
  const OtherTmpdir tmpdir(outer->path());
  const auto hours_ago = fs::file_time_type::clock::now() - std::chrono::hours(2);
  const fs::path parent = outer->path();
  std::string marker;
  {
    const Result<TemporaryFolder> one = TemporaryFolder::make();
    ASSERT_TRUE(one);
    for (const auto& entry : fs::directory_iterator(one->path())) marker = entry.path().filename().string();
    EXPECT_TRUE(marker.starts_with(".bankshot-temporary@")) << marker;
  }
  const auto folder = [&](const char* name, const std::string& marked_by, bool old) {
    fs::create_directories(parent / name / "in it");
    if (!marked_by.empty()) std::ofstream(parent / name / marked_by);
    if (old) fs::last_write_time(parent / name, hours_ago);
    return parent / name;
  };
  const fs::path left = folder("bankshot-AbCdEf", marker, true);
  const fs::path kept[] = {folder("bankshot-report", "", true),  // somebody's own
                           folder("bankshot-AbCdEfg", marker, true), folder("somebody-AbCdEf", marker, true),
                           folder("bankshot-young0", marker, false),
                           folder("bankshot-elsewh", marker + "another", true)};
  fs::create_directory_symlink(kept[2], parent / "bankshot-linked");
  const Result<TemporaryFolder> in_use = TemporaryFolder::make();
  ASSERT_TRUE(in_use);
  EXPECT_FALSE(fs::exists(left));
  for (const fs::path& one : kept) EXPECT_TRUE(fs::exists(one / "in it")) << one;
  EXPECT_TRUE(fs::is_symlink(parent / "bankshot-linked"));
  fs::last_write_time(in_use->path(), hours_ago);
  const Result<TemporaryFolder> third = TemporaryFolder::make();
  EXPECT_TRUE(fs::exists(in_use->path())) << "it is locked";
}

}  // namespace
}  // namespace bankshot

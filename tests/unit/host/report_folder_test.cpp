// What the processes of a program hand in, and what is missing of it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bankshot/cuda/process/ledger.hpp"
#include "bankshot/host/report_folder.hpp"
#include "bankshot/report/json/json.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

class ReportsHandedIn : public ::testing::Test {
 protected:
  /// This process notes as a new one that it uses the GPU.
  void begin() {
    ASSERT_FALSE(cuda::open_ledger(path_));
    cuda::note_begun();
  }

  Result<ReportFolder> folder_ = ReportFolder::make();
  std::string path_ = folder_->path(), ledger_ = path_ + "/ledger";
  std::string report_ = report::to_json(report::made_report({report::column()}));
};

TEST_F(ReportsHandedIn, those_of_several_processes_are_merged) {
  std::ofstream(path_ + "/report-9.json") << report_;
  std::ofstream(path_ + "/report-10.json") << report_;
  std::ofstream(path_ + "/report-11.json.11") << "half";
  const HandedIn all = folder_->collect();
  EXPECT_TRUE(all.lost.empty());
  EXPECT_EQ(all.report.kernels.at(0).launches, 2u);
  EXPECT_FALSE(all.report.partial);
}

TEST_F(ReportsHandedIn, a_kernel_that_still_ran_makes_them_partial) {
  std::ofstream(path_ + "/running-9") << std::string(4096, '\0');
  EXPECT_FALSE(folder_->collect().report.partial);
  std::ofstream(path_ + "/running-10") << "_Z5scalePfi" << '\0' << "rest of a longer name";
  const HandedIn all = folder_->collect();
  EXPECT_EQ(all.report.running, Words{"_Z5scalePfi"});
  EXPECT_TRUE(all.report.partial);
  EXPECT_TRUE(all.lost.empty());
}

TEST_F(ReportsHandedIn, a_damaged_one_is_lost) {
  std::ofstream(path_ + "/report-12.json") << report_.substr(0, 100);
  const HandedIn all = folder_->collect();
  EXPECT_EQ(all.lost.size(), 1u);
  EXPECT_EQ(all.report.lost, 1u);
  EXPECT_TRUE(all.report.partial);
}

TEST_F(ReportsHandedIn, one_that_could_not_be_written_is_lost_whatever_others_left) {
  std::ofstream(path_ + "/report-9.json") << report_;
  begin();
  cuda::note_handed_in(cuda::Output::report);  // earlier, and not all of it
  cuda::note_lost(cuda::Output::report, ENOSPC);
  cuda::note_lost(cuda::Output::module, EROFS);
  const HandedIn all = folder_->collect();
  const std::string own = std::to_string(getpid());
  EXPECT_EQ(all.lost,
            (Words{"the report of process " + own + " is lost: " + path_ +
                       " cannot be written: No space left on device; set TMPDIR to a writable folder with free space",
                   "the PTX of process " + own + " is lost: " + path_ +
                       " cannot be written: Read-only file system; set TMPDIR to a writable folder with free space"}));
  EXPECT_EQ(all.report.lost, 2u);
  EXPECT_TRUE(all.report.partial);
}

TEST_F(ReportsHandedIn, a_process_that_wrote_none_is_unfinished) {
  begin();
  HandedIn all = folder_->collect();
  EXPECT_EQ(all.unfinished,
            Words{"process " + std::to_string(getpid()) + " had not written its report when the program ended"});
  EXPECT_TRUE(all.lost.empty());
  EXPECT_TRUE(all.report.partial);
  cuda::note_handed_in(cuda::Output::report);
  all = folder_->collect();
  EXPECT_TRUE(all.unfinished.empty());
  EXPECT_FALSE(all.report.partial);
}

TEST_F(ReportsHandedIn, processes_that_share_the_last_entry_hide_nothing_of_each_other) {
  constexpr int kEntries = 511;
  const auto good = [&] {
    begin();
    cuda::note_handed_in(cuda::Output::report);
    cuda::note_handed_in(cuda::Output::report);
  };
  for (int process = 0; process < kEntries; ++process) good();
  begin();  // and is killed
  good();
  HandedIn all = folder_->collect();
  EXPECT_EQ(all.unfinished.size(), 1u);
  EXPECT_TRUE(all.lost.empty());
  begin();
  cuda::note_lost(cuda::Output::report, ENOSPC);
  good();
  EXPECT_EQ(folder_->collect().lost.size(), 1u);
}

TEST_F(ReportsHandedIn, without_the_ledger_nothing_is_known) {
  fs::remove(ledger_);
  const HandedIn all = folder_->collect();
  EXPECT_EQ(all.lost, Words{"reports may be lost: " + ledger_ + " cannot be opened: No such file or directory"});
  EXPECT_TRUE(all.report.partial);
}

TEST_F(ReportsHandedIn, rejects_a_ledger_that_cannot_be_opened) {
  EXPECT_EQ(cuda::read_ledger(path_ + "/none").error().message,
            path_ + "/none/ledger cannot be opened: No such file or directory");
  fs::resize_file(ledger_, 1);
  EXPECT_EQ(cuda::open_ledger(path_)->message, ledger_ + " cannot be mapped: it is damaged");
}

TEST(ReportFolderPlace, the_folder_is_gone_with_the_object) {
  std::string path;
  {
    const Result<ReportFolder> folder = ReportFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    EXPECT_TRUE(fs::exists(path));
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(ReportFolderPlace, rejects_a_place_that_is_no_folder) {
  const char* before = std::getenv("TMPDIR");
  const std::string saved = before ? before : "";
  setenv("TMPDIR", "/dev/null", 1);
  const Result<ReportFolder> folder = ReportFolder::make();
  before ? setenv("TMPDIR", saved.c_str(), 1) : unsetenv("TMPDIR");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("Not a directory; set TMPDIR"), std::string::npos) << folder.error().message;
}

}  // namespace
}  // namespace bankshot::host

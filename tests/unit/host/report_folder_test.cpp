// What the processes of a program hand in, and what is missing of it.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bankshot/host/report_folder.hpp"
#include "bankshot/report/json/json.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Where the numbers of the first process are in the ledger: its pid, whether it began and reported, what it lost.
constexpr long kFirstEntry = 4, kPid = 0, kBegun = 4, kReported = 8, kReportLost = 12, kModuleLost = 24;

void put(const std::string& ledger, long at, uint32_t value) {
  std::fstream file(ledger, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(at);
  file.write(reinterpret_cast<const char*>(&value), sizeof value);
}

class ReportsHandedIn : public testing::Test {
 protected:
  /// The entry of process 77, which has begun.
  void begin() {
    put(ledger_, 0, 1);
    entry(kPid, 77);
    entry(kBegun, 1);
  }
  void entry(long at, uint32_t value) { put(ledger_, kFirstEntry + at, value); }

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
  entry(kReported, 1);  // earlier, and not all of it
  entry(kReportLost, ENOSPC);
  entry(kModuleLost, EROFS);
  const HandedIn all = folder_->collect();
  EXPECT_EQ(all.lost, (Words{"the report of process 77 is lost: " + path_ +
                                 " cannot be written: No space left on device; set TMPDIR to a folder that can be "
                                 "written and has room",
                             "the PTX of process 77 is lost: " + path_ +
                                 " cannot be written: Read-only file system; set TMPDIR to a folder that can be "
                                 "written and has room"}));
  EXPECT_EQ(all.report.lost, 2u);
  EXPECT_TRUE(all.report.partial);
}

TEST_F(ReportsHandedIn, a_process_that_wrote_none_is_unfinished) {
  begin();
  HandedIn all = folder_->collect();
  EXPECT_EQ(all.unfinished.size(), 1u);
  EXPECT_TRUE(all.lost.empty());
  EXPECT_TRUE(all.report.partial);
  entry(kReported, 1);
  all = folder_->collect();
  EXPECT_TRUE(all.unfinished.empty());
  EXPECT_FALSE(all.report.partial);
}

TEST_F(ReportsHandedIn, without_the_ledger_nothing_is_known) {
  fs::remove(ledger_);
  const HandedIn all = folder_->collect();
  EXPECT_EQ(all.lost, Words{"reports may be lost: " + ledger_ + " is gone or damaged"});
  EXPECT_TRUE(all.report.partial);
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

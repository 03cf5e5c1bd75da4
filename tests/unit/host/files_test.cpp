// Files that are written whole, and those that must not be written over.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "bankshot/host/captured.hpp"
#include "bankshot/host/overwrite.hpp"
#include "bankshot/host/write_file.hpp"
#include "host_folder.hpp"

namespace bankshot::host {
namespace {

namespace fs = std::filesystem;

using Files = InFolder;

TEST_F(Files, files_are_replaced_whole_and_nothing_is_left_beside) {
  const std::string path = file("report.json", "old", false);
  EXPECT_FALSE(cannot_write(path));
  EXPECT_FALSE(write_file(path, "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_FALSE(write_file("/dev/null", "x"));
}

TEST_F(Files, links_stay_links_when_written_through) {
  const std::string path = file("real", "old", false);
  fs::create_symlink(path, folder_ + "/link");
  EXPECT_FALSE(write_file(folder_ + "/link", "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
}

TEST_F(Files, link_that_leads_nowhere_yet_is_the_file_that_it_names) {
  fs::create_symlink("real", folder_ + "/link");
  fs::create_symlink(folder_ + "/link", folder_ + "/further");
  EXPECT_TRUE(same_file(folder_ + "/real", folder_ + "/link"));
  EXPECT_TRUE(same_file(folder_ + "/further", folder_ + "/link"));
  EXPECT_FALSE(same_file(folder_ + "/other", folder_ + "/link"));
  EXPECT_FALSE(write_file(folder_ + "/further", "new"));
  EXPECT_EQ(contents(folder_ + "/real"), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
  fs::create_symlink("round", folder_ + "/round");
  EXPECT_FALSE(same_file(folder_ + "/round", folder_ + "/link"));
}

TEST_F(Files, rejects_files_that_cannot_be_written) {
  EXPECT_TRUE(cannot_write(folder_ + "/none/report.json"));
  EXPECT_TRUE(cannot_write(folder_));
  EXPECT_TRUE(cannot_write("/proc/report.json"));
  EXPECT_FALSE(cannot_write(folder_ + "/report.json"));
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(write_file(folder_ + "/none/report.json", "x"));
}

TEST_F(Files, rejects_writing_over_what_is_read) {
  const std::string gpu = file("gpu.toml", "x", false), link = folder_ + "/link";
  fs::create_symlink(gpu, link);
  const std::vector<Input> inputs = {{"the file of --gpu", gpu}};
  for (const std::string& name : {gpu, link, folder_ + "/../" + fs::path(folder_).filename().string() + "/gpu.toml"}) {
    const auto error = overwrites("--json", name, inputs);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->message, "--json would overwrite the file of --gpu, " + gpu + "; name another file");
  }
  EXPECT_TRUE(overwrites("--json", "/proc/self/exe", {}));  // a program, whoever runs it
  EXPECT_TRUE(same_file(folder_ + "/new", folder_ + "/./new"));
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& name : {pipe, std::string("-"), std::string(), std::string("/dev/null")}) {
    EXPECT_FALSE(overwrites("--json", name, {{"itself", name}, inputs[0]})) << name;
  }
  EXPECT_FALSE(overwrites("--json", folder_ + "/new", inputs));
}

TEST_F(Files, a_limit_on_file_sizes_is_an_error_and_no_signal) {
  const std::string path = file("report.json", "old", false);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto error = write_file(path, std::string(1000, 'x'));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->message, path + " cannot be written: File too large");
  EXPECT_EQ(contents(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST_F(Files, what_is_captured_is_appended_and_read_while_it_grows) {
  const Result<Captured> captured = Captured::make();
  ASSERT_TRUE(captured);
  EXPECT_EQ(captured->text(), "");
  ASSERT_EQ(write(captured->descriptor(), "one ", 4), 4);
  lseek(captured->descriptor(), 0, SEEK_SET);
  ASSERT_EQ(write(captured->descriptor(), "two", 3), 3);
  EXPECT_EQ(captured->text(), "one two");
}

}  // namespace
}  // namespace bankshot::host

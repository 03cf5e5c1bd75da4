// ptxas as a process of its own: what it is given, and what becomes of one that fails. Scripts play it.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "bankshot/toolkit/ptxas.hpp"

namespace bankshot::toolkit {
namespace {

using Texts = std::vector<std::string>;

class Ptxas : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string path = (std::filesystem::temp_directory_path() / "bankshot-test-XXXXXX").string();
    folder_ = mkdtemp(path.data());
    path_ = std::getenv("PATH");
    setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
  }
  void TearDown() override {
    setenv("PATH", path_.c_str(), 1);
    std::filesystem::remove_all(folder_);
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name) << text;
    chmod((folder_ + "/" + name).c_str(), 0755);
  }
  /// @param script  with the arguments of ptxas: $1 the architecture, $3 the cubin, $4 the text
  void play(const std::string& script) const { write("ptxas", "#!/bin/sh\n" + script); }
  std::string contents(const std::string& name) const {
    std::ifstream in(folder_ + "/" + name);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static std::string failure() {
    const auto cubin = assemble("// text", "sm_90");
    return cubin ? "" : cubin.error().message;
  }

  std::string folder_, path_;
};

TEST_F(Ptxas, the_first_on_the_path_is_taken) {
  EXPECT_NE(find_ptxas(), folder_ + "/ptxas");
  play("");
  EXPECT_EQ(find_ptxas(), folder_ + "/ptxas");
}

TEST_F(Ptxas, gets_the_text_the_architecture_and_whether_lines_are_wanted) {
  play("echo $1 $5 >" + folder_ + "/arguments; cat $4 >$3; cat $4 | wc -c >>" + folder_ + "/arguments\n");
  const auto cubin = assemble("twelve bytes", "sm_90a", Lines::kept);
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_EQ(cubin->size(), 12u);
  EXPECT_EQ(contents("arguments"), "-arch=sm_90a -lineinfo\n12\n");
  ASSERT_TRUE(assemble("", "sm_75"));
  EXPECT_EQ(contents("arguments"), "-arch=sm_75\n0\n");
}

TEST_F(Ptxas, has_no_input_no_files_and_no_signals_of_its_caller) {
  play("cat; ls /proc/self/fd | wc -l >" + folder_ + "/files; kill -USR1 $$\n");
  const int leaked = dup(STDERR_FILENO);  // without close-on-exec
  signal(SIGUSR1, SIG_IGN);
  EXPECT_EQ(failure(), "ptxas failed: signal 10");
  signal(SIGUSR1, SIG_DFL);
  close(leaked);
  EXPECT_EQ(contents("files"), "4\n");  // 0, 1, 2, and the folder that ls reads
}

TEST_F(Ptxas, its_environment_has_nothing_of_ours) {
  write("libbankshot.so", "");
  const std::string libraries = "LD_LIBRARY_PATH=/usr/lib:" + folder_ + ":/opt/lib",
                    only = "LD_LIBRARY_PATH=" + folder_;
  const char* const all[] = {"A=1",  "LD_PRELOAD=x.so", libraries.c_str(), "BANKSHOT_GPU=t4", "LD_LIBRARY=kept",
                             nullptr};
  EXPECT_EQ(clean_environment(all), (Texts{"A=1", "LD_LIBRARY_PATH=/usr/lib:/opt/lib", "LD_LIBRARY=kept"}));
  const char* const ours[] = {only.c_str(), nullptr};
  EXPECT_EQ(clean_environment(ours), Texts{});
}

TEST_F(Ptxas, a_failure_has_its_first_words) {
  play("echo 'ptxas fatal   : no'; echo 'and more' >&2; exit 3\n");
  EXPECT_EQ(failure(), "ptxas failed: ptxas fatal   : no");
  play("exit 3\n");
  EXPECT_EQ(failure(), "ptxas failed: status 3");
  play("kill -SEGV $$\n");
  EXPECT_EQ(failure(), "ptxas failed: signal 11");
  play("exit 0\n");
  EXPECT_EQ(failure(), "ptxas failed: it produced no machine code");
  write("ptxas", "not a program");
  EXPECT_NE(failure(), "");
}

TEST_F(Ptxas, leaves_no_files_behind) {
  play("dirname $3 >" + folder_ + "/where; exit 1\n");
  failure();
  std::string where = contents("where");
  where.pop_back();
  EXPECT_FALSE(std::filesystem::exists(where)) << where;
  EXPECT_NE(where, "");
}

}  // namespace
}  // namespace bankshot::toolkit

// The parts of the command line: whose argument is whose, limits, files, programs and how they end.
#include <gtest/gtest.h>

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <CLI/CLI.hpp>

#include "bankshot/cli/arguments.hpp"
#include "bankshot/cli/gate.hpp"
#include "bankshot/cli/launch.hpp"
#include "bankshot/cli/overwrite.hpp"
#include "bankshot/cli/report_folder.hpp"
#include "bankshot/cli/signals.hpp"
#include "bankshot/cli/target.hpp"
#include "bankshot/cli/write_file.hpp"
#include "bankshot/report/json/json.hpp"
#include "tests/unit/report/fixture.hpp"

namespace bankshot::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// A folder of its own for each test.
class Cli : public testing::Test {
 protected:
  void SetUp() override {
    std::string path = (fs::temp_directory_path() / "bankshot-test-XXXXXX").string();
    folder_ = mkdtemp(path.data());
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& text, bool executable = true) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path) << text;
    chmod(path.c_str(), executable ? 0755 : 0644);
    return path;
  }
  static std::string contents(const std::string& path) {
    std::ifstream in(path);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  std::string refusal(const std::string& program) const {
    const Result<Target> target = inspect_target({program}, folder_);
    return target ? "" : target.error().message;
  }

  std::string folder_;
};

std::pair<Words, Words> split(Words arguments) {
  CLI::App app;
  std::string gpu;
  bool flag = false;
  app.add_option("--gpu", gpu);
  app.add_option("-n", gpu);
  app.add_flag("--flag", flag);
  const Words target = take_target(arguments, app);
  return {arguments, target};
}

TEST_F(Cli, options_after_the_program_are_the_programs) {
  EXPECT_EQ(split({"run", "--gpu", "t4", "./app", "--gpu", "x"}),
            (std::pair<Words, Words>{{"run", "--gpu", "t4"}, {"./app", "--gpu", "x"}}));
  EXPECT_EQ(split({"run", "--gpu=t4", "--flag", "./app"}),
            (std::pair<Words, Words>{{"run", "--gpu=t4", "--flag"}, {"./app"}}));
  EXPECT_EQ(split({"run", "-n", "-", "app", "--", "x"}),
            (std::pair<Words, Words>{{"run", "-n", "-"}, {"app", "--", "x"}}));
}

TEST_F(Cli, everything_after_two_dashes_is_the_programs) {
  EXPECT_EQ(split({"run", "--flag", "--", "--odd-name", "1"}),
            (std::pair<Words, Words>{{"run", "--flag"}, {"--odd-name", "1"}}));
  EXPECT_EQ(split({"run", "--gpu"}), (std::pair<Words, Words>{{"run", "--gpu"}, {}}));
  EXPECT_EQ(split({"run", "--gpu", "--", "app"}),
            (std::pair<Words, Words>{{"run", "--gpu"}, {"app"}}));  // a value is missing
}

TEST_F(Cli, gates_have_a_counter_and_a_limit) {
  EXPECT_EQ(parse_gate("conflicts>10")->limit, 10u);
  EXPECT_EQ(parse_gate(" wavefronts > 0 ")->counter, Gate::Counter::wavefronts);
  for (const char* text : {"", "conflicts", "conflicts>", "conflicts>-1", "conflicts>1x", "stalls>1", "conflicts<1",
                           "conflicts>99999999999999999999"}) {
    EXPECT_FALSE(parse_gate(text)) << text;
  }
}

TEST_F(Cli, gates_name_the_kernel_that_exceeds_them) {
  const report::RunReport report = report::made_report({report::column()});
  EXPECT_EQ(exceeded(*parse_gate("conflicts>30"), report), Words{"scale(float*, int) has 31 conflicts, more than 30"});
  EXPECT_TRUE(exceeded(*parse_gate("conflicts>31"), report).empty());
  EXPECT_EQ(exceeded(*parse_gate("wavefronts>31"), report).size(), 1u);
}

TEST_F(Cli, kernels_are_chosen_by_parts_of_their_names) {
  report::RunReport report = report::made_report({report::column()});
  report.add(report::made_launch({}), "_Z3addPfi", {}, {});
  report.add(report::made_launch({}), "other", {}, {});
  EXPECT_EQ(keep_kernels(report, {}), "");
  EXPECT_EQ(report.kernels.size(), 3u);
  EXPECT_NE(keep_kernels(report, {"scale", "scan"}).find("--kernel scan: no kernel"), std::string::npos);
  EXPECT_EQ(report.kernels.size(), 3u);
  EXPECT_EQ(keep_kernels(report, {"scale(float", "oth"}), "");
  ASSERT_EQ(report.kernels.size(), 2u);
  EXPECT_EQ(report.kernels[1].name, "other");
  report.kernels.clear();
  EXPECT_EQ(keep_kernels(report, {"scale"}), "");
}

TEST_F(Cli, files_are_replaced_whole_and_nothing_is_left_beside) {
  const std::string path = file("report.json", "old", false);
  EXPECT_FALSE(cannot_write(path));
  EXPECT_FALSE(write_file(path, "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
  EXPECT_FALSE(write_file("/dev/null", "x"));
}

TEST_F(Cli, links_stay_links_when_written_through) {
  const std::string path = file("real", "old", false);
  fs::create_symlink(path, folder_ + "/link");
  EXPECT_FALSE(write_file(folder_ + "/link", "new"));
  EXPECT_EQ(contents(path), "new");
  EXPECT_TRUE(fs::is_symlink(folder_ + "/link"));
}

TEST_F(Cli, rejects_files_that_cannot_be_written) {
  EXPECT_TRUE(cannot_write(folder_ + "/none/report.json"));
  EXPECT_TRUE(cannot_write(folder_));
  EXPECT_TRUE(cannot_write("/proc/report.json"));
  EXPECT_FALSE(cannot_write(folder_ + "/report.json"));
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_TRUE(write_file(folder_ + "/none/report.json", "x"));
}

TEST_F(Cli, rejects_writing_over_what_is_read) {
  const std::string gpu = file("gpu.toml", "x", false), link = folder_ + "/link";
  fs::create_symlink(gpu, link);
  const std::vector<Input> inputs = {{"the file of --gpu", gpu}};
  for (const std::string& name : {gpu, link, folder_ + "/../" + fs::path(folder_).filename().string() + "/gpu.toml"}) {
    const auto error = overwrites("--json", name, inputs);
    ASSERT_TRUE(error) << name;
    EXPECT_EQ(error->message, "--json would write over the file of --gpu, " + gpu + "; name another file");
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

TEST_F(Cli, rejects_programs_that_cannot_run) {
  EXPECT_NE(refusal(folder_ + "/none").find("no such file"), std::string::npos);
  EXPECT_NE(refusal("no-such-program-anywhere").find("no such program in PATH"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("is a folder"), std::string::npos);
  EXPECT_NE(refusal(file("plain", "text", false)).find("not executable"), std::string::npos);
  EXPECT_NE(refusal(file("text", "text")).find("neither a program (ELF) nor a script"), std::string::npos);
  EXPECT_NE(refusal(file("empty", "")).find("neither"), std::string::npos);
  EXPECT_NE(refusal(file("app.cu", "int x;")).find("compile it first"), std::string::npos);
  EXPECT_NE(refusal(file("cut",
                         "\x7f"
                         "ELF"))
                .find("damaged"),
            std::string::npos);
  EXPECT_NE(refusal("").find("empty"), std::string::npos);
}

TEST_F(Cli, runs_scripts_as_they_are) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nexit 7\n"), "a b"}, folder_);
  ASSERT_TRUE(target);
  EXPECT_TRUE(target->warnings.empty());
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 7);
}

TEST_F(Cli, warns_of_programs_that_are_not_cuda) {
  const Result<Target> target = inspect_target({"/bin/true"}, folder_);
  ASSERT_TRUE(target) << target.error().message;
  ASSERT_EQ(target->warnings.size(), 1u);
  EXPECT_NE(target->warnings[0].find("does not look like a CUDA program"), std::string::npos);
}

TEST_F(Cli, libraries_in_a_folder_with_spaces_are_found_by_name) {
  Target target;
  target.preload = {"/our s/libbankshot_preload.so", "/ours/libcuda.so.1"};
  Environment environment;
  add_libraries(environment, target, "/our s");
  EXPECT_EQ(environment["LD_PRELOAD"], "libbankshot_preload.so:/ours/libcuda.so.1");
}

TEST_F(Cli, interpreters_of_scripts_are_not_suspected) {
  const std::string script = file("script.py", "");
  const Result<Target> target = inspect_target({"/bin/true", "-u", script}, folder_);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_TRUE(target->warnings.empty());
  EXPECT_EQ(inspect_target({"/bin/true", folder_ + "/none.py"}, folder_)->warnings.size(), 1u);
}

TEST_F(Cli, the_library_that_replaces_runtimes_is_loaded_into_scripts_too) {
  const std::string library = file("libbankshot_preload.so", "");
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\n")}, folder_);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->preload, Words{library});
}

TEST_F(Cli, programs_get_their_arguments_and_the_changed_environment) {
  const std::string out = folder_ + "/out";
  const std::string script =
      file("script", "#!/bin/sh\necho \"$1|$2|$ADDED|$REMOVED|$LD_LIBRARY_PATH\" > " + out + "\n");
  setenv("REMOVED", "still here", 1);
  setenv("LD_LIBRARY_PATH", "/before", 1);
  const Result<Target> target = inspect_target({script, "a b", "--gpu"}, folder_);
  ASSERT_TRUE(target);
  Environment environment{{"ADDED", "yes"}, {"REMOVED", std::nullopt}};
  add_libraries(environment, *target, "/ours");
  ASSERT_TRUE(launch(*target, environment));
  unsetenv("REMOVED");
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(contents(out), "a b|--gpu|yes||/ours:/before\n");
}

TEST_F(Cli, a_killed_program_has_the_status_a_shell_would_give) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nkill -SEGV $$\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 128 + SIGSEGV);
  EXPECT_NE(killed_text(*target, *ending).find("signal 11"), std::string::npos);
}

TEST_F(Cli, an_interrupted_program_has_the_status_a_shell_would_give) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nkill -INT $$\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 128 + SIGINT);
  EXPECT_EQ(killed_text(*target, *ending), target->path + " was interrupted");
}

TEST_F(Cli, signals_are_held_until_what_must_be_tidied_up_is) {
  {
    const Signals outer;
    raise(SIGINT);
    const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nkill -INT $$\n")}, folder_);
    const Result<Ending> ending = launch(*target, {});
    ASSERT_TRUE(ending);
    EXPECT_EQ(ending->signal, SIGINT);
    raise(SIGTERM);
  }
  struct sigaction action{};
  sigaction(SIGINT, nullptr, &action);
  EXPECT_EQ(action.sa_handler, SIG_DFL);
}

TEST_F(Cli, signals_sent_to_us_reach_the_program) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "the thread sanitizer holds signals back for as long as waitpid waits";
#endif
  // Not by the program itself: what our child sends to us is not passed back to it.
  const std::string sender =
      file("sender", "#!/bin/sh\ntrap 'exit 5' TERM\n(kill -TERM $PPID) &\nwhile :; do sleep 0.01; done\n");
  const Result<Target> target = inspect_target({sender}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 5);
}

TEST_F(Cli, rejects_a_script_whose_interpreter_is_missing) {
  const Result<Target> target = inspect_target({file("script", "#!/no/such/shell\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_FALSE(ending);
  EXPECT_NE(ending.error().message.find("cannot be started"), std::string::npos);
}

TEST_F(Cli, reports_of_several_processes_are_merged) {
  std::string path;
  {
    const Result<ReportFolder> folder = ReportFolder::make();
    ASSERT_TRUE(folder);
    path = folder->path();
    const std::string one = report::to_json(report::made_report({report::column()}));
    std::ofstream(path + "/report-9.json") << one;
    std::ofstream(path + "/report-10.json") << one;
    std::ofstream(path + "/report-11.json.part") << "half";
    std::vector<std::string> problems;
    const report::RunReport all = folder->collect(problems);
    EXPECT_TRUE(problems.empty());
    EXPECT_EQ(all.kernels.at(0).launches, 2u);
    EXPECT_FALSE(all.partial);
    std::ofstream(path + "/running-9") << std::string(4096, '\0');
    EXPECT_FALSE(folder->collect(problems).partial);
    std::ofstream(path + "/running-10") << "_Z5scalePfi" << '\0' << "rest of a longer name";
    EXPECT_EQ(folder->collect(problems).running, Words{"_Z5scalePfi"});
    EXPECT_TRUE(folder->collect(problems).partial);
    std::ofstream(path + "/report-12.json") << one.substr(0, 100);
    EXPECT_TRUE(folder->collect(problems).partial);
    EXPECT_EQ(problems.size(), 1u);
  }
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace bankshot::cli

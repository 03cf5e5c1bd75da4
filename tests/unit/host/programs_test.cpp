// Programs before they run, while they run, and how they end.
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "bankshot/host/launch.hpp"
#include "bankshot/host/signals.hpp"
#include "bankshot/host/target.hpp"
#include "host_folder.hpp"

namespace bankshot::host {
namespace {

using Words = std::vector<std::string>;

class Programs : public InFolder {
 protected:
  std::string refusal(const std::string& program) const {
    const Result<Target> target = inspect_target({program}, folder_);
    return target ? "" : target.error().message;
  }
};

TEST_F(Programs, rejects_programs_that_cannot_run) {
  EXPECT_NE(refusal(folder_ + "/none").find("no such file"), std::string::npos);
  EXPECT_NE(refusal("no-such-program-anywhere").find("no such program in PATH"), std::string::npos);
  EXPECT_NE(refusal(folder_).find("is a folder"), std::string::npos);
  EXPECT_NE(refusal(file("plain", "text", false)).find("not executable"), std::string::npos);
  EXPECT_NE(refusal(file("plain.py", "text", false)).find("not executable; run: python3 " + folder_),
            std::string::npos);
  EXPECT_NE(refusal(file("text.py", "text")).find("(#!); run: python3 " + folder_), std::string::npos);
  EXPECT_NE(refusal(file("text.sh", "text")).find("(#!); run: bash " + folder_), std::string::npos);
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

TEST_F(Programs, runs_scripts_as_they_are) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nexit 7\n"), "a b"}, folder_);
  ASSERT_TRUE(target);
  EXPECT_TRUE(target->warnings.empty());
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 7);
}

TEST_F(Programs, warns_of_programs_that_are_not_cuda) {
  const Result<Target> target = inspect_target({"/bin/true"}, folder_);
  ASSERT_TRUE(target) << target.error().message;
  ASSERT_EQ(target->warnings.size(), 1u);
  EXPECT_NE(target->warnings[0].find("does not look like a CUDA program"), std::string::npos);
}

TEST_F(Programs, libraries_in_a_folder_with_spaces_are_found_by_name) {
  Target target;
  target.preload = {"/our s/libbankshot_preload.so", "/ours/libcuda.so.1"};
  cuda::EnvironmentChanges environment;
  add_libraries(environment, target, "/our s");
  EXPECT_EQ(environment["LD_PRELOAD"], "libbankshot_preload.so:/ours/libcuda.so.1");
}

TEST_F(Programs, interpreters_of_scripts_are_not_suspected) {
  const std::string script = file("script.py", "");
  const Result<Target> target = inspect_target({"/bin/true", "-u", script}, folder_);
  ASSERT_TRUE(target) << target.error().message;
  EXPECT_TRUE(target->warnings.empty());
  EXPECT_EQ(inspect_target({"/bin/true", folder_ + "/none.py"}, folder_)->warnings.size(), 1u);
}

TEST_F(Programs, the_library_that_replaces_runtimes_is_loaded_into_scripts_too) {
  const std::string library = file("libbankshot_preload.so", "");
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\n")}, folder_);
  ASSERT_TRUE(target);
  EXPECT_EQ(target->preload, Words{library});
}

TEST_F(Programs, programs_get_their_arguments_and_the_changed_environment) {
  const std::string out = folder_ + "/out";
  const std::string script =
      file("script", "#!/bin/sh\necho \"$1|$2|$ADDED|$REMOVED|$LD_LIBRARY_PATH\" > " + out + "\n");
  setenv("REMOVED", "still here", 1);
  setenv("LD_LIBRARY_PATH", "/before", 1);
  const Result<Target> target = inspect_target({script, "a b", "--gpu"}, folder_);
  ASSERT_TRUE(target);
  cuda::EnvironmentChanges environment{{"ADDED", "yes"}, {"REMOVED", std::nullopt}};
  add_libraries(environment, *target, "/ours");
  ASSERT_TRUE(launch(*target, environment));
  unsetenv("REMOVED");
  unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(contents(out), "a b|--gpu|yes||/ours:/before\n");
}

TEST_F(Programs, a_killed_program_has_the_status_a_shell_would_give) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nkill -SEGV $$\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 128 + SIGSEGV);
  EXPECT_NE(killed_text(*target, *ending).find("signal 11"), std::string::npos);
}

TEST_F(Programs, an_interrupted_program_has_the_status_a_shell_would_give) {
  const Result<Target> target = inspect_target({file("script", "#!/bin/sh\nkill -INT $$\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_TRUE(ending);
  EXPECT_EQ(ending->shell_status(), 128 + SIGINT);
  EXPECT_EQ(killed_text(*target, *ending), target->path + " was interrupted");
}

TEST_F(Programs, signals_are_held_until_what_must_be_tidied_up_is) {
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

TEST_F(Programs, signals_sent_to_us_reach_the_program) {
#ifdef BANKSHOT_SANITIZED_THREAD
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

TEST_F(Programs, rejects_a_script_whose_interpreter_is_missing) {
  const Result<Target> target = inspect_target({file("script", "#!/no/such/shell\n")}, folder_);
  const Result<Ending> ending = launch(*target, {});
  ASSERT_FALSE(ending);
  EXPECT_NE(ending.error().message.find("cannot be started"), std::string::npos);
}

}  // namespace
}  // namespace bankshot::host

// The pipeline of a description, and changes of one value of it: what is read, what is refused, what follows.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/timing/pipelines/stage_config.hpp"
#include "tests/paths.hpp"

namespace bankshot::gpu {
namespace {

std::string cf11() {
  std::ifstream in(paths::source() + "/gpus/cf11.toml");
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// cf11 with this in the section of issue.
std::string issuing(const std::string& more) {
  std::string text = cf11();
  const std::string before = "memory_stages = 4\n";
  const size_t at = text.find(before);
  EXPECT_NE(at, std::string::npos);
  return text.insert(at + before.size(), more + "\n");
}

Gpu parsed(const std::string& toml) {
  const Result<Gpu> gpu = parse_gpu(toml, "x.toml");
  EXPECT_TRUE(gpu) << gpu.error().message;
  return gpu ? *gpu : Gpu{};
}

TEST(GpuPipeline, is_the_papers_baseline_where_nothing_else_is_said) {
  const timing::Config config = *parsed(cf11()).timing;
  const timing::IssueConfig& issue = config.issue;
  EXPECT_EQ(issue.pipeline, "unified");
  EXPECT_EQ(issue.aware, "none");
  EXPECT_FALSE(issue.aware_yields);
  EXPECT_EQ(issue.commit, timing::Commit::any);
  EXPECT_EQ(config.parameters[timing::kPremem], timing::kByEquation);
  EXPECT_EQ(config.parameters[timing::kNonmem], timing::kByEquation);
}

TEST(GpuPipeline, is_read_with_its_queues_foresight_and_commitment) {
  const timing::Config config = *parsed(issuing("aware = \"warp\"\naware_yields = true\ncommit = "
                                                "\"reorder\"\nreorder_entries = 5\npremem = 0\nnonmem = 64"))
                                     .timing;
  const timing::IssueConfig& issue = config.issue;
  EXPECT_EQ(issue.aware, "warp");
  EXPECT_TRUE(issue.aware_yields);
  EXPECT_EQ(issue.commit, timing::Commit::reorder);
  EXPECT_EQ(issue.reorder_entries, 5u);
  EXPECT_EQ(config.parameters[timing::kPremem], 0u);
  EXPECT_EQ(config.parameters[timing::kNonmem], 64u);
}

TEST(GpuPipeline, rejects_what_is_wrong_with_line_and_key) {
  const std::string text = cf11();
  const auto line =
      std::count(text.begin(), text.begin() + static_cast<long>(text.find("memory_stages = 4")), '\n') + 2;
  const auto refuses = [&](const std::string& more, const std::string& because) {
    const Result<Gpu> gpu = parse_gpu(issuing(more), "x.toml");
    ASSERT_FALSE(gpu) << more;
    const size_t value = more.find("= ") + 3;
    const std::string expected =
        "x.toml:" + std::to_string(line) + ":" + std::to_string(value) + ": error: issue." + because;
    EXPECT_TRUE(gpu.error().message.starts_with(expected)) << gpu.error().message << "\n" << expected;
  };
  refuses("premem = 65", "premem = 65 is impossible: elastic pipeline: accesses that can wait for the banks");
  refuses("premem = -1", "premem = -1 is impossible: elastic");
  refuses("nonmem = 4_294_967_295",
          "nonmem = 4294967295 is impossible: elastic pipeline: other");  // by the equation, inside
  refuses("nonmem = \"4\"", "nonmem must be an integer: elastic pipeline: other");
  refuses("aware = \"luck\"", "aware = \"luck\" is not known; there are confident, exact, last, mean, none, warp");
  refuses("aware_yields = 1", "aware_yields must be true or false");
  refuses("commit = \"never\"", "commit = \"never\" is not known; there are any, reorder, hold");
  refuses("reorder_entries = 0",
          "reorder_entries = 0 is impossible: instructions of a warp in its reorder buffer, from 1 to 64");
  refuses("reorder_entries = 65", "reorder_entries = 65 is impossible");
}

TEST(GpuPipeline, rejects_stages_that_are_none) {
  for (const std::string pipeline : {"unified", "split", "elastic"}) {
    for (const std::vector<std::string>& changes : {std::vector<std::string>{"issue.schedulers=2"},
                                                    {"issue.width=2"},
                                                    {"issue.memory_stages=0"},
                                                    {"issue.stages=5"},
                                                    {"issue.stages=0", "issue.memory_stages=0"}}) {
      Gpu gpu = parsed(cf11());
      ASSERT_FALSE(change(gpu, std::vector<std::string>{"issue.pipeline=" + pipeline}));
      const auto error = change(gpu, changes);
      ASSERT_TRUE(error) << changes[0];
      EXPECT_TRUE(error->message.starts_with("issue.pipeline: an organisation in stages has one scheduler of width 1"))
          << error->message;
    }
  }
  Gpu least = parsed(cf11());  // IF and EXE in one, a stage of memory, write-back
  EXPECT_FALSE(change(least, std::vector<std::string>{"issue.stages=3", "issue.memory_stages=1"}));
}

TEST(GpuPipeline, is_printed_as_it_is_read) {
  const std::string bare = to_toml(parsed(cf11()));
  EXPECT_EQ(bare.find("premem"), std::string::npos) << "as the equation says, whatever that is";
  EXPECT_EQ(parsed(bare).timing->parameters[timing::kPremem], timing::kByEquation);
  const std::string said =
      to_toml(parsed(issuing("premem = 0\nnonmem = 7\ncommit = \"hold\"\naware = \"mean\"\naware_yields = true")));
  EXPECT_NE(said.find("premem = 0"), std::string::npos);
  EXPECT_NE(said.find("nonmem = 7"), std::string::npos);
  EXPECT_EQ(to_toml(parsed(said)), said);
  const timing::Config config = *parsed(said).timing;
  const timing::IssueConfig& issue = config.issue;
  EXPECT_EQ(config.parameters[timing::kPremem], 0u);
  EXPECT_EQ(config.parameters[timing::kNonmem], 7u);
  EXPECT_EQ(issue.commit, timing::Commit::hold);
  EXPECT_EQ(issue.aware, "mean");
  EXPECT_TRUE(issue.aware_yields);
}

/// cf11 with these changes; nothing if they are refused.
std::optional<Gpu> changed(std::vector<std::string> changes, const std::string& toml = cf11()) {
  Gpu gpu = parsed(toml);
  const auto error = change(gpu, changes);
  EXPECT_FALSE(error) << error->message;
  return error ? std::nullopt : std::optional(gpu);
}
std::string refusal(std::vector<std::string> changes, const std::string& toml = cf11()) {
  Gpu gpu = parsed(toml);
  const auto error = change(gpu, changes);
  return error ? error->message : "";
}

TEST(GpuChange, of_nothing_changes_nothing) { EXPECT_EQ(to_toml(*changed({})), to_toml(parsed(cf11()))); }

TEST(GpuChange, does_what_the_file_would) {
  const Gpu by_file = parsed(issuing("aware = \"last\"\npremem = 2"));
  EXPECT_EQ(to_toml(*changed({"issue.aware=last", "issue.premem=2"})), to_toml(by_file));
  EXPECT_EQ(changed({"gpu.name=a.b=c"})->name, "a.b=c") << "the key ends at the first =";
  EXPECT_EQ(changed({"units.sfu.latency=99"})->timing->units[static_cast<unsigned>(timing::UnitClass::sfu)].latency,
            99u);
  EXPECT_EQ(changed({"issue.premem=1", "issue.premem=3"})->timing->parameters[timing::kPremem], 3u)
      << "the last one counts";
}

// What the simulated machine has of the rest of the description.
TEST(GpuChange, reaches_what_follows) {
  const Gpu gpu = *changed({"sm.max_warps=48", "gpu.sms=3", "sm.max_blocks=5", "memory.l2_bytes=524288",
                            "scratchpad.banks=16", "scratchpad.hash=xor", "gpu.warp_size=64"});
  EXPECT_EQ(gpu.timing->max_warps, 48u);
  EXPECT_EQ(gpu.timing->sms, 3u);
  EXPECT_EQ(gpu.machine.resident_ctas, 15u);
  EXPECT_EQ(gpu.timing->l2_bytes, 524'288u);
  EXPECT_EQ(gpu.timing->rules.banks, 16u);
  ASSERT_TRUE(gpu.timing->rules.hash);
  EXPECT_EQ(gpu.timing->rules.hash->banks(), 16u);
  EXPECT_EQ(gpu.timing->rules, gpu.machine.scratchpad);
  EXPECT_EQ(gpu.timing->warp_size, 64u);
}

// Schedulers have the clock of the SM if the file says nothing else.
TEST(GpuChange, of_the_clock_is_one_of_the_schedulers_clock) {
  EXPECT_EQ(changed({"clocks.core_khz=2000000"})->timing->core_khz, 2'000'000u);
  EXPECT_EQ(changed({"clocks.core_khz=1000000"})->timing->core_khz, 1'000'000u);
  const Gpu half = *changed({"clocks.issue_khz=500000", "clocks.core_khz=1000000"});
  EXPECT_EQ(half.timing->core_khz, 500'000u);
  EXPECT_EQ(half.timing->clock_khz, 1'000'000u);
  EXPECT_EQ(refusal({"clocks.issue_khz=1300001"}), "clocks.issue_khz: must not exceed clocks.core_khz");
}

TEST(GpuChange, rejects_machines_that_do_not_fit_together) {
  EXPECT_EQ(refusal({"issue.simd_lanes=64"}), "issue.simd_lanes: must divide gpu.warp_size");
  EXPECT_EQ(refusal({"sm.max_warps=16"}), "sm.max_warps: too few warps for sm.max_threads");
  EXPECT_EQ(refusal({"sm.max_warps=65"}), "sm.max_warps: a simulated SM can have at most 64 warps");
  EXPECT_EQ(refusal({"scratchpad.lanes_b32=16"}),
            "scratchpad.lanes_b32: that many lanes need more bytes than all banks deliver at once");
  EXPECT_EQ(refusal({"scratchpad.atomics=lock"}),
            "scratchpad.atomics: the unit \"lock\" needs a section [scratchpad.locks]");
  EXPECT_EQ(refusal({"issue.memory_stages=25", "issue.pipeline=queued"}),
            "issue.memory_stages: must not exceed issue.stages");
  // The order of changes does not matter: what is looked at is the machine that they make together.
  EXPECT_EQ(refusal({"scratchpad.lanes_b32=16", "scratchpad.banks=16"}), "");
}

TEST(GpuChange, takes_tables_of_phases_as_files_have_them_or_plain) {
  for (const char* text : {R"(["0 3", "1-2"])", "0 3, 1-2"}) {
    const auto gpu = changed({std::string("scratchpad.load_b128=") + text});
    ASSERT_TRUE(gpu);
    EXPECT_EQ(scratchpad::phases_text(gpu->machine.scratchpad.tables[4]), "0 3, 1-2");
  }
  EXPECT_EQ(refusal({"scratchpad.load_b128=0-3"}),
            "scratchpad.load_b128: that many lanes need more bytes than all banks deliver at once");
  EXPECT_EQ(refusal({"scratchpad.load_b128=0-3 x"}),
            "scratchpad.load_b128 is not a table of phases: 'x' is not a lane or range of lanes; lanes are 0 to 63");
}

// A hash is of as many banks as there are when it is said.
TEST(GpuChange, rejects_a_hash_of_other_banks) {
  EXPECT_EQ(refusal({"scratchpad.hash=xor", "scratchpad.banks=16"}),
            "scratchpad.hash: is for another number of banks; set it again after scratchpad.banks");
  EXPECT_EQ(refusal({"scratchpad.hash=xor", "scratchpad.banks=16", "scratchpad.hash=xor"}), "");
  EXPECT_TRUE(refusal({"scratchpad.hash=frob"}).starts_with("scratchpad.hash is not a bank hash: "))
      << refusal({"scratchpad.hash=frob"});
}

TEST(GpuChange, rejects_what_is_no_change) {
  for (const char* text : {"", "=", "premem=1", "issue.premem", "issue.premem 1", ".=1"})
    EXPECT_NE(refusal({text}), "") << text;
  EXPECT_EQ(refusal({"premem=1"}), "'premem=1' is not SECTION.KEY=VALUE");
  EXPECT_EQ(refusal({"issue.premen=1"}).substr(0, 70),
            "'issue.premen' is not a key of a GPU description; [issue] has schedule");
  EXPECT_EQ(refusal({"frob.premem=1"}), "'frob.premem' is not a key of a GPU description");
  for (const char* value : {"", " 1", "1 ", "-1", "+1", "1e1", "0x1", "1.0"}) {
    EXPECT_TRUE(refusal({"issue.premem=" + std::string(value)})
                    .starts_with("issue.premem = '" + std::string(value) + "' is not a whole number: elastic pipeline"))
        << value;
  }
  for (const char* value : {"65", "18446744073709551616"}) {
    EXPECT_EQ(refusal({"issue.premem=" + std::string(value)}).substr(0, 39),
              ("issue.premem = " + std::string(value) + " is impossible: elastic pipeline").substr(0, 39))
        << value;
  }
  EXPECT_TRUE(refusal({"scratchpad.banks=12"}).ends_with("banks of shared memory, a power of two, from 2 to 128"));
  EXPECT_TRUE(refusal({"issue.aware_yields=yes"}).ends_with(", true or false"));
}

TEST(GpuChange, knows_no_timing_where_there_is_none) {
  std::string untimed = cf11();
  untimed.resize(untimed.find("[issue]"));
  for (const char* line : {"latency = 24 ", "queue = 1 ", "hash_cycles = 1 ", "atomics = \"loadlike\" "}) {
    const size_t at = untimed.find(line);
    ASSERT_NE(at, std::string::npos) << line;
    untimed.insert(at, "# ");
  }
  EXPECT_EQ(refusal({"issue.premem=1"}, untimed), "'issue.premem' is not a key of a GPU description");
  EXPECT_EQ(changed({"gpu.sms=7"}, untimed)->machine.sms, 7u);
}

}  // namespace
}  // namespace bankshot::gpu

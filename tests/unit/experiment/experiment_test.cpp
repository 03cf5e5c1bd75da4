// Experiment files: what is refused and where; conflicts removed and speed-ups, on patterns and cycles worked out by
// hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "experiment_helpers.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::experiment {
namespace {

namespace fs = std::filesystem;

/// A folder of experiments with one file, as long as it lives.
class Folder {
 public:
  explicit Folder(const std::string& text) {
    std::string path = (fs::temp_directory_path() / "bankshot-experiments-XXXXXX").string();
    path_ = mkdtemp(path.data());
    std::ofstream(path_ / "one.toml") << text;
    setenv("BANKSHOT_EXPERIMENTS", path_.c_str(), 1);
  }
  ~Folder() {
    unsetenv("BANKSHOT_EXPERIMENTS");
    fs::remove(path_ / "one.toml");
    fs::remove(path_);
  }
  /// The error with the folder left out.
  std::string why() const {
    const auto one = load("one");
    if (one) return "accepted";
    std::string text = one.error().message;
    const size_t at = text.find(path_.string() + "/");
    return at == std::string::npos ? text : text.erase(at, path_.string().size() + 1);
  }

 private:
  fs::path path_;
};

const char* const kHead = "title = \"t\"\npaper = \"p\"\nkind = \"conflicts-removed\"\n";

TEST(Experiment, errors_name_file_line_and_key) {
  EXPECT_EQ(Folder("kind = 3\n").why(), "one.toml:1:8: kind must be a string in quotes");
  EXPECT_EQ(Folder("kind = \"x\"\n").why(), "one.toml:1:1: title is missing");
  EXPECT_EQ(Folder(std::string(kHead) + "frob = 1\n").why(), "one.toml:4:1: unknown key 'frob'");
  EXPECT_EQ(Folder(std::string(kHead) + "benchmark = 1\n").why(),
            "one.toml:4:13: benchmark must be a list of sections: [[benchmark]]");
  EXPECT_EQ(Folder(std::string(kHead) + "[[benchmark]]\nlabel = \"a\"\n").why(), "one.toml:4:1: program is missing");
  EXPECT_EQ(Folder(std::string(kHead) + "[[benchmark]]\nlabel = \"a\"\nprogram = \"a\"\naside = 1\n").why(),
            "one.toml:7:9: aside must be true or false");
  EXPECT_EQ(Folder(std::string(kHead) + "[published]\na = true\n").why(),
            "one.toml:5:5: a published value must be a number or a string");
  EXPECT_EQ(Folder(std::string(kHead) + "[points]\na = 3\n").why(),
            "one.toml:5:5: points must be a list of pairs of numbers: [[1, 108], [2, 228]]");
  EXPECT_EQ(Folder(std::string(kHead) + "[points]\na = [[1, 2], [3]]\n").why(),
            "one.toml:5:14: a point must be a pair of numbers: [1, 108]");
  EXPECT_EQ(Folder(std::string(kHead) + "laws = [\"a\"]\n[points]\nb = [[1, 2]]\n").why(),
            "one.toml:4:8: laws: no points are given of 'a'");
  EXPECT_EQ(Folder(std::string(kHead) + "[parameters]\na = [1, true]\n").why(),
            "one.toml:5:9: each value of a parameter must be a number or a string");
  EXPECT_NE(Folder("kind = ").why().find("one.toml:1:"), std::string::npos);
  EXPECT_EQ(Folder(kHead).why(), "accepted");
  setenv("BANKSHOT_EXPERIMENTS", "/nowhere", 1);
  EXPECT_EQ(load("two").error().message, "no experiment is called 'two'; there are: none in /nowhere");
  unsetenv("BANKSHOT_EXPERIMENTS");
}

TEST(Experiment, every_file_of_ours_is_read_and_of_a_kind_that_there_is) {
  BANKSHOT_LEAVE_OUT_IF_SANITIZED();
  EXPECT_GE(names().size(), 12u);
  Settings settings;
  settings.quick = true;
  for (const std::string& name : names()) {
    Result<Experiment> one = load(name);
    ASSERT_TRUE(one) << one.error().message;
    one->benchmarks.clear();
    if (one->parameters.contains("patterns")) one->parameters["patterns"] = {Value(5000.0)};
    const Result<Outcome> outcome = reproduce(*one, settings);
    EXPECT_TRUE(outcome) << outcome.error().message;
  }
}

/// Lanes at multiples of a stride.
scratchpad::PatternSet lanes_at(uint32_t stride) {
  scratchpad::PatternSet set;
  scratchpad::Pattern& p = set.patterns.emplace_back();
  p.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) p.words[lane] = stride * lane;
  return set;
}

TEST(Experiment, hashes_are_searched_on_one_run_and_judged_on_the_others) {
  Experiment e;
  e.kind = "conflicts-removed";
  Benchmark& b = e.benchmarks.emplace_back();
  b.label = "b";
  b.arguments = {"2"};
  b.tests = {{"2"}, {"4"}};
  Settings settings;
  settings.trace = [](const Benchmark&, const std::vector<std::string>& arguments) {
    return Result<scratchpad::PatternSet>(lanes_at(static_cast<uint32_t>(std::stoi(arguments[0]))));
  };
  const Result<Outcome> outcome = reproduce(e, settings);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->rows.size(), 7u);
  // Fixed: a[4:0] ^ a[9:5] of strides 2 and 4 is a permutation of the lanes: all removed.
  EXPECT_EQ(std::get<double>(outcome->rows[0].measured), 100);
  // k1 = 1 of stride 2 removes its one conflict; of stride 4, whose degree is 4, half the banks stay idle: 2 of 3
  // removed.
  EXPECT_EQ(outcome->rows[1].label, "b, bit-vector XOR");
  EXPECT_EQ(std::get<double>(outcome->rows[1].measured), 83.3);
  EXPECT_EQ(std::get<double>(outcome->rows[6].measured), 1);  // benchmarks without conflicts under the fixed hash
}

/// A simulator that knows what it is asked, and a tracer of strides: the first argument, 1 has no conflicts.
class StrideSimulator {
 public:
  std::map<std::string, uint64_t> cycles;  ///< by the benchmark's last argument and the hash: "big xor"
  std::vector<std::string> asked;

  Settings settings() {
    Settings settings;
    settings.trace = [](const Benchmark&, const std::vector<std::string>& arguments) {
      return Result<scratchpad::PatternSet>(lanes_at(static_cast<uint32_t>(std::stoi(arguments[0]))));
    };
    settings.simulate = [this](const Benchmark& benchmark, const std::vector<std::string>& arguments,
                               const Machine& machine) -> Result<experiment::Simulated> {
      const std::string& hash = machine.bank_hash;
      asked.push_back(benchmark.label + " " + arguments.back() + " " + hash);
      const auto found = cycles.find(arguments.back() + " " + hash);
      experiment::Simulated counters;
      counters.cycles = found == cycles.end() ? cycles.at(hash) : found->second;
      return counters;
    };
    return settings;
  }
};

TEST(Experiment, speedups_are_cycles_without_a_hash_over_cycles_with_it_and_their_mean_is_geometric) {
  Experiment e;
  e.kind = "speed-ups";
  e.parameters["atomics"] = {"loadlike"};
  e.published["geometric mean, fixed bit-vector XOR"] = 1.21;
  e.benchmarks = {named("a", {"2", "a"}), named("b", {"2", "b"})};
  StrideSimulator simulated;
  // Stride 2: every search answers bits 1 to 5, by one formula or another.
  for (const char* any : {"perm:1", "bitxor:0^1,0^2,0^3,0^4,0^5"}) simulated.cycles[any] = 500;
  simulated.cycles["a none"] = 900, simulated.cycles["a xor"] = 100;  // 9 times
  simulated.cycles["b none"] = 400, simulated.cycles["b xor"] = 100;  // 4 times
  const Result<Outcome> outcome = reproduce(e, simulated.settings());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(measured(*outcome, "a, fixed bit-vector XOR"), 9);
  EXPECT_EQ(measured(*outcome, "b, bit-vector XOR"), 0.8);
  EXPECT_EQ(measured(*outcome, "geometric mean, fixed bit-vector XOR"), 6);  // the root of 36; the mean is 6.5
  EXPECT_EQ(measured(*outcome, "geometric mean, bit-vector XOR"), 1.2);      // the root of 1.8 times 0.8
  EXPECT_EQ(std::get<double>(row(*outcome, "geometric mean, fixed bit-vector XOR").published), 1.21);
  EXPECT_EQ(row(*outcome, "a, fixed bit-vector XOR").note, "100 of 900 cycles under xor");
  EXPECT_EQ(outcome->rows.size(), 3u * 6);
}

TEST(Experiment, benchmarks_without_conflicts_count_as_losses_and_their_hash_is_configurable_though_it_is_none) {
  Experiment e;
  e.kind = "speed-ups";
  e.parameters["atomics"] = {"loadlike"};
  e.benchmarks = {named("a", {"1", "a"}), named("b", {"1", "b"})};
  StrideSimulator simulated;
  for (const char* any : {"xor", "perm:0", "bits:0,1,2,3,4"}) simulated.cycles[any] = 1030;
  simulated.cycles["none"] = 1000;
  simulated.cycles["b perm:0"] = 1010;
  Settings settings = simulated.settings();
  settings.simulate = [&, simulate = settings.simulate](const Benchmark& b, const std::vector<std::string>& arguments,
                                                        const Machine& machine) {
    simulated.cycles.try_emplace(machine.bank_hash, 7000);  // of the heuristics, which have no say here
    return simulate(b, arguments, machine);
  };
  const Result<Outcome> outcome = reproduce(e, settings);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->rows.size(), 4u);  // no speed-up of either
  EXPECT_EQ(measured(*outcome, "without conflicts: a"), 3);
  EXPECT_EQ(measured(*outcome, "without conflicts: b"), 1);
  EXPECT_EQ(measured(*outcome, "without conflicts, on average"), 2);
  EXPECT_EQ(measured(*outcome, "without conflicts, at most"), 3);
}

TEST(Experiment, cycles_are_those_of_the_timed_run_or_of_all_tests_and_quickly_of_the_searched_run_or_two_tests) {
  Experiment e;
  e.kind = "speed-ups";
  e.parameters["atomics"] = {"loadlike"};
  e.benchmarks = {named("sized", {"2", "small"}), named("tested", {"2", "first"})};
  e.benchmarks[0].timed = {"2", "big"};
  e.benchmarks[1].tests = {{"2", "x"}, {"2", "y"}, {"2", "z"}};
  StrideSimulator simulated;
  for (const char* any : {"none", "xor", "perm:1", "bitxor:0^1,0^2,0^3,0^4,0^5"}) simulated.cycles[any] = 100;
  Settings settings = simulated.settings();
  const Result<Outcome> outcome = reproduce(e, settings);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(simulated.asked[0], "sized big none");
  EXPECT_EQ(simulated.asked.size(), 7u * 1 + 7u * 3);
  EXPECT_EQ(row(*outcome, "tested, fixed bit-vector XOR").note, "300 of 300 cycles under xor");
  simulated.asked.clear();
  settings.quick = true;
  ASSERT_TRUE(reproduce(e, settings));
  EXPECT_EQ(simulated.asked[0], "sized small none");
  EXPECT_EQ(simulated.asked.size(), 7u * 1 + 7u * 2);
}

}  // namespace
}  // namespace bankshot::experiment

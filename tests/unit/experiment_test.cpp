// Experiment files: what is refused and where; conflicts removed, on patterns worked out by hand.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bankshot/experiment/experiment.hpp"

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
  EXPECT_EQ(Folder("kind = 3\n").why(), "one.toml:1:8: kind must be a text in quotes");
  EXPECT_EQ(Folder("kind = \"x\"\n").why(), "one.toml:1:1: title is missing");
  EXPECT_EQ(Folder(std::string(kHead) + "frob = 1\n").why(), "one.toml:4:1: unknown key 'frob'");
  EXPECT_EQ(Folder(std::string(kHead) + "benchmark = 1\n").why(), "one.toml:4:13: benchmark must be a list of sections: [[benchmark]]");
  EXPECT_EQ(Folder(std::string(kHead) + "[[benchmark]]\nlabel = \"a\"\n").why(), "one.toml:4:1: program is missing");
  EXPECT_EQ(Folder(std::string(kHead) + "[published]\na = true\n").why(), "one.toml:5:5: a published value must be a number or a text");
  EXPECT_NE(Folder("kind = ").why().find("one.toml:1:"), std::string::npos);
  EXPECT_EQ(Folder(kHead).why(), "accepted");
  setenv("BANKSHOT_EXPERIMENTS", "/nowhere", 1);
  EXPECT_EQ(load("two").error().message, "no experiment is called 'two'; there are: none, as the folder experiments was not found");
  unsetenv("BANKSHOT_EXPERIMENTS");
}

TEST(Experiment, every_file_of_ours_is_read_and_of_a_kind_that_there_is) {
  EXPECT_GE(names().size(), 4u);
  for (const std::string& name : names()) {
    Result<Experiment> one = load(name);
    ASSERT_TRUE(one) << one.error().message;
    one->benchmarks.clear();
    EXPECT_TRUE(reproduce(*one, {})) << name;
  }
}

/// Lanes at multiples of a stride.
scratchpad::PatternSet strided(uint32_t stride) {
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
    return Result<scratchpad::PatternSet>(strided(static_cast<uint32_t>(std::stoi(arguments[0]))));
  };
  const Result<Outcome> outcome = reproduce(e, settings);
  ASSERT_TRUE(outcome) << outcome.error().message;
  ASSERT_EQ(outcome->rows.size(), 7u);
  // Fixed: a[4:0] ^ a[9:5] of strides 2 and 4 is a permutation of the lanes: all removed.
  EXPECT_EQ(std::get<double>(outcome->rows[0].measured), 100);
  // k1 = 1 of stride 2 removes its one conflict; of stride 4, whose degree is 4, half the banks stay idle: 2 of 3 removed.
  EXPECT_EQ(outcome->rows[1].label, "b, bit-vector XOR");
  EXPECT_EQ(std::get<double>(outcome->rows[1].measured), 83.3);
  EXPECT_EQ(std::get<double>(outcome->rows[6].measured), 1);  // benchmarks without conflicts under the fixed hash
}

}  // namespace
}  // namespace bankshot::experiment

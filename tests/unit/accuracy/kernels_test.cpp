// NVIDIA's compiler takes what the benchmarks are made of.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "bankshot/accuracy/benchmark.hpp"
#include "tests/paths.hpp"

namespace bankshot::accuracy {
namespace {

/// A device that does nothing and keeps the texts of the modules.
class KeepTexts final : public measure::Runner {
 public:
  KeepTexts() {
    device_.name = "nothing";
    device_.major = 9;
    device_.clock_khz = 1'000'000;
    device_.facts = {{"gpu.sms", "8"},
                     {"memory.l2_bytes", "1_048_576"},
                     {"sm.shared_bytes", "233_472"},
                     {"sm.shared_per_block_optin_bytes", "232_448"}};
  }
  std::set<std::string> texts;

  const measure::Device& device() const override { return device_; }
  std::optional<Error> load(std::string_view ptx) override {
    texts.emplace(ptx);
    return std::nullopt;
  }
  Result<measure::Variable> variable(const std::string&) override { return measure::Variable{}; }
  Result<uint64_t> allocate(uint64_t) override { return uint64_t{1} << 40; }
  void release(uint64_t) override {}
  std::optional<Error> copy_in(uint64_t, std::span<const std::byte>) override { return std::nullopt; }
  std::optional<Error> copy_out(std::span<std::byte>, uint64_t) override { return std::nullopt; }
  std::optional<Error> launch(const measure::Launch&) override { return std::nullopt; }
  double elapsed_ns() const override { return 0; }

 private:
  measure::Device device_;
};

TEST(AccuracyKernels, compile_with_ptxas) {
  const std::string ptxas = paths::ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas";
  const auto rows = load_rows(paths::source() + "/hardware/microbenchmarks.tsv");
  ASSERT_TRUE(rows) << rows.error().message;
  const std::string file = testing::TempDir() + "accuracy_kernel.ptx";
  for (const Family& family : families()) {
    SCOPED_TRACE(family.name);
    KeepTexts runner;
    std::set<std::string> keys;
    for (const Row& row : *rows) {
      const auto plan = family.plan(row);
      if (plan && keys.insert(plan->key).second) {
        EXPECT_TRUE(plan->run(runner));
      }
    }
    EXPECT_FALSE(keys.empty()) << "no row is for this family";
    for (const std::string& text : runner.texts) {
      std::ofstream(file) << text;
      const std::string command = ptxas + " -arch=sm_90 -o /dev/null " + file + " >/dev/null";
      EXPECT_EQ(std::system(command.c_str()), 0) << text;
    }
  }
}

}  // namespace
}  // namespace bankshot::accuracy

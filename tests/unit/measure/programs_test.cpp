// The PTX of the micro-benchmarks: what our own parser and, where there is one, NVIDIA's assembler make of it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "bankshot/measure/programs.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "tests/paths.hpp"

namespace bankshot::measure {
namespace {

TEST(MeasurePrograms, are_two_kernels_for_each_access_with_one_form_of_parameters) {
  simt::EngineOptions options;
  options.threads = 1;
  simt::Engine engine(options);
  const std::string text = programs();
  const auto program = engine.load(text, "programs.ptx");
  ASSERT_TRUE(program) << format_diagnostics(program.error(), "programs.ptx", text);
  const auto& kernels = simt::kernels(**program);
  ASSERT_EQ(kernels.size(), 2 * kAccesses);
  for (unsigned k = 0; k < kAccesses; ++k) {
    const std::string name(info(static_cast<Access>(k)).kernel);
    EXPECT_EQ(kernels[2 * k].name, "latency_" + name);
    EXPECT_EQ(kernels[2 * k + 1].name, "throughput_" + name);
    EXPECT_EQ(kernels[2 * k].param_bytes, sizeof(Arguments));
    EXPECT_EQ(kernels[2 * k + 1].param_bytes, sizeof(Arguments));
  }
}

TEST(MeasurePrograms, nvidias_assembler_takes_them_for_every_gpu_it_knows) {
  const std::string ptxas = paths::ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas";
  const std::string file = ::testing::TempDir() + "/bankshot_programs.ptx";
  std::ofstream(file) << programs();
  for (const char* target : {"sm_75", "sm_80", "sm_90"}) {
    const std::string command = ptxas + " -arch=" + target + " -o /dev/null " + file + " >/dev/null";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  std::remove(file.c_str());
}

}  // namespace
}  // namespace bankshot::measure

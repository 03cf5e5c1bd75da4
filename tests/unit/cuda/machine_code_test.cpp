// Whose machine code a module's accesses and registers are taken from. tile.cubin is that of tile.ptx for sm_80.
#include <gtest/gtest.h>

#include <fstream>
#include <span>
#include <sstream>
#include <string>

#include "bankshot/cuda/modules/machine_code.hpp"
#include "fatbin_helpers.hpp"
#include "tests/paths.hpp"

namespace bankshot::cuda {
namespace {

using From = report::MachineCode::From;

std::string tile(const std::string& name) {
  std::ifstream in(paths::source() + "/tests/unit/agreement/tile." + name, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::optional<sass::Cubin> found(const std::vector<test::EntrySpec>& specs, unsigned architecture = 80) {
  std::string entries;
  for (const test::EntrySpec& spec : specs) entries += test::entry(spec);
  const std::string bytes = test::container(entries);
  return machine_code_in(std::as_bytes(std::span(bytes)), architecture, "app");
}

test::EntrySpec machine_code(unsigned architecture, const std::string& payload) {
  return {.kind = 2, .architecture = architecture, .payload = payload, .source = {}};
}

TEST(MachineCode, is_that_of_exactly_the_gpu) {
  const test::EntrySpec own = machine_code(80, tile("cubin"));
  const auto cubin = found({machine_code(75, "another"), own});
  ASSERT_TRUE(cubin);
  EXPECT_EQ(cubin->architecture, 80u);
  EXPECT_FALSE(found({own}, 90));
  EXPECT_FALSE(found({own}, 0)) << "a GPU without machine code that could be read";
}

TEST(MachineCode, that_is_damaged_is_none) {
  EXPECT_FALSE(found({machine_code(80, tile("cubin").substr(0, 700))}));
  EXPECT_FALSE(found({machine_code(80, "")}));
  EXPECT_TRUE(found({machine_code(80,
                                  "\x7f"
                                  "ELF"),
                     machine_code(80, tile("cubin"))}))
      << "the next may be whole";
}

TEST(MachineCode, tells_registers_unless_it_is_not_to_be_used) {
  const auto own = found({machine_code(80, tile("cubin"))});
  const std::string text = tile("ptx");
  const ModuleMachineCode code = read_machine_code(text, own, 80, UseOfMachineCode::registers);
  EXPECT_EQ(code.registers, (std::map<std::string, unsigned>{{"loop", 14}, {"positive", 18}, {"rows", 10}}));
  EXPECT_FALSE(code.seen);
  EXPECT_FALSE(code.told_of("rows"));
  EXPECT_TRUE(read_machine_code(text, own, 80, UseOfMachineCode::nothing).registers.empty());
  EXPECT_TRUE(read_machine_code(text, std::nullopt, 80, UseOfMachineCode::registers).registers.empty());
}

TEST(MachineCode, of_the_program_is_taken_at_its_word) {
  const auto own = found({machine_code(80, tile("cubin"))});
  const ModuleMachineCode code = read_machine_code(tile("ptx"), own, 80, UseOfMachineCode::accesses);
  ASSERT_TRUE(code.seen);
  EXPECT_EQ(code.told_of("rows")->from, From::program);
  EXPECT_TRUE(code.told_of("rows")->differences.empty());
  EXPECT_TRUE(code.told_of("loop")->differences.empty());
  EXPECT_EQ(code.told_of("positive")->differences.size(), 1u);
  EXPECT_EQ(code.told_of("other")->from, From::model);
}

TEST(MachineCode, of_another_text_tells_registers_only) {
  const std::string path = std::getenv("PATH");
  std::string folder = ::testing::TempDir() + "bankshot-test-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  std::ofstream(folder + "/ptxas") << "#!/bin/sh\necho ptxas fatal: no; exit 1\n";
  ASSERT_EQ(system(("chmod +x " + folder + "/ptxas").c_str()), 0);
  setenv("PATH", (folder + ":" + path).c_str(), 1);
  const auto own = found({machine_code(80, tile("cubin"))});
  const ModuleMachineCode other = read_machine_code("//\n" + tile("ptx"), own, 80, UseOfMachineCode::accesses),
                          none = read_machine_code(tile("ptx"), std::nullopt, 80, UseOfMachineCode::accesses);
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(system(("rm -r " + folder).c_str()), 0);
  EXPECT_EQ(other.told_of("rows")->from, From::model);
  EXPECT_EQ(other.told_of("rows")->reason,
            "the machine code of the program was compiled from other PTX; ptxas failed: ptxas fatal: no");
  EXPECT_EQ(other.registers.at("rows"), 10u);
  EXPECT_FALSE(other.seen);
  EXPECT_EQ(none.told_of("rows")->reason,
            "the program has no machine code of this PTX for sm_80; ptxas failed: ptxas fatal: no");
}

}  // namespace
}  // namespace bankshot::cuda

// What is read from cubins that ptxas made of kernels.ptx. The expected texts agree with those of nvdisasm.
#include "bankshot/sass/cubin.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "tests/paths.hpp"

namespace bankshot::sass {
namespace {

std::string folder() { return paths::source() + "/tests/unit/sass/"; }

std::string file_contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string cubin_bytes(unsigned architecture) {
  return file_contents(folder() + fmt::format("cubins/sm_{}.cubin", architecture));
}

Result<Cubin> read(const std::string& bytes) { return read_cubin(std::as_bytes(std::span(bytes))); }

const Kernel* kernel(const Cubin& cubin, std::string_view name) {
  for (const Kernel& one : cubin.kernels) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

/// "inlined.hpp:7 in kernels.cu:13"
std::string place(const Cubin& cubin, uint32_t number) {
  std::string text;
  for (; number != 0; number = cubin.places[number].inlined_at) {
    const Place& one = cubin.places[number];
    text += fmt::format("{}{}:{}", text.empty() ? "" : " in ", cubin.files[one.file], one.line);
  }
  return text;
}

bool of_shared_memory(const Instruction& instruction) {
  switch (instruction.what) {
    case Class::shared_load:
    case Class::shared_store:
    case Class::shared_atomic:
    case Class::matrix_load:
    case Class::matrix_store:
    case Class::async_copy: return !instruction.never;
    default: return false;
  }
}

/// One line per access to shared memory: name, bytes, offset, source line.
std::string accesses(const Cubin& cubin, std::string_view name) {
  std::string text;
  const Kernel* found = kernel(cubin, name);
  if (found == nullptr) return "no such kernel";
  for (const Instruction& one : found->code) {
    if (!of_shared_memory(one)) continue;
    text += fmt::format("{} {} {:+} {}\n", one.name, one.bytes, one.offset, place(cubin, one.place));
  }
  return text;
}

const std::string kAccesses =
    "STS 4 +16 inlined.hpp:7 in kernels.cu:13\n"
    "LDS 8 +64 kernels.cu:14\n"
    "STS 1 -3 kernels.cu:15\n"
    "ATOMS 4 +128 kernels.cu:16\n";

/// What the kernel `access` of a GPU has.
std::string expected_accesses(unsigned architecture) {
  std::string text = kAccesses;
  if (architecture >= 75) text += "LDSM 16 +256 kernels.cu:21\n";
  if (architecture >= 80) text += "LDGSTS 16 +32 kernels.cu:31\n";
  if (architecture >= 90) text += "STSM 8 +48 kernels.cu:41\n";
  return text;
}

class SassCubin : public ::testing::TestWithParam<unsigned> {};

TEST_P(SassCubin, has_the_accesses_of_the_ptx_at_their_source_lines) {
  const auto cubin = read(cubin_bytes(GetParam()));
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_EQ(cubin->architecture, GetParam());
  EXPECT_EQ(accesses(*cubin, "access"), expected_accesses(GetParam()));
  for (const Kernel& one : cubin->kernels) {
    for (const Instruction& instruction : one.code) EXPECT_FALSE(instruction.name.empty()) << instruction.address;
  }
}

TEST_P(SassCubin, counts_shared_memory_without_that_of_the_system) {
  const auto cubin = read(cubin_bytes(GetParam()));
  ASSERT_TRUE(cubin) << cubin.error().message;
  const Kernel* access = kernel(*cubin, "access");
  ASSERT_NE(access, nullptr);
  EXPECT_EQ(access->shared_bytes, 4096);
  EXPECT_TRUE(access->entry);
}

TEST_P(SassCubin, names_the_function_behind_a_kernel) {
  const auto cubin = read(cubin_bytes(GetParam()));
  ASSERT_TRUE(cubin) << cubin.error().message;
  const Kernel* access = kernel(*cubin, "access");
  ASSERT_NE(access, nullptr);
  ASSERT_EQ(access->subroutines.size(), 1);
  EXPECT_EQ(access->subroutines[0].name, "$access$twice");
  const Instruction& first = access->code.at(access->subroutines[0].address / 16);
  EXPECT_EQ(place(*cubin, first.place), "kernels.cu:3");
}

TEST_P(SassCubin, leads_from_each_access_to_its_line_of_ptx) {
  const auto cubin = read(cubin_bytes(GetParam()));
  ASSERT_TRUE(cubin) << cubin.error().message;
  const Kernel* access = kernel(*cubin, "access");
  ASSERT_NE(access, nullptr);
  std::vector<uint32_t> lines;
  for (const Instruction& one : access->code) {
    if (of_shared_memory(one)) lines.push_back(one.ptx_line);
  }
  lines.resize(4);
  EXPECT_EQ(lines, (std::vector<uint32_t>{27, 30, 32, 35}));
}

TEST_P(SassCubin, rejects_every_truncated_file) {
  const std::string bytes = cubin_bytes(GetParam());
  uint64_t table = 0;  // of sections; only program headers follow it, which are not read
  uint16_t sections = 0;
  std::memcpy(&table, bytes.data() + 40, sizeof table);
  std::memcpy(&sections, bytes.data() + 60, sizeof sections);
  for (size_t size = 0; size < table + 64 * sections; size += size < 512 ? 1 : 61) {
    const auto cubin = read(bytes.substr(0, size));
    ASSERT_FALSE(cubin) << size;
    EXPECT_FALSE(cubin.error().message.empty());
  }
}

TEST_P(SassCubin, reads_files_with_one_wrong_byte) {
  const std::string bytes = cubin_bytes(GetParam());
  for (size_t at = 0; at < bytes.size(); at += 7) {
    for (const char value : {'\0', '\x7f', '\xff'}) {
      std::string changed = bytes;
      changed[at] = value;
      const auto cubin = read(changed);  // any result, but no read out of bounds
      EXPECT_TRUE(cubin || !cubin.error().message.empty());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(sass, SassCubin, ::testing::Values(70, 75, 80, 86, 89, 90, 100, 120),
                         [](const auto& info) { return fmt::format("sm_{}", info.param); });

TEST(SassCubins, count_registers_as_nvidias_tools_do) {
  const std::pair<unsigned, unsigned> expected[] = {{70, 12}, {75, 16}, {80, 18}, {90, 20}, {120, 20}};
  for (const auto& [architecture, registers] : expected) {
    const auto cubin = read(cubin_bytes(architecture));
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(kernel(*cubin, "access")->registers, registers) << architecture;
  }
}

TEST(SassCubins, inlined_lines_are_those_of_their_own_kernel) {
  const auto cubin = read(cubin_bytes(75));
  ASSERT_TRUE(cubin) << cubin.error().message;
  EXPECT_EQ(accesses(*cubin, "second"), "STS 4 +12 inlined.hpp:8 in kernels.cu:51\n");
}

TEST(SassCubins, mark_loads_that_no_lane_executes) {
  const auto cubin = read(cubin_bytes(80));
  ASSERT_TRUE(cubin) << cubin.error().message;
  unsigned never = 0;
  for (const Instruction& one : kernel(*cubin, "access")->code) never += one.name == "LDS" && one.never;
  EXPECT_EQ(never, 3);  // ptxas writes @!PT LDS RZ, [RZ] before LDGSTS
}

TEST(SassCubins, rejects_what_is_no_cubin) {
  const auto text = read("// PTX is text");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().message,
            "not a cubin, as it does not begin like an ELF file: make one with nvcc -cubin or ptxas");
  std::string bytes = cubin_bytes(75);
  bytes[18] = 62;  // e_machine
  const auto host = read(bytes);
  ASSERT_FALSE(host);
  EXPECT_EQ(host.error().message, "not a cubin, but an ELF file for machine 62: make one with nvcc -cubin or ptxas");
}

TEST(SassCubins, rejects_other_architectures) {
  std::string bytes = cubin_bytes(70);
  bytes[48] = 61;  // e_flags
  const auto cubin = read(bytes);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(cubin.error().message, "a cubin for sm_61: compile for sm_70 to sm_121, whose machine code is known");
}

TEST(SassCubins, of_freshly_compiled_ptx_have_the_same_accesses) {
  const std::string ptxas = paths::ptxas();
  if (ptxas.empty()) GTEST_SKIP() << "there is no ptxas";
  const std::string output = ::testing::TempDir() + "/bankshot_sass.cubin";
  for (const unsigned architecture : {75, 80, 90}) {
    const std::string command = fmt::format("{}make_cubins {} {} {}", folder(), ptxas, architecture, output);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const auto cubin = read(file_contents(output));
    ASSERT_TRUE(cubin) << cubin.error().message;
    EXPECT_EQ(cubin->architecture, architecture);
    EXPECT_EQ(accesses(*cubin, "access"), expected_accesses(architecture));
  }
  std::remove(output.c_str());
}

}  // namespace
}  // namespace bankshot::sass

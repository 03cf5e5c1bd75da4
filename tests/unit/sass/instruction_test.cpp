// Single instructions: bits as ptxas writes them, and nvdisasm's text for them.
#include "bankshot/sass/instruction.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace bankshot::sass {
namespace {

std::string ranges(std::span<const Registers> registers) {
  std::string text;
  for (const Registers& one : registers) {
    text += fmt::format("{}R{}", text.empty() ? "" : " ", one.first);
    if (one.count > 1) text += fmt::format("-{}", one.first + one.count - 1);
  }
  return text;
}

struct Expected {
  unsigned architecture;
  uint64_t high, low;
  const char* text;  ///< nvdisasm's
  Class what;
  unsigned bytes;
  const char *written, *read;
};

const Expected kInstructions[] = {
    {75, 0x004e30000000dc00, 0x0000000000040984, "@P0 LDS.U.128 R4, [R0.X16]", Class::shared_load, 16, "R4-7", "R0"},
    {90, 0x000e220008000c00, 0x0000400404047984, "LDS.128 R4, [R4+UR4+0x40]", Class::shared_load, 16, "R4-7", "R4"},
    {90, 0x004fe20008000c04, 0x0000400409007988, "STS.128 [R9+UR4+0x40], R4", Class::shared_store, 16, "", "R9 R4-7"},
    {80, 0x004fe2000000cc00, 0xfff0000409007388, "STS.128 [R9.X16+-0x1000], R4", Class::shared_store, 16, "",
     "R9 R4-7"},
    {75, 0x000e24000180040a, 0x00000008030a738d, "ATOMS.CAST.SPIN.64 R10, [R3], R8, R10", Class::shared_atomic, 8,
     "R10-11", "R3 R8-9 R10-11"},
    {100, 0x000e240001800406, 0x000000040900758d, "ATOMS.CAST.SPIN.64 P0, [R9], R4, R6", Class::shared_atomic, 8, "",
     "R9 R4-5 R6-7"},
    {90, 0x0001e2000d80003f, 0x0000000006ff7f8c, "ATOMS.POPC.INC.32 RZ, [R6+URZ]", Class::shared_atomic, 4, "", "R6"},
    {75, 0x000e620008004200, 0x00000004ff04783b, "LDSM.16.MT88.4 R4, [UR4]", Class::matrix_load, 16, "R4-7", ""},
    {100, 0x004ea80000013900, 0x000000000004783b, "LDSM.8.MT1616.2 R4, [R0]", Class::matrix_load, 16, "R4-7", "R0"},
    {90, 0x004fe20000004200, 0x0000100400007844, "STSM.16.MT88.4 [R0+0x10], R4", Class::matrix_store, 16, "",
     "R0 R4-7"},
    {90, 0x000fe2000b921846, 0x0001002002057fae, "LDGSTS.E [R5+0x10], desc[UR6][R2.64+0x20]", Class::async_copy, 4, "",
     "R5 R2-3"},
    {100, 0x000fe2000b981804, 0x8000000002077fae, "LDGSTS.E.BYPASS.128 [R7+-0x80000], desc[UR4][R2.64]",
     Class::async_copy, 16, "", "R7 R2-3"},
    {75, 0x0001e2000810e904, 0x0000000300007986, "STG.E.SYS [R0.U32+UR4], R3", Class::global_store, 4, "", "R0 R3"},
    {100, 0x004ea80008121908, 0xfe0001040204797e, "LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64+0x20]", Class::global_load,
     32, "R4-7 R8-11", "R2-3"},
    {75, 0x0011ea000010e902, 0x0000000808007385, "ST.E.SYS [R8+0x8], R2", Class::generic_store, 4, "", "R8-9 R2"},
    {90, 0x000fe2000c10f784, 0x00000004020079a6, "REDG.E.ADD.F32x4.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R4",
     Class::global_atomic, 16, "", "R2-3 R4-7"},
    {90, 0x008fca0000000000, 0x0000000304097221, "FADD R9, R4, R3", Class::floating_point, 0, "R9", "R4 R3"},
    {80, 0x001fca0007f3e0ff, 0x0000080001067a10, "IADD3 R6, P1, R1, c[0x0][0x20], RZ", Class::integer, 0, "R6", "R1"},
    {75, 0x001fca00078e0002, 0x000058000b027625, "IMAD.WIDE.U32 R2, R11, R2, c[0x0][0x160]", Class::integer, 0, "R2-3",
     "R11 R2"},
    {120, 0x003fde0000010f00, 0x0000000200027202, "MOV.64 R2, R2", Class::move, 0, "R2-3", "R2-3"},
    {75, 0x002fc80000000008, 0x0000000006067229, "DADD R6, R6, R8", Class::floating_point, 0, "R6-7", "R6-7 R8-9"},
    {80, 0x004fde000004180c, 0x000000080404723c, "HMMA.16816.F32.BF16 R4, R4, R8, R12", Class::tensor, 0, "R4-7",
     "R4-7 R8-9 R12-15"},
    {90, 0x004fde0000405d08, 0x00010d0604047237, "IMMA.SP.16832.S8.S8 R4, R4.ROW, R6.COL, R8, R13, 0x1", Class::tensor,
     0, "R4-7", "R4-5 R6-7 R8-11 R13"},
    {90, 0x000fe60008000818, 0x00e00000081879f0, "HGMMA.64x64x16.F32 R24, gdesc[UR8], R24, gsb0", Class::tensor, 0,
     "R24-55", "R24-55"},
    {75, 0x000fea0003800000, 0x000000000000794d, "EXIT", Class::control, 0, "", ""},
};

TEST(SassInstruction, is_read_as_nvdisasm_reads_it) {
  for (const Expected& expected : kInstructions) {
    SCOPED_TRACE(expected.text);
    const Instruction one = decode(expected.low, expected.high, expected.architecture);
    const std::string text = expected.text;
    EXPECT_NE(text.find(one.name), std::string::npos) << one.name;
    EXPECT_FALSE(one.name.empty());
    EXPECT_EQ(name_of(one.what), name_of(expected.what));
    EXPECT_EQ(one.bytes, expected.bytes);
    EXPECT_TRUE(one.operands_known);
    EXPECT_EQ(ranges(one.written()), expected.written);
    EXPECT_EQ(ranges(one.read()), expected.read);
    EXPECT_EQ(one.guarded, text.starts_with("@"));
  }
}

TEST(SassInstruction, has_base_scale_uniform_base_and_offset_of_its_address) {
  const Instruction scaled = decode(0xfff0000409007388, 0x004fe2000000cc00, 80);
  EXPECT_EQ(scaled.base, 9);
  EXPECT_EQ(scaled.scale, 16);
  EXPECT_EQ(scaled.uniform_base, kNone);
  EXPECT_EQ(scaled.offset, -0x1000);
  const Instruction uniform = decode(0x0000400404047984, 0x000e220008000c00, 90);
  EXPECT_EQ(uniform.base, 4);
  EXPECT_EQ(uniform.scale, 1);
  EXPECT_EQ(uniform.uniform_base, 4);
  EXPECT_EQ(uniform.offset, 0x40);
  const Instruction absolute = decode(0x00002000ff057984, 0x0000640000001800, 75);  // LDS.U R5, [0x20]
  EXPECT_EQ(absolute.base, kNone);
  EXPECT_EQ(absolute.offset, 0x20);
}

TEST(SassInstruction, of_an_unknown_operation_has_no_name) {
  const Instruction one = decode(0x00000000000071ff, 0, 75);
  EXPECT_EQ(one.what, Class::other);
  EXPECT_TRUE(one.name.empty());
  EXPECT_FALSE(one.operands_known);
}

TEST(SassInstruction, of_any_operation_stays_within_its_registers) {
  for (unsigned architecture : {70, 75, 80, 90, 100, 120}) {
    for (uint64_t low = 0; low < 4096; ++low) {
      for (const uint64_t high :
           {uint64_t{0}, ~uint64_t{0}, uint64_t{0x5555555555555555}, uint64_t{0xfefefefefefefefe}}) {
        const Instruction one = decode(low | (high & ~uint64_t{0xfff}), high, architecture);
        for (const Registers& found : one.written()) EXPECT_LE(found.first + found.count, 255);
        for (const Registers& found : one.read()) EXPECT_LE(found.first + found.count, 255);
      }
    }
  }
}

}  // namespace
}  // namespace bankshot::sass

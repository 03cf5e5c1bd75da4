// multimem: what is behind the address of a multicast object is read, written and added to.
#include <array>

#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

/// 256 bytes of memory, and a reserved address behind which multimem finds them.
class EngineMultimem : public EngineTest {
 protected:
  EngineMultimem() {
    Memory& memory = engine().memory();
    alias = *memory.allocate(256, MemoryKind::device);
    address = *memory.reserve(kPage, kPage);
    memory.add_multicast(address, 256, alias);
  }

  uint32_t* words() const { return reinterpret_cast<uint32_t*>(alias); }
  /// A kernel with the multicast address in %rd3, registers and the body.
  std::string with_address(const std::string& body) const {
    return kernel(".reg .b16 %h<9>; .reg .b8 %q<5>; .reg .f64 %d<3>;" + kThread + "mov.u64 %rd3, " +
                  std::to_string(address) + ";" + body + " ret;");
  }

  uint64_t alias = 0, address = 0;
};

TEST_F(EngineMultimem, integers_are_read_written_and_combined) {
  words()[0] = 7;
  words()[1] = 0xf0;
  words()[2] = 100;
  const auto result =
      run(with_address("multimem.ld_reduce.relaxed.gpu.global.max.s32 %r5, [%rd3]; st.global.u32 [%rd2], %r5;"
                       "multimem.red.global.add.u32 [%rd3+0], %r1; multimem.red.release.sys.and.b32 [%rd3+4], 0x3c;"
                       "multimem.red.min.u32 [%rd3+8], %r1; mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd3, %rd4;"
                       "multimem.st.weak.u64 [%rd4+64], %rd1;"),
          {1}, {4}, 4);
  ASSERT_TRUE(result) << result.error().message;
  for (size_t k = 0; k < 4; ++k) EXPECT_EQ(out[k], 7u);
  EXPECT_EQ(words()[0], 7u + 0 + 1 + 2 + 3);
  EXPECT_EQ(words()[1], 0x30u);
  EXPECT_EQ(words()[2], 0u);
  for (size_t k = 1; k < 4; ++k) EXPECT_EQ(words()[16 + 2 * k], words()[16]) << "each lane has stored %rd1";
  EXPECT_NE(words()[17], 0u);
}

TEST_F(EngineMultimem, floats_and_vectors_of_them_are_added) {
  // f16: 1 = 0x3c00, 2 = 0x4000, 3 = 0x4200.
  const auto result =
      run(with_address(
              "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; mov.f64 %d1, 0d3FF8000000000000;"
              "multimem.red.relaxed.gpu.global.add.v2.f32 [%rd3], {%f1, %f2}; multimem.red.add.f64 [%rd3+8], %d1;"
              "mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000; multimem.red.add.v4.f16 [%rd3+16], {%h1, %h2, %h1, %h1};"
              "mov.u32 %r5, 0x42003c00; multimem.red.add.f16x2 [%rd3+24], %r5; multimem.red.max.v2.f16x2 [%rd3+32], "
              "{%r5, %r5}; multimem.ld_reduce.acquire.gpu.global.add.acc::f32.v2.f16x2 {%r6, %r7}, [%rd3+16];"
              "st.global.v2.u32 [%rd1], {%r6, %r7};"),
          {1}, {2}, 2);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(words()[0], 0x40000000u);
  EXPECT_EQ(words()[1], 0x40800000u);
  EXPECT_EQ(words()[2], 0u);
  EXPECT_EQ(words()[3], 0x40080000u) << "3.0";
  EXPECT_EQ(words()[4], 0x44004000u) << "2 and 4";
  EXPECT_EQ(words()[5], 0x40004000u);
  EXPECT_EQ(words()[6], 0x46004000u) << "2 and 6";
  EXPECT_EQ(words()[8], 0x42003c00u);
  EXPECT_EQ(out[0], words()[4]);
  EXPECT_EQ(out[1], words()[5]);
}

TEST_F(EngineMultimem, small_floats_are_read_and_stored_as_bytes) {
  words()[0] = 0x44332211;
  const auto result = run(
      with_address("multimem.ld_reduce.add.acc::f16.v4.e4m3 {%q1, %q2, %q3, %q4}, [%rd3];"
                   "multimem.st.v4.e5m2 [%rd3+4], {%q4, %q3, %q2, %q1};"
                   "multimem.ld_reduce.min.v2.e4m3x2 {%h1, %h2}, [%rd3]; multimem.st.v2.e5m2x2 [%rd3+8], {%h2, %h1};"
                   "multimem.ld_reduce.max.e4m3x4 %r5, [%rd3]; multimem.st.e4m3x4 [%rd3+12], %r5;"),
      {1}, {1}, 1);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(words()[1], 0x11223344u);
  EXPECT_EQ(words()[2], 0x22114433u);
  EXPECT_EQ(words()[3], 0x44332211u);
}

TEST_F(EngineMultimem, other_addresses_and_other_instructions_are_faults) {
  const auto elsewhere = run(with_address("multimem.st.u32 [%rd1], 1;"), {1}, {1}, 1);
  ASSERT_FALSE(elsewhere);
  EXPECT_NE(elsewhere.error().message.find("no multicast object is mapped there"), std::string::npos)
      << elsewhere.error().message;
  const auto plain = run(with_address("ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd1], %r5;"), {1}, {1}, 1);
  ASSERT_FALSE(plain);
  EXPECT_NE(plain.error().message.find("a multicast object is mapped there, which is for multimem only"),
            std::string::npos)
      << plain.error().message;
  const auto past = run(with_address("multimem.st.v4.f32 [%rd3+248], {%f1, %f1, %f1, %f1};"), {1}, {1}, 1);
  EXPECT_FALSE(past);
}

TEST_F(EngineMultimem, forms_that_ptxas_does_not_take_are_refused) {
  for (const char* const form : {"multimem.red.add.s64 [%rd3], %rd1;", "multimem.red.min.f32 [%rd3], %f1;",
                                 "multimem.ld_reduce.add.acc::f32.f32 %f1, [%rd3];",
                                 "multimem.st.v2.u32 [%rd3], {%r1, %r2};", "multimem.red.min.f16x2 [%rd3], %r5;",
                                 "multimem.red.relaxed.add.u32 [%rd3], %r5;", "multimem.red.add.e4m3x4 [%rd3], %r5;",
                                 "multimem.st.f16 [%rd3], %h1;", "multimem.red.weak.add.u32 [%rd3], %r5;"})
    EXPECT_NE(refusal(with_address(form)), "") << form;
}

}  // namespace
}  // namespace bankshot::simt

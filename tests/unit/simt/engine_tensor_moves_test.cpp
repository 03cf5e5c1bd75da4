// tcgen05.cp of narrow elements, and tcgen05.ld.red.
#include <algorithm>

#include "tensor_product_harness.hpp"

namespace bankshot::simt {
namespace {

using EngineTensorMoves = TensorProductTest;

TEST_F(EngineTensorMoves, copies_give_narrow_elements_a_byte_each) {
  for (const unsigned bits : {4u, 6u}) {
    const Case c{std::string("tcgen05.cp.cta_group::1.128x256b.b8x16.") + (bits == 4 ? "b4x16_p64" : "b6x16_p32") +
                     " [%r9], %rd4",
                 0, kAny};
    const auto stats = run(text_of(c), {1, 1, 1}, {128, 1, 1}, 128 * kN);
    ASSERT_TRUE(stats) << stats.error().message;
    for (unsigned lane = 0; lane < 128; ++lane) {
      for (unsigned k = 0; k < 32; ++k) {
        const unsigned code = in_sixteen(kAny, place_a, lane, k, bits);
        ASSERT_EQ(out[lane * kN + k / 4] >> k % 4 * 8 & 0xff, bits == 4 ? code << 2 : code) << lane << ", " << k;
      }
    }
  }
}

TEST_F(EngineTensorMoves, loads_may_reduce) {
  // Four words that the copy brings: the sign and the order are those of the type.
  struct Form {
    const char* form;
    uint32_t (*both)(uint32_t, uint32_t);
  };
  static constexpr auto kFloat = [](uint32_t x) { return std::bit_cast<float>(x); };
  for (const Form& f :
       {Form{"max.f32", [](uint32_t a, uint32_t b) { return kFloat(a) > kFloat(b) ? a : b; }},
        Form{"min.f32", [](uint32_t a, uint32_t b) { return kFloat(a) < kFloat(b) ? a : b; }},
        Form{"max.abs.f32", [](uint32_t a, uint32_t b) { return std::max(a & 0x7fffffff, b & 0x7fffffff); }},
        Form{"min.u32", [](uint32_t a, uint32_t b) { return std::min(a, b); }},
        Form{"max.s32", [](uint32_t a, uint32_t b) {
               return static_cast<uint32_t>(std::max(static_cast<int32_t>(a), static_cast<int32_t>(b)));
             }}}) {
    const Case c{"tcgen05.cp.cta_group::1.128x128b [%r9], %rd4", 0, kWordsNearOne};
    std::string text = text_of(c);
    const std::string last = "bar.sync 0; @%p3 bra B;";
    text.insert(text.find(last), std::string("tcgen05.ld.red.sync.aligned.32x32b.x4.") + f.form +
                                     " {%r20, %r21, %r22, %r23}, %r24, [%r13]; tcgen05.wait::ld.sync.aligned; "
                                     "st.global.b32 [%rd6+16], %r24;\n");
    const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128 * kN);
    ASSERT_TRUE(stats) << stats.error().message;
    for (unsigned lane = 0; lane < 128; ++lane) {
      const uint32_t* const row = out.data() + lane * kN;
      ASSERT_EQ(row[4], f.both(f.both(row[0], row[1]), f.both(row[2], row[3]))) << f.form << " " << lane;
    }
  }
}

TEST_F(EngineTensorMoves, loads_of_two_halves_reduce_what_a_thread_loads) {
  const Case c{"tcgen05.cp.cta_group::1.128x128b [%r9], %rd4", 0, kWordsNearOne};
  std::string text = text_of(c);
  const std::string last = "bar.sync 0; @%p3 bra B;";
  text.insert(text.find(last),
              "tcgen05.ld.red.sync.aligned.16x32bx2.x2.max.u32 {%r20, %r21}, %r24, [%r13], 2; "
              "tcgen05.wait::ld.sync.aligned; st.global.b32 [%rd6+16], %r24;\n");
  const auto stats = run(text, {1, 1, 1}, {128, 1, 1}, 128 * kN);
  ASSERT_TRUE(stats) << stats.error().message;
  for (unsigned t = 0; t < 128; ++t) {
    const uint32_t* const row = out.data() + (t / 32 * 32 + t % 16) * kN + t % 32 / 16 * 2;
    ASSERT_EQ(out[t * kN + 4], std::max(row[0], row[1])) << t;
  }
}

}  // namespace
}  // namespace bankshot::simt

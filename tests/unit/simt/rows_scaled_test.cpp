// mma with .kind: elements of 4, 6 and 8 bits, and scale factors. Layouts are the manual's; the rule of the sums is in
// docs/ptx.md.
#include <bit>
#include <cmath>

#include "tensor_harness.hpp"

namespace bankshot::simt {
namespace {

class ScaledRows : public TensorTest {
 protected:
  static constexpr const char* kOnes = ", %e0, {0, 0}, %e1, {0, 0}";
  /// Scale factors that all are this byte.
  static MoreOperands with_scales(uint8_t a, uint8_t b, const std::string& text = kOnes) {
    MoreOperands more{text, TensorRegisters(2)};
    more.values[0].fill(a * 0x01010101u);
    more.values[1].fill(b * 0x01010101u);
    return more;
  }
  static float number(uint64_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }
};
INSTANTIATE_TEST_SUITE_P(hosts, ScaledRows, ::testing::Values("portable", "avx2", "avx512"),
                         [](const auto& info) { return std::string(info.param); });

struct SmallFormat {
  std::string name;
  int exponent, fraction;
  unsigned shift = 0;  ///< of the number in its byte
  unsigned bits() const { return static_cast<unsigned>(1 + exponent + fraction); }
  int bias() const { return (1 << (exponent - 1)) - 1; }
  /// By the definition of the format: no code is special but those of e4m3 and e5m2.
  float value(unsigned code) const {
    const unsigned magnitude = code & ((1u << (exponent + fraction)) - 1), field = magnitude >> fraction;
    const auto significand = static_cast<float>(magnitude & ((1u << fraction) - 1)) + (field == 0 ? 0 : 1 << fraction);
    float x = std::ldexp(significand, static_cast<int>(field == 0 ? 1 : field) - bias() - fraction);
    if (name == "e4m3" && magnitude == 0x7f) x = NAN;
    if (name == "e5m2" && field == 31) x = significand == 4 ? INFINITY : NAN;
    return code >> (exponent + fraction) != 0 ? -x : x;
  }
  /// The code of 1.
  unsigned one() const { return static_cast<unsigned>(bias()) << fraction; }
};
const SmallFormat kSmallFormats[] = {{"e4m3", 4, 3}, {"e5m2", 5, 2}, {"e3m2", 3, 2}, {"e2m3", 2, 3}, {"e2m1", 2, 1, 2}};

TEST_P(ScaledRows, each_code_of_a_format_is_its_number) {
  for (const SmallFormat& f : kSmallFormats) {
    for (const bool in_a : {true, false}) {
      const std::string text = "mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32." + (in_a ? f.name : "e4m3") + "." +
                               (in_a ? "e4m3" : f.name) + ".f32";
      for (unsigned code = 0; code < 1u << f.bits(); ++code) {
        // The first element along k alone: 1 in the other matrix. Padding is not looked at.
        const unsigned padding = f.bits() == 6 ? 0xc0 : f.bits() == 4 ? 0xc3 : 0;
        TensorRegisters coded(in_a ? 4 : 2);
        for (unsigned l = 0; l < 32; l += 4) coded[0][l] = code << f.shift | padding;
        const TensorRegisters ones = filled(in_a ? 2 : 4, 0x38383838);
        const float sum =
            number(multiply(text, 4, 4, in_a ? coded : ones, in_a ? ones : coded, filled(4, 0))[0][in_a ? 3 : 20]);
        const float expected = f.value(code);
        ASSERT_TRUE(sum == expected || (std::isnan(sum) && std::isnan(expected)))
            << f.name << " " << code << ": " << sum << ", not " << expected;
      }
    }
  }
}

TEST_P(ScaledRows, all_pairs_of_formats_count_their_ones) {
  for (const SmallFormat& fa : kSmallFormats) {
    for (const SmallFormat& fb : kSmallFormats) {
      const uint64_t one_a = (fa.one() << fa.shift) * 0x01010101u, one_b = (fb.one() << fb.shift) * 0x01010101u;
      const std::string types = fa.name + "." + fb.name;
      const auto f32 = multiply("mma.sync.aligned.kind::f8f6f4.m16n8k32.row.col.f32." + types + ".f32", 4, 4,
                                filled(4, one_a), filled(2, one_b), filled(4, 0x3f800000));
      EXPECT_EQ(number(f32[3][31]), 33.0f) << types;
      const auto f16 = multiply("mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16." + types + ".f16", 4, 2,
                                filled(4, one_a), filled(2, one_b), filled(2, 0x3c00'3c00));
      EXPECT_EQ(f16[1][31], 0x5020'5020u) << types << ": 33";
      const MoreOperands metadata{", %e0, 0", filled(1, 0x44444444)};
      const std::string sparse = "mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4";
      EXPECT_EQ(number(multiply(sparse + ".f32." + types + ".f32", 4, 4, filled(4, one_a), filled(4, one_b),
                                filled(4, 0x3f800000), metadata)[3][31]),
                33.0f)
          << types;
      EXPECT_EQ(multiply(sparse + ".f16." + types + ".f16", 4, 2, filled(4, one_a), filled(4, one_b),
                         filled(2, 0x3c00'3c00), metadata)[1][31],
                0x5020'5020u)
          << types;
      const std::string scaled = ".kind::mxf8f6f4.block_scale.f32." + types + ".f32.ue8m0";
      EXPECT_EQ(number(multiply("mma.sync.aligned.m16n8k32.row.col" + scaled, 4, 4, filled(4, one_a), filled(2, one_b),
                                filled(4, 0x3f800000), with_scales(128, 129))[3][31]),
                1 + 32 * 8.0f)
          << types;
      MoreOperands both = with_scales(128, 129, ", %e2, 0, %e0, {0, 0}, %e1, {0, 0}");
      both.values.push_back(metadata.values[0]);
      EXPECT_EQ(number(multiply("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col" + scaled, 4, 4,
                                filled(4, one_a), filled(4, one_b), filled(4, 0x3f800000), both)[3][31]),
                1 + 32 * 8.0f)
          << types;
    }
  }
}

/// A form with scale factors whose elements of A and B are all 1.
struct ScaledForm {
  std::string shape, kind, types;
  unsigned scales;       ///< of a row
  unsigned registers_b;  ///< A has four
  uint32_t one;
  float products;  ///< of a row that belong to one scale factor
};

TEST_P(ScaledRows, rows_and_columns_have_the_scale_factors_that_byte_and_thread_choose) {
  const ScaledForm forms[] = {
      {"m16n8k32", "kind::mxf8f6f4.block_scale.scale_vec::1X", "f32.e4m3.e4m3.f32.ue8m0", 1, 2, 0x38383838, 32},
      {"m16n8k64", "kind::mxf4.block_scale", "f32.e2m1.e2m1.f32.ue8m0", 2, 2, 0x22222222, 32},
      {"m16n8k64", "kind::mxf4.block_scale.scale_vec::2X", "f32.e2m1.e2m1.f32.ue8m0", 2, 2, 0x22222222, 32},
      {"m16n8k64", "kind::mxf4nvf4.block_scale.scale_vec::2X", "f32.e2m1.e2m1.f32.ue8m0", 2, 2, 0x22222222, 32},
      {"m16n8k64", "kind::mxf4nvf4.block_scale.scale_vec::4X", "f32.e2m1.e2m1.f32.ue4m3", 4, 2, 0x22222222, 16},
      {"m16n8k64", "kind::mxf8f6f4.block_scale", "f32.e4m3.e4m3.f32.ue8m0", 1, 4, 0x38383838, 32},
      {"m16n8k128", "kind::mxf4.block_scale", "f32.e2m1.e2m1.f32.ue8m0", 2, 4, 0x22222222, 32},
      {"m16n8k128", "kind::mxf4nvf4.block_scale.scale_vec::2X", "f32.e2m1.e2m1.f32.ue8m0", 2, 4, 0x22222222, 32},
      {"m16n8k128", "kind::mxf4nvf4.block_scale.scale_vec::4X", "f32.e2m1.e2m1.f32.ue4m3", 4, 4, 0x22222222, 16},
  };
  std::mt19937_64 random(8);
  for (const ScaledForm& f : forms) {
    const bool sparse = f.registers_b == 4, powers = f.types.ends_with("ue8m0");
    // Scale factors near 1, of which sums are exact.
    const auto factor = [&](uint8_t byte) {
      return powers ? std::ldexp(1.0f, byte - 127) : SmallFormat{"e4m3", 4, 3}.value(byte);
    };
    TensorRegisters data(2);
    for (auto& lanes : data) {
      for (uint64_t& word : lanes) {
        for (unsigned byte = 0; byte < 4; ++byte)
          word |= (powers ? 125 + random() % 5 : 0x30 + random() % 16) << 8 * byte;
      }
    }
    for (unsigned byte = 0; byte < 4; byte += f.scales) {
      for (unsigned thread_a = 0; thread_a < 2; ++thread_a) {
        for (unsigned thread_b = 0; thread_b < 4; ++thread_b) {
          const unsigned byte_b = 4 - f.scales - byte;
          MoreOperands more{", %e0, {" + std::to_string(byte) + ", " + std::to_string(thread_a) + "}, %e1, {" +
                                std::to_string(byte_b) + ", " + std::to_string(thread_b) + "}",
                            data};
          if (sparse) {
            more.text = ", %e2, 0" + more.text;
            more.values.push_back(filled(1, 0x44444444)[0]);
          }
          const std::string text = std::string(sparse ? "mma.sp::ordered_metadata" : "mma") + ".sync.aligned." +
                                   f.shape + ".row.col." + f.kind + "." + f.types;
          const TensorRegisters rd =
              multiply(text, 4, 4, filled(4, f.one), filled(f.registers_b, f.one), filled(4, 0x40000000), more);
          for (unsigned l = 0; l < 32; ++l) {
            for (unsigned i = 0; i < 4; ++i) {
              const FragmentPlace p = place_in_c(l, i);
              // Rows 0 to 7 are with the lower thread of the pair, 8 to 15 with the upper.
              const unsigned lane_a = p.row % 8 * 4 + thread_a * 2 + p.row / 8, lane_b = p.column * 4 + thread_b;
              float sum = 2;
              for (unsigned k = 0; k < f.scales; ++k)
                sum += f.products * factor(static_cast<uint8_t>(data[0][lane_a] >> 8 * (byte + k))) *
                       factor(static_cast<uint8_t>(data[1][lane_b] >> 8 * (byte_b + k)));
              ASSERT_EQ(number(rd[i][l]), sum) << text << more.text << " row " << p.row << " column " << p.column;
            }
          }
        }
      }
    }
  }
}

TEST_P(ScaledRows, parts_of_k_have_scale_factors_in_order) {
  // A is 1 in one of four parts of k, and 0 in the others.
  const std::string text =
      "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3";
  MoreOperands more{kOnes, TensorRegisters(2)};
  more.values[0].fill(0x50'48'40'38);  // 8, 4, 2, 1 from the last on
  more.values[1].fill(0x38'38'38'38);
  for (unsigned part = 0; part < 4; ++part) {
    TensorRegisters a(4);
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned i = 0; i < 32; ++i) {
        if (place_in_a(16, 4, l, i).column / 16 == part) put_bits(a, l, i, 4, 2);
      }
    }
    const TensorRegisters rd = multiply(text, 4, 4, a, filled(2, 0x22222222), filled(4, 0), more);
    EXPECT_EQ(number(rd[2][17]), 16.0f * static_cast<float>(1 << part)) << part;
  }
}

TEST_P(ScaledRows, sums_of_products_keep_25_places_and_those_of_groups_35) {
  // The accumulator is 1. All products but the first of k are alike.
  const auto bytes = [&](uint8_t scale_a, uint32_t element) {
    TensorRegisters a = filled(4, element * 0x01010101u), b = filled(2, 0x38383838);
    for (unsigned l = 0; l < 32; l += 4) a[0][l] &= ~uint64_t{0xff};  // k = 0 of rows 0 to 7
    return number(multiply("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0", 4, 4,
                           a, b, filled(4, 0x3f800000), with_scales(scale_a, 127))[0][0]);
  };
  EXPECT_EQ(bytes(127 - 26, 0x38), 1.0f) << "31 products of 2^-26 beside 1: each is cut off";
  EXPECT_EQ(bytes(127 - 25, 0x38), 1 + 7 * 0x1p-23f) << "31 of 2^-25: 7.75 units in the last place of 1";
  // Sixteen products of packed e2m1 are one addend, though each may be below 2^-35. Another addend is -1, and the
  // accumulator 1, so that the first is what is left.
  const auto groups = [&](uint64_t element, uint8_t scale) {
    TensorRegisters a = filled(4, 0), b = filled(2, 0x22222222);
    for (unsigned l = 0; l < 32; ++l) {
      for (unsigned i = 0; i < 32; ++i) {
        const unsigned k = place_in_a(16, 4, l, i).column;
        if (k < 16) put_bits(a, l, i, 4, element);
        if (k == 32) put_bits(a, l, i, 4, 0xa);  // -1
      }
    }
    MoreOperands more{kOnes, TensorRegisters(2)};
    more.values[0].fill(127u << 8 | scale);
    more.values[1].fill(127u << 8 | 127u);
    return number(multiply("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0", 4, 4, a,
                           b, filled(4, 0x3f800000), more)[0][0]);
  };
  EXPECT_EQ(groups(1, 127 - 36), 0x1p-33f) << "16 · 1/2 · 2^-36";
  EXPECT_EQ(groups(1, 127 - 38), 0x1p-35f);
  EXPECT_EQ(groups(1, 127 - 39), 0.0f) << "2^-36 is cut off";
  EXPECT_EQ(groups(3, 127 - 39), 0x1p-35f) << "of 1.5 · 2^-35, 2^-35 stays";
}

TEST_P(ScaledRows, extreme_scale_factors) {
  const auto sum = [&](uint8_t a, uint8_t b, uint32_t element = 0x38, uint32_t c = 0) {
    return multiply("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue8m0", 4, 4,
                    filled(4, element * 0x01010101u), filled(2, 0x38383838), filled(4, c), with_scales(a, b))[0][9];
  };
  EXPECT_EQ(number(sum(254, 0)), 32.0f) << "2^127 · 2^-127";
  EXPECT_EQ(number(sum(0, 127)), 0x1p-122f) << "32 · 2^-127";
  EXPECT_EQ(number(sum(0, 104)), 0x1p-145f) << "a subnormal sum";
  EXPECT_EQ(sum(0, 0), 0u);
  EXPECT_EQ(sum(254, 254), 0x7f800000u);
  EXPECT_EQ(sum(255, 127), 0x7fffffffu) << "NaN";
  EXPECT_EQ(sum(127, 255, 0), 0x7fffffffu) << "NaN times 0";
  EXPECT_EQ(sum(254, 254, 0, 0x3f800000), 0x3f800000u) << "zeros do not count";
  const auto nv = [&](uint8_t a, uint8_t b) {
    return multiply(
        "mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3", 4, 4,
        filled(4, 0x22222222), filled(2, 0x22222222), filled(4, 0), with_scales(a, b))[0][9];
  };
  EXPECT_EQ(number(nv(0x7e, 0x01)), 64 * 448 * 0x1p-9f);
  EXPECT_EQ(number(nv(0xb8, 0x38)), 64.0f) << "without a sign: bit 7 does not count";
  EXPECT_EQ(nv(0x7f, 0x38), 0x7fffffffu);
  EXPECT_EQ(nv(0x00, 0x38), 0u);
}

class EngineScaledRows : public ScaledRows {
 protected:
  float first = 0;  ///< the first sum of the first lane
};
INSTANTIATE_TEST_SUITE_P(hosts, EngineScaledRows, ::testing::Values("portable"),
                         [](const auto& info) { return std::string(info.param); });

/// A kernel whose threads choose with registers: %h1 to %h4 are byte and thread of A, and of B.
std::string chooses(const std::string& body) {
  return ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .b32 %r<20>; .reg "
         ".b16 %h<9>; .reg .f32 %f<9>; .reg .pred %p1; .reg .b64 %rd<3>;\nld.param.u64 %rd1, [p]; mov.u32 %r9, "
         "%laneid;\nmov.b16 %h1, 0; mov.b16 %h2, 0; mov.b16 %h3, 0; mov.b16 %h4, 0;\n" +
         body +
         "\nmma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f1,%f2,%f3,%f4}, "
         "{%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f5,%f6,%f7,%f8}, %r7, {%h1, %h2}, {%r8}, {%h3, %h4};\n"
         "setp.eq.u32 %p1, %r9, 0; @%p1 st.global.f32 [%rd1], %f1;\nret;\n}\n";
}

TEST_P(EngineScaledRows, registers_choose_scale_factors) {
  const auto run = [&](const std::string& body) -> Result<LaunchStats, Fault> {
    const auto program = engine().load(chooses(body), "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", chooses(body));
      return Fault{};
    }
    const uint64_t buffer = *engine().memory().allocate(64, MemoryKind::device);
    LaunchConfig config;
    config.block = {32, 1, 1};
    config.params = std::as_bytes(std::span(&buffer, 1));
    auto result = engine().launch(**program, "k", config);
    std::memcpy(&first, reinterpret_cast<const void*>(buffer), sizeof first);
    engine().memory().free(buffer);
    return result;
  };
  const std::string ones =
      "mov.b32 %r1, 0x22222222; mov.b32 %r2, %r1; mov.b32 %r3, %r1; mov.b32 %r4, %r1; mov.b32 %r5, %r1; mov.b32 %r6, "
      "%r1; mov.f32 %f5, 0f00000000; mov.f32 %f6, %f5; mov.f32 %f7, %f5; mov.f32 %f8, %f5; mov.b32 %r8, 0x7f7f7f7f; "
      "mov.b32 %r7, 0x82817f7f;";
  ASSERT_TRUE(run(ones));
  EXPECT_EQ(first, 64.0f);
  ASSERT_TRUE(run(ones + "mov.b16 %h1, 2; mov.b16 %h4, 3;"));
  EXPECT_EQ(first, 32 * 4.0f + 32 * 8.0f);
  const auto says = [&](const std::string& body, const std::string& what) {
    const auto result = run(ones + body);
    ASSERT_FALSE(result);
    EXPECT_NE(result.error().message.find(what), std::string::npos) << result.error().message;
  };
  says("mov.b16 %h3, 1;", "the byte of the scale factors of B, in this form 0 or 2, but this one gives 1");
  says("mov.b16 %h2, 2;", "the thread of the scale factors of A, in this form 0 or 1, but this one gives 2");
  says("setp.eq.u32 %p1, %r9, 7; @%p1 mov.b16 %h4, 1;",
       "all threads of the warp have to give the same number for the thread of the scale factors of B");
}

TEST(ScaledForms, rejects_what_ptxas_refuses) {
  Engine engine{EngineOptions{}};
  const auto refusal = [&](const std::string& form, const std::string& behind) {
    const bool sparse = form.find("sp") == 0;
    const std::string text =
        ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k() {\n.reg .b32 %r<20>; .reg .b16 "
        "%h<4>;\nmma." +
        form + " {%r0,%r1,%r2,%r3}, {%r4,%r5,%r6,%r7}, " + (sparse ? "{%r8,%r9,%r16,%r17}" : "{%r8,%r9}") +
        ", {%r10,%r11,%r12,%r13}" + behind + ";\nret;\n}\n";
    const auto program = engine.load(text, "test.ptx");
    return program ? "" : format_diagnostics(program.error(), "test.ptx", text);
  };
  const auto says = [&](const std::string& form, const std::string& behind, const std::string& what) {
    EXPECT_NE(refusal(form, behind).find(what), std::string::npos) << refusal(form, behind);
  };
  const std::string mx8 = "sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e2m1.f32.ue8m0";
  const std::string mx4 = "sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0";
  const std::string nv4 =
      "sync.aligned.kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3";
  EXPECT_EQ(refusal(mx8, ", %r14, {3, 1}, %r15, {2, 3}"), "");
  EXPECT_EQ(refusal(mx8, ", {%r14}, {%h0, 1}, {%r15}, {%h1, %h2}"), "");
  EXPECT_EQ(refusal(mx4, ", %r14, {2, 1}, %r15, {2, 3}"), "");
  EXPECT_EQ(refusal(nv4, ", %r14, {0, 1}, %r15, {0, 3}"), "");
  says(mx8, ", %r14, {4, 0}, %r15, {0, 0}", "the byte of the scale factors of A is 0 to 3 in this form, found 4");
  says(mx8, ", %r14, {0, 2}, %r15, {0, 0}", "the thread of the scale factors of A is 0 or 1 in this form, found 2");
  says(mx8, ", %r14, {0, 0}, %r15, {0, 4}", "the thread of the scale factors of B is 0 to 3 in this form, found 4");
  says(mx4, ", %r14, {0, 0}, %r15, {1, 0}", "the byte of the scale factors of B is 0 or 2 in this form, found 1");
  says(nv4, ", %r14, {2, 0}, %r15, {0, 0}", "the byte of the scale factors of A is 0 in this form, found 2");
  says(mx8, ", %r14, 0, %r15, 0", "expected the byte and the thread of scale factors");
  says(mx8, ", 127, {0, 0}, %r15, {0, 0}", "a register in this form, not a number");
  says(mx8, "", "takes 8 operands here, found 4");
  const std::string scales = ", %r14, {0, 0}, %r15, {0, 0}";
  for (const std::string form :
       {"sync.aligned.m16n8k32.row.col.f32.e4m3.e2m1.f32",  // without .kind
        "sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::2X.f32.e4m3.e4m3.f32.ue8m0",
        "sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.f32.e4m3.e4m3.f32.ue4m3",
        "sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
        "sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue4m3",
        "sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.f32.e2m1.e2m1.f32.ue8m0",
        "sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue8m0",
        "sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::2X.f32.e2m1.e2m1.f32.ue4m3",
        "sp.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32.e3m2.e2m1.f32"}) {
    EXPECT_NE(refusal(form, scales), "") << form;
  }
}

}  // namespace
}  // namespace bankshot::simt

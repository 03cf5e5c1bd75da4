// Matrices between memory and the lanes of a warp: wmma, ldmatrix, stmatrix, movmatrix; what their accesses cost.
#include <bit>
#include <cmath>
#include <random>

#include "bankshot/simt/matrices/fragment.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

class EngineMatrix : public EngineTest {
 protected:
  /// The one site whose text begins so.
  static const scratchpad::SiteCounter* site(const LaunchStats& stats, const std::string& op) {
    for (const SiteReport& report : stats.sites) {
      if (report.op.starts_with(op)) return &report.counter;
    }
    return nullptr;
  }
};

/// Shared memory `s` where the half at byte b holds b / 2; %r5 = lane.
const std::string kNumbered =
    ".shared .align 128 .b8 s[4608];\nmov.u32 %r5, %laneid; shl.b32 %r6, %r5, 2;\n"
    "L: shr.u32 %r7, %r6, 1; add.u32 %r8, %r7, 1; shl.b32 %r8, %r8, 16; or.b32 %r7, %r7, %r8; mov.u32 %r9, s; add.u32 "
    "%r9, %r9, %r6;\n"
    "st.shared.u32 [%r9], %r7; add.u32 %r6, %r6, 128; setp.lt.u32 %p1, %r6, 4608; @%p1 bra L; bar.warp.sync "
    "0xffffffff;\n";

std::string times_pitch(unsigned pitch) {
  return "mul.lo.u32 %r10, %r5, " + std::to_string(pitch) + "; mov.u32 %r9, s; add.u32 %r10, %r10, %r9;\n";
}

/// out[4 * lane + k] = %r(20 + k)
const std::string kStoreFour =
    "mul.wide.u32 %rd3, %r5, 16; add.u64 %rd3, %rd1, %rd3; st.global.v4.u32 [%rd3], {%r20, %r21, %r22, %r23};\n";

TEST_F(EngineMatrix, ldmatrix_gives_each_lane_its_words_and_costs_a_phase_for_eight_lines) {
  struct Case {
    unsigned pitch;
    uint64_t wavefronts;  // 4 words a line: 8 lines that are 4, 8, 36, 32 words apart
  };
  for (const Case& one : {Case{16, 4}, Case{32, 8}, Case{144, 4}, Case{128, 32}}) {
    for (const bool trans : {false, true}) {
      for (const std::string space : {".shared", ""}) {
        const std::string to_generic = space.empty() ? "cvt.u64.u32 %rd5, %r10; cvta.shared.u64 %rd5, %rd5;\n" : "";
        const std::string text =
            kernel(kNumbered + times_pitch(one.pitch) + to_generic + "ldmatrix.sync.aligned.m8n8.x4" +
                   (trans ? ".trans" : "") + space + ".b16 {%r20, %r21, %r22, %r23}, [" +
                   (space.empty() ? "%rd5" : "%r10") + "];\n" + kStoreFour);
        const auto stats = run(text, {1, 1, 1}, {32, 1, 1}, 128);
        ASSERT_TRUE(stats) << stats.error().message;
        for (unsigned l = 0; l < 32; ++l) {
          for (unsigned j = 0; j < 4; ++j) {
            // Line r of matrix j begins at half (8 j + r) pitch / 2.
            const auto half = [&](unsigned line, unsigned column) { return (8 * j + line) * one.pitch / 2 + column; };
            const uint32_t low = trans ? half(l % 4 * 2, l / 4) : half(l / 4, l % 4 * 2);
            const uint32_t high = trans ? half(l % 4 * 2 + 1, l / 4) : half(l / 4, l % 4 * 2 + 1);
            ASSERT_EQ(out[4 * l + j], low | high << 16) << "pitch " << one.pitch << " lane " << l << " matrix " << j;
          }
        }
        const auto* counter = site(*stats, "ldmatrix");
        ASSERT_NE(counter, nullptr);
        EXPECT_EQ(counter->accesses, 1u);
        EXPECT_EQ(counter->wavefronts, one.wavefronts) << one.pitch;
        EXPECT_EQ(counter->ideal, 4u);
      }
    }
  }
}

TEST_F(EngineMatrix, fewer_matrices_take_the_addresses_of_fewer_lanes) {
  // Lanes that give no line have addresses far outside.
  const std::string far = "setp.ge.u32 %p2, %r5, 16; @%p2 mov.u32 %r10, 0xfffff000;\n";
  const auto stats =
      run(kernel(kNumbered + times_pitch(16) + far +
                 "ldmatrix.sync.aligned.x2.m8n8.shared.b16 {%r20, %r21}, [%r10];\nmov.u32 %r22, 0; mov.u32 %r23, 0;\n" +
                 kStoreFour),
          {1, 1, 1}, {32, 1, 1}, 128);
  ASSERT_TRUE(stats) << stats.error().message;
  EXPECT_EQ(out[4 * 31 + 1], 126u | 127u << 16) << "the last two halves of 16 lines of 8";
  EXPECT_EQ(site(*stats, "ldmatrix")->wavefronts, 2u);
}

/// FlashInfer loads half of a matrix so, and sums rows with mma.
TEST_F(EngineMatrix, registers_of_a_matrix_that_nobody_needs_may_be_missing) {
  const std::string whole = "{%r20, %r21, %r22, %r23}, [%r10];\n", load = "ldmatrix.sync.aligned.m8n8.x4.shared.b16 ";
  ASSERT_TRUE(run(kernel(kNumbered + times_pitch(16) + load + whole + kStoreFour), {1, 1, 1}, {32, 1, 1}, 128));
  const std::vector<uint32_t> all = out;
  ASSERT_TRUE(run(kernel(kNumbered + times_pitch(16) + "mov.u32 %r21, 7; mov.u32 %r23, 8;\n" + load +
                         "{%r20, _, %r22, _}, [%r10];\n" + kStoreFour),
                  {1, 1, 1}, {32, 1, 1}, 128));
  for (unsigned l = 0; l < 32; ++l) {
    EXPECT_EQ(out[4 * l], all[4 * l]);
    EXPECT_EQ(out[4 * l + 1], 7u);
    EXPECT_EQ(out[4 * l + 2], all[4 * l + 2]);
    EXPECT_EQ(out[4 * l + 3], 8u);
  }
  // Rows of ones times columns of ones: 16, and the accumulator.
  ASSERT_TRUE(
      run(kernel("mov.u32 %r5, %laneid; mov.b32 %r6, 0x3c003c00; mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000;\n"
                 "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f3, _, %f4, _}, {%r6, %r6, %r6, %r6}, "
                 "{%r6, %r6}, {%f1, 0., %f2, 0.};\n"
                 "mov.b32 %r20, %f3; mov.b32 %r21, %f4; mov.u32 %r22, 0; mov.u32 %r23, 0;\n" +
                 kStoreFour),
          {1, 1, 1}, {32, 1, 1}, 128));
  EXPECT_EQ(out[4], std::bit_cast<uint32_t>(17.0f));
  EXPECT_EQ(out[5], std::bit_cast<uint32_t>(18.0f));
  EXPECT_NE(refusal(kernel("movmatrix.sync.aligned.m8n8.trans.b16 _, %r6;\n")).find("needs a register to write"),
            std::string::npos);
}

TEST_F(EngineMatrix, stmatrix_and_movmatrix_undo_ldmatrix) {
  // Load, turn twice, store 512 bytes further, read back.
  for (const std::string form : {"x4.trans.m8n8", "m8n8.x4.trans"}) {
    const std::string body =
        kNumbered + times_pitch(16) +
        "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r20, %r21, %r22, %r23}, [%r10];\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r20;\nadd.u32 %r11, %r10, 2048;\n"
        "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r20;\n"
        "stmatrix.sync.aligned." +
        form +
        ".shared.b16 [%r11], {%r20, %r21, %r22, %r23};\n"
        "bar.warp.sync 0xffffffff; shl.b32 %r12, %r5, 4; add.u32 %r12, %r12, %r9; ld.shared.v4.u32 "
        "{%r20, %r21, %r22, %r23}, [%r12+2048];\n" +
        kStoreFour;
    const auto stats = run(kernel(body), {1, 1, 1}, {32, 1, 1}, 128);
    ASSERT_TRUE(stats) << stats.error().message;
    for (uint32_t k = 0; k < 128; ++k) ASSERT_EQ(out[k], 2 * k | (2 * k + 1) << 16);
    EXPECT_EQ(site(*stats, "stmatrix")->wavefronts, 4u);
  }
}

struct WmmaForm {
  std::string shape, ab, c, d;
  unsigned m, n, k;
};

/// A number as an element, and back.
uint64_t element_bits(const std::string& type, int value) {
  if (type == "f64") return std::bit_cast<uint64_t>(static_cast<double>(value));
  if (type == "f32" || type == "tf32") return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (type == "bf16") return std::bit_cast<uint32_t>(static_cast<float>(value)) >> 16;
  if (type == "f16") {  // |value| < 2048: exact
    if (value == 0) return 0;
    const int magnitude = std::abs(value), top = 31 - std::countl_zero(static_cast<unsigned>(magnitude));
    return (value < 0 ? 0x8000u : 0u) | static_cast<unsigned>(top + 15) << 10 |
           ((static_cast<unsigned>(magnitude) << (10 - top)) & 0x3ffu);
  }
  return static_cast<uint64_t>(value);
}

void put_element(std::vector<std::byte>& bytes, size_t index, unsigned bits, uint64_t value) {
  if (bits >= 8) {
    std::memcpy(bytes.data() + index * bits / 8, &value, bits / 8);
    return;
  }
  const size_t at = index * bits / 8, shift = index * bits % 8;
  const auto mask = static_cast<unsigned>((1u << bits) - 1);
  bytes[at] = static_cast<std::byte>((std::to_integer<unsigned>(bytes[at]) & ~(mask << shift)) |
                                     (static_cast<unsigned>(value) & mask) << shift);
}

uint64_t get_element(const std::byte* bytes, size_t index, unsigned bits) {
  uint64_t value = 0;
  std::memcpy(&value, bytes + index * bits / 8, bits / 8);
  return value;
}

TEST_F(EngineMatrix, wmma_multiplies_matrices_of_every_type_layout_and_space) {
  std::vector<WmmaForm> forms;
  for (const auto& [shape, m, n] :
       {std::tuple("m16n16k16", 16u, 16u), std::tuple("m32n8k16", 32u, 8u), std::tuple("m8n32k16", 8u, 32u)}) {
    forms.push_back({shape, "f16", "f32", "f32", m, n, 16});
    forms.push_back({shape, "f16", "f16", "f16", m, n, 16});
    forms.push_back({shape, "f16", "f16", "f32", m, n, 16});
    forms.push_back({shape, "bf16", "f32", "f32", m, n, 16});
    forms.push_back({shape, "s8", "s32", "s32", m, n, 16});
    forms.push_back({shape, "u8", "s32", "s32", m, n, 16});
  }
  forms.push_back({"m16n16k8", "tf32", "f32", "f32", 16, 16, 8});
  forms.push_back({"m8n8k4", "f64", "f64", "f64", 8, 8, 4});
  forms.push_back({"m8n8k32", "s4", "s32", "s32", 8, 8, 32});
  forms.push_back({"m8n8k32", "u4", "s32", "s32", 8, 8, 32});
  forms.push_back({"m8n8k128", "b1", "s32", "s32", 8, 8, 128});
  std::mt19937 random(1);
  for (const WmmaForm& f : forms) {
    const bool fixed = f.ab == "s4" || f.ab == "u4" || f.ab == "b1";
    for (unsigned variant = 0; variant < 12; ++variant) {
      const bool a_col = !fixed && (variant & 1) != 0, b_col = fixed || (variant & 2) != 0, c_col = (variant & 1) != 0,
                 d_col = (variant & 2) == 0;
      const unsigned where = variant / 4;  // global, shared, generic addresses of shared
      MatrixShape shape;
      ASSERT_TRUE(MatrixShape::named(f.shape, shape));
      using Role = Fragment::Role;
      const Fragment a{Role::a, element_named(f.ab), shape}, b{Role::b, element_named(f.ab), shape},
          c{Role::c, element_named(f.c), shape}, d{Role::c, element_named(f.d), shape};
      // Rows (or columns) with a gap of 16 bytes behind each.
      const auto stride_of = [](unsigned along, unsigned bits) { return along + 128 / bits; };
      const unsigned ab_bits = bits(a.element), c_bits = bits(c.element), d_bits = bits(d.element);
      const unsigned sa = stride_of(a_col ? f.m : f.k, ab_bits), sb = stride_of(b_col ? f.k : f.n, ab_bits);
      const unsigned sc = stride_of(c_col ? f.m : f.n, c_bits), sd = stride_of(d_col ? f.m : f.n, d_bits);
      constexpr size_t kArea = 4096;
      std::vector<std::byte> bytes(4 * kArea);
      const auto value = [&] {
        return f.ab == "b1" ? static_cast<int>(random() % 2)
                            : static_cast<int>(random() % 8) - (f.ab[0] == 'u' ? 0 : 4);
      };
      std::vector<int> ma(f.m * f.k), mb(f.k * f.n), mc(f.m * f.n);
      std::vector<std::byte> area(kArea);
      const auto place = [&](std::vector<int>& matrix, unsigned columns, bool col, unsigned stride,
                             const std::string& type, unsigned size, size_t at, bool sums) {
        std::fill(area.begin(), area.end(), std::byte{0x77});
        for (unsigned e = 0; e < matrix.size(); ++e) {
          matrix[e] = sums ? static_cast<int>(random() % 64) - 32 : value();
          put_element(area, col ? e % columns * stride + e / columns : e / columns * stride + e % columns, size,
                      element_bits(type, matrix[e]));
        }
        std::copy(area.begin(), area.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at));
      };
      place(ma, f.k, a_col, sa, f.ab, ab_bits, 0, false);
      place(mb, f.n, b_col, sb, f.ab, ab_bits, kArea, false);
      place(mc, f.n, c_col, sc, f.c, c_bits, 2 * kArea, true);

      const std::string ss = where == 0 ? ".global" : where == 1 ? ".shared" : "", base = where == 1 ? "%r10" : "%rd5";
      const auto registers = [](const char* name, unsigned count) {
        std::string text = "{";
        for (unsigned k = 0; k < count; ++k) text += std::string(k == 0 ? "%" : ", %") + name + std::to_string(k);
        return text + "}";
      };
      const auto declare = [](const char* name, unsigned count, unsigned size) {
        return ".reg .b" + std::to_string(size * 8) + " %" + name + "<" + std::to_string(count) + ">;\n";
      };
      const auto address = [&](size_t at) { return "[" + base + "+" + std::to_string(at) + "]"; };
      const auto layout = [](bool col) { return std::string(col ? "col" : "row"); };
      std::string body = ".shared .align 128 .b8 s[16384];\n" + declare("a", a.wmma_registers(), a.register_bytes()) +
                         declare("b", b.wmma_registers(), b.register_bytes()) +
                         declare("c", c.registers(), c.register_bytes()) +
                         declare("d", d.registers(), d.register_bytes()) +
                         "mov.u32 %r5, %laneid; mov.u32 %r10, s; mov.u64 %rd5, %rd1;\n";
      const auto copy = [](const std::string& label, const std::string& load, const std::string& store) {
        return "shl.b32 %r6, %r5, 2;\n" + label +
               ": cvt.u64.u32 %rd6, %r6; add.u64 %rd6, %rd6, %rd1; add.u32 %r7, %r10, %r6;\n" + load + store +
               "add.u32 %r6, %r6, 128; setp.lt.u32 %p1, %r6, 16384; @%p1 bra " + label +
               "; bar.warp.sync 0xffffffff;\n";
      };
      if (where != 0) body += copy("IN", "ld.global.u32 %r8, [%rd6];\n", "st.shared.u32 [%r7], %r8;\n");
      if (where == 2) body += "cvt.u64.u32 %rd5, %r10; cvta.shared.u64 %rd5, %rd5;\n";
      const auto load = [&](const std::string& role, bool col, const std::string& type, const std::string& to,
                            size_t at, unsigned stride) {
        return "wmma.load." + role + ".sync.aligned." + layout(col) + "." + f.shape + ss + "." + type + " " + to +
               ", " + address(at) + ", " + std::to_string(stride) + ";\n";
      };
      body += load("a", a_col, f.ab, registers("a", a.wmma_registers()), 0, sa) +
              load("b", b_col, f.ab, registers("b", b.wmma_registers()), kArea, sb) +
              load("c", c_col, f.c, registers("c", c.registers()), 2 * kArea, sc);
      std::string product = "wmma.mma" + std::string(f.ab == "b1" ? ".xor.popc" : "") + ".sync.aligned." +
                            layout(a_col) + "." + layout(b_col) + "." + f.shape;
      product += f.ab == "f16" ? "." + f.d + "." + f.c
                               : "." + f.d + "." + f.ab + "." + f.ab + "." + f.c +
                                     (f.ab == "f64" && variant % 2 == 0 ? ".rn" : "");
      body += product + " " + registers("d", d.registers()) + ", " + registers("a", a.wmma_registers()) + ", " +
              registers("b", b.wmma_registers()) + ", " + registers("c", c.registers()) + ";\n";
      body += "wmma.store.d.sync.aligned." + layout(d_col) + "." + f.shape + ss + "." + f.d + " " + address(3 * kArea) +
              ", " + registers("d", d.registers()) + ", " + std::to_string(sd) + ";\n";
      if (where != 0)
        body +=
            "bar.warp.sync 0xffffffff;\n" + copy("OUT", "ld.shared.u32 %r8, [%r7];\n", "st.global.u32 [%rd6], %r8;\n");

      const std::string text = kernel(body);
      const auto program = engine().load(text, "test.ptx");
      ASSERT_TRUE(program) << format_diagnostics(program.error(), "test.ptx", text);
      const uint64_t buffer = *engine().memory().allocate(bytes.size(), MemoryKind::device);
      std::memcpy(reinterpret_cast<void*>(buffer), bytes.data(), bytes.size());
      LaunchConfig config;
      config.block = {32, 1, 1};
      config.params = std::as_bytes(std::span(&buffer, 1));
      const auto stats = engine().launch(**program, "k", config);
      ASSERT_TRUE(stats) << stats.error().message << "\n" << text;
      const auto* const result = reinterpret_cast<const std::byte*>(buffer) + 3 * kArea;
      for (unsigned row = 0; row < f.m; ++row) {
        for (unsigned column = 0; column < f.n; ++column) {
          int sum = mc[row * f.n + column];
          for (unsigned q = 0; q < f.k; ++q) {
            const int x = ma[row * f.k + q], y = mb[q * f.n + column];
            sum += f.ab == "b1" ? x ^ y : x * y;
          }
          const size_t at = d_col ? column * sd + row : row * sd + column;
          const uint64_t expected = element_bits(f.d, sum) & (~uint64_t{0} >> (64 - d_bits));
          ASSERT_EQ(get_element(result, at, d_bits), expected)
              << product << " variant " << variant << " row " << row << " column " << column;
        }
      }
      engine().memory().free(buffer);
    }
  }
}

/// A kernel that loads one matrix from shared memory at a stride.
std::string loads_once(const std::string& form, unsigned registers, unsigned stride) {
  std::string list = "{";
  for (unsigned k = 0; k < registers; ++k) list += (k == 0 ? "%r" : ", %r") + std::to_string(10 + k);
  return ".shared .align 128 .b8 s[16384];\nmov.u32 %r5, s;\nwmma.load." + form + " " + list + "}, [%r5], " +
         std::to_string(stride) + ";\n";
}

TEST_F(EngineMatrix, wmma_costs_what_machine_code_for_sm_80_accesses) {
  struct Case {
    std::string form;
    unsigned registers, stride;
    uint64_t accesses, wavefronts, ideal;
  };
  const Case cases[] = {
      // ldmatrix.x4: 4 cores of 8 lines of 16 bytes. A pitch of 32 bytes: lines 8 words apart, two on a bank. Of 128:
      // eight.
      {"a.sync.aligned.row.m16n16k16.shared.f16", 8, 16, 1, 8, 4},
      {"a.sync.aligned.row.m16n16k16.shared.f16", 8, 64, 1, 32, 4},
      {"a.sync.aligned.row.m16n16k16.shared.f16", 8, 72, 1, 4, 4},  // 144 bytes: 4 banks further each line
      {"b.sync.aligned.row.m16n16k16.shared.f16", 8, 72, 1, 4, 4},
      {"a.sync.aligned.row.m32n8k16.shared.f16", 8, 72, 2, 8, 8},
      {"b.sync.aligned.col.m32n8k16.shared.f16", 8, 72, 1, 2, 2},
      {"a.sync.aligned.row.m16n16k16.shared.s8", 2, 16, 1, 2, 2},
      // Bytes across lines: 8 accesses of a byte; lane l is 4 (l mod 4) lines of 16 bytes and l / 4 bytes in: 16 words
      // apart.
      {"a.sync.aligned.col.m16n16k16.shared.s8", 2, 16, 8, 16, 8},
      // Accumulators: pairs of f32 where rows are in memory, 4 accesses of two phases: 4 rows of 8 words each, 64 bytes
      // apart:
      // two rows on a bank. One by one where columns are: 8 accesses; lanes are 2 (l mod 4) columns of 16 words and l /
      // 4 words in.
      {"c.sync.aligned.row.m16n16k16.shared.f32", 8, 16, 4, 16, 8},
      {"c.sync.aligned.row.m16n16k16.shared.f32", 8, 24, 4, 8, 8},
      {"c.sync.aligned.col.m16n16k16.shared.f32", 8, 16, 8, 32, 8},
  };
  for (const Case& one : cases) {
    const auto stats = run(kernel(loads_once(one.form, one.registers, one.stride)), {1, 1, 1}, {32, 1, 1}, 1);
    ASSERT_TRUE(stats) << stats.error().message;
    const auto* counter = site(*stats, "wmma.load");
    ASSERT_NE(counter, nullptr) << one.form;
    EXPECT_EQ(counter->accesses, one.accesses) << one.form << " " << one.stride;
    EXPECT_EQ(counter->wavefronts, one.wavefronts) << one.form << " " << one.stride;
    EXPECT_EQ(counter->ideal, one.ideal) << one.form << " " << one.stride;
  }
}

TEST_F(EngineMatrix, faults_say_who_is_missing_or_disagrees) {
  const std::string load = loads_once("a.sync.aligned.row.m16n16k16.shared.f16", 8, 16);
  auto result = run(kernel(load), {1, 1, 1}, {20, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::partial_warp);
  EXPECT_NE(result.error().message.find("12 do not: they have ended, or the block has no such threads"),
            std::string::npos)
      << result.error().message;

  result = run(kernel("mov.u32 %r5, %laneid; setp.lt.u32 %p1, %r5, 16; @!%p1 bra "
                      "E;\nmovmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\nE:\n"),
               {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("16 do not: they are elsewhere in the program"), std::string::npos)
      << result.error().message;

  result = run(
      kernel("mov.u32 %r5, %laneid; setp.lt.u32 %p1, %r5, 16;\n@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\n"),
      {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::partial_warp);

  const std::string apart =
      ".shared .align 128 .b8 s[4096];\nmov.u32 %r6, s; mov.u32 %r5, %laneid; shr.u32 %r7, %r5, 4; add.u32 %r6, %r6, "
      "%r7;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r10,%r11,%r12,%r13}, [%r6], 16;\n";
  result = run(kernel(apart), {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("lane 16 gives others than lane 0"), std::string::npos)
      << result.error().message;

  result = run(kernel(loads_once("a.sync.aligned.row.m16n16k16.shared.f16", 8, 1024)), {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::out_of_shared);

  result = run(kernel(loads_once("a.sync.aligned.row.m16n16k16.shared.f16", 8, 12)), {1, 1, 1}, {32, 1, 1}, 1);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, Fault::Kind::misaligned);

  result = run(kernel("ldmatrix.sync.aligned.m8n8.x1.b16 {%r6}, [%rd1];\n"), {1, 1, 1}, {32, 1, 1}, 64);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("not one of the CTA's own shared memory"), std::string::npos)
      << result.error().message;
}

TEST_F(EngineMatrix, a_guard_that_holds_for_nobody_is_no_fault) {
  EXPECT_TRUE(
      run(kernel("mov.u32 %r5, 1; setp.eq.u32 %p1, %r5, 0;\n@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r6, %r5;\n"),
          {1, 1, 1}, {32, 1, 1}, 1));
}

}  // namespace
}  // namespace bankshot::simt

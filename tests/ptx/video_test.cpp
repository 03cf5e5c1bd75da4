// Scalar video instructions with parts of registers, negated operands and numbers; and what is refused.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "run_form.hpp"
#include "scalar_video.hpp"

namespace bankshot::simt::conformance {
namespace {

struct Case {
  Spelling spelling;
  Selectors selectors;
  Negated negated;
  std::string text;
};

constexpr uint32_t kValues[] = {0,      1,          0xffffffff, 0x80000000, 0x7fffffff, 0x80,      0x7f,
                                0x8000, 0x7fff,     0x00ff00ff, 0xff00ff00, 0x12345678, 31,        32,
                                33,     0x20202020, 0xdeadbeef, 0x81828384, 5,          0xfffffff0};
constexpr size_t kTriples = 96;  // triples of values

struct Triple {
  uint32_t a, b, c;
};

std::vector<Triple> triples(std::mt19937& random) {
  std::vector<Triple> all(kTriples);
  const auto value = [&] {
    const auto x = static_cast<uint32_t>(random());
    return random() % 2 == 0 ? x : kValues[x % std::size(kValues)];
  };
  for (Triple& t : all) t = {value(), value(), value()};
  return all;
}

std::string suffix(const std::string& selector) { return selector.empty() ? "" : "." + selector; }

/// Some way to write the instruction with parts of registers.
Case drawn(const Spelling& s, std::mt19937& random) {
  static const std::string kSelectors[] = {"", "b0", "b1", "b2", "b3", "h0", "h1"};
  const auto selector = [&] { return kSelectors[random() % std::size(kSelectors)]; };
  Case out{s, {"", selector(), selector()}, {}, {}};
  const bool multiplies = s.opcode == "vmad", combines = !multiplies && s.sources.size() == 3;
  if (!multiplies && !combines) out.selectors.d = selector();
  if (multiplies && !s.has("po")) {
    const auto choice = random() % 5;
    out.negated = {choice == 1 || choice == 3, choice == 2 || choice == 3, choice == 4};
  }
  const bool takes_c = multiplies || combines || !out.selectors.d.empty();
  const auto minus = [](bool negated) { return negated ? "-" : ""; };
  out.text = fmt::format("{} %d{}, {}%a{}, {}%b{}{}{};", s.text(), suffix(out.selectors.d), minus(out.negated.a),
                         suffix(out.selectors.a), minus(out.negated.b), suffix(out.selectors.b), takes_c ? ", " : "",
                         takes_c ? minus(out.negated.c) + std::string("%c") : "");
  return out;
}

std::string kernel_of(const std::vector<Case>& cases) {
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out) {\n"
      ".reg .b32 %a, %b, %c, %d, %i; .reg .b64 %in, %out, %at;\n"
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %i, %tid.x;\n"
      "mul.wide.u32 %at, %i, 12; add.u64 %in, %in, %at; mul.wide.u32 %at, %i, 4; add.u64 %out, %out, %at;\n"
      "ld.global.b32 %a, [%in]; ld.global.b32 %b, [%in+4]; ld.global.b32 %c, [%in+8];\n";
  for (const Case& c : cases) {
    text += c.text + fmt::format("\nst.global.b32 [%out], %d; add.u64 %out, %out, {};\n", 4 * kTriples);
  }
  return text + "}\n";
}

std::vector<uint32_t> run_on_triples(const Host& host, const std::string& text, const std::vector<Triple>& in,
                                     size_t count) {
  Engine& engine = *host.engine;
  auto program = engine.load(text, "video.ptx");
  EXPECT_TRUE(program);
  if (!program) return {};
  std::vector<uint32_t> out(count * kTriples);
  const uint64_t buffers[2] = {*engine.memory().allocate(in.size() * sizeof(Triple), MemoryKind::device),
                               *engine.memory().allocate(out.size() * 4, MemoryKind::device)};
  std::memcpy(reinterpret_cast<void*>(buffers[0]), in.data(), in.size() * sizeof(Triple));
  LaunchConfig config;
  config.block = {kTriples, 1, 1};
  config.params = std::as_bytes(std::span(buffers));
  EXPECT_TRUE(engine.launch(**program, "k", config));
  std::memcpy(out.data(), reinterpret_cast<const void*>(buffers[1]), out.size() * 4);
  for (const uint64_t buffer : buffers) engine.memory().free(buffer);
  return out;
}

bool is_scalar_video(const Row& row) {
  const std::string opcode = parse_form(row).opcode;
  return opcode[0] == 'v' && opcode.back() != '2' && opcode.back() != '4' && opcode != "vote";
}

TEST(ScalarVideo, parts_of_registers_and_negated_operands) {
  std::mt19937 random(7);
  std::vector<Case> cases;
  for (const Row& row : *rows_of("portable")) {
    if (!is_scalar_video(row)) continue;
    for (const Spelling& spelling : spellings_of(row)) {
      for (int k = 0; k < 6; ++k) cases.push_back(drawn(spelling, random));
    }
  }
  ASSERT_GT(cases.size(), 3000u);
  const std::vector<Triple> in = triples(random);
  const std::string text = kernel_of(cases);
  for (const Host& host : hosts()) {
    const std::vector<uint32_t> out = run_on_triples(host, text, in, cases.size());
    ASSERT_EQ(out.size(), cases.size() * kTriples);
    int wrong = 0;
    for (size_t n = 0; n < out.size() && wrong < 5; ++n) {
      const Case& c = cases[n / kTriples];
      const Triple& t = in[n % kTriples];
      const uint32_t expected = scalar_video(c.spelling, c.selectors, c.negated, t.a, t.b, t.c);
      if (out[n] == expected) continue;
      ++wrong;
      ADD_FAILURE() << fmt::format("{} of {:#x}, {:#x}, {:#x} is {:#x}, expected {:#x} ({})", c.text, t.a, t.b, t.c,
                                   out[n], expected, host.isa);
    }
  }
}

/// Worked by hand from the manual's pseudocode.
TEST(ScalarVideo, examples) {
  struct Example {
    std::string text;
    uint32_t result;
  };
  const Triple in{0x0180ff7f, 0xfffe0003, 0x11223344};
  const std::vector<Example> examples = {
      {"vadd.s32.s32.s32 %d, %a.b0, %b.b3;", 0x7e},                    // 127 + -1
      {"vadd.u32.u32.u32 %d, %a.b1, %b.b3;", 0x1fe},                   // 255 + 255
      {"vadd.u32.u32.u32.sat %d.b2, %a.b1, %b.b3, %c;", 0x11ff3344},   // 510 becomes 255
      {"vadd.u32.u32.u32 %d.b2, %a.b1, %b.b3, %c;", 0x11fe3344},       // the low byte of 510
      {"vsub.s32.s32.s32.sat %d.b0, %a.b2, %b.b0, %c;", 0x11223380},   // -128 - 3 becomes -128
      {"vsub.u32.s32.s32.sat %d.h1, %a.b2, %b.b0, %c;", 0x00003344},   // -131 becomes 0
      {"vabsdiff.u32.u32.u32.add %d, %a.h1, %b.h0, %c;", 0x112234c1},  // 0x180 - 3 = 0x17d
      {"vset.s32.s32.lt %d.h0, %b.h1, %b.h0, %c;", 0x11220001},        // -2 < 3
      {"vset.u32.u32.lt.add %d, %b.h1, %b.h0, %c;", 0x11223344},       // 65534 is not below 3
      {"vshl.u32.u32.u32.clamp %d, %a.b1, %b.b0;", 0x7f8},             // 255 << 3
      {"vshr.s32.s32.u32.wrap %d, %a.b2, %b.b0;", 0xfffffff0},         // -128 >> 3
      {"vmad.s32.s32.s32 %d, %a.b2, -%b.b0, %c;", 0x112234c4},         // 384 + c
      {"vmad.s32.u32.u32 %d, %a.b0, %b.b0, -%c;", 0xeeddce39},         // 381 - c
      {"vmad.s32.s32.s32.po.shr7 %d, %a.b2, %b.b0, 1;", 0xfffffffd},   // -382 >> 7 = -3
      {"vadd.s32.s32.s32 %d, %a.b2, 28;", 0xffffff9c},                 // -128 + 28
      {"vmin.u32.u32.u32.max %d, 9, %b.b0, 4;", 4},
  };
  std::vector<Case> cases;
  for (const Example& e : examples) cases.push_back({{}, {}, {}, e.text});
  const std::vector<Triple> all(kTriples, in);
  for (const Host& host : hosts()) {
    const std::vector<uint32_t> out = run_on_triples(host, kernel_of(cases), all, cases.size());
    for (size_t k = 0; k < examples.size(); ++k)
      EXPECT_EQ(out.at(k * kTriples + 5), examples[k].result) << examples[k].text;
  }
}

/// ptxas 13.0 refuses these as well, but for the last of c without use.
TEST(ScalarVideo, rejects_what_the_manual_has_no_form_for) {
  const std::vector<Host> all = hosts();
  for (const std::string text :
       {"vadd.u32.u32.u32.sat.add %d.b0, %a, %b, %c;", "vadd.u32.u32.u32 %d.b0, %a, %b;",
        "vadd.u32.u32.u32 %d, %a.b7, %b;", "vadd.u32.u32.u32 %d, %at, %b;", "vadd.u32.u32.u32.add %d, %a, %b;",
        "vadd.u32.u32.u32.add %d, %a, %b, %c.h0;", "vshl.u32.u32.s32.clamp %d, %a, %b;", "vshl.u32.u32.u32 %d, %a, %b;",
        "vmad.s32.u32.u32 %d, -%a, %b, -%c;", "vmad.s32.s32.s32.po %d, -%a, %b, %c;",
        "vmad.s32.s32.s32 %d.b0, %a, %b, %c;", "vmad.s32.s32.s32 %d, %a, %b;", "vset.u32.s32.lo %d, %a, %b;",
        "vadd.u32.u32.u32 %d, -%a, %b;", "add.u32 %d, %a.b0, %b;", "mov.b32 %d.h1, %a;",
        "vadd4.u32.u32.u32 %d, %a.b0, %b, %c;", "vadd.u32.u32.u32 %d, %a, %b, %c;"}) {
    EXPECT_FALSE(all[0].engine->load(kernel_of({{{}, {}, {}, text}}), "video.ptx")) << text;
  }
}

}  // namespace
}  // namespace bankshot::simt::conformance

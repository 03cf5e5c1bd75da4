// How many registers a thread needs: values in use at once, followed by hand through small flow graphs.
#include <gtest/gtest.h>

#include "bankshot/simt/decode/register_need.hpp"
#include "engine_harness.hpp"

namespace bankshot::simt {
namespace {

/// A function by its instructions; the last node is the end, as the decoder makes it.
class Graph {
 public:
  Graph& then(std::vector<uint32_t> reads, std::vector<uint32_t> writes, bool guarded = false) {
    const auto node = static_cast<uint32_t>(nodes_.size());
    for (const uint32_t reg : reads) uses_.push_back({node, reg, false});
    for (const uint32_t reg : writes) uses_.push_back({node, reg, true, guarded});
    nodes_.push_back({});
    return *this;
  }
  Graph& guarded(std::vector<uint32_t> writes) { return then({}, std::move(writes), true); }
  Graph& jumps(uint32_t target) {
    nodes_.back().targets = {target};
    nodes_.back().falls_through = false;
    return *this;
  }
  Graph& may_jump(uint32_t target) {
    nodes_.back().targets = {target};
    nodes_.back().conditional = true;
    return *this;
  }
  Pressure pressure(std::vector<uint8_t> words) {
    then({}, {});
    const Blocks blocks = ptx::blocks_of(nodes_);
    live_ = liveness(blocks, uses_, static_cast<uint32_t>(words.size()));
    return simt::pressure(blocks, uses_, live_, words);
  }
  const Liveness& live() const { return live_; }

 private:
  std::vector<FlowNode> nodes_;
  std::vector<RegisterUse> uses_;
  Liveness live_;
};

using Needs = std::vector<uint32_t>;

TEST(Pressure, of_straight_code_is_what_is_live_between_two_instructions) {
  const auto code = [] { return Graph().then({}, {0}).then({}, {1}).then({0, 1}, {2}).then({2}, {}); };
  EXPECT_EQ(code().pressure({1, 1, 1}).around, (Needs{1, 2, 2, 1, 0}));
  EXPECT_EQ(code().pressure({2, 1, 1}).around, (Needs{2, 3, 3, 1, 0}));  // register 0 has 64 bits
  EXPECT_EQ(code().pressure({0, 1, 1}).around, (Needs{0, 1, 1, 1, 0}));  // … or is a predicate
  EXPECT_EQ(code().pressure({2, 1, 1}).most, 3u);
}

TEST(Pressure, a_result_that_nobody_reads_needs_a_place_all_the_same) {
  EXPECT_EQ(Graph().then({}, {0}).then({}, {1}).then({0}, {}).pressure({1, 1}).around, (Needs{1, 2, 1, 0}));
}

TEST(Pressure, sides_of_a_diamond_share_registers) {
  Graph graph;
  graph.then({}, {0, 1}).may_jump(3);
  graph.then({0}, {2}).then({2}, {4}).jumps(5);
  graph.then({1}, {3}).then({3}, {4});
  graph.then({4}, {});
  const Pressure p = graph.pressure({1, 1, 1, 1, 1});
  EXPECT_EQ(p.around, (Needs{2, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(p.most, 2u);
}

TEST(Pressure, what_a_loop_needs_again_stays) {
  Graph graph;
  graph.then({}, {0}).then({}, {1});  // bound, counter
  graph.then({1}, {1}).then({1}, {2}).then({2}, {});
  graph.then({0, 1}, {}).may_jump(2);
  EXPECT_EQ(graph.pressure({1, 1, 1}).around, (Needs{1, 2, 2, 3, 3, 2, 0}));
}

TEST(Pressure, a_guarded_write_keeps_the_old_value_if_there_is_one) {
  EXPECT_EQ(Graph().then({}, {0}).then({}, {1}).then({1}, {}).guarded({0}).then({0}, {}).pressure({1, 1}).around,
            (Needs{1, 2, 2, 1, 1, 0}));
  // Nobody has written register 0 before: it is not in use, though it is cleared at the start.
  Graph first;
  first.then({}, {1}).then({1}, {}).guarded({0}).then({0}, {});
  EXPECT_EQ(first.pressure({1, 1}).around, (Needs{1, 1, 1, 1, 0}));
  EXPECT_EQ(first.live().at_entry, (Needs{0}));
  // The second of two may find what the first wrote.
  EXPECT_EQ(Graph().guarded({0}).then({}, {1}).then({1}, {}).guarded({0}).then({0}, {}).pressure({1, 1}).around,
            (Needs{1, 2, 2, 1, 1, 0}));
}

TEST(Pressure, a_value_written_on_one_side_only_is_in_use_there) {
  // 0: jump to 3; 1: write 0; 2: jump to 4; 3: something else; 4: read 0.
  Graph graph;
  graph.then({}, {1}).may_jump(3).then({}, {0}).then({}, {}).jumps(4).then({1}, {}).then({0}, {});
  const Pressure p = graph.pressure({1, 1});
  EXPECT_EQ(p.around, (Needs{1, 1, 1, 1, 1, 0}));
}

TEST(Pressure, of_a_big_function_takes_no_time_to_speak_of) {
  // 50,000 instructions in 12,500 blocks, each of which skips the next one; 100 values live throughout.
  Graph graph;
  std::vector<uint32_t> all;
  for (uint32_t reg = 0; reg < 100; ++reg) all.push_back(reg);
  graph.then({}, all);
  uint32_t reg = 100;
  for (uint32_t block = 0; block < 12500; ++block, reg += 3) {
    graph.then({block % 100}, {reg}).then({reg}, {reg + 1}).then({reg, reg + 1}, {reg + 2}).then({reg + 2}, {});
    graph.may_jump(std::min(4 * block + 9, 50001u));
  }
  graph.then(all, {});
  EXPECT_EQ(graph.pressure(std::vector<uint8_t>(reg, 1)).most, 102u);
}

class RegisterNeed : public EngineTest {
 protected:
  /// 20 values at once.
  static inline const std::string kTwenty = [] {
    std::string text = ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<32>; ld.param.b32 %a0, [n];\n";
    for (int k = 1; k <= 20; ++k) text += "add.u32 %a" + std::to_string(k) + ", %a0, " + std::to_string(k) + ";\n";
    for (int k = 2; k <= 20; ++k) text += "mul.lo.u32 %a1, %a1, %a" + std::to_string(k) + ";\n";
    return text + "st.param.b32 [r], %a1; ret; }\n";
  }();
  static inline const std::string kCall =
      "{ .param .b32 x; st.param.b32 [x], 7; .param .b32 y; call (y), f, (x); ld.param.b32 %r5, [y]; }\n"
      "st.global.u32 [%rd1], %r5; ret;";

  uint32_t registers(const std::string& text) {
    const auto program = engine().load(text, "test.ptx");
    if (!program) {
      ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", text);
      return 0;
    }
    return (*program)->kernels.front().registers;
  }
};

TEST_F(RegisterNeed, of_a_kernel_adds_its_callees_to_what_is_in_use_around_the_call) {
  EXPECT_EQ(registers(kernel(kCall, kTwenty)), 22u);  // and the pointer
}

TEST_F(RegisterNeed, of_an_indirect_call_is_the_neediest_functions) {
  const std::string small =
      ".func (.param .b32 r) g(.param .b32 n) { .reg .b32 %a; ld.param.b32 %a, [n]; st.param.b32 [r], %a; ret; }\n";
  const std::string call =
      "mov.u64 %rd7, g; { .param .b32 x; st.param.b32 [x], 7; .param .b32 y; P: .callprototype (.param .b32 _) _ "
      "(.param .b32 _);"
      "call (y), %rd7, (x), P; ld.param.b32 %r5, [y]; }\nst.global.u32 [%rd1], %r5; ret;";
  EXPECT_EQ(registers(kernel(call, small + kTwenty)), 24u);  // the pointer and the function's address
}

TEST_F(RegisterNeed, counts_a_function_that_calls_itself_once) {
  const std::string again =
      ".func (.param .b32 r) f(.param .b32 n) { .reg .b32 %a<4>; .reg .b64 %b<20>; ld.param.b32 %a0, [n];\n"
      "cvt.u64.u32 %b0, %a0; cvt.u64.u32 %b1, %a0; cvt.u64.u32 %b2, %a0; cvt.u64.u32 %b3, %a0; cvt.u64.u32 %b4, %a0;\n"
      "cvt.u64.u32 %b5, %a0; cvt.u64.u32 %b6, %a0; cvt.u64.u32 %b7, %a0; cvt.u64.u32 %b8, %a0;\n"
      "{ .param .b32 x; st.param.b32 [x], %a0; .param .b32 y; call (y), f, (x); ld.param.b32 %a1, [y]; }\n"
      "add.u64 %b0, %b0, %b1; add.u64 %b0, %b0, %b2; add.u64 %b0, %b0, %b3; add.u64 %b0, %b0, %b4; add.u64 %b0, %b0, "
      "%b5;\n"
      "add.u64 %b0, %b0, %b6; add.u64 %b0, %b0, %b7; add.u64 %b0, %b0, %b8; cvt.u32.u64 %a2, %b0; st.param.b32 [r], "
      "%a2; ret; }\n";
  EXPECT_EQ(registers(kernel(kCall, again)), 21u);  // nine of 64 bits, %a0 or %a1, and the kernel's pointer
}

TEST_F(RegisterNeed, lies_between_16_and_maxnreg) {
  EXPECT_EQ(registers(kernel("ret;")), 16u);
  std::string text = kernel(kCall, kTwenty);
  text.replace(text.find("out) {"), 6, "out) .maxnreg 18 {");
  EXPECT_EQ(registers(text), 18u);
}

TEST_F(RegisterNeed, launch_bounds_are_told_apart_from_the_most_threads_there_can_be) {
  const auto bounds = [&](const std::string& directives) {
    std::string text = kernel("ret;");
    text.replace(text.find("out) {"), 6, "out) " + directives + " {");
    const auto program = engine().load(text, "test.ptx");
    EXPECT_TRUE(program) << directives;
    const KernelInfo info = program ? (*program)->kernels.front() : KernelInfo{};
    return std::tuple(info.has_launch_bounds, info.max_threads, info.least_ctas);
  };
  EXPECT_EQ(bounds(""), std::tuple(false, 1024u, 1u));
  EXPECT_EQ(bounds(".maxntid 1024, 1, 1"), std::tuple(true, 1024u, 1u));
  EXPECT_EQ(bounds(".maxntid 32, 8, 1 .minnctapersm 4"), std::tuple(true, 256u, 4u));
  EXPECT_EQ(bounds(".reqntid 64"), std::tuple(true, 64u, 1u));
}

}  // namespace
}  // namespace bankshot::simt

// Random kernels: whatever the analysis is sure of, the engine counts the same.
#include <random>

#include "tests/unit/analysis/analysis_helpers.hpp"

namespace bankshot::analysis {
namespace {

/// Writes kernels of integer arithmetic, guards, branches, loops (of known length, lane by lane; of a length that only
/// a parameter tells; until a loaded word is not zero) and accesses of every width. %r20 … %r27 hold numbers.
class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string kernel() {
    text_.clear();
    line("mov.u32 %r20, %tid.x; mov.u32 %r21, %tid.y; mov.u32 %r22, %ctaid.x; mov.u32 %r23, %laneid;");
    line("mov.u32 %r24, 5; mov.u32 %r25, %ntid.x; mov.u32 %r26, " + std::string(pick(2) ? "%r1" : "7") +
         "; mov.u32 %r27, %tid.z;");
    line("mad.lo.s32 %r27, %r21, %r25, %r20;");
    statements(2);
    return analysis::kernel(text_);
  }

 private:
  unsigned pick(unsigned below) { return std::uniform_int_distribution<unsigned>(0, below - 1)(random_); }
  std::string reg() { return "%r" + std::to_string(20 + pick(8)); }
  std::string value() { return pick(3) == 0 ? std::to_string(1 + pick(40)) : reg(); }
  void line(const std::string& text) { text_ += text + "\n"; }
  std::string label() { return "L" + std::to_string(labels_++); }
  std::string predicate() { return "%p" + std::to_string(1 + pick(3)); }

  void arithmetic() {
    static const char* kTwo[] = {"add.s32", "sub.s32", "mul.lo.s32", "and.b32", "or.b32",  "xor.b32",
                                 "min.u32", "max.s32", "rem.u32",    "div.u32", "div.s32", "mul.hi.u32"};
    switch (pick(6)) {
      case 0: return line("shl.b32 " + reg() + ", " + reg() + ", " + std::to_string(pick(6)) + ";");
      case 1:
        return line((pick(2) ? "shr.u32 " : "shr.s32 ") + reg() + ", " + reg() + ", " + std::to_string(pick(6)) + ";");
      case 2: return line("mad.lo.s32 " + reg() + ", " + reg() + ", " + value() + ", " + value() + ";");
      case 3:
        return line("bfe.u32 " + reg() + ", " + reg() + ", " + std::to_string(pick(5)) + ", " +
                    std::to_string(1 + pick(6)) + ";");
      default: return line(std::string(kTwo[pick(12)]) + " " + reg() + ", " + reg() + ", " + value() + ";");
    }
  }
  void compare() {
    static const char* kCompares[] = {"eq.s32", "ne.u32", "lt.s32", "ge.u32", "gt.s32", "le.u32"};
    line(std::string("setp.") + kCompares[pick(6)] + " " + predicate() + ", " + reg() + ", " + value() + ";");
    if (pick(3) == 0) line("selp.b32 " + reg() + ", " + reg() + ", " + value() + ", " + predicate() + ";");
    if (pick(4) == 0)
      line((pick(2) ? "and.pred " : "xor.pred ") + predicate() + ", " + predicate() + ", " + predicate() + ";");
  }
  void access() {
    static const char* kAccesses[] = {"ld.shared.u8 %h1, [%r10]",
                                      "st.shared.u16 [%r10], %h1",
                                      "ld.shared.u32 %r11, [%r10]",
                                      "st.shared.u32 [%r10], %r11",
                                      "ld.shared.f64 %d1, [%r10]",
                                      "st.shared.v4.f32 [%r10], {%f1, %f2, %f3, %f4}",
                                      "atom.shared.add.u32 %r11, [%r10], 1",
                                      "ld.shared.u32 %r11, [%r10]"};
    static const unsigned kShifts[] = {0, 1, 2, 2, 3, 4, 2, 2};
    const unsigned which = pick(8);
    line("and.b32 %r9, " + reg() + ", " + std::to_string(pick(4) ? 511 : 63) + "; shl.b32 %r9, %r9, " +
         std::to_string(kShifts[which]) + "; add.s32 %r10, %r4, %r9;");
    const std::string guard = pick(4) == 0 ? (pick(2) ? "@" : "@!") + predicate() + " " : "";
    line(guard + kAccesses[which] + ";");
    if (pick(12) == 0) line("mov.u32 " + reg() + ", %r11;");  // what was loaded is not known
  }
  void branch(unsigned depth) {
    compare();
    const std::string other = label(), behind = label();
    line("@" + predicate() + " bra " + other + ";");
    statements(depth - 1);
    if (pick(2)) line("bra " + behind + ";");
    line(other + ":");
    statements(depth - 1);
    line(behind + ":");
  }
  void loop(unsigned depth) {
    const std::string counter = "%r" + std::to_string(30 + loops_++), bound = "%r" + std::to_string(40 + loops_);
    const std::string begin = label(), out = label();
    static const char* kBounds[] = {"mov.u32 BOUND, 3;", "and.b32 BOUND, %r20, 3;", "and.b32 BOUND, %r1, 7;",
                                    "bfe.u32 BOUND, %r27, 4, 2;"};
    std::string set = kBounds[pick(4)];
    set.replace(set.find("BOUND"), 5, bound);
    line(set + " mov.u32 " + counter + ", 0;");
    line(begin + ":");
    const bool first = pick(2) != 0;
    if (first) line("setp.ge.u32 %p5, " + counter + ", " + bound + "; @%p5 bra " + out + ";");
    statements(depth - 1);
    if (pick(4) == 0) line("setp.eq.u32 %p6, " + counter + ", 1; and.pred %p6, %p6, %p1; @%p6 bra " + out + ";");
    line("add.u32 " + counter + ", " + counter + ", 1;");
    line(first ? "bra " + begin + ";" : "setp.lt.u32 %p5, " + counter + ", " + bound + "; @%p5 bra " + begin + ";");
    line(out + ":");
  }
  void statements(unsigned depth) {
    const unsigned count = 2 + pick(4);
    for (unsigned k = 0; k < count; ++k) {
      const unsigned what = pick(10);
      if (what < 4)
        arithmetic();
      else if (what < 5)
        compare();
      else if (what < 8 || depth == 0)
        access();
      else if (what == 8)
        branch(depth);
      else if (loops_ < 8)
        loop(depth);
    }
  }

  std::mt19937 random_;
  std::string text_;
  unsigned labels_ = 0, loops_ = 0;
};

TEST(AnalysisProperty, what_is_sure_is_what_the_engine_counts) {
  size_t sure = 0;
  for (unsigned seed = 0; seed < 100 && !::testing::Test::HasFailure(); ++seed) {
    const std::string text = Writer(seed).kernel();
    Launch l = launch({seed % 3 == 0 ? 48u : 16u, 1 + seed % 4, 1}, Extent{1 + seed % 3, 1, 1});
    if (seed % 2 == 0) l.parameters[{"n", 0}] = seed;
    scratchpad::Rules rules;
    if (seed % 5 == 0) rules.bank_bytes = 8;
    SCOPED_TRACE("seed " + std::to_string(seed));
    sure += agreement(text, l, seed, rules);
  }
  EXPECT_GT(sure, 300u);  // it must be sure often enough to say something
}

}  // namespace
}  // namespace bankshot::analysis

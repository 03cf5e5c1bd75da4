// Random transactional programs as PTX.
#include <fmt/format.h>

#include <array>

#include "tests/property/tx_program.hpp"

namespace bankshot::simt::tx {
namespace {

/// A function on one word of shared memory, or of either; its two sides meet in it, and it has a local variable.
std::string function(bool begins, bool generic) {
  return fmt::format(
      ".func (.param .b32 result) f(.param .b{0} address, .param .b32 value) {{\n"
      ".reg .b{0} %at; .reg .b32 %a<5>; .reg .pred %p; .reg .b64 %l; .local .align 4 .b8 mine[4];\n"
      "ld.param.b{0} %at, [address]; ld.param.b32 %a1, [value]; mov.u64 %l, mine; st.local.u32 [%l], %a1;\n{2}"
      "ld{1}.u32 %a2, [%at]; and.b32 %a3, %a2, 1; setp.ne.u32 %p, %a3, 0; @%p bra A;\n"
      "add.u32 %a2, %a2, %a1; bra B;\nA: xor.b32 %a2, %a2, %a1;\nB: st{1}.u32 [%at], %a2;\n{3}"
      "ld.local.u32 %a4, [%l]; add.u32 %a4, %a4, %a2; st.param.b32 [result], %a4; ret;\n}}\n",
      generic ? 64 : 32, generic ? "" : ".shared", begins ? ".pragma \"bankshot.tx_begin\";\n" : "",
      begins ? ".pragma \"bankshot.tx_commit\";\n" : "");
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string print() {
    text_ = ".version 8.0\n.target sm_80\n.address_size 64\n";
    if (program_.has_calls) text_ += function(program_.call_begins, program_.global_zone != 0);
    text_ += fmt::format(
        ".visible .entry k(.param .u64 input, .param .u64 out, .param .u64 words) {{\n"
        ".reg .b32 %r<8>; .reg .b64 %q<4>; .reg .b16 %h<2>; .reg .pred %p<4>; .reg .b32 %c<{}>;\n"
        ".reg .b32 %t<8>; .reg .b64 %u<4>; .reg .b16 %g<2>; .reg .pred %s; .reg .b32 %tid, %who, %zone, %own; .reg "
        ".b64 "
        "%input, %words, %keep;\n"
        ".shared .align 16 .b8 tile[{}];\n.local .align 4 .b8 kept[16];\n",
        program_.counters + 1, program_.bytes());
    start();
    for (const Op& op : program_.code) print(op);
    end();
    return text_ + "ret;\n}\n";
  }

 private:
  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_ += fmt::format(format, std::forward<Arguments>(arguments)...) + '\n';
  }

  void start() {
    line("mov.u32 %tid, %tid.x; mov.u32 %zone, tile; shl.b32 %own, %tid, 4; add.u32 %own, %own, %zone;");
    line("add.u32 %own, %own, {}; ld.param.u64 %input, [input]; mov.u64 %keep, kept; add.cc.u32 %t0, 0, 0;",
         program_.zone);
    line("mov.u32 %t0, %ctaid.x; mad.lo.u32 %who, %t0, {}, %tid; ld.param.u64 %words, [words];", program_.threads);
    for (unsigned k = 0; k < kWords; ++k) line("mad.lo.u32 %r{}, %who, {}, {};", k, 2 * k + 1, 77 * k);
    for (unsigned k = 0; k < kWides; ++k) line("mov.u64 %q{0}, {0};", k);
    for (unsigned k = 0; k < kHalves; ++k) line("mov.u16 %h{0}, {0};", k);
    for (unsigned k = 0; k < kPredicates; ++k) line("and.b32 %t0, %who, {}; setp.ne.u32 %p{}, %t0, 0;", 1u << k, k);
    for (unsigned k = 0; k < kLocals; ++k) line("st.local.u32 [%keep+{}], %r{};", 4 * k, k);
    line("mov.u32 %t0, %tid;\nINIT: setp.ge.u32 %s, %t0, {}; @%s bra READY;", program_.bytes() / 4);
    line(
        "mad.lo.u32 %t1, %t0, 0x9e3779b1, 0x1234567; shl.b32 %t2, %t0, 2; add.u32 %t2, %t2, %zone; st.shared.u32 "
        "[%t2], %t1;");
    line("add.u32 %t0, %t0, {}; bra INIT;\nREADY: bar.sync 0;", program_.threads);
  }

  void end() {
    line(
        "bar.sync 0; ld.param.u64 %u0, [out]; mov.u32 %t0, %ctaid.x; mad.lo.u32 %t0, %t0, {}, %tid;"
        "mul.wide.u32 %u1, %t0, 4; add.u64 %u0, %u0, %u1; st.global.u32 [%u0], %r0;",
        program_.words_out());
    line("mov.u32 %t0, %tid;\nCOPY: setp.ge.u32 %s, %t0, {}; @%s bra END;", program_.bytes() / 4);
    line(
        "shl.b32 %t2, %t0, 2; add.u32 %t2, %t2, %zone; ld.shared.u32 %t1, [%t2]; add.u64 %u0, %u0, {0};"
        "st.global.u32 [%u0], %t1; add.u32 %t0, %t0, {1}; bra COPY;\nEND:",
        4 * program_.threads, program_.threads);
  }

  bool is_generic(const Op& op) const {
    return op.generic || op.either >= 0 || (op.what == Do::call && program_.global_zone != 0);
  }

  void address(const Op& op) {
    line("and.b32 %t0, %r{}, {}; shl.b32 %t0, %t0, {};", op.a, op.imm, op.shift);
    if (op.global) return line("cvt.u64.u32 %u0, %t0; add.u64 %u0, %u0, %words;");
    if (op.either >= 0) line("cvt.u64.u32 %u1, %t0; add.u64 %u1, %u1, %words;");
    line("add.u32 %t0, %t0, {};", op.own ? "%own" : "%zone");
    if (is_generic(op)) line("cvt.u64.u32 %u0, %t0; cvta.shared.u64 %u0, %u0;");
    if (op.either >= 0) line("selp.b64 %u0, %u1, %u0, %p{};", op.either);
  }

  static std::string element(const Op& op, unsigned first, unsigned k) {
    return op.bytes == 8 ? fmt::format("%q{}", (first + k) % kWides) : fmt::format("%r{}", (first + k) % kWords);
  }
  static std::string elements(const Op& op, unsigned first) {
    if (op.lanes == 1) return element(op, first, 0);
    std::string all = "{" + element(op, first, 0);
    for (unsigned k = 1; k < op.lanes; ++k) all += ", " + element(op, first, k);
    return all + "}";
  }

  void access(const Op& op, const std::string& guard) {
    address(op);
    const char* const space = is_generic(op) ? "" : op.global ? ".global" : ".shared";
    const char* const at = is_generic(op) || op.global ? "[%u0]" : "[%t0]";
    const std::string vector = op.lanes == 1 ? "" : fmt::format(".v{}", op.lanes);
    const unsigned bits = op.bytes * 8u;
    if (op.what == Do::load) {
      return line("{}ld{}{}{}.u{} {}, {};", guard, op.is_volatile ? ".volatile" : "", space, vector, bits,
                  elements(op, op.d), at);
    }
    if (op.what == Do::store) return line("{}st{}{}.u{} {}, {};", guard, space, vector, bits, at, elements(op, op.b));
    const std::string d = element(op, op.d, 0), b = element(op, op.b, 0), c = element(op, op.b, 1);
    switch (op.update) {
      case Update::add: return line("{}atom{}.add.u{} {}, {}, {};", guard, space, bits, d, at, b);
      case Update::exchange: return line("{}atom{}.exch.b{} {}, {}, {};", guard, space, bits, d, at, b);
      case Update::least: return line("{}atom{}.min.u{} {}, {}, {};", guard, space, bits, d, at, b);
      case Update::add_no_result: return line("{}red{}.add.u{} {}, {};", guard, space, bits, at, b);
      case Update::compare_and_swap: break;
    }
    if (op.bytes != 2) return line("{}atom{}.cas.b{} {}, {}, {}, {};", guard, space, bits, d, at, b, c);
    line("cvt.u16.u32 %g0, {}; cvt.u16.u32 %g1, {};", b, c);
    line("{}atom{}.cas.b16 %h{}, {}, %g0, %g1;", guard, space, op.d % kHalves, at);
  }

  void print(const Op& op) {
    const std::string guard = op.guard < 0 ? "" : fmt::format("@{}%p{} ", op.negated ? "!" : "", op.guard);
    const auto last = [&](const std::string& text) { text_ += guard + text + '\n'; };
    const unsigned d = op.d, a = op.a, b = op.b;
    switch (op.what) {
      case Do::set: return last(fmt::format("mov.u32 %r{}, {};", d, op.imm));
      case Do::mix: return last(fmt::format("mad.lo.u32 %r{}, %r{}, {}, %r{};", d, a, op.imm, b));
      case Do::fold:
        line("xor.b32 %t0, %r{}, %r{};", d, a);
        return last(fmt::format("mul.lo.u32 %r{}, %t0, {};", d, op.imm));
      case Do::widen:
        line("cvt.u64.u32 %u0, %r{};", a);
        return last(fmt::format("mad.lo.u64 %q{0}, %q{0}, {1}, %u0;", d, op.imm));
      case Do::narrow:
        line("shr.u64 %u0, %q{0}, 32; add.u64 %u0, %u0, %q{0}; cvt.u32.u64 %t0, %u0;", a);
        return last(fmt::format("xor.b32 %r{0}, %r{0}, %t0;", d));
      case Do::to_half: line("cvt.u16.u32 %g0, %r{};", a); return last(fmt::format("add.u16 %h{0}, %h{0}, %g0;", d));
      case Do::of_half: line("cvt.u32.u16 %t0, %h{};", a); return last(fmt::format("add.u32 %r{0}, %r{0}, %t0;", d));
      case Do::compare:
        line("and.b32 %t0, %r{}, 7;", a);
        return last(fmt::format("setp.lt.u32 %p{}, %t0, {};", d, op.imm));
      case Do::flip: return last(fmt::format("xor.pred %p{0}, %p{0}, %p{1};", d, a));
      case Do::select: return last(fmt::format("selp.b32 %r{0}, %r{1}, %r{0}, %p{2};", d, a, b));
      case Do::add_out: return last(fmt::format("add.cc.u32 %r{0}, %r{0}, %r{1};", d, a));
      case Do::add_in: return last(fmt::format("addc.u32 %r{0}, %r{0}, %r{1};", d, a));
      case Do::keep:
      case Do::recall:
        line("and.b32 %t0, %r{}, 3; mul.wide.u32 %u0, %t0, 4; add.u64 %u0, %u0, %keep;", a);
        return last(op.what == Do::keep ? fmt::format("st.local.u32 [%u0], %r{};", b)
                                        : fmt::format("ld.local.u32 %r{}, [%u0];", d));
      case Do::input:
        line("and.b32 %t0, %r{}, 7; mul.wide.u32 %u0, %t0, 4; add.u64 %u0, %u0, %input;", a);
        return last(fmt::format("ld{}.global.u32 %r{}, [%u0];", op.is_volatile ? ".volatile" : "", d));
      case Do::load:
      case Do::store:
      case Do::atomic: return access(op, guard);
      case Do::call:
        address(op);
        return line(
            "{{ .param .b{0} x; .param .b32 y; .param .b32 z; st.param.b{0} [x], {1}; st.param.b32 [y], %r{2};"
            "call (z), f, (x, y); ld.param.b32 %r{3}, [z]; }}",
            is_generic(op) ? 64 : 32, is_generic(op) ? "%u0" : "%t0", b, d);
      case Do::count_from_0: return line("mov.u32 %c{}, 0;", d);
      case Do::count: return line("add.u32 %c{0}, %c{0}, 1;", d);
      case Do::branch_done:
        return line("and.b32 %t0, %r{}, {}; setp.ge.u32 %s, %c{}, %t0; @%s bra L{};", a, op.imm, d, op.target);
      case Do::branch: return last(fmt::format("bra L{};", op.target));
      case Do::label: return line("L{}:", op.target);
      case Do::begin: return line(".pragma \"bankshot.tx_begin\";");
      case Do::commit: return line(".pragma \"bankshot.tx_commit\";");
      case Do::barrier: return line("bar.sync 0;");
    }
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string ptx(const Program& program) { return Printer(program).print(); }

}  // namespace bankshot::simt::tx

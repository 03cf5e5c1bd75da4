// A rewritten kernel computes what the original does: random kernels under random hashes and paddings, run by the
// engine.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <random>

#include "bankshot/ptx/parser.hpp"
#include "bankshot/ptx/printer.hpp"
#include "bankshot/rewrite/rewrite.hpp"
#include "tests/unit/rewrite/rewrite_harness.hpp"

namespace bankshot::rewrite {
namespace {

constexpr unsigned kArrayWords = 1024;

/// Any in-place hash whose low `plain` word-address bits stay: an invertible low part, and anything above.
scratchpad::BankHash random_hash(unsigned plain) {
  const scratchpad::HashSize size{14, 5};
  std::mt19937 random(*rc::gen::arbitrary<uint32_t>());
  for (;;) {
    std::vector<uint32_t> rows;
    for (unsigned i = 0; i < 5; ++i) {
      const uint32_t any = random() % (1u << 14);
      const uint32_t keep = ~((1u << plain) - 1);
      rows.push_back(i < plain ? 1u << i : random() % 2 == 0 ? any & keep : (any & ~31u) | 1u << i);
    }
    const auto hash = scratchpad::rows_hash(size, rows);
    if (hash && scratchpad::is_in_place(*hash) && !(*hash == scratchpad::modulo_hash(size))) return *hash;
  }
}

std::string text(uint32_t value) { return std::to_string(value); }

/// Statements that write and read `tile` at random places by random kinds of addresses, and mix what they read into
/// %r20. Distances are kept inside the array with room for offsets of up to 256 bytes.
std::string random_body(bool wide_accesses, bool dynamic) {
  std::string body =
      "mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u64 %rd2, tile; cvta.shared.u64 %rd3, %rd2; mov.u32 %r20, 1;\n";
  const unsigned count = *rc::gen::inRange(3u, 12u);
  for (unsigned i = 0; i < count; ++i) {
    const std::string scale = text(*rc::gen::element(4u, 8u, 16u, 36u, 128u, 132u, 260u));
    const unsigned unit = wide_accesses && *rc::gen::arbitrary<bool>() ? 16 : 4;
    const std::string bound = text(1791 & ~(unit - 1));
    body += "mad.lo.u32 %r3, %r1, " + scale + ", " + text(*rc::gen::inRange(0u, 2000u)) + "; and.b32 %r4, %r3, " +
            bound + ";\n";
    const std::string offset = text(*rc::gen::inRange(0u, 16u) * unit);
    std::string address;
    const unsigned kind = *rc::gen::inRange(0u, 5u);
    if (kind == 0) body += "add.s32 %r5, %r2, %r4;\n", address = "[%r5+" + offset + "]";
    if (kind == 1) body += "cvt.u64.u32 %rd4, %r4; add.s64 %rd5, %rd2, %rd4;\n", address = "[%rd5+" + offset + "]";
    if (kind == 2) body += "add.s32 %r6, %r2, 64; add.s32 %r6, %r6, %r4;\n", address = "[%r6+" + offset + "]";
    if (kind == 3) body += "cvt.u64.u32 %rd4, %r4; add.s64 %rd6, %rd3, %rd4;\n", address = "[%rd6+" + offset + "]";
    if (kind == 4)
      address = dynamic ? "[tile+" + offset + "]" : "[tile+" + text(*rc::gen::inRange(0u, kArrayWords / 4) * 16) + "]";
    const std::string space = kind == 3 ? "" : ".shared";
    // One thread writes at a time, so that the program has no race.
    body += "bar.sync 0; setp.eq.u32 %p1, %r1, " + text(*rc::gen::inRange(0u, kThreads)) +
            "; mad.lo.u32 %r7, %r1, 77, " + text(i) + ";\n";
    if (unit == 16) {
      body += "@%p1 st" + space + ".v4.u32 " + address + ", {%r7, %r1, %r20, %r7}; bar.sync 0;\n";
      body += "ld" + space + ".v4.u32 {%r8, %r9, %r10, %r11}, " + address +
              "; mad.lo.u32 %r20, %r20, 31, %r8; xor.b32 %r20, %r20, %r10;\n";
    } else {
      body += "@%p1 st" + space + ".u16 " + address + ", 7; bar.sync 0; atom" + space + ".add.u32 %r8, " + address +
              ", %r7; bar.sync 0;\n";
      body += "ld" + space + ".u32 %r8, " + address + "; mad.lo.u32 %r20, %r20, 31, %r8;\n";
    }
  }
  // A pointer that walks through rows in a loop.
  body +=
      "mul.lo.u32 %r12, %r1, 4; add.s32 %r13, %r2, %r12; mov.u32 %r14, 0;\n"
      "walk: ld.shared.u32 %r8, [%r13+8]; mad.lo.u32 %r20, %r20, 31, %r8; add.s32 %r13, %r13, 132; add.s32 %r14, %r14, "
      "1;\n"
      "setp.lt.u32 %p2, %r14, 20; @%p2 bra walk;\n";
  return body;
}

std::string kernel(const std::string& body, bool dynamic) {
  return std::string(".version 8.0\n.target sm_80\n.address_size 64\n") +
         (dynamic ? ".extern .shared .align 16 .b8 tile[];\n"
                  : ".shared .align 4 .b8 before[20];\n.shared .align 16 .b8 tile[4096];\n") +
         ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>;\n" +
         (dynamic ? "" : "st.shared.u32 [before], 5;\n") + body +
         "ld.param.u64 %rd1, [out]; mul.wide.u32 %rd7, %r1, 4; add.s64 %rd7, %rd1, %rd7; st.global.u32 [%rd7], %r20; "
         "ret;\n}\n";
}

RC_GTEST_PROP(RewriteProperty, a_rewritten_kernel_computes_the_same, ()) {
  const bool wide = *rc::gen::arbitrary<bool>(), dynamic = *rc::gen::arbitrary<bool>();
  Move move = random_hash(wide ? 2 : 0);
  if (!dynamic && *rc::gen::arbitrary<bool>())
    move = padding_of(8u << *rc::gen::inRange(0u, 8u), *rc::gen::inRange(1u, 5u) * (wide ? 4 : 1));
  const std::string original = kernel(random_body(wide, dynamic), dynamic);
  auto module = ptx::parse(original);
  RC_ASSERT(module);
  const auto done = rewrite(*module, "k", {{"tile", move}}, 4);
  if (!done) RC_FAIL(done.error().message + "\n" + original);
  const std::string changed = ptx::print(*module);
  // 4100 bytes are not whole rows: there the hash must be off.
  const uint32_t bytes = dynamic ? *rc::gen::element(4096u, 4100u) : 0;
  const bool same = run(original, bytes) == run(changed, bytes);
  if (!same) RC_FAIL(original + changed);
}

}  // namespace
}  // namespace bankshot::rewrite

// The frame of a random kernel: variables, functions, what threads start with and what they leave.
#include <cmath>
#include <cstring>

#include "tests/differential/formats.hpp"
#include "tests/differential/writer.hpp"
#include "tests/unit/simt/edges.hpp"

namespace bankshot::differential {
namespace {

using testing::kEdges, testing::kEdgesF32, testing::kEdgesF64;

constexpr unsigned kInputs = 128,
                   kMore = 40;  ///< places at which a thread may start, and what lies behind the last one

}  // namespace

std::vector<uint8_t> input_bytes(uint64_t seed) {
  std::mt19937_64 random(seed * 3 + 1);
  std::vector<uint8_t> bytes;
  const auto put = [&](uint64_t value) {
    for (unsigned k = 0; k < 8; ++k) bytes.push_back(static_cast<uint8_t>(value >> 8 * k));
  };
  for (unsigned k = 0; k < kInputs + kMore; ++k) {
    put(random() % 3 == 0 ? kEdges[random() % std::size(kEdges)] : random() % 3 == 0 ? random() % 80 : random());
  }
  for (unsigned k = 0; k < kInputs + kMore; ++k) {
    const uint64_t near_one = (random() & 0x81ffffff) + 0x3f000000;
    put(random() % 4 == 0   ? kEdgesF32[random() % std::size(kEdgesF32)]
        : random() % 8 == 0 ? random() & 0xffffffff
                            : near_one);
  }
  for (unsigned k = 0; k < kInputs + kMore; ++k) {
    const uint64_t near_one = (random() & 0x803fffffffffffff) + 0x3fe0000000000000;
    put(random() % 4 == 0 ? kEdgesF64[random() % std::size(kEdgesF64)] : random() % 8 == 0 ? random() : near_one);
  }
  return bytes;
}

size_t output_size(const Shape& shape) {
  return size_t{shape.ctas} * (shape.threads() * (kOwnBytes + kDumpBytes) + kZoneBytes) + kZoneBytes;
}

std::string place_in_output(const Shape& shape, size_t offset) {
  const size_t threads = size_t{shape.ctas} * shape.threads(), dump = threads * kOwnBytes,
               zones = dump + threads * kDumpBytes;
  const auto of = [&](size_t thread) {
    return fmt::format(" of thread {} of CTA {}", thread % shape.threads(), thread / shape.threads());
  };
  if (offset < dump) return fmt::format("own byte {}", offset % kOwnBytes) + of(offset / kOwnBytes);
  if (offset >= zones)
    return fmt::format("cell {} of zone {}", (offset - zones) % kZoneBytes / 8, (offset - zones) / kZoneBytes);
  size_t slot = (offset - dump) % kDumpBytes / 8;
  const struct {
    char pool;
    unsigned size;
  } pools[] = {{'h', kHalves}, {'r', kWords}, {'q', kWides}, {'f', kFloats}, {'d', kDoubles}, {'p', kPredicates}};
  for (const auto& [pool, size] : pools) {
    if (slot < size) return fmt::format("%{}{}", pool, slot) + of((offset - dump) / kDumpBytes);
    slot -= size;
  }
  return "nothing";
}

std::string Kernel::text() const {
  std::string text;
  for (const Line& line : lines) text += line.text + "\n";
  return text;
}

Kernel random_kernel(uint64_t seed) { return Writer(seed).write(); }

Writer::Writer(uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15 + 0x1234567) {
  kernel_.seed = seed;
  kernel_.any_warp_size = one_in(4);
  Shape& shape = kernel_.shape;
  shape.ctas = one_in(3) ? 2 : 1;
  switch (below(5)) {
    case 0: shape.block_x = 32; break;
    case 1: shape.block_x = 64; break;
    case 2: shape.block_x = 96; break;
    case 3: shape.block_x = static_cast<uint32_t>(1 + below(70)); break;
    default:
      shape.block_x = static_cast<uint32_t>(1 + below(24)), shape.block_y = static_cast<uint32_t>(1 + below(3));
      break;
  }
  budget_ = static_cast<unsigned>(one_in(4) ? 70 + below(50) : 15 + below(40));
}

Kernel Writer::write() {
  module_variables();
  const unsigned functions = one_in(2) ? 0 : static_cast<unsigned>(1 + below(4));
  for (unsigned k = 0; k < functions; ++k) function(k);
  if (functions != 0 && one_in(2)) recursive_function();
  meeting_function();
  group_ = -1;
  if (!callees_.empty()) {
    // A table for each kind that there is.
    for (unsigned kind = 0; kind < 3; ++kind) {
      std::string names;
      unsigned count = 0;
      for (const Callee& callee : callees_) {
        if (callee.kind == kind) names += (count++ == 0 ? "" : ", ") + callee.name;
      }
      if (count != 0) line(".global .align 8 .u64 table{}[{}] = {{{}}};", kind, count, names);
    }
  }
  entry();
  return std::move(kernel_);
}

void Writer::module_variables() {
  line(".version 8.8\n.target sm_100a\n.address_size 64");
  std::string words;
  for (unsigned k = 0; k < 32; ++k) words += fmt::format("{}{}", k == 0 ? "" : ", ", low(random_(), 32));
  line(".const .align 16 .b32 fixed[32] = {{{}}};", words);
  line(".global .align 16 .b32 given[32] = {{{}}};", words);
  line(".shared .align 16 .b8 mine[{}];", kernel_.shape.threads() * kOwnBytes);
  line(".shared .align 16 .b8 zone[{}];", kZoneBytes);
}

void Writer::declare_registers() {
  line(".reg .b16 %h<{}>; .reg .b32 %r<{}>; .reg .b64 %q<{}>; .reg .f32 %f<{}>; .reg .f64 %d<{}>; .reg .pred %p<{}>;",
       kHalves, kWords, kWides, kFloats, kDoubles, kPredicates);
  line(".reg .b16 %s<4>; .reg .b32 %t<8>; .reg .b64 %a<8>; .reg .f32 %u<4>; .reg .f64 %v<4>; .reg .pred %z<4>;");
  line(".local .align 16 .b8 kept[64];");
}

/// Registers of a function from its parameters, which are in %r0, %q0, %f0 and %d0.
void Writer::first_values_of_function() {
  for (unsigned k = 1; k < kWords; ++k)
    line("mad.lo.u32 %r{}, %r{}, {}, {};", k, k - 1, low(random_(), 32) | 1, below(1000));
  for (unsigned k = 0; k < kWides; ++k) {
    if (k != 0) line("mad.lo.u64 %q{}, %q{}, {}, {};", k, k - 1, low(random_(), 40) | 1, below(1000));
  }
  for (unsigned k = 0; k < kHalves; ++k) line("cvt.u16.u32 %h{}, %r{};", k, k + 1);
  for (unsigned k = 1; k < kFloats; ++k) line("cvt.rn.f32.s32 %f{}, %r{};", k, k);
  for (unsigned k = 1; k < kDoubles; ++k) line("cvt.rn.f64.s32 %d{}, %r{};", k, k);
  for (unsigned k = 0; k < kPredicates; ++k) line("setp.lt.s32 %p{}, %r{}, 0;", k, k);
  for (unsigned k = 0; k < 8; ++k) line("st.local.b64 [kept+{}], %q{};", k * 8, k % kWides);
}

void Writer::function(unsigned index) {
  group_ = -1;
  const Callee self{fmt::format("f{}", index), static_cast<unsigned>(below(3))};
  constexpr const char* kHead[] = {
      ".func (.param .b32 o) {}(.param .b32 i)\n{{",
      ".func (.param .b64 o) {}(.param .b32 i, .param .b64 j, .param .f32 k)\n{{",
      ".func (.param .align 16 .b8 o[16]) {}(.param .f64 i, .param .align 16 .b8 j[16])\n{{",
  };
  kernel_.lines.push_back({fmt::format(fmt::runtime(kHead[self.kind]), self.name), -1});
  declare_registers();
  line("mov.b64 %q0, 81985529216486895; mov.b32 %f0, 0f3FC00000; mov.f64 %d0, 0d3FF8000000000000;");
  if (self.kind == 2) {
    line("ld.param.f64 %d0, [i]; ld.param.v2.b64 {{%q0, %q1}}, [j]; cvt.u32.u64 %r0, %q1;");
  } else {
    line("ld.param.b32 %r0, [i];");
    if (self.kind == 1) line("ld.param.b64 %q0, [j]; ld.param.f32 %f0, [k];");
  }
  first_values_of_function();
  Where where;
  where.in_function = true;
  where.depth = 1;
  block(where, static_cast<unsigned>(2 + below(6)));
  begin();
  if (one_in(3)) {
    // An early return gives back what is there.
    if (self.kind == 0) line("@%p0 st.param.b32 [o], %r3;\n@%p0 ret;");
    if (self.kind == 1) line("@%p0 st.param.b64 [o], %q3;\n@%p0 ret;");
    block(where, 2);
  }
  group_ = -1;
  if (self.kind == 0) line("st.param.b32 [o], %r{};", below(kWords));
  if (self.kind == 1) line("st.param.b64 [o], %q{};", below(kWides));
  if (self.kind == 2) line("st.param.v2.b64 [o], {{%q{}, %q{}}};", below(kWides), below(kWides));
  line("ret;\n}}");
  callees_.push_back(self);
}

/// Calls itself as often as the two low bits of its argument say.
void Writer::recursive_function() {
  group_ = -1;
  line(".func (.param .b32 o) again(.param .b32 i)\n{{");
  line(".reg .b32 %r<4>; .reg .pred %p<2>;");
  line("ld.param.b32 %r0, [i];\nand.b32 %r1, %r0, 3;\nsetp.eq.u32 %p0, %r1, 0;\n@%p0 bra LAST;");
  line("sub.u32 %r1, %r1, 1;\nmad.lo.u32 %r2, %r0, {}, {};\nand.b32 %r2, %r2, -4;\nor.b32 %r2, %r2, %r1;",
       below(1000) | 1, below(1000));
  line(
      "{{ .param .b32 x; .param .b32 y;\nst.param.b32 [x], %r2;\ncall.uni (y), again, (x);\nld.param.b32 %r3, [y]; }}");
  line("xor.b32 %r0, %r0, %r3;\nLAST:\nmad.lo.u32 %r0, %r0, {}, {};\nst.param.b32 [o], %r0;\nret;\n}}", below(1000) | 1,
       below(1000));
  callees_.push_back({"again", 0});
}

/// Lanes of a mask meet inside of it, wherever they called it.
void Writer::meeting_function() {
  group_ = -1;
  line(".func (.param .b32 o) meet(.param .b32 i, .param .b32 m)\n{{");
  line(".reg .b32 %r<8>; .reg .pred %p<3>;\nld.param.b32 %r0, [i];\nld.param.b32 %r1, [m];\nbfind.u32 %r2, %r1;");
  line("shfl.sync.idx.b32 %r3|%p0, %r0, %r2, 31, %r1;\nredux.sync.xor.b32 %r4, %r0, %r1;\nadd.u32 %r3, %r3, %r4;");
  line("setp.lt.s32 %p1, %r0, 0;\nvote.sync.ballot.b32 %r5, %p1, %r1;\nvote.sync.any.pred %p2, %p1, %r1;");
  line("xor.b32 %r3, %r3, %r5;\n@%p0 add.u32 %r3, %r3, 1;\n@%p2 add.u32 %r3, %r3, 2;");
  line("st.param.b32 [o], %r3;\nret;\n}}");
}

void Writer::first_values() {
  const Shape& shape = kernel_.shape;
  line(".reg .b64 %in, %out, %own, %own_generic, %dump, %zones, %mine;");
  line(".reg .b32 %me, %all, %sh, %full, %first, %cta;");
  line("ld.param.u64 %in, [in];\nld.param.u64 %out, [out];");
  line("mov.u32 %me, %tid.y;\nmov.u32 %t0, %ntid.x;\nmov.u32 %t1, %tid.x;\nmad.lo.u32 %me, %me, %t0, %t1;");
  line("mov.u32 %cta, %ctaid.x;\nmad.lo.u32 %all, %cta, {}, %me;", shape.threads());
  line("mul.wide.u32 %own, %all, {};\nadd.u64 %own, %own, %out;", kOwnBytes);
  const uint32_t threads = shape.ctas * shape.threads();
  line("mul.wide.u32 %dump, %all, {};\nadd.u64 %dump, %dump, %out;\nadd.u64 %dump, %dump, {};", kDumpBytes,
       threads * kOwnBytes);
  line("add.u64 %zones, %out, {};", threads * (kOwnBytes + kDumpBytes));
  line("mov.u32 %sh, mine;\nmad.lo.u32 %sh, %me, {}, %sh;\ncvt.u64.u32 %mine, %sh;\ncvta.shared.u64 %mine, %mine;",
       kOwnBytes);
  line("cvta.global.u64 %own_generic, %own;");
  // The lanes that the warp has.
  line("and.b32 %first, %me, -32;\nsub.u32 %t0, {}, %first;\nbmsk.clamp.b32 %full, 0, %t0;", shape.threads());
  line("setp.eq.u32 %z0, %me, 0;");
  for (unsigned cell = 0; cell < kZoneBytes / 8; ++cell)
    line("@%z0 st.shared.b64 [zone+{}], {};", cell * 8, low(random_(), 62));
  // Registers from the input, of each section from a place of the thread's own on.
  for (unsigned section = 0; section < 3; ++section) {
    line("mad.lo.u32 %t0, %all, {}, {};\nand.b32 %t0, %t0, {};\nmul.wide.u32 %a{}, %t0, 8;\nadd.u64 %a{}, %a{}, %in;",
         1 + 2 * below(60), below(kInputs), kInputs - 1, section, section, section);
  }
  unsigned slot = 0;
  const char pools[] = {'h', 'r', 'q', 'f', 'd', 'p'};
  for (const char pool : pools) {
    for (unsigned k = 0; k < pool_size(pool); ++k, ++slot) {
      const unsigned section = pool == 'f' ? 1 : pool == 'd' ? 2 : 0, at = (section * (kInputs + kMore) + slot) * 8;
      if (pool == 'p') {
        line("ld.global.b32 %t1, [%a0+{}];\nand.b32 %t1, %t1, {};\nsetp.ne.u32 %p{}, %t1, 0;", at, 1 << below(8), k);
      } else {
        line("ld.global.b{} %{}{}, [%a{}+{}];",
             pool == 'h'                  ? 16
             : pool == 'r' || pool == 'f' ? 32
                                          : 64,
             pool, k, section, at);
      }
    }
  }
  for (unsigned k = 0; k < 8; ++k) line("st.local.b64 [kept+{}], %q{};", k * 8, k % kWides);
  for (unsigned k = 0; k < 8; ++k) line("st.shared.b64 [%sh+{}], %q{};", k * 8, (k + 1) % kWides);
  line("bar.sync 0;");
}

void Writer::last_words() {
  unsigned slot = 0;
  const char pools[] = {'h', 'r', 'q', 'f', 'd', 'p'};
  for (const char pool : pools) {
    for (unsigned k = 0; k < pool_size(pool); ++k, ++slot) {
      if (pool == 'p') {
        line("selp.b32 %t0, 1, 0, %p{};\nst.global.b32 [%dump+{}], %t0;", k, slot * 8);
      } else {
        line("st.global.b{} [%dump+{}], %{}{};",
             pool == 'h'                  ? 16
             : pool == 'r' || pool == 'f' ? 32
                                          : 64,
             slot * 8, pool, k);
      }
    }
  }
}

void Writer::zones_out() {
  line("bar.sync 0;\nsetp.eq.u32 %z0, %me, 0;\nmul.wide.u32 %a1, %cta, {};\nadd.u64 %a1, %a1, %zones;", kZoneBytes);
  for (unsigned cell = 0; cell < kZoneBytes / 8; cell += 2) {
    line("@%z0 ld.shared.v2.b64 {{%a2, %a3}}, [zone+{}];\n@%z0 st.global.v2.b64 [%a1+{}], {{%a2, %a3}};", cell * 8,
         cell * 8);
  }
}

void Writer::entry() {
  group_ = -1;
  line(".visible .entry k(.param .u64 in, .param .u64 out)\n{{");
  declare_registers();
  const size_t declared = kernel_.lines.size();
  line("");
  first_values();
  Where where;
  where.all_threads = true;
  where.mask = kernel_.any_warp_size ? "" : "%full";
  const unsigned statements = budget_;
  block(where, statements);
  group_ = -1;
  zones_out();
  last_words();
  if (one_in(2)) {
    // Some threads leave; the others go on.
    line("@%p{} exit;", below(kPredicates));
    Where alone;
    alone.depth = 1;
    block(alone, 4);
    group_ = -1;
    for (unsigned k = 0; k < kWords; ++k) line("st.global.b32 [%dump+{}], %r{};", (kHalves + k) * 8, k);
  }
  line("ret;\n}}");
  kernel_.lines[declared].text =
      fmt::format(".reg .pred %g<{}>; .reg .b32 %c<{}>; .reg .b32 %m<{}>;", names_ + 1, names_ + 1, 2 * names_ + 2);
}

void Writer::block(const Where& where, unsigned statements) {
  budget_ += where.in_function ? statements : 0;
  for (unsigned k = 0; k < statements && budget_ > 0; ++k) statement(where);
}

void Writer::statement(const Where& where) {
  if (budget_ > 0) --budget_;
  const int before = group_;
  begin();
  const bool deep = where.depth >= 4;
  const uint64_t kind = below(100);
  const unsigned inside = static_cast<unsigned>(1 + below(6));
  if (kind < 48) {
    plain();
  } else if (kind < 52) {
    carry_chain();
  } else if (kind < 55) {
    pack_or_unpack();
  } else if (kind < 57) {
    special_register(where);
  } else if (kind < 61) {
    local_memory();
  } else if (kind < 66) {
    read_only_memory(where);
  } else if (kind < 73) {
    where.in_function ? local_memory() : own_memory(where);
  } else if (kind < 76) {
    where.in_function ? plain() : one_in(5) ? copy_to_own() : one_in(12) ? fence() : atomic_on_own();
  } else if (kind < 79) {
    where.in_function ? plain() : reduction();
  } else if (kind < 84) {
    deep ? plain() : branch(where, inside);
  } else if (kind < 87) {
    deep || where.loops >= 2 ? plain() : loop(where, inside);
  } else if (kind < 88) {
    deep ? plain() : table_branch(where, inside);
  } else if (kind < 89) {
    deep ? plain() : tangle(where);
  } else if (kind < 92) {
    call(where);
  } else if (kind < 94) {
    where.all_threads ? (one_in(3) ? barrier_of_some() : barrier_exchange()) : plain();
  } else if (kind < 95) {
    where.all_threads ? barrier_reduction() : plain();
  } else {
    where.mask.empty() ? plain() : collective(where);
  }
  group_ = before;
}

}  // namespace bankshot::differential

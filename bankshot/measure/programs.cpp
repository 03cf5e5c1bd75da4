#include "bankshot/measure/programs.hpp"

#include <fmt/format.h>

namespace bankshot::measure {
namespace {

// How the time of one access is taken. A warp issues in order, but neither ptxas nor the hardware waits for a result
// before it reads the clock. So each reading stands behind a branch on the result (no word ever holds kNever), and in
// front of the sequence stands a branch on everything it needs. What is timed starts with the address, to which the
// clock's highest bit is added: a 0 that the compiler cannot know, so that the access is behind the reading, and finds
// the units free whichever the clock took. The clock is read, and stored, with 64 bits: of 32 bits, ptxas takes the
// scalar unit's reading at some places and not at others, and these take different times. With ptxas 13, what is timed
// is for sm_75 to sm_100, of a load: clock, add, compare, branch; clock, add, load, compare, branch; clock.
constexpr std::string_view kNever = "0x7eadbeef";

constexpr std::array<AccessInfo, kAccesses> kInfos = {{
    {"load", "load", "load", true},
    {"store", "store", "store", false},
    {"add", "add", "atomic add", true},
    {"add_unused", "add_unused", "atomic add, result unused", false},
    {"increment_unused", "increment_unused", "atomic add of 1, result unused", false},
    {"add_float", "add_float", "atomic add, float", true},
}};

/// Does it once; what it gives goes to `result`. Volatile, or ptxas would load a word once for all rounds.
std::string access_text(Access access, std::string_view result) {
  switch (access) {
    case Access::load: return fmt::format("  ld.volatile.shared.u32 {}, [%at];\n", result);
    case Access::store: return "  st.volatile.shared.u32 [%at], %value;\n";
    case Access::add: return fmt::format("  atom.shared.add.u32 {}, [%at], %value;\n", result);
    case Access::add_unused: return "  red.shared.add.u32 [%at], %value;\n";
    case Access::increment_unused: return "  red.shared.add.u32 [%at], 1;\n";
    case Access::add_float: return fmt::format("  atom.shared.add.f32 {}, [%at], %value;\n", result);
  }
  return {};
}

/// Waits for a register.
std::string wait_for(std::string_view name) {
  return fmt::format("  setp.eq.u32 %p, {}, {};\n  @%p bra wrong;\n", name, kNever);
}

/// Adds a 0 that comes from a reading of the clock.
std::string add_zero(std::string_view name, std::string_view clock) {
  return fmt::format("  mov.b64 {{%low, %high}}, {};\n  shr.u32 %high, %high, 31;\n  add.u32 {}, {}, %high;\n", clock,
                     name, name);
}

constexpr std::string_view kLoadOwn = "  ld.volatile.shared.u32 %r0, [%own];\n";

/// Parameters, cleared words, and the thread's place in both arrays. %own is the word behind those of the patterns.
constexpr std::string_view kBegin = R"((
  .param .u64 patterns, .param .u64 times, .param .u32 rounds, .param .u32 words, .param .u32 value, .param .u32 repeats)
{
  .reg .pred %p;
  .reg .b32 %at, %high, %i, %low, %n, %own, %round, %rounds, %start, %thread, %threads, %turn, %turns, %value, %x;
  .reg .b32 %r<8>;
  .reg .b64 %begin, %end, %in, %middle, %out, %step;
  ld.param.u64 %in, [patterns];
  ld.param.u64 %out, [times];
  ld.param.u32 %rounds, [rounds];
  ld.param.u32 %n, [words];
  ld.param.u32 %turns, [repeats];
  mov.u32 %thread, %tid.x;
  mov.u32 %threads, %ntid.x;
  shl.b32 %threads, %threads, 2;
  mov.u32 %start, scratch;
  mad.lo.u32 %own, %n, 4, %start;
  mad.lo.u32 %i, %thread, 4, %start;
  mov.u32 %x, 0;
clear:
  setp.gt.u32 %p, %i, %own;
  @%p bra cleared;
  st.shared.u32 [%i], %x;
  add.u32 %i, %i, %threads;
  bra clear;
cleared:
  bar.sync 0;
  mul.wide.u32 %step, %thread, 4;
  add.u64 %in, %in, %step;
  mov.u32 %round, 0;
)";

/// Takes the pattern's word address and makes everything ready that the access needs. Lanes that are off skip what
/// follows.
std::string prepare() {
  return "  ld.global.u32 %at, [%in];\n  setp.eq.u32 %p, %at, 0xffffffff;\n  @%p bra off;\n"
         "  mad.lo.u32 %at, %at, 4, %start;\n" +
         std::string(kLoadOwn) +  // which is 0
         "  ld.param.u32 %value, [value];\n  add.u32 %value, %value, %r0;\n  add.u32 %x, %at, %value;\n" +
         wait_for("%x");
}

constexpr std::string_view kFinish = "wrong:\n  trap;\ndone:\n  ret;\n}\n";

}  // namespace

const AccessInfo& info(Access access) { return kInfos[static_cast<size_t>(access)]; }

std::string latency_kernel(Access access) {
  const bool probed = !info(access).has_result;
  const std::string_view wait = probed ? kLoadOwn : std::string_view();
  std::string text = fmt::format(".visible .entry latency_{}", info(access).kernel);
  text += kBegin;
  text += "  mul.wide.u32 %step, %thread, 8;\n  add.u64 %out, %out, %step;\n";
  text += "next:\n  setp.ge.u32 %p, %round, %rounds;\n  @%p bra done;\n";
  text += prepare();
  text += "  mov.u64 %begin, %clock64;\n" + add_zero(probed ? "%own" : "%r0", "%begin");
  text += fmt::format("{}{}", wait, wait_for("%r0"));
  text += "  mov.u64 %middle, %clock64;\n" + add_zero("%at", "%middle");
  text += fmt::format("{}{}{}", access_text(access, "%r0"), wait, wait_for("%r0"));
  text += "  mov.u64 %end, %clock64;\n";
  text += "  sub.u64 %end, %end, %middle;\n  sub.u64 %middle, %middle, %begin;\n";
  text += "  st.global.u64 [%out], %middle;\n  st.global.u64 [%out+256], %end;\n";
  text += "off:\n  bar.sync 0;\n  add.u64 %in, %in, 128;\n  add.u64 %out, %out, 512;\n";
  text += "  add.u32 %round, %round, 1;\n  bra next;\n";
  return text + std::string(kFinish);
}

std::string throughput_kernel(Access access) {
  std::string text = fmt::format(".visible .entry throughput_{}", info(access).kernel);
  text += kBegin;
  text += "  mul.wide.u32 %step, %thread, 16;\n  add.u64 %out, %out, %step;\n  mul.wide.u32 %step, %threads, 4;\n";
  text += "next:\n  setp.ge.u32 %p, %round, %rounds;\n  @%p bra done;\n";
  text += prepare();
  text += "  mov.u32 %turn, 0;\n  bar.sync 0;\n  mov.u64 %begin, %clock64;\n";
  text += "again:\n";
  for (unsigned k = 0; k < kUnrolled; ++k) text += access_text(access, fmt::format("%r{}", k));
  if (info(access).has_result) {
    for (unsigned apart = 1; apart < kUnrolled; apart *= 2) {
      for (unsigned k = 0; k < kUnrolled; k += 2 * apart)
        text += fmt::format("  and.b32 %r{0}, %r{0}, %r{1};\n", k, k + apart);
    }
  }
  text += "  add.u32 %turn, %turn, 1;\n  setp.lt.u32 %p, %turn, %turns;\n  @%p bra again;\n";
  if (!info(access).has_result) text += kLoadOwn;
  text += wait_for("%r0");
  text += "  mov.u64 %end, %clock64;\n  st.global.u64 [%out], %begin;\n  st.global.u64 [%out+8], %end;\n";
  text += "off:\n  bar.sync 0;\n  add.u64 %out, %out, %step;\n  add.u32 %round, %round, 1;\n  bra next;\n";
  return text + std::string(kFinish);
}

std::string programs() {
  std::string text = ".version 3.2\n.target sm_20\n.address_size 64\n.extern .shared .align 4 .b8 scratch[];\n";
  for (unsigned k = 0; k < kAccesses; ++k) {
    text += latency_kernel(static_cast<Access>(k)) + throughput_kernel(static_cast<Access>(k));
  }
  return text;
}

}  // namespace bankshot::measure

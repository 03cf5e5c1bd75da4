// Joining accesses changes nothing that a program computes, nor do the order of machine code and the simulated GPU that
// issues it: random kernels, as written, joined, ordered and simulated, leave the same bytes.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "tests/unit/timing/chip_harness.hpp"

namespace bankshot {
namespace {

constexpr unsigned kThreads = 64, kOwn = 64, kSums = 8;  ///< bytes of shared memory of a thread; words of its output

struct JoinSpelling {
  const char* type;
  unsigned bytes;
  const char* reg;
};
constexpr JoinSpelling kSpellings[] = {{"u8", 1, "%h"},  {"s16", 2, "%h"}, {"u16", 2, "%h"},  {"b32", 4, "%r"},
                                       {"f32", 4, "%f"}, {"u32", 4, "%r"}, {"u64", 8, "%rd"}, {"f64", 8, "%d"}};

/// Writes statements that read and write the thread's own bytes, by registers that hold its start, or are a known or
/// unknown distance away.
class JoinProgram {
 public:
  std::string body(int statements) {
    for (int k = 0; k < statements; ++k) statement();
    for (; open_ > 0; --open_) text_ += "J" + std::to_string(labels_[static_cast<size_t>(open_ - 1)]) + ":\n";
    return std::move(text_);
  }
  int registers() const { return next_; }

 private:
  static int pick(int from, int to) { return *rc::gen::inRange(from, to); }
  std::string reg(const JoinSpelling& s, int number) { return s.reg + std::to_string(number); }

  /// An address of `bytes` bytes within the thread's own.
  std::string address(unsigned bytes) {
    const int base = pick(0, 4);
    const int least = base == 1 ? -16 : 0;  // %a1 is 16 bytes behind the start
    const int places = (static_cast<int>(kOwn) - (base == 3 ? 32 : 0)) / static_cast<int>(bytes);
    const int offset = least + pick(0, std::min(places, 8)) * static_cast<int>(bytes);
    return "[%a" + std::to_string(base) + "+" + std::to_string(offset) + "]";
  }

  void statement() {
    const int kind = pick(0, 20);
    const JoinSpelling& s = kSpellings[pick(0, std::size(kSpellings))];
    const int vector = s.bytes > 8 || pick(0, 3) != 0 ? 1 : 16 / static_cast<int>(s.bytes) >= 4 ? 1 << pick(1, 3) : 2;
    const std::string guard = pick(0, 8) == 0 ? (pick(0, 2) == 0 ? "@%p1 " : "@!%p1 ") : "";
    const std::string width = vector == 1 ? "" : ".v" + std::to_string(vector);
    if (kind < 9) {
      load(s, vector, width, guard);
    } else if (kind < 16) {
      std::string data;
      for (int k = 0; k < vector; ++k) {
        const int number = next_++;
        text_ += initial(s, number);
        data += (k == 0 ? "" : ", ") + reg(s, number);
      }
      text_ += guard + "st.shared" + width + "." + s.type + " " + address(s.bytes * static_cast<unsigned>(vector)) +
               ", " + (vector == 1 ? data : "{" + data + "}") + ";\n";
    } else if (kind == 16 && open_ < 3) {
      labels_.resize(static_cast<size_t>(open_) + 1);
      labels_.back() = label_++;
      text_ += "@%p" + std::to_string(pick(1, 3)) + " bra J" + std::to_string(labels_.back()) + ";\n";
      ++open_;
    } else if (kind == 17 && open_ > 0) {
      text_ += "J" + std::to_string(labels_[static_cast<size_t>(--open_)]) + ":\n";
    } else if (kind == 18) {
      text_ += open_ == 0 && pick(0, 2) == 0 ? "bar.sync 0;\n" : "membar.cta;\n";
    } else {
      text_ += "xor.b32 %sum" + std::to_string(pick(0, kSums)) + ", %sum0, " + std::to_string(pick(1, 1000)) + ";\n";
    }
  }

  void load(const JoinSpelling& s, int vector, const std::string& width, const std::string& guard) {
    std::string data;
    std::vector<int> numbers;
    for (int k = 0; k < vector; ++k) {
      // Some registers are written again, some by an instruction that not every lane executes.
      const bool again = next_ > 4 && pick(0, 6) == 0 && !loaded_.empty();
      numbers.push_back(again ? loaded_[static_cast<size_t>(pick(0, static_cast<int>(loaded_.size())))] : next_++);
      if (!again) text_ += initial(s, numbers.back());
      data += (k == 0 ? "" : ", ") + reg(s, numbers.back());
    }
    for (size_t k = 0; k < numbers.size(); ++k) {
      for (size_t n = 0; n < k; ++n) {
        if (numbers[k] == numbers[n]) return;  // twice in one vector
      }
    }
    text_ += guard + "ld.shared" + width + "." + s.type + " " + (vector == 1 ? data : "{" + data + "}") + ", " +
             address(s.bytes * static_cast<unsigned>(vector)) + ";\n";
    for (const int number : numbers) {
      loaded_.push_back(number);
      if (pick(0, 5) != 0) sum(s, number);
    }
  }

  void sum(const JoinSpelling& s, int number) {
    const std::string r = reg(s, number), to = "%sum" + std::to_string(pick(0, kSums));
    if (s.bytes < 4) text_ += "cvt.u32.u16 %t, " + r + "; ";
    if (s.bytes == 4) text_ += "mov.b32 %t, " + r + "; ";
    if (s.bytes == 8) text_ += "mov.b64 {%t, %u}, " + r + "; xor.b32 %t, %t, %u; ";
    text_ += "mad.lo.u32 " + to + ", " + to + ", 31, %t;\n";
  }

  /// Every register has a value: guards may leave it.
  std::string initial(const JoinSpelling& s, int number) {
    if (pick(0, 3) == 0 && s.bytes == 4) return "mov.b32 " + reg(s, number) + ", %sum0;\n";
    const char* const bits = s.bytes < 4 ? "b16" : s.bytes == 4 ? "b32" : "b64";
    const std::string value = std::to_string(pick(0, 30000));
    if (s.bytes < 4 || std::string_view(s.reg) == "%r" || std::string_view(s.reg) == "%rd")
      return std::string("mov.") + bits + " " + reg(s, number) + ", " + value + ";\n";
    return s.bytes == 4 ? "cvt.rn.f32.u32 " + reg(s, number) + ", %a0;\n"
                        : "cvt.rn.f64.u32 " + reg(s, number) + ", %a0;\n";
  }

  std::string text_;
  int next_ = 0, open_ = 0, label_ = 0;
  std::vector<int> labels_, loaded_;
};

std::string join_kernel(const std::string& body, int registers) {
  const std::string n = std::to_string(registers + 1);
  std::string text =
      ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out) {\n.reg .b16 %h<" + n +
      ">; .reg .b32 %r<" + n + ">; .reg .f32 %f<" + n + ">; .reg .b64 %rd<" + n + ">; .reg .f64 %d<" + n +
      ">;\n.reg .b32 %a<4>, %sum<8>, %t, %u, %tid; .reg .pred %p<4>; .reg .b64 %to;\n.shared .align 16 .b8 s[" +
      std::to_string(kThreads * kOwn) +
      "];\nmov.u32 %tid, %tid.x; mov.u32 %t, s; mad.lo.u32 %a0, %tid, 64, %t; add.u32 %a1, %a0, 16;\n"
      "and.b32 %u, %tid, 1; shl.b32 %u, %u, 4; add.u32 %a2, %a0, 0; add.u32 %a3, %a0, %u;\n"
      "and.b32 %u, %tid, 1; setp.eq.u32 %p1, %u, 0; setp.lt.u32 %p2, %tid, 40; setp.eq.u32 %p3, %tid, 99;\n";
  for (unsigned k = 0; k < kSums; ++k) text += "mov.u32 %sum" + std::to_string(k) + ", %tid;\n";
  for (unsigned k = 0; k < kOwn; k += 4)
    text += "mad.lo.u32 %t, %tid, 77, " + std::to_string(k * 7919) + "; st.shared.u32 [%a0+" + std::to_string(k) +
            "], %t;\n";
  text += body;
  text += "ld.param.u64 %to, [out]; mad.wide.u32 %to, %tid, " + std::to_string(4 * kSums + kOwn) + ", %to;\n";
  for (unsigned k = 0; k < kSums; ++k)
    text += "st.global.u32 [%to+" + std::to_string(4 * k) + "], %sum" + std::to_string(k) + ";\n";
  for (unsigned k = 0; k < kOwn; k += 4)
    text += "ld.shared.u32 %t, [%a0+" + std::to_string(k) + "]; st.global.u32 [%to+" + std::to_string(4 * kSums + k) +
            "], %t;\n";
  return text + "ret; }\n";
}

enum class On { engine, ordered_engine, simulated_gpu };

std::vector<uint32_t> join_run(const std::string& text, unsigned machine_code, On on, uint64_t& instructions) {
  simt::EngineOptions options;
  options.threads = 1;
  options.machine_code = machine_code;
  options.timing = on != On::engine;
  simt::Engine engine(options);
  const auto program = engine.load(text, "kernel.ptx");
  RC_ASSERT(static_cast<bool>(program));
  std::vector<uint32_t> out(kThreads * (kSums + kOwn / 4));
  const uint64_t buffer = *engine.memory().allocate(out.size() * 4, simt::MemoryKind::device);
  simt::LaunchConfig config;
  config.block = {kThreads};
  config.params = std::as_bytes(std::span(&buffer, 1));
  if (on == On::simulated_gpu) {
    const timing::Config machine = timing::small_machine();
    timing::Chip chip(machine, timing::one_thread());
    const auto simulated = chip.launch(engine, **program, "k", config, {8, "CTA slots"});
    if (!simulated) RC_FAIL(simulated.error().message + "\n" + text);
    const timing::Counters& counters = simulated->timing.counters;
    instructions = counters.warp_instructions;
    RC_ASSERT(counters.slots[0] == counters.machine_instructions);
  } else {
    const auto stats = engine.launch(**program, "k", config);
    if (!stats) RC_FAIL(stats.error().message + "\n" + text);
    instructions = stats->warp_instructions;
  }
  std::memcpy(out.data(), reinterpret_cast<const void*>(buffer), out.size() * 4);
  return out;
}

RC_GTEST_PROP(JoinProperty, joined_accesses_leave_the_same_bytes, ()) {
  JoinProgram program;
  const std::string body = program.body(*rc::gen::inRange(2, 60));
  const std::string text = join_kernel(body, program.registers());
  uint64_t written = 0, joined = 0;
  const std::vector<uint32_t> expected = join_run(text, 0, On::engine, written);
  for (const unsigned architecture : {75u, 90u}) {
    const std::vector<uint32_t> found = join_run(text, architecture, On::engine, joined);
    if (found != expected) RC_FAIL(text);
    RC_TAG(joined == written ? "unchanged" : "changed");
    uint64_t ordered = 0, simulated = 0;
    if (join_run(text, architecture, On::ordered_engine, ordered) != expected) RC_FAIL("ordered\n" + text);
    if (join_run(text, architecture, On::simulated_gpu, simulated) != expected) RC_FAIL("simulated\n" + text);
    RC_ASSERT(simulated == ordered);
  }
}

}  // namespace
}  // namespace bankshot

// ld and st: every type and vector, between registers of each width that may hold it and every state space; lanes that
// are off; addresses that are not multiples of what is accessed. Source: PTX ISA, ld, st and "Operand Size Exceeding
// Instruction-Type Size".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "exact_integers.hpp"
#include "memory_access.hpp"

namespace bankshot::simt::conformance::memory_forms {
namespace {

/// Thread t stores the whole registers that it loaded, 64 bytes apart; half of the lanes are off in each group of
/// eight.
std::string load_kernel(const Access& a) {
  std::string text = start(a) + address(a);
  if (a.space == "shared" || a.space == "local") text += copy("global", "%in", a.space, "%at");
  text += made_generic(a);
  for (unsigned e = 0; e < a.elements; ++e)
    text += fmt::format("mov.b{} %v{}, {};\n", a.register_bits, e, low_bits(kJunk, a.register_bits));
  text += fmt::format("@%on {} {}, [%at];\nmul.wide.u32 %offset, %t, 64; add.u64 %out, %out, %offset;\n",
                      a.form(a.load), a.values());
  text += stored(a);
  return text + "}\n";
}

/// Thread t fills registers from its 64 bytes of `in`, stores them where %at is and copies what is there to `out`.
std::string store_kernel(const Access& a) {
  std::string text = start(a) + "add.u64 %out, %out, %offset;\n";
  if (a.space == "global") {
    text += "mov.b64 %at, %out;\n";
  } else {
    text += address(a) + copy("global", "%out", a.space, "%at");
  }
  text += "add.u64 %in, %in, %offset;\n";  // 64 bytes a thread
  for (unsigned e = 0; e < a.elements; ++e)
    text += fmt::format("ld.global.b{} %v{}, [%in+{}];\n", a.register_bits, e, 8 * e);
  if (a.generic && a.space != "global") text += "mov.b64 %in, %at; cvta." + a.space + ".u64 %at, %at;\n";
  text += fmt::format("@%on {} [%at], {};\n", a.form("st"), a.values());
  if (a.space != "global") text += copy(a.space, a.generic ? "%in" : "%at", "global", "%out");
  return text + "}\n";
}

TEST(MemoryForms, loads_extend_what_they_find_into_the_registers) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * kStride), zeros(kThreads * 64);
  size_t forms = 0;
  for_all_accesses([&](const Access& a) {
    ++forms;
    for (const Host& host : all) {
      if (HasFailure()) return;
      const auto out = run_on_bytes(host, load_kernel(a), in, zeros);
      if (!out) return;
      for (unsigned t = 0; t < kThreads; ++t) {
        for (unsigned e = 0; e < a.elements; ++e) {
          const size_t thread = a.space == "param" ? t % 32 : t;
          const uint64_t found = number_at(in, thread * kStride + e * a.bytes(), a.bytes());
          const uint64_t wanted =
              is_on(t) ? extended(found, a.type, a.register_bits) : low_bits(kJunk, a.register_bits);
          const uint64_t got = number_at(*out, t * 64 + e * 8, a.register_bits / 8);
          ASSERT_EQ(got, wanted) << a.form(a.load) << (a.generic ? " to " + a.space : "") << " into " << a.register_bits
                                 << "-bit registers: thread " << t << ", element " << e << " (" << host.isa << ")";
        }
      }
    }
  });
  EXPECT_GT(forms, 500u);
}

TEST(MemoryForms, parameters_named_in_the_address_are_the_same_for_all_lanes) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * kStride), zeros(kThreads * 64);
  for_all_accesses([&](const Access& a) {
    if (a.space != "param") return;
    for (const char* guard : {"", "@%on "}) {
      std::string text = start(a);
      for (unsigned e = 0; e < a.elements; ++e)
        text += fmt::format("mov.b{} %v{}, {};\n", a.register_bits, e, low_bits(kJunk, a.register_bits));
      text += fmt::format("{}{} {}, [data+48];\nmul.wide.u32 %offset, %t, 64; add.u64 %out, %out, %offset;\n", guard,
                          a.form("ld"), a.values());
      text += stored(a);
      for (const Host& host : all) {
        if (HasFailure()) return;
        const auto out = run_on_bytes(host, text + "}\n", in, zeros);
        if (!out) return;
        for (unsigned t = 0; t < kThreads; ++t) {
          for (unsigned e = 0; e < a.elements; ++e) {
            const uint64_t loaded = extended(number_at(in, 48 + e * a.bytes(), a.bytes()), a.type, a.register_bits);
            const bool on = *guard == 0 || is_on(t);
            ASSERT_EQ(number_at(*out, t * 64 + e * 8, a.register_bits / 8),
                      on ? loaded : low_bits(kJunk, a.register_bits))
                << guard << a.form("ld") << " into " << a.register_bits << "-bit registers: thread " << t
                << ", element " << e << " (" << host.isa << ")";
          }
        }
      }
    }
  });
}

TEST(MemoryForms, rejects_parameters_that_are_misaligned_or_outside_of_the_buffer) {
  const Bytes in(kThreads * 64), zeros(kThreads * 64);
  const auto fault_of = [&](const Host& host, const std::string& load) {
    Fault fault;
    fault.kind = Fault::Kind::trap;
    const std::string text =
        kHead + ".reg .b32 %v<4>; .reg .b64 %w; mov.u32 %t, %tid.x; setp.gt.u32 %on, %t, 4;\n@%on " + load + "\n}\n";
    EXPECT_FALSE(run_on_bytes(host, text, in, zeros, &fault)) << load << " " << host.isa;
    EXPECT_EQ(fault.thread.x, 5u) << load << " " << host.isa;
    return fault.kind;
  };
  // `data` begins at byte 32 of a buffer of 64 KiB.
  for (const Host& host : hosts()) {
    EXPECT_EQ(fault_of(host, "ld.param.u32 %v0, [data+2];"), Fault::Kind::misaligned);
    EXPECT_EQ(fault_of(host, "ld.param.v4.u32 {%v0, %v1, %v2, %v3}, [data+8];"), Fault::Kind::misaligned);
    EXPECT_EQ(fault_of(host, "ld.param.u64 %w, [data+65504];"), Fault::Kind::illegal_address);
  }
}

TEST(MemoryForms, addresses_are_converted_for_lanes_that_are_on) {
  const Bytes in(kThreads * 64), zeros(kThreads * 64);
  const std::string text =
      start({T::u32, 1, 32, "local"}) +
      ".reg .b64 %w<4>; mov.b64 %w0, 7; @%on cvta.to.global.u64 %w0, 1234; mov.b64 %w1, 7; @%on cvta.local.u64 %w1, "
      "frame;\nmov.b64 %w2, frame; cvta.local.u64 %w2, %w2; setp.eq.u64 %on, %w1, %w2; selp.b64 %w1, 1, %w1, %on;\n"
      "add.u64 %out, %out, %offset; st.global.b64 [%out], %w0; st.global.b64 [%out+8], %w1;\n}\n";
  for (const Host& host : hosts()) {
    const auto out = run_on_bytes(host, text, in, zeros);
    if (!out) return;
    for (unsigned t = 0; t < kThreads; ++t) {
      EXPECT_EQ(number_at(*out, t * 32, 8), is_on(t) ? 1234 : 7) << "thread " << t << " " << host.isa;
      EXPECT_EQ(number_at(*out, t * 32 + 8, 8), is_on(t) ? 1 : 7) << "thread " << t << " " << host.isa;
    }
  }
}

TEST(MemoryForms, stores_write_the_low_bits_and_nothing_else) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * 64), before(kThreads * kStride, std::byte{0x5a});
  size_t forms = 0;
  for_all_accesses([&](const Access& a) {
    if (a.space == "const" || a.space == "param" || a.load != std::string_view("ld")) return;
    ++forms;
    for (const Host& host : all) {
      if (HasFailure()) return;
      const auto out = run_on_bytes(host, store_kernel(a), in, before);
      if (!out) return;
      for (unsigned t = 0; t < kThreads; ++t) {
        for (unsigned k = 0; k < kStride; ++k) {
          const unsigned element = k / a.bytes(), byte = k % a.bytes();
          const bool written = is_on(t) && element < a.elements;
          ASSERT_EQ((*out)[t * kStride + k], written ? in[t * 64 + element * 8 + byte] : std::byte{0x5a})
              << a.form("st") << (a.generic ? " to " + a.space : "") << " of " << a.register_bits
              << "-bit registers: thread " << t << ", byte " << k << " (" << host.isa << ")";
        }
      }
    }
  });
  EXPECT_GT(forms, 300u);
}

TEST(MemoryForms, rejects_addresses_that_are_no_multiple_of_the_access) {
  const std::vector<Host> all = hosts();
  const Bytes in(kThreads * 64), zeros(kThreads * 64);
  for_all_accesses([&](const Access& a) {
    const unsigned whole = a.bytes() * a.elements;
    if (whole == 1 || a.space == "const" || a.space == "param") return;
    for (const char* opcode : {"ld", "st"}) {
      // Thread 9 alone is half an access off.
      std::string text = start(a) + address(a) + made_generic(a);
      text += fmt::format("setp.eq.u32 %on, %t, 9; @%on add.u64 %at, %at, {};\n", whole / 2);
      for (unsigned e = 0; e < a.elements; ++e) text += fmt::format("mov.b{} %v{}, 0;\n", a.register_bits, e);
      text += opcode == std::string_view("ld") ? fmt::format("{} {}, [%at];\n}}\n", a.form(opcode), a.values())
                                               : fmt::format("{} [%at], {};\n}}\n", a.form(opcode), a.values());
      for (const Host& host : all) {
        Fault fault;
        fault.kind = Fault::Kind::trap;
        EXPECT_FALSE(run_on_bytes(host, text, in, zeros, &fault)) << a.form(opcode) << " " << host.isa;
        EXPECT_EQ(fault.kind, Fault::Kind::misaligned) << a.form(opcode) << " " << host.isa << ": " << fault.message;
        EXPECT_EQ(fault.thread.x, 9u);
        if (HasFailure()) return;
      }
    }
  });
}

}  // namespace
}  // namespace bankshot::simt::conformance::memory_forms

// ld and st of whole warps: side by side, with gaps, all at one place; each lane at an index of its own in local
// memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "exact_integers.hpp"
#include "memory_access.hpp"

namespace bankshot::simt::conformance::memory_forms {
namespace {

/// Sets %at to the place of a thread in the global buffer or in shared memory.
std::string at_place(const Access& a, const std::string& buffer, unsigned distance) {
  const std::string offset = distance == 0 ? "and.b32 %bit, %t, 32; cvt.u64.u32 %offset, %bit;"
                                           : fmt::format("mul.wide.u32 %offset, %t, {};", distance);
  return fmt::format("{} mov.b64 %at, {}; add.u64 %at, %at, %offset;\n", offset, a.space == "shared" ? "room" : buffer);
}
/// In bytes from its start. Distance 0: warps of 32 lanes have one place each.
unsigned place_of(unsigned thread, unsigned distance) { return distance == 0 ? thread & 32 : thread * distance; }
/// How far apart the threads of a whole warp access memory: side by side, with gaps, all at one place.
std::array<unsigned, 3> distances(const Access& a) {
  const unsigned whole = a.bytes() * a.elements;
  return {whole, 2 * whole, 0};
}

TEST(MemoryForms, whole_warps_load_vectors_side_by_side_with_gaps_and_all_from_one_place) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * 64), zeros(kThreads * 64);
  for_all_accesses([&](const Access& a) {
    if ((a.space != "global" && a.space != "shared") || a.load != std::string_view("ld")) return;
    for (const unsigned distance : distances(a)) {
      std::string text = start(a);
      if (a.space == "shared") text += address(a) + copy("global", "%in", a.space, "%at") + "bar.sync 0;\n";
      text += "sub.u64 %in, %in, %offset;\n" + at_place(a, "%in", distance) + made_generic(a) +
              fmt::format("{} {}, [%at];\nmul.wide.u32 %offset, %t, 64; add.u64 %out, %out, %offset;\n", a.form("ld"),
                          a.values());
      text += stored(a);
      for (const Host& host : all) {
        if (HasFailure()) return;
        const auto out = run_on_bytes(host, text + "}\n", in, zeros);
        if (!out) return;
        for (unsigned t = 0; t < kThreads; ++t) {
          for (unsigned e = 0; e < a.elements; ++e) {
            const uint64_t found = number_at(in, place_of(t, distance) + e * a.bytes(), a.bytes());
            ASSERT_EQ(number_at(*out, t * 64 + e * 8, a.register_bits / 8), extended(found, a.type, a.register_bits))
                << a.form("ld") << (a.generic ? " to " + a.space : "") << " into " << a.register_bits
                << "-bit registers, " << distance << " bytes apart: thread " << t << ", element " << e << " ("
                << host.isa << ")";
          }
        }
      }
    }
  });
}

TEST(MemoryForms, whole_warps_store_vectors_and_of_several_at_one_place_the_last_lane_stays) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * 64), before(kThreads * 64, std::byte{0x5a});
  for_all_accesses([&](const Access& a) {
    if ((a.space != "global" && a.space != "shared") || a.load != std::string_view("ld")) return;
    const unsigned bytes = a.space == "shared" ? 2048 : kThreads * 64;
    for (const unsigned distance : distances(a)) {
      // Thread t has its values in 64 bytes of `in`.
      std::string text = start(a);
      if (a.space == "shared")
        text += address(a) + "add.u64 %out, %out, %offset;\n" + copy("global", "%out", a.space, "%at") +
                "sub.u64 %out, %out, %offset; bar.sync 0;\n";
      text += "add.u64 %in, %in, %offset;\n";
      for (unsigned e = 0; e < a.elements; ++e)
        text += fmt::format("ld.global.b{} %v{}, [%in+{}];\n", a.register_bits, e, 8 * e);
      text += at_place(a, "%out", distance) + made_generic(a) +
              fmt::format("{} [%at], {};\nbar.sync 0;\n", a.form("st"), a.values());
      if (a.space == "shared")
        text +=
            "mul.wide.u32 %offset, %t, 32; mov.b64 %at, room; add.u64 %at, %at, %offset; add.u64 %out, %out, "
            "%offset;\n" +
            copy(a.space, "%at", "global", "%out");
      Bytes wanted = before;
      for (unsigned t = 0; t < kThreads; ++t) {
        for (unsigned k = 0; k < a.bytes() * a.elements; ++k)
          wanted[place_of(t, distance) + k] = in[t * 64 + k / a.bytes() * 8 + k % a.bytes()];
      }
      for (const Host& host : all) {
        if (HasFailure()) return;
        const auto out = run_on_bytes(host, text + "}\n", in, before);
        if (!out) return;
        for (unsigned k = 0; k < bytes; ++k) {
          ASSERT_EQ((*out)[k], wanted[k])
              << a.form("st") << (a.generic ? " to " + a.space : "") << " of " << a.register_bits << "-bit registers, "
              << distance << " bytes apart: byte " << k << " (" << host.isa << ")";
        }
      }
    }
  });
}

/// Copies the 64 bytes of the frame of a thread.
std::string copy_frame(const std::string& from_space, const std::string& from, const std::string& to_space,
                       const std::string& to) {
  return copy(from_space, from, to_space, to) + copy(from_space, from + "+32", to_space, to + "+32");
}

/// The frame of each thread is filled from `in`; thread t then accesses element 5 t of it, modulo as many as there are.
std::string local_index_kernel(const Access& a, const std::string& accesses) {
  std::string text =
      start(a) + "add.u64 %in, %in, %offset;\nadd.u64 %out, %out, %offset; add.u64 %out, %out, %offset;\n";
  text += copy_frame("global", "%in", "local", "frame");
  const unsigned whole = a.bytes() * a.elements;
  text += fmt::format(
      "mul.lo.u32 %bit, %t, {}; and.b32 %bit, %bit, 63; cvt.u64.u32 %offset, %bit; mov.b64 %at, frame; add.u64 %at, "
      "%at, %offset;\n",
      5 * whole);
  return text + made_generic(a) + accesses + "}\n";
}
unsigned local_index(const Access& a, unsigned thread) { return thread * 5 * a.bytes() * a.elements % 64; }

TEST(MemoryForms, each_lane_loads_at_its_own_index_of_local_memory) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * 64), zeros(kThreads * 64);
  for_all_accesses([&](const Access& a) {
    if (a.space != "local") return;
    for (const char* guard : {"", "@%on "}) {
      std::string accesses;
      for (unsigned e = 0; e < a.elements; ++e)
        accesses += fmt::format("mov.b{} %v{}, {};\n", a.register_bits, e, low_bits(kJunk, a.register_bits));
      accesses += fmt::format("{}{} {}, [%at];\n", guard, a.form("ld"), a.values());
      accesses += stored(a);
      for (const Host& host : all) {
        if (HasFailure()) return;
        const auto out = run_on_bytes(host, local_index_kernel(a, accesses), in, zeros);
        if (!out) return;
        for (unsigned t = 0; t < kThreads; ++t) {
          for (unsigned e = 0; e < a.elements; ++e) {
            const uint64_t found = number_at(in, t * 64 + local_index(a, t) + e * a.bytes(), a.bytes());
            const bool on = *guard == 0 || is_on(t);
            ASSERT_EQ(number_at(*out, t * 64 + e * 8, a.register_bits / 8),
                      on ? extended(found, a.type, a.register_bits) : low_bits(kJunk, a.register_bits))
                << guard << a.form("ld") << " into " << a.register_bits << "-bit registers: thread " << t
                << ", element " << e << " (" << host.isa << ")";
          }
        }
      }
    }
  });
}

TEST(MemoryForms, each_lane_stores_at_its_own_index_of_local_memory) {
  const std::vector<Host> all = hosts();
  const Bytes in = random_bytes(kThreads * 64), zeros(kThreads * 64);
  for_all_accesses([&](const Access& a) {
    if (a.space != "local" || a.load != std::string_view("ld")) return;
    for (const char* guard : {"", "@%on "}) {
      // Element e is ~(t + e) in the registers.
      std::string accesses;
      for (unsigned e = 0; e < a.elements; ++e)
        accesses +=
            fmt::format("add.u32 %bit, %t, {0}; not.b32 %bit, %bit; cvt.s{1}.s32 %v{0}, %bit;\n", e, a.register_bits);
      accesses += fmt::format("{}{} [%at], {};\n", guard, a.form("st"), a.values());
      accesses += copy_frame("local", "frame", "global", "%out");
      for (const Host& host : all) {
        if (HasFailure()) return;
        const auto out = run_on_bytes(host, local_index_kernel(a, accesses), in, zeros);
        if (!out) return;
        for (unsigned t = 0; t < kThreads; ++t) {
          for (unsigned k = 0; k < 64; ++k) {
            const unsigned byte = k - local_index(a, t), element = byte / a.bytes();  // before the index: wraps around
            const bool written = (*guard == 0 || is_on(t)) && element < a.elements;
            const auto stored = static_cast<std::byte>(byte % a.bytes() == 0 ? ~(t + element) : 0xff);
            ASSERT_EQ((*out)[t * 64 + k], written ? stored : in[t * 64 + k])
                << guard << a.form("st") << " of " << a.register_bits << "-bit registers: thread " << t << ", byte "
                << k << " (" << host.isa << ")";
          }
        }
      }
    }
  });
}

TEST(MemoryForms, rejects_an_index_outside_of_local_memory_for_the_first_lane_that_has_one) {
  const Bytes in(kThreads * 64), zeros(kThreads * 64);
  for (const Host& host : hosts()) {
    for (const char* access : {"ld.local.u32 %v, [%at];", "st.local.u32 [%at], %v;"}) {
      Fault fault;
      const std::string text =
          start({T::u32, 1, 32, "local"}) +
          ".reg .b32 %v; mul.wide.u32 %offset, %t, 4; mov.b64 %at, frame; add.u64 %at, %at, %offset; "
          "mov.u32 %v, 0;\n" +
          access + "\n}\n";
      EXPECT_FALSE(run_on_bytes(host, text, in, zeros, &fault)) << access << " " << host.isa;
      EXPECT_EQ(fault.kind, Fault::Kind::out_of_local) << access << " " << host.isa;
      EXPECT_EQ(fault.thread.x, 16u) << access << " " << host.isa;  // the frame has 64 bytes
    }
  }
}

}  // namespace
}  // namespace bankshot::simt::conformance::memory_forms

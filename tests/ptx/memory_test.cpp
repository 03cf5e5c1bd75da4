// ld and st: every type and vector, between registers of each width that may hold it and every state space; lanes that
// are off; addresses that are not multiples of what is accessed. Source: PTX ISA, ld, st and "Operand Size Exceeding
// Instruction-Type Size".
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "exact_integers.hpp"
#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

constexpr T kTypes[] = {T::b8,  T::b16, T::b32, T::b64, T::u8,  T::u16, T::u32,
                        T::u64, T::s8,  T::s16, T::s32, T::s64, T::f32, T::f64};
constexpr unsigned kThreads = 64, kStride = 32;  ///< bytes a thread has

struct Access {
  T type = T::none;
  unsigned elements = 1, register_bits = 0;
  std::string space;  ///< where the data are: "global", "shared", "local", "const", "param"
  bool generic = false;
  const char* load = "ld";  ///< or "ldu", "ld.nc"

  unsigned bytes() const { return ptx::bits(type) / 8; }
  std::string form(const char* opcode) const {
    return fmt::format("{}{}{}.{}", opcode, generic ? "" : "." + space,
                       elements > 1 ? fmt::format(".v{}", elements) : "", ptx::name(type));
  }
  std::string values() const {
    std::string all;
    for (unsigned e = 0; e < elements; ++e) all += fmt::format("{}%v{}", e != 0 ? ", " : "", e);
    return elements > 1 ? "{" + all + "}" : all;
  }
};

/// Vectors of up to 32 bytes; registers as wide as the type or, but for floats, wider.
template <class F>
void for_all_accesses(F f) {
  for (const std::string space : {"global", "shared", "local", "const", "param"}) {
    for (T type : kTypes) {
      for (unsigned elements : {1u, 2u, 4u, 8u}) {
        const unsigned bits = ptx::bits(type);
        if (elements * bits > 256 || (elements == 8 && bits != 32) || (elements * bits == 256 && space != "global"))
          continue;
        const bool integer = is_signed(type) || type == T::u8 || type == T::u16 || type == T::u32 || type <= T::b64;
        for (unsigned width : {16u, 32u, 64u}) {
          if (width < bits || (width != std::max(bits, 16u) && !integer)) continue;
          Access access{type, elements, width, space, false};
          f(access);
          if (space == "global" && elements * bits <= 128) f(Access{type, elements, width, space, false, "ldu"});
          if (space == "global" && elements * bits <= 128) f(Access{type, elements, width, space, false, "ld.nc"});
          access.generic = space != "param";
          if (access.generic && elements * bits < 256) f(access);
        }
      }
    }
  }
}

/// Parameters of the kernel: the data of "param" come third, thread by thread as far as they go.
struct MemoryParameters {
  uint64_t in = 0, out = 0;
  alignas(32) std::array<std::byte, 1024> data{};
};

const std::string kHead =
    ".version 8.7\n.target sm_100\n.address_size 64\n.const .align 32 .b8 constants[2048];\n.shared .align 32 .b8 "
    "room[2048];\n"
    ".visible .entry k(.param .u64 in, .param .u64 out, .param .align 32 .b8 data[1024]) {\n.local .align 32 .b8 "
    "frame[64];\n"
    ".reg .b64 %in, %out, %at, %offset; .reg .b32 %t, %bit; .reg .pred %on;\n";

std::string start(const Access& a) {
  std::string text = kHead;
  for (unsigned e = 0; e < a.elements; ++e) text += fmt::format(".reg .b{} %v{};\n", a.register_bits, e);
  text +=
      "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; and.b32 %bit, %t, 5; setp.ne.u32 %on, "
      "%bit, 4;\n"
      "mul.wide.u32 %offset, %t, 32; add.u64 %in, %in, %offset;\n";
  return text;
}

/// Copies 32 bytes of a thread, by 32-bit accesses.
std::string copy(const std::string& from_space, const std::string& from, const std::string& to_space,
                 const std::string& to) {
  std::string text;
  for (unsigned k = 0; k < 32; k += 4) {
    text += fmt::format("ld.{0}.b32 %bit, [{1}+{2}]; st.{3}.b32 [{4}+{2}], %bit;\n", from_space, from, k, to_space, to);
  }
  return text;
}

/// Sets %at to where the thread's bytes are, in the window of the space.
std::string address(const Access& a) {
  if (a.space == "global") return "mov.b64 %at, %in;\n";
  if (a.space == "shared") return "mov.b64 %at, room; add.u64 %at, %at, %offset;\n";
  if (a.space == "local") return "mov.b64 %at, frame;\n";
  if (a.space == "const") return "mov.b64 %at, constants; add.u64 %at, %at, %offset;\n";
  return "and.b64 %offset, %offset, 992; mov.b64 %at, data; add.u64 %at, %at, %offset;\n";
}
std::string made_generic(const Access& a) { return a.generic ? "cvta." + a.space + ".u64 %at, %at;\n" : ""; }

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
  for (unsigned e = 0; e < a.elements; ++e)
    text += fmt::format("st.global.b{} [%out+{}], %v{};\n", a.register_bits, 8 * e, e);
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

using Bytes = std::vector<std::byte>;

Bytes random_bytes(size_t count) {
  std::mt19937_64 random(11);
  Bytes all(count);
  for (std::byte& b : all) b = static_cast<std::byte>(random() >> 32);
  return all;
}

/// @return what is in `out` afterwards; nothing if the kernel is refused or faults
std::optional<Bytes> run_on_bytes(const Host& host, const std::string& text, const Bytes& in, Bytes out,
                                  Fault* fault = nullptr) {
  Engine& engine = *host.engine;
  auto program = engine.load(text, "memory.ptx");
  if (!program) {
    ADD_FAILURE() << format_diagnostics(program.error(), "memory.ptx", text);
    return {};
  }
  MemoryParameters parameters;
  parameters.in = *engine.memory().allocate(in.size(), MemoryKind::device);
  parameters.out = *engine.memory().allocate(out.size(), MemoryKind::device);
  std::memcpy(reinterpret_cast<void*>(parameters.in), in.data(), in.size());
  std::memcpy(reinterpret_cast<void*>(parameters.out), out.data(), out.size());
  std::memcpy(parameters.data.data(), in.data(), parameters.data.size());
  for (const GlobalInfo& global : globals(**program)) {
    if (global.name == "constants") std::memcpy(reinterpret_cast<void*>(global.address), in.data(), 2048);
  }
  LaunchConfig config;
  config.block = {kThreads, 1, 1};
  config.params = std::as_bytes(std::span(&parameters, 1));
  const auto result = engine.launch(**program, "k", config);
  std::memcpy(out.data(), reinterpret_cast<const void*>(parameters.out), out.size());
  engine.memory().free(parameters.in);
  engine.memory().free(parameters.out);
  if (result) return out;
  if (fault != nullptr) {
    *fault = result.error();
  } else {
    ADD_FAILURE() << result.error().message;
  }
  return {};
}

/// The number of these bytes, lowest first.
uint64_t number_at(const Bytes& bytes, size_t at, unsigned count) {
  uint64_t x = 0;
  for (unsigned k = 0; k < count; ++k) x |= std::to_integer<uint64_t>(bytes[at + k]) << 8 * k;
  return x;
}

uint64_t extended(uint64_t x, T type, unsigned width) {
  const unsigned bits = ptx::bits(type);
  const bool negative = is_signed(type) && (x >> (bits - 1) & 1) != 0;
  return low_bits(negative && bits < 64 ? x | ~uint64_t{0} << bits : x, width);
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
      for (unsigned e = 0; e < a.elements; ++e)
        text += fmt::format("st.global.b{} [%out+{}], %v{};\n", a.register_bits, 8 * e, e);
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
      for (unsigned e = 0; e < a.elements; ++e)
        text += fmt::format("st.global.b{} [%out+{}], %v{};\n", a.register_bits, 8 * e, e);
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
      for (unsigned e = 0; e < a.elements; ++e)
        accesses += fmt::format("st.global.b{} [%out+{}], %v{};\n", a.register_bits, 8 * e, e);
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
}  // namespace bankshot::simt::conformance

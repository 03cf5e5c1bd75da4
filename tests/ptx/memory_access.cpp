#include "memory_access.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "exact_integers.hpp"

namespace bankshot::simt::conformance::memory_forms {
namespace {

constexpr T kTypes[] = {T::b8,  T::b16, T::b32, T::b64, T::u8,  T::u16, T::u32,
                        T::u64, T::s8,  T::s16, T::s32, T::s64, T::f32, T::f64};

/// Parameters of the kernel: the data of "param" come third, thread by thread as far as they go.
struct MemoryParameters {
  uint64_t in = 0, out = 0;
  alignas(32) std::array<std::byte, 1024> data{};
};

}  // namespace

std::string Access::form(const char* opcode) const {
  return fmt::format("{}{}{}.{}", opcode, generic ? "" : "." + space, elements > 1 ? fmt::format(".v{}", elements) : "",
                     ptx::name(type));
}

std::string Access::values() const {
  std::string all;
  for (unsigned e = 0; e < elements; ++e) all += fmt::format("{}%v{}", e != 0 ? ", " : "", e);
  return elements > 1 ? "{" + all + "}" : all;
}

void for_all_accesses(const std::function<void(const Access&)>& f) {
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

std::string stored(const Access& a) {
  std::string text;
  for (unsigned e = 0; e < a.elements; ++e)
    text += fmt::format("st.global.b{} [%out+{}], %v{};\n", a.register_bits, 8 * e, e);
  return text;
}

std::string copy(const std::string& from_space, const std::string& from, const std::string& to_space,
                 const std::string& to) {
  std::string text;
  for (unsigned k = 0; k < 32; k += 4) {
    text += fmt::format("ld.{0}.b32 %bit, [{1}+{2}]; st.{3}.b32 [{4}+{2}], %bit;\n", from_space, from, k, to_space, to);
  }
  return text;
}

std::string address(const Access& a) {
  if (a.space == "global") return "mov.b64 %at, %in;\n";
  if (a.space == "shared") return "mov.b64 %at, room; add.u64 %at, %at, %offset;\n";
  if (a.space == "local") return "mov.b64 %at, frame;\n";
  if (a.space == "const") return "mov.b64 %at, constants; add.u64 %at, %at, %offset;\n";
  return "and.b64 %offset, %offset, 992; mov.b64 %at, data; add.u64 %at, %at, %offset;\n";
}
std::string made_generic(const Access& a) { return a.generic ? "cvta." + a.space + ".u64 %at, %at;\n" : ""; }

Bytes random_bytes(size_t count) {
  std::mt19937_64 random(11);
  Bytes all(count);
  for (std::byte& b : all) b = static_cast<std::byte>(random() >> 32);
  return all;
}

std::optional<Bytes> run_on_bytes(const Host& host, const std::string& text, const Bytes& in, Bytes out, Fault* fault) {
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

}  // namespace bankshot::simt::conformance::memory_forms

// Runs one matrix product on registers that a test fills: what the tests of mma share.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "bankshot/simt/run/engine.hpp"
#include "rows_harness.hpp"

namespace bankshot::simt {

/// Registers of a matrix: value[register][lane].
using TensorRegisters = std::vector<std::array<uint64_t, 32>>;

/// Operands behind the four matrices: `text` with registers %e0, %e1 … that have these values.
struct MoreOperands {
  std::string text;
  TensorRegisters values;
};

class TensorTest : public ::testing::TestWithParam<std::string_view> {
 protected:
  void SetUp() override {
    if (rows_of(GetParam()) == nullptr) GTEST_SKIP() << "not on this host";
    options.isa = GetParam();
    options.threads = 1;
  }
  Engine& engine() {
    if (!engine_) engine_ = std::make_unique<Engine>(options);
    return *engine_;
  }

  static std::string list(char name, size_t count) {
    std::string text = "{";
    for (size_t k = 0; k < count; ++k) text += (k == 0 ? "%" : ", %") + std::string(1, name) + std::to_string(k);
    return text + "}";
  }

  /// A kernel that loads a, b, c and e from its buffer, executes `instruction d, a, b, c` and stores d behind them.
  static std::string program(const std::string& instruction, unsigned bytes, size_t d, size_t a, size_t b, size_t c,
                             const MoreOperands& more) {
    const std::string type = bytes == 8 ? "b64" : "b32";
    std::string text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p) {\n";
    const size_t e = more.values.size();
    for (const auto& [name, count] :
         {std::pair('d', d), std::pair('a', a), std::pair('b', b), std::pair('c', c), std::pair('e', e)}) {
      if (count > 0) text += ".reg ." + type + " %" + name + "<" + std::to_string(count) + ">;\n";
    }
    text +=
        ".reg .b64 %rd<4>; .reg .b32 %r<2>;\nld.param.u64 %rd1, [p]; mov.u32 %r1, %laneid; mul.wide.u32 %rd2, %r1, " +
        std::to_string(bytes) + "; add.u64 %rd1, %rd1, %rd2;\n";
    size_t at = 0;
    const auto access = [&](bool load, char name, size_t count) {
      for (size_t k = 0; k < count; ++k, ++at) {
        const std::string where = "[%rd1+" + std::to_string(at * 32 * bytes) + "]",
                          reg = "%" + std::string(1, name) + std::to_string(k);
        text += load ? "ld.global." + type + " " + reg + ", " + where + ";\n"
                     : "st.global." + type + " " + where + ", " + reg + ";\n";
      }
    };
    access(true, 'a', a);
    access(true, 'b', b);
    access(true, 'c', c);
    access(true, 'e', e);
    text += instruction + " " + list('d', d) + ", " + list('a', a) + ", " + list('b', b) + ", " + list('c', c) +
            more.text + ";\n";
    access(false, 'd', d);
    return text + "ret;\n}\n";
  }

  /// @param bytes  of a register   @param d  registers of the result
  TensorRegisters multiply(const std::string& instruction, unsigned bytes, size_t d, const TensorRegisters& a,
                           const TensorRegisters& b, const TensorRegisters& c, const MoreOperands& more = {}) {
    const std::string text = program(instruction, bytes, d, a.size(), b.size(), c.size(), more);
    auto& loaded = programs_[text];
    if (!loaded) {
      auto result = engine().load(text, "test.ptx");
      if (!result) {
        ADD_FAILURE() << format_diagnostics(result.error(), "test.ptx", text);
        return TensorRegisters(d);
      }
      loaded = *result;
    }
    const size_t inputs = a.size() + b.size() + c.size() + more.values.size();
    const uint64_t buffer = *engine().memory().allocate((inputs + d) * 32 * bytes, MemoryKind::device);
    auto* const at = reinterpret_cast<std::byte*>(buffer);
    size_t row = 0;
    for (const TensorRegisters* matrix : {&a, &b, &c, &more.values}) {
      for (const auto& lanes : *matrix) {
        for (size_t l = 0; l < 32; ++l) std::memcpy(at + (row * 32 + l) * bytes, &lanes[l], bytes);
        ++row;
      }
    }
    LaunchConfig config;
    config.block = {32, 1, 1};
    config.params = std::as_bytes(std::span(&buffer, 1));
    const auto result = engine().launch(*loaded, "k", config);
    EXPECT_TRUE(result) << (result ? "" : result.error().message);
    TensorRegisters out(d);
    for (size_t k = 0; k < d; ++k) {
      for (size_t l = 0; l < 32; ++l) {
        out[k][l] = 0;
        std::memcpy(&out[k][l], at + ((inputs + k) * 32 + l) * bytes, bytes);
      }
    }
    engine().memory().free(buffer);
    return out;
  }

  EngineOptions options;

 private:
  std::unique_ptr<Engine> engine_;
  std::map<std::string, std::shared_ptr<Program>> programs_;
};

/// Fragments as the manual has them, for registers of 32 bits (of 64 bits with bits == 64): the row and column of
/// element i of lane l. The manual's formulas, with i / p for the register where a register holds p elements. Source:
/// PTX ISA 9.0, "Matrix Fragments for mma.m16n8k…".
struct FragmentPlace {
  unsigned row, column;
};
inline FragmentPlace place_in_a(unsigned m, unsigned bits, unsigned l, unsigned i) {
  const unsigned p = bits >= 32 ? 1 : 32 / bits, reg = i / p;
  if (m == 8) return {l / 4, l % 4 * p + i % p + reg * 4 * p};
  return {l / 4 + (reg % 2 == 1 ? 8 : 0), l % 4 * p + i % p + (reg / 2) * 4 * p};
}
inline FragmentPlace place_in_b(unsigned bits, unsigned l, unsigned i) {
  const unsigned p = bits >= 32 ? 1 : 32 / bits;
  return {l % 4 * p + i % p + i / p * 4 * p, l / 4};
}
inline FragmentPlace place_in_c(unsigned l, unsigned i) { return {l / 4 + (i >= 2 ? 8 : 0), l % 4 * 2 + i % 2}; }

/// All elements of a matrix alike.
inline TensorRegisters filled(size_t registers, uint64_t value) {
  TensorRegisters all(registers);
  for (auto& lanes : all) lanes.fill(value);
  return all;
}

inline void put_bits(TensorRegisters& registers, unsigned lane, unsigned element, unsigned bits, uint64_t value) {
  const unsigned p = bits >= 32 ? 1 : 32 / bits;
  registers[element / p][lane] |= value << (element % p * bits);
}
inline uint64_t get_bits(const TensorRegisters& registers, unsigned lane, unsigned element, unsigned bits) {
  const unsigned p = bits >= 32 ? 1 : 32 / bits;
  return registers[element / p][lane] >> (element % p * bits) & (~uint64_t{0} >> (64 - bits));
}

}  // namespace bankshot::simt

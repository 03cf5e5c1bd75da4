// What the tests of rewriting share.
#pragma once

#include <cstring>
#include <span>

#include "bankshot/rewrite/rewrite.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/simt/run/engine.hpp"
#include "tests/unit/ptx/ptx_helpers.hpp"

namespace bankshot::rewrite {

/// A module with a kernel `k` of this body; `tile` is an array of 4096 bytes, `other` one of 100.
inline std::string kernel_text(const std::string& body, const std::string& before = {}) {
  return ptx::kHeader + before +
         ".visible .entry k(.param .u64 out) {\n.reg .b32 %r<40>; .reg .b64 %rd<40>; .reg .pred %p<8>; .reg .f32 "
         "%f<16>;\n"
         ".shared .align 4 .b8 tile[4096];\n.shared .align 4 .b8 other[100];\n" +
         body + "\nret;\n}\n";
}

inline scratchpad::BankHash hash_of(const std::string& spec, scratchpad::HashSize size = {14, 5}) {
  const auto hash = scratchpad::parse_hash(spec, size);
  EXPECT_TRUE(hash) << (hash ? "" : hash.error().message);
  return hash ? *hash : scratchpad::BankHash{};
}

/// The rewritten text; empty, and the reason in `why`, if it is refused.
inline std::string rewritten(const std::string& text, const std::string& array, const Move& move,
                             std::string* why = nullptr) {
  ptx::Module module = ptx::parsed(text);
  const auto done = rewrite(module, "k", {{array, move}}, 4);
  if (why != nullptr) *why = done ? "" : done.error().message;
  if (!done) return {};
  const std::string out = ptx::print(module);
  ptx::parsed(out);
  return out;
}

inline std::string rewritten(const std::string& text, const std::string& array, const std::string& spec,
                             std::string* why = nullptr) {
  return rewritten(text, array, Move(hash_of(spec)), why);
}

/// Rows of `row` words get `words` more.
inline scratchpad::Padding padding_of(uint32_t row, uint32_t words) {
  scratchpad::Padding padding;
  padding.row = row;
  padding.words = words;
  return padding;
}

constexpr unsigned kThreads = 64;

/// What each thread of kernel `k` leaves in its word of `out`. @return empty, and a failure, if it does not run
inline std::vector<uint32_t> run(const std::string& ptx, uint32_t dynamic_bytes) {
  simt::EngineOptions options;
  options.threads = 1;
  static simt::Engine engine(options);
  const auto program = engine.load(ptx, "test.ptx");
  if (!program) {
    ADD_FAILURE() << format_diagnostics(program.error(), "test.ptx", ptx);
    return {};
  }
  const uint64_t buffer = *engine.memory().allocate(kThreads * 4, simt::MemoryKind::device);
  simt::LaunchConfig config;
  config.block.x = kThreads;
  config.dynamic_shared = dynamic_bytes;
  config.params = std::as_bytes(std::span(&buffer, 1));
  const auto result = engine.launch(**program, "k", config);
  EXPECT_TRUE(result) << (result ? "" : result.error().message) << ptx;
  std::vector<uint32_t> out(kThreads);
  std::memcpy(out.data(), reinterpret_cast<const void*>(buffer), out.size() * 4);
  engine.memory().free(buffer);
  return out;
}

}  // namespace bankshot::rewrite

#include "run_form.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "bankshot/simt/run/compiling.hpp"
#include "bankshot/support/diagnostic.hpp"
#include "tests/device/real_gpu.hpp"

namespace bankshot::simt::conformance {
namespace {

/// Bits of the register that holds a slot: at least 16.
unsigned register_bits(const Slot& slot) { return std::max({slot.bits(), 16u, slot.wider}); }
std::string register_name(const Slot& slot, const std::string& name) {
  return slot.type == ptx::Type::pred ? "%p_" + name : fmt::format("%b{}_{}", register_bits(slot), name);
}

/// A kernel that has thread n take element n of each source array and write element n of each result array.
class KernelText {
 public:
  KernelText(const Spelling& spelling, bool with_carry) : s_(spelling), with_carry_(with_carry) {}

  /// @param by_branch  once, by the lanes that are on; else plainly, under a guard and in place
  std::string text(bool by_branch) {
    body_ =
        "mov.u32 %i, %ctaid.x; mov.u32 %j, %ntid.x; mov.u32 %k, %tid.x; mad.lo.u32 %i, %i, %j, %k;\n"
        "ld.param.u64 %in, [in]; ld.param.u64 %out, [out]; ld.param.u64 %n, [n];\n"
        "cvt.u64.u32 %at, %i; setp.ge.u64 %done, %at, %n; @%done exit;\n"
        "shl.b64 %at, %at, 3; shl.b64 %n, %n, 3; add.u64 %in, %in, %at; add.u64 %out, %out, %at;\n";
    for (size_t k = 0; k < s_.sources.size(); ++k) load(k);
    load_flag("%cf");
    load_flag("%flag");
    body_ += "setp.ne.u32 %on, %flag, 0;\n";
    if (by_branch) {
      pass("branch", "", false, true);
    } else {
      pass("plain", "", false);
      pass("guarded", "@%on ", false);
      pass("in_place", "", true);
    }
    return ".version 8.7\n.target sm_100\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out, .param "
           ".u64 n) {\n.reg .b32 %i, %j, %k, %flag, %cf, %carry; .reg .b64 %in, %out, %at, %n; .reg .pred %done, "
           "%on;\n" +
           registers_ + body_ + "}\n";
  }

 private:
  void declare(const Slot& slot, const std::string& name) {
    registers_ += slot.type == ptx::Type::pred ? fmt::format(".reg .pred {};\n", name)
                                               : fmt::format(".reg .b{} {};\n", register_bits(slot), name);
  }
  void load(size_t k) {
    const Slot& slot = s_.sources[k];
    if (slot.literal) {
      names_.push_back(std::to_string(s_.literal));
      return;
    }
    names_.push_back(register_name(slot, fmt::format("s{}", k)));
    declare(slot, names_.back());
    if (slot.type == ptx::Type::pred) {
      load_flag("%flag");
      body_ += fmt::format("setp.ne.u32 {}, %flag, 0;\n", names_.back());
    } else {
      body_ += fmt::format("ld.global.b{} {}, [%in]; add.u64 %in, %in, %n;\n", register_bits(slot), names_.back());
    }
  }
  void load_flag(const std::string& name) { body_ += "ld.global.b32 " + name + ", [%in]; add.u64 %in, %in, %n;\n"; }
  void store(unsigned bits, const std::string& name) {
    body_ += fmt::format("st.global.b{} [%out], {}; add.u64 %out, %out, %n;\n", bits, name);
  }

  /// Executes the instruction once and stores its results.
  void pass(const std::string& name, const std::string& guard, bool in_place, bool by_branch = false) {
    std::vector<std::string> results;
    for (size_t k = 0; k < s_.results.size(); ++k) {
      results.push_back(register_name(s_.results[k], fmt::format("{}{}", name, k)));
      declare(s_.results[k], results.back());
      const unsigned bits = register_bits(s_.results[k]);
      if (s_.results[k].type == ptx::Type::pred) {
        body_ += fmt::format("setp.eq.u32 {}, 0, 0;\n", results.back());
      } else {
        body_ += fmt::format("mov.b{} {}, {};\n", bits, results.back(), low_bits(kJunk, bits));
      }
    }
    std::vector<std::string> sources = names_;
    if (in_place && !s_.sources[0].literal && s_.sources[0].type != ptx::Type::pred &&
        s_.results[0].type != ptx::Type::pred && register_bits(s_.sources[0]) == register_bits(s_.results[0])) {
      body_ += fmt::format("mov.b{} {}, {};\n", register_bits(s_.results[0]), results[0], sources[0]);
      sources[0] = results[0];
    }
    if (with_carry_) body_ += "add.cc.u32 %carry, %cf, -1;\n";  // CC.CF = %cf
    if (by_branch) body_ += "@!%on bra skip;\n";
    body_ += guard + s_.text() + " " + fmt::format("{}", fmt::join(results, "|"));
    if (!sources.empty()) body_ += fmt::format(", {}", fmt::join(sources, ", "));
    body_ += by_branch ? ";\nskip:\n" : ";\n";
    for (size_t k = 0; k < results.size(); ++k) {
      if (s_.results[k].type == ptx::Type::pred) {
        body_ += fmt::format("selp.b32 %flag, 1, 0, {};\n", results[k]);
        store(32, "%flag");
      } else {
        store(register_bits(s_.results[k]), results[k]);
      }
    }
    if (with_carry_) {
      body_ += "addc.u32 %carry, 0, 0;\n";
      store(32, "%carry");
    }
  }

  const Spelling& s_;
  bool with_carry_;
  std::string registers_, body_;
  std::vector<std::string> names_;
};

constexpr size_t kPasses = 3;

/// Arrays that one pass stores.
size_t result_count(const Spelling& s, const Rule& rule) { return s.results.size() + (rule.carry_out ? 1 : 0); }

struct Buffers {
  uint64_t in = 0, out = 0, n = 0;
};

std::vector<uint64_t> transposed(const std::vector<std::vector<uint64_t>>& tuples) {
  const size_t n = tuples.size(), arrays = tuples[0].size();
  std::vector<uint64_t> in(n * arrays);
  for (size_t i = 0; i < n; ++i) {
    for (size_t k = 0; k < arrays; ++k) in[k * n + i] = tuples[i][k];
  }
  return in;
}

/// The same as run_kernel, on the real GPU.
std::optional<std::vector<uint64_t>> run_on_gpu(const std::string& text, const std::vector<uint64_t>& in,
                                                std::vector<uint64_t> out, size_t n, unsigned block) {
  std::vector<uint8_t> from(in.size() * 8), before(out.size() * 8);
  std::memcpy(from.data(), in.data(), from.size());
  const device::Outcome outcome = device::run(*device::real_gpu(), text, from, before,
                                              {static_cast<uint32_t>((n + block - 1) / block)}, {block}, n);
  if (!outcome.refused.empty()) return {};
  EXPECT_EQ(outcome.failed, "") << text;
  std::memcpy(out.data(), outcome.out.data(), before.size());
  return out;
}

/// What the kernel leaves in its result arrays; nothing if it is refused.
std::optional<std::vector<uint64_t>> run_kernel(const Host& host, const std::string& text,
                                                const std::vector<uint64_t>& in, size_t n, size_t arrays,
                                                unsigned block = 128) {
  std::vector<uint64_t> out(n * arrays);
  if (!host.engine) return run_on_gpu(text, in, std::move(out), n, block);
  Engine& engine = *host.engine;
  auto program = engine.load(text, "form.ptx");
  if (!program) return {};
  Buffers buffers{*engine.memory().allocate(in.size() * 8, MemoryKind::device),
                  *engine.memory().allocate(out.size() * 8, MemoryKind::device), n};
  std::memcpy(reinterpret_cast<void*>(buffers.in), in.data(), in.size() * 8);
  std::memset(reinterpret_cast<void*>(buffers.out), 0, out.size() * 8);
  LaunchConfig config;
  config.block = {block, 1, 1};
  config.grid = {static_cast<uint32_t>((n + block - 1) / block), 1, 1};
  config.params = std::as_bytes(std::span(&buffers, 1));
  const auto result = engine.launch(**program, "k", config);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  if (result && result->compiled) {
    EXPECT_NE(result->compiled->warp_instructions, 0u) << "nothing ran compiled: " << text;
  }
  std::memcpy(out.data(), reinterpret_cast<const void*>(buffers.out), out.size() * 8);
  engine.memory().free(buffers.in);
  engine.memory().free(buffers.out);
  return out;
}

std::string hex(const std::vector<uint64_t>& values, size_t count) {
  std::string all;
  for (size_t k = 0; k < count; ++k) all += fmt::format("{}{:#x}", k == 0 ? "" : ", ", values[k]);
  return all;
}

/// What results must be, per tuple.
struct Expected {
  Results results{};
  Sources sources;
};

class Comparison {
 public:
  Comparison(const Spelling& s, const Rule& rule, const std::vector<std::vector<uint64_t>>& tuples)
      : s_(s), rule_(rule), tuples_(tuples) {
    for (const std::vector<uint64_t>& tuple : tuples) {
      const Sources sources(tuple.data(), tuple.size() - 1);
      Results results = rule.results(sources);
      for (size_t k = 0; k < s.results.size(); ++k) results[k] = low_bits(results[k], bits(k));
      expected_.push_back({results, sources});
    }
  }

  /// @return whether all results are right; tells of the first few that are not
  bool check(const Host& host, const std::vector<uint64_t>& out) const {
    const size_t n = tuples_.size();
    static constexpr const char* kHow[] = {"", ", under a guard", ", in place"};
    const int kShown = host.engine ? 4 : 100;
    int shown = 0;
    for (size_t k = 0; k < kPasses * count_; ++k) {
      const size_t pass = k / count_, result = k % count_;
      for (size_t i = 0; i < n && shown < kShown; ++i) {
        const uint64_t got = out[k * n + i];
        const bool on = pass != 1 || tuples_[i].back() != 0;
        const uint64_t wanted = on ? expected_[i].results[result] : before(result, i);
        if (got == wanted) continue;
        if (on && result == 0 && rule_.also && rule_.also(expected_[i].sources, got)) {
          if (pass == 0) tell_allowed(i, got, wanted);
          continue;
        }
        ++shown;
        ADD_FAILURE() << fmt::format(
            "{} of {}{}{}{}: {} is {:#x}, expected {:#x} ({}, element {}{})", s_.text(),
            hex(tuples_[i], tuples_[i].size() - 2),
            s_.literal != 0 ? fmt::format(" and literal {:#x}", s_.literal) : "",
            rule_.carry_in ? fmt::format(" and CC.CF {}", tuples_[i][tuples_[i].size() - 2]) : "", kHow[pass],
            result < s_.results.size() ? "result" : "CC.CF", got, wanted, host.isa, i, on ? "" : ", lane off");
      }
    }
    return shown == 0;
  }

 private:
  unsigned bits(size_t k) const { return s_.results[k].type == ptx::Type::pred ? 1 : register_bits(s_.results[k]); }
  /// What a lane that is off keeps.
  uint64_t before(size_t result, size_t i) const {
    if (result >= s_.results.size()) return tuples_[i][tuples_[i].size() - 2];
    return low_bits(kJunk, bits(result)) | (bits(result) == 1 ? 1 : 0);
  }

  /// With the variable BANKSHOT_TELL_ALLOWED: results that are right, but not those that the rule has first.
  void tell_allowed(size_t i, uint64_t got, uint64_t first) const {
    static const bool asked = std::getenv("BANKSHOT_TELL_ALLOWED") != nullptr;
    if (asked)
      fmt::print("{} of {}: {:#x}, also {:#x}\n", s_.text(), hex(tuples_[i], tuples_[i].size() - 2), got, first);
  }

  const Spelling& s_;
  const Rule& rule_;
  const std::vector<std::vector<uint64_t>>& tuples_;
  size_t count_ = result_count(s_, rule_);
  std::vector<Expected> expected_;
};

}  // namespace

std::string statement_of(const Spelling& spelling) {
  std::string registers;
  std::vector<std::string> results, sources;
  const auto add = [&](const Slot& slot, std::vector<std::string>& to, const std::string& name) {
    to.push_back(slot.literal ? std::to_string(spelling.literal) : register_name(slot, name));
    if (slot.literal) return;
    registers += slot.type == ptx::Type::pred ? fmt::format(".reg .pred {}; ", to.back())
                                              : fmt::format(".reg .b{} {}; ", register_bits(slot), to.back());
  };
  for (size_t k = 0; k < spelling.results.size(); ++k) add(spelling.results[k], results, fmt::format("d{}", k));
  for (size_t k = 0; k < spelling.sources.size(); ++k) add(spelling.sources[k], sources, fmt::format("s{}", k));
  std::string operands = fmt::format("{}", fmt::join(results, "|"));
  if (!sources.empty()) operands += fmt::format(", {}", fmt::join(sources, ", "));
  return "{ " + registers + spelling.text() + " " + operands + "; }";
}

std::vector<Host> hosts() {
  std::vector<Host> all;
  for (const char* isa : {"portable", "avx2", "avx512", "wide"}) {
    if (rows_of(isa) == nullptr) continue;
    EngineOptions options;
    options.isa = isa;
    options.threads = 1;
    options.count_conflicts = false;
    if (std::string_view(isa) == "wide") options.machine.warp_size = 64;
    all.push_back({isa, std::make_unique<Engine>(options)});
  }
  return all;
}

std::vector<Host> hosts_or_gpu() {
  if (device::real_gpu() == nullptr) return hosts();
  std::vector<Host> gpu;
  gpu.push_back({device::real_gpu()->device().name, nullptr});
  return gpu;
}

std::vector<Host> compiling_hosts(const std::string& isa) {
  if (rows_of(isa) == nullptr) return {};
  const NativeProblem problem = compiler_problem();
  EXPECT_FALSE(problem.is_fault) << problem.why;
  if (!problem.why.empty()) {
    static const int printed = std::printf("nothing is compiled: %s\n", problem.why.c_str());
    static_cast<void>(printed);
    return {};
  }
  EngineOptions options;
  options.isa = isa;
  options.threads = 1;
  options.count_conflicts = false;
  options.compile = Compile::at_once;
  options.tell_compiled = true;
  std::vector<Host> hosts;
  hosts.push_back({"compiled for " + isa, std::make_unique<Engine>(options)});
  return hosts;
}

size_t forms_compiled() {
  constexpr size_t kUsually = 61;
  const char* const asked = std::getenv("BANKSHOT_COMPILED_FORMS");
  return asked != nullptr ? std::max(1, std::atoi(asked)) : kUsually;
}

#ifdef BANKSHOT_SANITIZED
size_t scaled(size_t count) {
  constexpr size_t kFewer = 12, kLeast = 64;
  return std::max(std::min(count, kLeast), count / kFewer);
}
size_t forms_apart() { return 7; }
#else
size_t scaled(size_t count) { return count; }
size_t forms_apart() { return 1; }
#endif

Outcome check_form(const std::vector<Host>& hosts, const Spelling& spelling, const Rule& rule) {
  const std::vector<std::vector<uint64_t>> tuples = operands_for(spelling, rule);
  const size_t n = tuples.size(), arrays = tuples[0].size();
  const std::vector<uint64_t> in = transposed(tuples);
  const std::string text = KernelText(spelling, rule.carry_out).text(false);
  std::optional<Comparison> comparison;
  std::vector<uint64_t> first;
  std::string refused;
  for (const Host& host : hosts) {
    const auto out = run_kernel(host, text, in, n, kPasses * result_count(spelling, rule));
    if (!out) refused += " " + host.isa;
    if (!out) continue;
    if (!comparison) comparison.emplace(spelling, rule, tuples);
    if (!comparison->check(host, *out)) return Outcome::wrong;
    if (first.empty()) first = *out;
    if (*out == first) continue;
    const auto at = static_cast<size_t>(std::mismatch(first.begin(), first.end(), out->begin()).first - first.begin());
    ADD_FAILURE() << fmt::format("{} of {}: {:#x} with {}, but {:#x} with {}", spelling.text(),
                                 hex(tuples[at % n], arrays - 2), (*out)[at], host.isa, first[at], hosts[0].isa);
    return Outcome::wrong;
  }
  if (!comparison) return Outcome::refused;
  EXPECT_EQ(refused, "") << spelling.text() << " is refused by these hosts, and accepted by others";
  return refused.empty() ? Outcome::right : Outcome::wrong;
}

std::optional<std::vector<uint64_t>> run_warps(const Host& host, const Spelling& spelling,
                                               const std::vector<std::vector<uint64_t>>& tuples) {
  return run_kernel(host, KernelText(spelling, false).text(true), transposed(tuples), tuples.size(),
                    spelling.results.size(), 32);
}

}  // namespace bankshot::simt::conformance

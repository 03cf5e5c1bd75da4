// atom and red: each operation on every type, in global and shared memory and through generic addresses; each lane on
// an element of its own with operands at which rules change, and all lanes of a kernel on one element. Source: PTX ISA,
// atom and red.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "reference_float.hpp"
#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;

/// What the manual says of one operation on one value.
uint64_t updated(const std::string& op, T type, bool flush, uint64_t old, uint64_t b, uint64_t c) {
  const unsigned bits = ptx::bits(type);
  const uint64_t sign = type == T::s32 || type == T::s64 ? uint64_t{1} << (bits - 1) : 0;
  if (op == "add" && is_float_type(type)) {
    const Format f = format_of(type);
    uint64_t d = 0;
    for (unsigned k = 0; k < numbers_in(type); ++k) {
      const auto width = static_cast<unsigned>(f.bits());
      uint64_t x = low_bits(old >> k * width, width), y = low_bits(b >> k * width, width);
      if (flush) x = f.flushed(x), y = f.flushed(y);
      const Real p(f, x), q(f, y);
      d |= rounded(f, MPFR_RNDN, flush, [&](mpfr_ptr to, mpfr_rnd_t m) { return mpfr_add(to, p, q, m); }) << k * width;
    }
    return d;
  }
  if (op == "add") return low_bits(old + b, bits);
  if (op == "min") return (old ^ sign) < (b ^ sign) ? old : b;
  if (op == "max") return (old ^ sign) > (b ^ sign) ? old : b;
  if (op == "and") return old & b;
  if (op == "or") return old | b;
  if (op == "xor") return old ^ b;
  if (op == "inc") return old >= b ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > b ? b : old - 1;
  if (op == "exch") return b;
  return old == b ? c : old;  // cas
}

struct AtomicForm {
  std::string op;
  T type = T::none;
  std::string space;       ///< "", ".global", ".shared"
  bool in_shared = false;  ///< where the address leads
  bool returns = true;     ///< atom, not red

  std::string text() const {
    const bool half = type == T::f16 || type == T::bf16 || type == T::f16x2 || type == T::bf16x2;
    return fmt::format("{}{}.{}{}.{}", returns ? "atom" : "red", space, op, half ? ".noftz" : "", ptx::name(type));
  }
  unsigned bits() const { return ptx::bits(type); }
};

std::vector<AtomicForm> forms() {
  const std::vector<std::pair<std::string, std::vector<T>>> operations = {
      {"add", {T::u32, T::s32, T::u64, T::f32, T::f64, T::f16, T::f16x2, T::bf16, T::bf16x2}},
      {"min", {T::u32, T::s32, T::u64, T::s64}},
      {"max", {T::u32, T::s32, T::u64, T::s64}},
      {"and", {T::b32, T::b64}},
      {"or", {T::b32, T::b64}},
      {"xor", {T::b32, T::b64}},
      {"inc", {T::u32}},
      {"dec", {T::u32}},
      {"exch", {T::b32, T::b64}},
      {"cas", {T::b16, T::b32, T::b64}}};
  std::vector<AtomicForm> all;
  for (const auto& [op, types] : operations) {
    for (T type : types) {
      for (bool returns : {true, false}) {
        if (!returns && (op == "exch" || op == "cas")) continue;
        all.push_back({op, type, ".global", false, returns});
        all.push_back({op, type, ".shared", true, returns});
        all.push_back({op, type, "", false, returns});
        all.push_back({op, type, "", true, returns});
      }
    }
  }
  return all;
}

struct AtomicParameters {
  uint64_t memory, b, c, old, n, shared;
};

/// Thread i: memory[i * step] = op(memory[i * step], b[i], c[i]); old[i] = what was there. All arrays are of 64-bit
/// elements. For shared memory, the element is copied there first and back afterwards.
/// @param step  0: one element for all, of which thread 0 of a CTA copies
std::string kernel(const AtomicForm& form, int step) {
  const unsigned bits = form.bits();
  std::string text =
      ".version 8.7\n.target sm_100\n.address_size 64\n.shared .align 8 .b8 room[8192];\n"
      ".visible .entry k(.param .u64 memory, .param .u64 b, .param .u64 c, .param .u64 old, .param .u64 n, .param .u64 "
      "unused) {\n"
      ".reg .b64 %m, %b, %c, %o, %n, %i, %s, %address; .reg .b32 %t, %x, %y; .reg .pred %p, %on, %copies;\n" +
      fmt::format(".reg .b{} %vd, %vb, %vc, %vm;\n", bits) +
      "mov.u32 %t, %tid.x; and.b32 %x, %t, 5; setp.ne.u32 %on, %x, 4; mov.u32 %x, %ctaid.x; mov.u32 %y, %ntid.x; "
      "mad.lo.u32 %x, %x, %y, %t; cvt.u64.u32 %i, %x;\n"
      "ld.param.u64 %n, [n]; setp.ge.u64 %p, %i, %n; shl.b64 %i, %i, 3;\n"
      "ld.param.u64 %m, [memory]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c]; ld.param.u64 %o, [old];\n"
      "add.u64 %b, %b, %i; add.u64 %c, %c, %i; add.u64 %o, %o, %i; mul.wide.u32 %s, %t, 8;\n";
  text +=
      step == 0 ? "mov.u64 %s, 0; setp.eq.u32 %copies, %t, 0;\n" : "add.u64 %m, %m, %i; setp.eq.u32 %copies, 0, 0;\n";
  text += "mov.b64 %address, room; add.u64 %s, %s, %address;\n";
  if (step != 0) text += "@%p exit;\n";
  if (form.in_shared) {
    text += fmt::format("@%copies ld.global.b{0} %vm, [%m]; @%copies st.shared.b{0} [%s], %vm; bar.sync 0;\n", bits);
    text += form.space.empty() ? "cvta.shared.u64 %address, %s;\n" : "mov.b64 %address, %s;\n";
  } else {
    text += "mov.b64 %address, %m;\n";
  }
  text += fmt::format("ld.global.b{0} %vb, [%b]; ld.global.b{0} %vc, [%c]; mov.b{0} %vd, 0;\n", bits);
  text += fmt::format("@%on {} {}[%address], %vb{};\n", form.text(), form.returns ? "%vd, " : "",
                      form.op == "cas" ? ", %vc" : "");
  if (form.returns) text += fmt::format("st.global.b{} [%o], %vd;\n", bits);
  if (form.in_shared)
    text += fmt::format("bar.sync 0; @%copies ld.shared.b{0} %vm, [%s]; @%copies st.global.b{0} [%m], %vm;\n", bits);
  return text + "}\n";
}

/// Arrays on the device: memory, b, c, old.
struct Arrays {
  std::vector<uint64_t> memory, b, c, old;
};

bool run_atomics(const Host& host, const std::string& text, Arrays& arrays, unsigned block) {
  Engine& engine = *host.engine;
  auto program = engine.load(text, "atomic.ptx");
  if (!program) return false;
  const size_t n = arrays.b.size(), bytes = n * 8;
  const uint64_t base = *engine.memory().allocate(4 * bytes, MemoryKind::device);
  const AtomicParameters parameters{base, base + bytes, base + 2 * bytes, base + 3 * bytes, n, 0};
  std::vector<uint64_t>* const all[] = {&arrays.memory, &arrays.b, &arrays.c, &arrays.old};
  for (size_t k = 0; k < 4; ++k) std::memcpy(reinterpret_cast<void*>(base + k * bytes), all[k]->data(), bytes);
  LaunchConfig config;
  config.block = {block, 1, 1};
  config.grid = {static_cast<uint32_t>((n + block - 1) / block), 1, 1};
  config.params = std::as_bytes(std::span(&parameters, 1));
  const auto result = engine.launch(**program, "k", config);
  EXPECT_TRUE(result) << (result ? "" : result.error().message);
  for (size_t k = 0; k < 4; ++k) std::memcpy(all[k]->data(), reinterpret_cast<const void*>(base + k * bytes), bytes);
  engine.memory().free(base);
  return true;
}

class Atomics : public ::testing::TestWithParam<std::string> {};

TEST_P(Atomics, change_each_element_as_the_manual_says) {
  const std::vector<Host> all = hosts();
  for (const AtomicForm& form : forms()) {
    if (form.op != GetParam()) continue;
    Spelling s;
    s.opcode = form.text();
    s.sources = {{form.type}, {form.type}, {form.type}};
    const Rule rule;
    const std::vector<std::vector<uint64_t>> tuples = operands_for(s, rule);
    Arrays before;
    for (size_t i = 0; i < tuples.size(); ++i) {
      before.memory.push_back(tuples[i][0]);
      before.b.push_back(form.op == "cas" && i % 2 == 0 ? tuples[i][0]
                                                        : tuples[i][1]);  // half of the comparisons succeed
      before.c.push_back(tuples[i][2]);
      before.old.push_back(0);
    }
    const bool flush = form.type == T::f32 && !form.in_shared;  // sums in global memory only
    for (const Host& host : all) {
      Arrays after = before;
      ASSERT_TRUE(run_atomics(host, kernel(form, 1), after, 64)) << form.text() << " is refused";
      int shown = 0;
      for (size_t i = 0; i < tuples.size() && shown < 3; ++i) {
        const uint64_t old = before.memory[i], b = before.b[i], c = before.c[i];
        if (!is_on(i)) {
          EXPECT_EQ(after.memory[i], old) << form.text() << " by a lane that is off";
          EXPECT_EQ(after.old[i], 0u) << form.text() << " by a lane that is off";
          continue;
        }
        const uint64_t wanted = updated(form.op, form.type, flush, old, b, c),
                       got = low_bits(after.memory[i], form.bits());
        const bool open = form.type == T::f64 && kF64.is_nan(wanted) && kF64.is_nan(got);  // whose payload
        if (got != wanted && !open) {
          ++shown;
          ADD_FAILURE() << fmt::format("{}{} of {:#x} with {:#x}, {:#x} leaves {:#x}, expected {:#x} ({})", form.text(),
                                       form.in_shared ? " in shared memory" : "", old, b, c, got, wanted, host.isa);
        }
        if (form.returns && low_bits(after.old[i], form.bits()) != low_bits(old, form.bits())) {
          ++shown;
          ADD_FAILURE() << fmt::format("{} gives {:#x}, not the old {:#x} ({})", form.text(), after.old[i], old,
                                       host.isa);
        }
      }
    }
  }
}

/// Operations whose order does not matter to the end.
class AtomicsInAnyOrder : public Atomics {};

TEST_P(AtomicsInAnyOrder, of_all_lanes_on_one_element_come_one_after_the_other) {
  const std::vector<Host> all = hosts();
  std::mt19937_64 random(5);
  for (const AtomicForm& form : forms()) {
    if (form.op != GetParam() || is_float_type(form.type)) continue;
    const bool counts = form.op == "inc" || form.op == "dec";
    const size_t n = form.in_shared ? 96 : 480;
    Arrays before;
    for (size_t i = 0; i < n; ++i) {
      before.memory.push_back(i == 0 ? 3 : 0);
      before.b.push_back(counts ? 40 : random());
      before.c.push_back(0);
      before.old.push_back(0);
    }
    uint64_t wanted = 3;
    size_t updates = 0;
    for (size_t i = 0; i < n; ++i) {
      if (!is_on(i)) continue;
      ++updates;
      wanted = updated(form.op, form.type, false, low_bits(wanted, form.bits()), low_bits(before.b[i], form.bits()), 0);
    }
    for (const Host& host : all) {
      Arrays after = before;
      ASSERT_TRUE(run_atomics(host, kernel(form, 0), after, 96)) << form.text();
      EXPECT_EQ(low_bits(after.memory[0], form.bits()), wanted)
          << form.text() << " with " << host.isa << (form.in_shared ? " in shared memory" : "");
      if (!form.returns || !counts) continue;
      std::vector<unsigned> seen(41);  // each value of the count comes up as often
      for (size_t i = 0; i < n; ++i) {
        if (is_on(i)) ++seen.at(after.old[i]);
      }
      for (unsigned k = 0; k < seen.size(); ++k) EXPECT_NEAR(seen[k], static_cast<double>(updates) / 41, 1.0) << k;
    }
  }
}

const std::string kInAnyOrder[] = {"add", "min", "max", "and", "or", "xor", "inc", "dec"};

const auto name_of_operation = [](const auto& info) { return info.param; };
INSTANTIATE_TEST_SUITE_P(ptx, Atomics, ::testing::ValuesIn(kInAnyOrder), name_of_operation);
INSTANTIATE_TEST_SUITE_P(ptxOrdered, Atomics, ::testing::Values(std::string("exch"), std::string("cas")),
                         name_of_operation);
INSTANTIATE_TEST_SUITE_P(ptx, AtomicsInAnyOrder, ::testing::ValuesIn(kInAnyOrder), name_of_operation);

}  // namespace
}  // namespace bankshot::simt::conformance

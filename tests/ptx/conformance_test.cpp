// Every instruction that computes lane values, in all ways to write it, against rules of its own; and whether every row
// of the table of instructions has such a rule or a test elsewhere.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "elsewhere.hpp"
#include "run_form.hpp"
#include "tests/device/real_gpu.hpp"

namespace bankshot::simt::conformance {
namespace {

const Rows& table() { return *rows_of("portable"); }

/// Opcodes of which some row has a rule, in the order of the table.
std::vector<std::string> opcodes() {
  std::vector<std::string> all;
  for (const Row& row : table()) {
    const std::string opcode = parse_form(row).opcode;
    if (!is_elsewhere(row) && std::find(all.begin(), all.end(), opcode) == all.end()) all.push_back(opcode);
  }
  return all;
}

/// All literals that mean something else; 0 if the instruction has none.
int64_t literals_of(const Spelling& s) { return s.opcode == "lop3" ? 256 : 1; }

/// The same cvt with integers in registers of 64 bits: of a the low bits count, d is extended. Source: PTX ISA,
/// "Operand Size Exceeding Instruction-Type Size".
std::optional<Spelling> in_wider_registers(const Spelling& spelling) {
  if (spelling.opcode != "cvt" || spelling.has("pack")) return {};
  Spelling wider = spelling;
  bool any = false;
  for (std::vector<Slot>* slots : {&wider.results, &wider.sources}) {
    for (Slot& slot : *slots) {
      const std::string_view name = ptx::name(slot.type);
      if (slot.bits() == 64 || (name[0] != 'u' && name[0] != 's')) continue;
      slot.wider = 64;
      any = true;
    }
  }
  return any ? std::optional(wider) : std::nullopt;
}

class EveryForm : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryForm, computes_what_its_rule_says) {
  const std::vector<Host> all = hosts_or_gpu();
  const bool on_gpu = device::real_gpu() != nullptr;
  std::vector<Host> compiling[2];
  if (!on_gpu) {
    compiling[0] = compiling_hosts("avx512");
    compiling[1] = compiling_hosts("avx2");
  }
  const size_t kWrongForms = on_gpu ? 1000 : 5;  // enough to see what is the matter
  size_t forms = 0, wrong = 0, n = 0, compiled = 0;
  for (const Row& row : table()) {
    if (parse_form(row).opcode != GetParam() || is_elsewhere(row)) continue;
    size_t of_row = 0;
    for (Spelling& spelling : spellings_of(row)) {
      for (spelling.literal = 0; spelling.literal < literals_of(spelling); ++spelling.literal) {
        if (of_row != 0 && n++ % forms_apart() != 0) continue;
        std::optional<Rule> rule = rule_of(spelling);
        ASSERT_TRUE(rule) << spelling.text()
                          << " has no rule: add one to tests/ptx, or its opcode to tests/ptx/elsewhere.hpp";
        const Outcome outcome = check_form(all, spelling, *rule);
        of_row += outcome != Outcome::refused;
        wrong += outcome == Outcome::wrong;
        if (outcome == Outcome::right) {
          for (size_t k = 0; k < 2; ++k) {
            if (compiled % forms_compiled() == k % forms_compiled() && !compiling[k].empty())
              wrong += check_form(compiling[k], spelling, *rule) != Outcome::right;
          }
          ++compiled;
        }
        if (const auto wider = in_wider_registers(spelling); wider && outcome == Outcome::right) {
          rule->most = 300;
          wrong += check_form(all, *wider, *rule) != Outcome::right;
        }
        if (wrong >= kWrongForms) return;
      }
    }
    EXPECT_TRUE(of_row > 0 || on_gpu) << row.syntax << ": no way to write it was accepted";
    if (of_row == 0) fmt::print("not for this GPU: {}\n", row.syntax);
    forms += of_row;
  }
  if (on_gpu) fmt::print("{}: {} forms, {} wrong\n", GetParam(), forms, wrong);
  RecordProperty("forms", static_cast<int>(forms));
}

INSTANTIATE_TEST_SUITE_P(ptx, EveryForm, ::testing::ValuesIn(opcodes()), [](const auto& info) { return info.param; });

/// Modifiers that go together only, or not with these types: ptxas 13.0 refuses them as well.
TEST(Spellings, rejects_modifiers_that_mean_nothing_here) {
  const std::vector<Host> all = hosts();
  for (const std::string form : {"min.xorsign.f32", "max.abs.f32", "min.abs.f16", "max.xorsign.bf16x2",
                                 "setp.eq.ftz.bf16", "set.lt.ftz.bf16x2.bf16x2", "cvt.ftz.f64.f64",
                                 "cvt.rni.ftz.s32.f64", "cvt.rn.ftz.f16.s32", "cvt.ftz.u32.u16"}) {
    for (const Row& row : table()) {
      if (parse_form(row).opcode != form.substr(0, form.find('.'))) continue;
      for (const Spelling& spelling : spellings_of(row)) {
        if (spelling.text() != form || spelling.sources.size() > 2) continue;
        EXPECT_EQ(check_form(all, spelling, *rule_of(spelling)), Outcome::refused) << form;
      }
    }
  }
}

TEST(EveryRow, has_a_rule_or_is_elsewhere) {
  for (const std::string_view name : kElsewhere) {
    EXPECT_TRUE(std::any_of(table().begin(), table().end(),
                            [&](const Row& row) { return row.syntax.starts_with(name) && is_elsewhere(row); }))
        << name << " is no row: leave it out of tests/ptx/elsewhere.hpp";
  }
  // The others are tested, by EveryForm, if they have a rule in each way to write them.
  for (const Row& row : table()) {
    if (is_elsewhere(row)) continue;
    for (const Spelling& spelling : spellings_of(row)) {
      ASSERT_TRUE(rule_of(spelling)) << spelling.text()
                                     << " has no rule: add one to tests/ptx, or its opcode to tests/ptx/elsewhere.hpp";
    }
  }
}

}  // namespace
}  // namespace bankshot::simt::conformance

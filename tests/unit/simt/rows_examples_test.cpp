// The worked examples of all rows, on every instruction set this host has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "rows_harness.hpp"

namespace bankshot::simt::testing {
namespace {

/// A value as PTX text: integer, 0f…, 0d…, true, false.
uint64_t value_of(std::string_view text) {
  const std::string s(text);
  if (s == "true" || s == "false") return s == "true";
  if (s.starts_with("0f") || s.starts_with("0F") || s.starts_with("0d") || s.starts_with("0D")) {
    return std::strtoull(s.c_str() + 2, nullptr, 16);
  }
  return s.starts_with("-") ? static_cast<uint64_t>(std::strtoll(s.c_str(), nullptr, 0))
                            : std::strtoull(s.c_str(), nullptr, 0);
}

uint64_t cut(uint64_t value, unsigned width) {
  if (width == 0) return value & 1;
  return width == 8 ? value : value & ((uint64_t{1} << 8 * width) - 1);
}

/// The modifiers of an example, which may leave out those that the form has anyway ("lo" of mul.lo).
std::vector<std::string> completed(const Form& form, const std::vector<std::string>& written) {
  std::vector<std::string> all;
  size_t next = 0;
  for (const Form::Modifier& modifier : form.modifiers) {
    const auto& choices = modifier.choices;
    const auto here = std::find_if(choices.begin(), choices.end(), [&](const std::string& choice) {
      return next < written.size() && split(choice, '.')[0] == written[next];  // xorsign.abs is one choice
    });
    if (here != choices.end()) {
      for (size_t count = split(*here, '.').size(); count > 0 && next < written.size(); --count)
        all.push_back(written[next++]);
    } else if (!modifier.optional && choices.size() == 1) {
      all.push_back(choices[0]);
    }
  }
  all.insert(all.end(), written.begin() + static_cast<std::ptrdiff_t>(next), written.end());
  return all;
}

constexpr uint64_t kMasks[] = {~uint64_t{0}, 1, 0x8000000180000001u, 0x00ff00ff0ff0a5a5u, 0x7fffffff7fffffffu, 0};

/// Runs an example for one mask of active lanes. Registers hold different junk in all lanes before.
/// @param in_place  the first source is also the destination, if they are of one width
void check(const Row& row, const Example& example, unsigned lanes, uint64_t mask, bool in_place) {
  const std::vector<std::string> modifiers = completed(parse_form(row), split(example.type, '.'));
  Spelling spelling;
  for (std::string_view source : example.sources) {
    spelling.negated.push_back(source.starts_with("!"));
    spelling.literals.push_back(static_cast<int64_t>(value_of(source)));
  }
  std::optional<Prepared> prepared = prepare(row, modifiers, spelling);
  ASSERT_TRUE(prepared) << "no such form";
  const std::vector<std::string> results = split(example.result, '|');
  std::vector<Place> sources, destinations;
  for (const Place& place : prepared->places) (place.writes ? destinations : sources).push_back(place);
  ASSERT_EQ(sources.size(), example.sources.size());
  ASSERT_LE(results.size(), destinations.size());

  Registers registers;
  for (size_t k = 0; k < registers.bytes.size(); ++k) registers.bytes[k] = static_cast<std::byte>(k * 37 + 11);
  if (in_place) {
    if (sources[0].width != destinations[0].width || sources[0].literal || sources[0].width == 0) return;
    for (uint32_t& op : prepared->instr.op) {
      if (op == Registers::offset(sources[0].reg)) op = Registers::offset(destinations[0].reg);
    }
    sources[0].reg = destinations[0].reg;
  }
  for (size_t k = 0; k < sources.size(); ++k) {
    if (sources[k].literal) continue;
    std::string_view text = example.sources[k];
    if (text.starts_with("!")) text.remove_prefix(1);
    for (unsigned l = 0; l < lanes; ++l) registers.set(sources[k].reg, sources[k].width, l, value_of(text));
  }
  Registers before = registers;
  const uint64_t active = mask & all_lanes(lanes);
  uint64_t carry = all_lanes(lanes);
  execute(*prepared, registers, active, carry);
  for (size_t k = 0; k < results.size(); ++k) {
    const Place& d = destinations[k];
    for (unsigned l = 0; l < lanes; ++l) {
      const bool on = active >> l & 1;
      const uint64_t expected = on ? cut(value_of(results[k]), d.width) : before.get(d.reg, d.width, l);
      ASSERT_EQ(registers.get(d.reg, d.width, l), expected) << std::hex << "lane " << l << ", active " << active;
    }
  }
}

class RowsOf : public ::testing::TestWithParam<std::string_view> {};

TEST_P(RowsOf, give_the_results_of_their_examples) {
  const Rows* rows = rows_of(GetParam());
  if (rows == nullptr) GTEST_SKIP() << "not on this host";
  const unsigned lanes = lanes_of_isa(GetParam());
  size_t examples = 0;
  for (const Row& row : *rows) {
    for (const Example& example : row.examples) {
      SCOPED_TRACE(std::string(row.syntax) + "  as ." + std::string(example.type) + " (" +
                   std::string(example.sources[0]) + " …)");
      for (uint64_t mask : kMasks) {
        check(row, example, lanes, mask, false);
        check(row, example, lanes, mask, true);
        if (HasFailure()) break;
      }
      ++examples;
    }
  }
  EXPECT_GT(examples, 200u);
}

TEST_P(RowsOf, name_their_operands_and_sets) {
  const Rows* rows = rows_of(GetParam());
  if (rows == nullptr) GTEST_SKIP() << "not on this host";
  for (const Row& row : *rows) {
    SCOPED_TRACE(row.syntax);
    const Form form = parse_form(row);
    EXPECT_FALSE(form.opcode.empty());
    for (const Form::Modifier& modifier : form.modifiers) EXPECT_FALSE(modifier.choices.empty());
    for (const Form::Slot& slot : form.slots) EXPECT_FALSE(slot.name.empty());
  }
}

INSTANTIATE_TEST_SUITE_P(rows, RowsOf, ::testing::ValuesIn(kIsas),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bankshot::simt::testing

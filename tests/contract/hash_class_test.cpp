// What every registered class of bank hashes promises. A new class is tested here as soon as it is registered.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include "bankshot/rewrite/place_terms.hpp"
#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/scratchpad/hash/hash_text.hpp"
#include "bankshot/search/search.hpp"
#include "tests/contract/expression.hpp"
#include "tests/paths.hpp"

namespace bankshot::contract {
namespace {

using namespace scratchpad;

constexpr HashSize kSize{14, 5};

std::vector<std::string> words_of_all() {
  std::vector<std::string> words;
  for (const HashClass& c : hash_classes()) words.emplace_back(c.word);
  return words;
}

class HashClassContract : public ::testing::TestWithParam<std::string> {
 protected:
  const HashClass& tested() const { return *find_hash_class(GetParam()); }

  /// The examples, and of a class that lists its hashes all of a small size.
  std::vector<BankHash> hashes() const {
    std::vector<BankHash> all;
    for (const HashExample& example : tested().examples) {
      const Result<BankHash> hash = tested().parse(example.parameters, kSize);
      EXPECT_TRUE(hash) << (hash ? "" : hash.error().message);
      if (hash) all.push_back(*hash);
    }
    if (tested().each) tested().each({7, 3}, [&](const BankHash& hash) { all.push_back(hash); });
    return all;
  }
};

INSTANTIATE_TEST_SUITE_P(All, HashClassContract, ::testing::ValuesIn(words_of_all()),
                         [](const ::testing::TestParamInfo<std::string>& info) { return info.param; });

TEST_P(HashClassContract, is_fixed_or_has_hardware_whose_settings_fit_their_fields) {
  if (tested().circuit == nullptr) {
    EXPECT_TRUE(tested().fixed || tested().name.empty()) << "a class of its own with parameters";
    return;
  }
  for (const BankHash& hash : hashes()) {
    const std::vector<CircuitField> fields = tested().circuit->fields(hash.size());
    const std::vector<uint32_t> values = tested().circuit->setting(hash);
    ASSERT_EQ(values.size(), fields.size());
    for (size_t k = 0; k < fields.size(); ++k) EXPECT_EQ(uint64_t{values[k]} >> fields[k].bits, 0u) << fields[k].name;
  }
}

TEST_P(HashClassContract, describes_itself) {
  EXPECT_FALSE(tested().summary.empty());
  EXPECT_FALSE(tested().examples.empty());
  EXPECT_NE(hash_syntaxes().find(tested().syntax()), std::string::npos);
  for (const HashClass& other : hash_classes()) {
    if (&other == &tested()) continue;
    EXPECT_NE(other.order, tested().order) << other.word;
    EXPECT_NE(other.search_name(), tested().search_name());
  }
}

TEST_P(HashClassContract, is_in_the_table_of_docs_json_md) {
  std::ifstream file(paths::source() + "/docs/json.md");
  std::ostringstream page;
  page << file.rdbuf();
  const std::string row = "| `" + std::string(tested().word) + (tested().parameters.empty() ? "`" : ":");
  const size_t at = page.str().find(row);
  ASSERT_NE(at, std::string::npos) << row;
  const std::string line = page.str().substr(at, page.str().find('\n', at) - at);
  EXPECT_NE(line.find(tested().summary), std::string::npos) << line;
}

TEST_P(HashClassContract, parsing_what_was_printed_gives_the_same_hash) {
  for (const BankHash& hash : hashes()) {
    const std::optional<std::string> printed = tested().parameters_of(hash);
    ASSERT_TRUE(printed);
    const Result<BankHash> again = tested().parse(*printed, hash.size());
    ASSERT_TRUE(again) << *printed << ": " << again.error().message;
    EXPECT_EQ(*again, hash) << *printed;
    EXPECT_EQ(*tested().parameters_of(*again), *printed);
  }
}

TEST_P(HashClassContract, hashes_have_a_spec_a_class_and_a_form_for_papers) {
  for (const BankHash& hash : hashes()) {
    EXPECT_EQ(*parse_hash(spec(hash), hash.size()), hash) << spec(hash);
    EXPECT_EQ(*parse_hash(fixed_spec(hash), hash.size()), hash) << fixed_spec(hash);
    EXPECT_FALSE(class_name(hash).empty());
    EXPECT_FALSE(paper_form(hash).empty());
  }
}

TEST_P(HashClassContract, refuses_parameters_that_it_does_not_take) {
  const std::string word = GetParam();
  for (const std::string wrong : {":x", ":", ":-1", ":1,2,3,4,5,6,7"}) {
    const Result<BankHash> hash = parse_hash(word + wrong, kSize);
    ASSERT_FALSE(hash) << word + wrong;
    EXPECT_TRUE(hash.error().message.starts_with("hash '" + word + wrong + "': ")) << hash.error().message;
  }
  if (!tested().parameters.empty()) {
    EXPECT_FALSE(parse_hash(word, kSize));
  }
}

TEST_P(HashClassContract, fixed_hardware_has_no_parameters) {
  EXPECT_EQ(is_fixed(GetParam()), tested().fixed);
  if (tested().fixed) {
    EXPECT_TRUE(tested().parameters.empty());
    EXPECT_EQ(fixed_spec(hashes().front()), GetParam());
  }
}

TEST_P(HashClassContract, a_class_that_is_not_linear_has_no_parameters) {
  for (const BankHash& hash : hashes()) EXPECT_TRUE(hash.linear() || tested().parameters.empty());
}

TEST_P(HashClassContract, many_words_at_once_get_the_bank_of_each) {
  for (const HashExample& example : tested().examples) {
    const BankHash hash = *tested().parse(example.parameters, kSize);
    std::vector<uint32_t> words(1u << kSize.address_bits), banks(words.size());
    std::iota(words.begin(), words.end(), 0u);
    banks_of(hash, words, banks.data());
    for (const uint32_t word : words) ASSERT_EQ(banks[word], hash.bank(word)) << spec(hash) << ", word " << word;
  }
}

TEST_P(HashClassContract, the_cpp_form_computes_the_bank) {
  for (const BankHash& hash : hashes()) {
    const std::string text = bank_expression(hash);
    for (uint32_t word = 0; word < 1u << hash.address_bits; word += 7) {
      Expression expression(text, word);
      ASSERT_EQ(expression.value(), hash.bank(word)) << text << ", word " << word;
      ASSERT_TRUE(expression.complete) << text;
    }
    EXPECT_NE(cpp_source(hash).find(text), std::string::npos);
  }
}

/// What bankshot fix turns into PTX.
TEST_P(HashClassContract, the_terms_of_the_ptx_form_compute_the_place) {
  for (const BankHash& hash : hashes()) {
    const std::optional<BankHash> form = in_place_form(hash);
    if (!form) continue;
    const rewrite::PlaceTerms terms = rewrite::place_terms(*form, 4);
    for (uint32_t word = 0; word < 1u << hash.address_bits; word += 3) {
      ASSERT_EQ(terms.place(4 * word), 4 * ((word & ~(hash.banks() - 1)) | form->bank(word))) << spec(hash);
    }
  }
}

TEST_P(HashClassContract, keeps_its_promises_of_strides_without_conflicts) {
  for (const HashExample& example : tested().examples) {
    if (example.conflict_free_stride == 0) continue;
    const BankHash hash = *tested().parse(example.parameters, kSize);
    std::set<unsigned> banks;
    for (uint32_t lane = 0; lane < 32; ++lane) banks.insert(hash.bank(lane * example.conflict_free_stride));
    EXPECT_EQ(banks.size(), 32u) << spec(hash) << ", stride " << example.conflict_free_stride;
  }
}

TEST_P(HashClassContract, a_search_finds_hashes_of_the_class) {
  if (!tested().searchable()) return;
  PatternSet set;
  set.address_bits = 10;
  Pattern column;
  column.mask = 0xffffffff;
  for (uint32_t lane = 0; lane < 32; ++lane) column.words[lane] = 32 * lane;
  set.patterns = {column};
  const search::Problem problem = search::problem(set.rules, set);
  for (const search::Method method : search::methods_of(tested())) {
    const Result<search::Found> found = search::find(problem, tested().search_name(), method, {});
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_TRUE(tested().parameters_of(found->hash)) << spec(found->hash);
    EXPECT_EQ(found->excess, excess(set.rules, set, found->hash));
  }
  if (!tested().each) return;
  bool identity = false;
  tested().each({10, 5}, [&](const BankHash& hash) { identity = identity || hash == modulo_hash({10, 5}); });
  EXPECT_TRUE(identity) << "what a restriction to plain low bits falls back to";
}

/// "a, b and c"
std::string listed(const std::vector<std::string>& names) {
  std::string text = names.front();
  for (size_t k = 1; k < names.size(); ++k) text += (k + 1 == names.size() ? " and " : ", ") + names[k];
  return text;
}

TEST(HashClasses, unknown_words_are_answered_with_all_that_there_are) {
  std::vector<std::string> syntaxes, searchable;
  for (const HashClass& c : hash_classes()) {
    const std::string word(c.word), parameters(c.parameters);
    syntaxes.push_back(parameters.empty() ? word : word + ":" + parameters);
    if (c.each != nullptr || c.rows != RowSpace::none) searchable.emplace_back(c.name.empty() ? c.word : c.name);
  }
  EXPECT_EQ(parse_hash("magic", kSize).error().message,
            "hash 'magic': no such class; choose one of " + listed(syntaxes));
  EXPECT_EQ(searchable_classes(), listed(searchable));
}

TEST(HashClasses, are_listed_in_their_order) {
  EXPECT_TRUE(std::ranges::is_sorted(hash_classes(), {}, &HashClass::order));
}

}  // namespace
}  // namespace bankshot::contract

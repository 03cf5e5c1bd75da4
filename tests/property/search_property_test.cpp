// Hashes and searches, on anything: formulas, bijections, invariances, and optima against every other way to a hash.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "bankshot/library/certificate.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/search.hpp"
#include "bankshot/verify/check.hpp"

namespace bankshot::search {
namespace {

using scratchpad::BankHash;
using scratchpad::HashSize;
using scratchpad::Pattern;
using scratchpad::PatternSet;

uint32_t low(unsigned bits) { return (uint32_t{1} << bits) - 1; }
unsigned below(unsigned end) { return *rc::gen::inRange(0u, end); }

HashSize arbitrary_size() {
  const unsigned bank_bits = *rc::gen::inRange(1u, scratchpad::kMaxBankBits + 1);
  return {*rc::gen::inRange(bank_bits, 13u), bank_bits};
}

/// The bank of every address is what a formula says.
void expect_formula(const BankHash& hash, const std::function<uint32_t(uint32_t)>& formula) {
  for (uint32_t a = 0; a <= low(hash.address_bits); ++a) RC_ASSERT(hash.bank(a) == formula(a));
}

RC_GTEST_PROP(HashProperties, modulo_fixed_xor_and_add_are_their_formulas, ()) {
  const HashSize size = arbitrary_size();
  const uint32_t banks = low(size.bank_bits);
  expect_formula(scratchpad::modulo_hash(size), [&](uint32_t a) { return a & banks; });
  expect_formula(scratchpad::fixed_xor_hash(size), [&](uint32_t a) { return (a ^ a >> size.bank_bits) & banks; });
  expect_formula(scratchpad::add_hash(size), [&](uint32_t a) { return (a + (a >> size.bank_bits)) & banks; });
}

RC_GTEST_PROP(HashProperties, bit_vectors_are_their_formulas, ()) {
  const HashSize size = arbitrary_size();
  const unsigned k1 = below(size.address_bits - size.bank_bits + 1), k2 = below(size.address_bits);
  const uint32_t mask = below(low(size.bank_bits) + 1), banks = low(size.bank_bits);
  expect_formula(*scratchpad::bitvector_hash(size, k1), [&](uint32_t a) { return a >> k1 & banks; });
  expect_formula(*scratchpad::bitvector_xor_hash(size, k1, k2, mask),
                 [&](uint32_t a) { return (a >> k1 ^ (a >> k2 & mask)) & banks; });
}

RC_GTEST_PROP(HashProperties, swizzles_are_their_formula, ()) {
  const HashSize size = arbitrary_size();
  const unsigned b = below(4), m = below(5), distance = b + below(4);
  const int s = *rc::gen::arbitrary<bool>() ? static_cast<int>(distance) : -static_cast<int>(distance);
  const Result<BankHash> hash = scratchpad::swizzle_hash(size, b, m, s);
  RC_PRE(static_cast<bool>(hash));
  // CuTe: B bits at M + max(S,0), moved by S, are added to those they come to.
  const uint32_t from = low(b) << (m + static_cast<unsigned>(std::max(s, 0)));
  expect_formula(*hash, [&](uint32_t a) {
    const uint32_t moved = s >= 0 ? (a & from) >> s : (a & from) << -s;
    return (a ^ moved) & low(size.bank_bits);
  });
}

RC_GTEST_PROP(HashProperties, rows_are_parities, ()) {
  const HashSize size = arbitrary_size();
  const auto rows =
      *rc::gen::container<std::vector<uint32_t>>(size.bank_bits, rc::gen::inRange(0u, low(size.address_bits) + 1));
  expect_formula(*scratchpad::rows_hash(size, rows), [&](uint32_t a) {
    uint32_t bank = 0;
    for (unsigned i = 0; i < size.bank_bits; ++i) {
      for (unsigned bit = 0; bit < size.address_bits; ++bit) bank ^= (rows[i] >> bit & a >> bit & 1) << i;
    }
    return bank;
  });
}

/// Any linear hash; one in two is in place.
BankHash arbitrary_hash(HashSize size) {
  std::vector<uint32_t> rows =
      *rc::gen::container<std::vector<uint32_t>>(size.bank_bits, rc::gen::inRange(0u, low(size.address_bits) + 1));
  if (*rc::gen::arbitrary<bool>()) {
    for (unsigned i = 0; i < size.bank_bits; ++i)
      rows[i] = (rows[i] & ~low(size.bank_bits)) | (rows[i] & low(i)) | 1u << i;
  }
  return *scratchpad::rows_hash(size, rows);
}

RC_GTEST_PROP(HashProperties, in_place_means_that_every_row_of_words_is_permuted, ()) {
  const HashSize size = arbitrary_size();
  const BankHash hash = arbitrary_hash(size);
  bool permutes = true;
  for (uint32_t row = 0; row <= low(size.address_bits); row += hash.banks()) {
    std::set<unsigned> banks;
    for (uint32_t a = row; a < row + hash.banks(); ++a) banks.insert(hash.bank(a));
    permutes = permutes && banks.size() == hash.banks();
  }
  RC_ASSERT(scratchpad::is_in_place(hash) == permutes);
  const std::optional<BankHash> form = scratchpad::in_place_form(hash);
  RC_ASSERT(form.has_value() == permutes);
  if (!form) return;
  RC_ASSERT(scratchpad::reduced(form->rows()) == scratchpad::reduced(hash.rows()));  // so the conflicts are the same
  for (uint32_t a = 0; a <= low(size.address_bits); ++a) {
    RC_ASSERT(form->bank(a) == (form->bank(a & ~low(size.bank_bits)) ^ (a & low(size.bank_bits))));
  }
}

std::vector<uint32_t> arbitrary_words(unsigned address_bits, unsigned most) {
  return *rc::gen::container<std::vector<uint32_t>>(*rc::gen::inRange(1u, most + 1),
                                                    rc::gen::inRange(0u, low(address_bits) + 1));
}

Pattern pattern_of(const std::vector<uint32_t>& words) {
  Pattern p;
  for (size_t lane = 0; lane < words.size(); ++lane) {
    p.words[lane] = words[lane];
    p.mask |= uint64_t{1} << lane;
  }
  return p;
}

RC_GTEST_PROP(HashProperties, the_degree_does_not_change_with_xor_translation_or_lane_order, ()) {
  const HashSize size{10, 5};
  const BankHash hash = arbitrary_hash(size);
  std::vector<uint32_t> words = arbitrary_words(size.address_bits, 32);
  Pattern before = pattern_of(words);
  before.kind =
      *rc::gen::element(scratchpad::AccessKind::load, scratchpad::AccessKind::store, scratchpad::AccessKind::atomic);
  const uint32_t by = below(low(size.address_bits) + 1);
  const auto order =
      *rc::gen::container<std::vector<uint32_t>>(words.size(), rc::gen::inRange(size_t{0}, words.size()));
  for (uint32_t& word : words) word ^= by;
  for (size_t k = 0; k < words.size(); ++k) std::swap(words[k], words[order[k]]);
  Pattern after = pattern_of(words);
  after.kind = before.kind;
  RC_ASSERT(scratchpad::cost({}, before, hash).wavefronts == scratchpad::cost({}, after, hash).wavefronts);
}

PatternSet arbitrary_patterns(HashSize size) {
  PatternSet set;
  set.rules.banks = 1u << size.bank_bits;
  set.address_bits = size.address_bits;
  for (unsigned k = 0, count = 1 + below(5); k < count; ++k) {
    Pattern p = pattern_of(arbitrary_words(size.address_bits, 2u << size.bank_bits));
    p.weight = 1 + below(3);
    p.kind = *rc::gen::element(scratchpad::AccessKind::load, scratchpad::AccessKind::atomic);
    set.patterns.push_back(p);
  }
  return set;
}

/// The least excess, by the cost of the patterns themselves, of all row spaces a restriction allows.
uint64_t brute_force_by_cost(const PatternSet& set, HashSize size, const Restriction& restriction) {
  uint64_t best = ~uint64_t{0};
  std::vector<uint32_t> rows;
  const std::function<void(uint32_t)> visit = [&](uint32_t first) {
    if (rows.size() < size.bank_bits) {
      for (uint32_t row = first; row <= low(size.address_bits); ++row) {
        rows.push_back(row);
        visit(row + 1);
        rows.pop_back();
      }
      return;
    }
    if (scratchpad::reduced(rows).size() < rows.size()) return;
    const BankHash hash = *scratchpad::rows_hash(size, rows);
    if (restriction.allows(hash)) best = std::min(best, scratchpad::excess(set.rules, set, hash));
  };
  visit(1);
  return best;
}

RC_GTEST_PROP(SearchProperties, the_optimum_is_that_of_brute_force_and_its_certificate_is_valid, ()) {
  const HashSize size = *rc::gen::element(HashSize{3, 1}, HashSize{4, 2}, HashSize{5, 2});
  const PatternSet set = arbitrary_patterns(size);
  SearchOptions options;
  options.in_place = *rc::gen::arbitrary<bool>();
  options.plain_low_bits = below(size.bank_bits + 1);
  options.proof = true;
  const Problem p = problem(set.rules, set);
  const Result<Found> found = find(p, "gf2", Method::optimal, options);
  RC_ASSERT(static_cast<bool>(found));
  RC_ASSERT(found->status == Status::optimal);
  RC_ASSERT(options.allows(found->hash));
  RC_ASSERT(found->excess == scratchpad::excess(set.rules, set, found->hash));
  RC_ASSERT(found->excess == brute_force_by_cost(set, size, options));
  const verify::Verdict verdict = verify::check(library::certificate_of(p, options, *found));
  if (!verdict.proved) RC_FAIL(verdict.text);
}

RC_GTEST_PROP(SearchProperties, nothing_beats_the_optimum, ()) {
  const HashSize size{*rc::gen::inRange(4u, 9u), *rc::gen::inRange(1u, 5u)};
  const PatternSet set = arbitrary_patterns(size);
  const Problem p = problem(set.rules, set);
  SearchOptions options;
  options.in_place = *rc::gen::arbitrary<bool>();
  const uint64_t optimum = find(p, "gf2", Method::optimal, options)->excess;
  for (const char* c : {"bitvector-perm", "bitvector-xor", "bitwise-perm", "bitwise-xor", "swizzle"}) {
    for (const Method m : {Method::exhaustive, Method::givargis, Method::mih}) {
      const Result<Found> other = find(p, c, m, options);
      if (!other) continue;  // the class does not have the method
      RC_ASSERT(optimum <= other->excess);
      RC_ASSERT(other->excess == scratchpad::excess(set.rules, set, other->hash));
    }
  }
  const BankHash any = arbitrary_hash(size);
  if (options.allows(any)) RC_ASSERT(optimum <= scratchpad::excess(set.rules, set, any));
}

}  // namespace
}  // namespace bankshot::search

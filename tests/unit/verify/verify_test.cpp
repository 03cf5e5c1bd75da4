// The checker of optima: it accepts the proofs of the search, and nothing that was tampered with.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

#include <nlohmann/json.hpp>

#include "bankshot/library/certificate.hpp"
#include "bankshot/scratchpad/hash/gf2.hpp"
#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/optimal.hpp"
#include "bankshot/search/transcript.hpp"
#include "bankshot/verify/check.hpp"
#include "bankshot/verify/loads.hpp"
#include "tests/unit/search/search_helpers.hpp"

namespace bankshot::verify {
namespace {

search::Problem random_problem(std::mt19937& random, scratchpad::HashSize size, unsigned groups) {
  search::Problem p;
  p.size = size;
  for (unsigned k = 0; k < groups; ++k) {
    const size_t count = 2u << random() % size.bank_bits;
    std::set<uint32_t> words;
    while (words.size() < count) words.insert(random() % (1u << size.address_bits));
    p.groups.push_back({1 + random() % 4, scratchpad::canonical({words.begin(), words.end()})});
  }
  return p;
}

Certificate proved(const search::Problem& p, const search::Restriction& restriction = {}) {
  search::SearchOptions options;
  static_cast<search::Restriction&>(options) = restriction;
  options.proof = true;
  const search::Found found = search::optimal(p, options);
  EXPECT_EQ(found.status, search::Status::optimal);
  return library::certificate_of(p, restriction, found);
}

TEST(Verify, accepts_the_proof_of_every_optimum_and_brute_force_agrees) {
  std::mt19937 random(1);
  size_t largest = 0;
  const scratchpad::HashSize sizes[] = {{3, 1}, {4, 2}, {5, 2}, {5, 3}, {6, 3}};
  for (int round = 0; round < 150; ++round) {
    const search::Problem p = random_problem(random, sizes[round % 5], 1 + random() % 8);
    search::Restriction restriction;
    restriction.in_place = round % 3 == 1;
    if (round % 4 == 1) restriction.plain_low_bits = static_cast<unsigned>(random() % (p.size.bank_bits + 1));
    const Certificate c = proved(p, restriction);
    const Verdict verdict = check(c);
    EXPECT_TRUE(verdict.proved) << round << ": " << verdict.text << "\n" << to_json(c);
    EXPECT_EQ(c.excess, brute_force(p, restriction)) << round;
    largest = std::max(largest, c.tree.size());
  }
  EXPECT_GT(largest, 20u);  // the trees were worth checking
}

TEST(Verify, accepts_proofs_of_the_size_of_a_gpu) {
  std::mt19937 random(2);
  search::Problem p;
  p.size = {8, 5};
  for (int k = 0; k < 12; ++k) {
    std::set<uint32_t> words;
    while (words.size() < 32) words.insert(random() % 256);
    p.groups.push_back({1 + random() % 4, scratchpad::canonical({words.begin(), words.end()})});
  }
  const Verdict verdict = check(proved(p));
  EXPECT_TRUE(verdict.proved) << verdict.text;
  EXPECT_GT(verdict.nodes, 10u);
}

TEST(Verify, says_what_is_proved) {
  search::Problem p;
  p.size = {4, 1};
  p.groups = {{3, {0, 1}}, {2, {0, 2}}, {2, {0, 3}}};  // one row h: parities of 1, 2 and 3 cannot all be odd
  p.unavoidable = 5;
  const Certificate c = proved(p);
  EXPECT_EQ(c.excess, 7u);
  EXPECT_EQ(check(c).text, "no 1x4 XOR hash has less than excess 7");
}

/// Whether a certificate that was changed is refused, or claims what is true all the same.
void expect_caught(const nlohmann::json& document, uint64_t optimum, const std::string& what) {
  const Result<Certificate> c = from_json(document.dump());
  if (!c) return;
  const Verdict verdict = check(*c);
  EXPECT_TRUE(!verdict.proved || c->excess == optimum) << what << " was not noticed: " << verdict.text;
}

TEST(Verify, notices_every_change_that_would_make_it_prove_something_else) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    const search::Problem p = random_problem(random, {5, 2}, 6);
    const Certificate c = proved(p);
    const nlohmann::json good = nlohmann::json::parse(to_json(c));
    ASSERT_TRUE(check(c).proved);
    for (const int64_t by : {-2, -1, 1, 2}) {  // a number, anywhere, with everything else as it was
      for (const char* name : {"address_bits", "bank_bits", "plain_low_bits", "unavoidable", "excess", "scale"}) {
        nlohmann::json bad = good;
        bad[name] = bad[name].get<int64_t>() + by;
        const Result<Certificate> changed = from_json(bad.dump());
        // What it says is its own claim; whether it is about the patterns is for differs().
        if (std::string(name) == "excess" || std::string(name) == "unavoidable") {
          EXPECT_FALSE(changed && check(*changed).proved) << name << by;
        } else if (changed && std::string(name) == "scale") {
          expect_caught(bad, c.excess, name);
        }
      }
      for (size_t k = 0; k < c.tree.size(); ++k) {
        nlohmann::json bad = good;
        bad["tree"][k] = c.tree[k] + by;
        expect_caught(bad, c.excess, "tree " + std::to_string(k));
      }
      for (size_t k = 0; k < c.hash.size(); ++k) {
        nlohmann::json bad = good;
        bad["hash"][k] = c.hash[k] + by;
        expect_caught(bad, c.excess, "hash " + std::to_string(k));
      }
    }
    for (size_t k = 0; k < c.tree.size(); ++k) {
      nlohmann::json bad = good;
      bad["tree"].erase(k);
      expect_caught(bad, c.excess, "a number of the tree that is missing");
    }
    for (size_t k = 0; k < c.groups.size(); ++k) {
      std::vector<Group> others = c.groups;
      EXPECT_EQ(differs(c, others, c.unavoidable), "");
      others[k].weight += 1;
      EXPECT_NE(differs(c, others, c.unavoidable), "");
      others = c.groups;
      others[k].words.back() += 1;
      EXPECT_NE(differs(c, others, c.unavoidable), "");
      others.pop_back();
      EXPECT_NE(differs(c, others, c.unavoidable), "");
    }
    EXPECT_NE(differs(c, c.groups, c.unavoidable + 1), "");
  }
}

void expect_the_same_on_any_number_of_threads(const Certificate& c, const Verdict& one) {
  for (const unsigned threads : {2u, 5u}) {
    const Verdict more = check(c, threads);
    EXPECT_EQ(more.proved, one.proved);
    EXPECT_EQ(more.text, one.text);
    EXPECT_EQ(more.nodes, one.nodes);
  }
}

TEST(Verify, says_the_same_on_any_number_of_threads) {
  std::mt19937 random(7);
  int proofs = 0, refusals = 0;
  for (int round = 0; round < 60; ++round) {
    Certificate c = proved(random_problem(random, {7, 3}, 6));
    if (round % 3 != 0 && !c.tree.empty()) {  // an entry that may be wrong
      int32_t& entry = c.tree[random() % c.tree.size()];
      entry = random() % 2 == 0 ? 0 : static_cast<int32_t>(1 + random() % 127);
    }
    const Verdict one = check(c);
    ++(one.proved ? proofs : refusals);
    expect_the_same_on_any_number_of_threads(c, one);
  }
  EXPECT_GT(proofs, 20);
  EXPECT_GT(refusals, 5);
}

TEST(Verify, parts_of_a_tree_may_have_children) {
  std::mt19937 random(11);
  Certificate c = proved(random_problem(random, {9, 3}, 40));
  c.tree.clear();
  for (int32_t row = 511; row > 0; --row) c.tree.insert(c.tree.end(), {row, row == 1 ? 2 : 1, -1, -1});
  c.tree.push_back(0);
  const Verdict whole = check(c);
  EXPECT_TRUE(whole.proved) << whole.text;
  EXPECT_GT(whole.nodes, 500u);
  expect_the_same_on_any_number_of_threads(c, whole);
  int refusals = 0;
  for (size_t k = 2; k < 40; k += 2) {  // nodes that are left too early
    Certificate early = c;
    early.tree[k] = early.tree[k + 1] = 0;
    if (k % 4 == 0) early.tree[k] = 3;
    const Verdict one = check(early);
    refusals += !one.proved;
    expect_the_same_on_any_number_of_threads(early, one);
  }
  EXPECT_GT(refusals, 5);
  c.tree.pop_back();
  EXPECT_EQ(check(c, 3).text, "at the root: the tree ends in the middle");
  c.tree.insert(c.tree.end(), {0, 0});
  EXPECT_EQ(check(c, 3).text, "at the root: the tree goes on after its end");
}

TEST(Verify, loads_are_those_of_the_definition) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    std::vector<Group> groups(1 + random() % 19);  // teams of eight, the last not full
    for (Group& group : groups) {
      group.weight = 1 + random() % 5;
      group.words.resize(1 + random() % (round % 2 == 0 ? 32 : 150));  // one number of 64 bits, or several
      for (uint32_t& word : group.words) word = random() % 64;
      std::sort(group.words.begin(), group.words.end());
    }
    Loads loads(groups, 3);
    std::vector<uint32_t> rows;
    const auto by_definition = [&] {
      uint64_t sum = 0;
      for (const Group& group : groups) {
        std::map<uint32_t, uint64_t> cells, equal;
        uint64_t least = 1;
        for (const uint32_t word : group.words) {
          uint32_t cell = 0;
          for (const uint32_t row : rows) cell = cell * 2 + (std::popcount(row & word) & 1);
          const uint64_t banks = uint64_t{1} << (3 - rows.size());
          least = std::max({least, (++cells[cell] + banks - 1) / banks, ++equal[word]});
        }
        sum += group.weight * (least - 1);
      }
      return sum;
    };
    EXPECT_EQ(loads.least(), by_definition());
    for (unsigned k = 0; k < 3; ++k) {
      rows.push_back(random() % 64);
      EXPECT_EQ(loads.least(rows.back(), UINT64_MAX), by_definition());
      loads.add(rows.back());
      EXPECT_EQ(loads.least(), by_definition());
    }
  }
}

TEST(Verify, refuses_a_worse_hash_that_claims_to_be_the_best) {
  std::mt19937 random(4);
  int refused = 0;
  for (int round = 0; round < 40; ++round) {
    const search::Problem p = random_problem(random, {5, 2}, 5);
    Certificate c = proved(p);
    const uint64_t optimum = c.excess;
    for (int other = 0; other < 10; ++other) {
      for (uint32_t& row : c.hash) row = static_cast<uint32_t>(random() % 32);
      c.excess = search::Evaluator(p.groups).excess(c.hash);
      if (c.excess == optimum || scratchpad::rank(c.hash) < 2) continue;
      EXPECT_FALSE(check(c).proved);
      Certificate lazy = c;
      lazy.tree = {0};
      EXPECT_FALSE(check(lazy).proved);
      lazy.tree = {-1};
      EXPECT_FALSE(check(lazy).proved);
      ++refused;
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Verify, a_subtree_may_be_left_to_enumeration) {
  std::mt19937 random(5);
  for (int round = 0; round < 20; ++round) {
    Certificate c = proved(random_problem(random, {6, 3}, 6));
    c.tree = {search::Transcript::kEnumerate};
    EXPECT_TRUE(check(c).proved) << round;
  }
}

TEST(Verify, a_long_proof_forgets_its_deepest_nodes) {
  search::Transcript t(0, 2, 6);
  t.enter(1, 5);
  t.enter(2, 6);
  t.leave(2, false);
  t.leave(1, true);
  t.enter(1, 7);
  t.leave(1, false);
  EXPECT_EQ(t.numbers(), (std::vector<int32_t>{5, 6, 0, 0, 7, 0}));
  t.leave(0, true);  // the seventh number
  EXPECT_EQ(t.numbers(), (std::vector<int32_t>{5, -1, 7, 0, 0}));
}

TEST(Verify, a_long_proof_forgets_as_much_of_every_branch) {
  // Branches of 6 numbers each, [row [row] [row]], of which 8 may be kept: only the first rows are left of all of them.
  search::Transcript whole(0, 2, 8);
  for (uint32_t row = 1; row <= 3; ++row) {
    search::Transcript branch = search::Transcript(0, 2, 8);
    branch.enter(1, row);
    for (uint32_t below : {8u, 9u}) {
      branch.enter(2, below);
      branch.leave(2, false);
    }
    branch.leave(1, true);
    whole.append(branch);
  }
  whole.leave(0, true);
  EXPECT_EQ(whole.numbers(), (std::vector<int32_t>{1, -1, 2, -1, 3, -1, 0}));
}

TEST(Verify, a_certificate_survives_being_written) {
  std::mt19937 random(6);
  const Certificate c = proved(random_problem(random, {6, 3}, 6));
  const Result<Certificate> read = from_json(to_json(c));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), to_json(c));
}

TEST(Verify, rejects_what_is_no_certificate) {
  std::mt19937 random(7);
  const nlohmann::json good = nlohmann::json::parse(to_json(proved(random_problem(random, {4, 2}, 3))));
  const auto message = [&](const char* name, nlohmann::json value) {
    nlohmann::json bad = good;
    bad[name] = std::move(value);
    const Result<Certificate> c = from_json(bad.dump());
    return c ? std::string("accepted") : c.error().message;
  };
  EXPECT_EQ(message("schema", "bankshot/search/1"), "schema must be \"bankshot/certificate/1\"");
  EXPECT_EQ(message("bank_bits", 7), "bank_bits must be a whole number from 1 to 4");
  EXPECT_EQ(message("hash", {1}), "hash must be 2 rows");
  EXPECT_EQ(message("tree", {1, "x"}), "tree[1] must be a whole number from -1 to 15");
  EXPECT_EQ(message("scale", 0).substr(0, 35), "scale must be a whole number from 1");
  EXPECT_EQ(message("groups", {{{"weight", 1}, {"words", {3, 1}}}}), "groups[0].words must ascend");
  EXPECT_EQ(message("groups", {{{"weight", -1}, {"words", {1}}}}).substr(0, 16), "groups[0].weight");
  EXPECT_FALSE(from_json("{"));
  EXPECT_FALSE(from_json("[]"));
}

}  // namespace
}  // namespace bankshot::verify

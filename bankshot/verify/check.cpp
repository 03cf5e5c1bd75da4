#include "bankshot/verify/check.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bankshot/support/thread_pool.hpp"
#include "bankshot/verify/gf2.hpp"
#include "bankshot/verify/replay.hpp"

namespace bankshot::verify {
namespace {

uint32_t low_bits(unsigned count) { return (uint32_t{1} << count) - 1; }

/// By the definition: weight * (words on the fullest bank - 1).
uint64_t excess_of(const Certificate& c) {
  uint64_t sum = 0;
  for (const Group& group : c.groups) {
    std::array<uint64_t, size_t{1} << kMostBankBits> load{};
    for (uint32_t word : group.words) {
      unsigned bank = 0;
      for (unsigned i = 0; i < c.bank_bits; ++i) bank |= static_cast<unsigned>(odd(word & c.hash[i])) << i;
      ++load[bank];
    }
    sum += group.weight * (*std::max_element(load.begin(), load.end()) - 1);
  }
  return sum;
}

/// What is wrong with the hash, or nothing.
std::string complaint(const Certificate& c) {
  Basis rows, low;
  for (uint32_t row : c.hash) {
    rows.add(row);
    low.add(row & low_bits(c.bank_bits));
  }
  if (rows.size() < c.bank_bits) return "the rows of the hash depend on each other";
  if (c.in_place && low.size() < c.bank_bits)
    return "the hash is not in place: it does not permute an aligned row of words";
  for (unsigned bit = 0; bit < c.plain_low_bits; ++bit) {
    if (rows.rest(uint32_t{1} << bit) != 0)
      return fmt::format("address bit {} is no bank bit in any form of the hash", bit);
  }
  const uint64_t excess = c.unavoidable + excess_of(c);
  if (excess != c.excess) return fmt::format("the hash has excess {}, not {}", excess, c.excess);
  return {};
}

std::string claim(const Certificate& c) {
  std::string restriction = c.in_place ? " that is in place" : "";
  if (c.plain_low_bits != 0) restriction += fmt::format(" with {} plain low bits", c.plain_low_bits);
  return fmt::format("no {}x{} XOR hash{} has less than excess {}", c.bank_bits, c.address_bits, restriction, c.excess);
}

/// Two rows that agree on the differences of words of every group cost the same. So it is enough to look at rows of the
/// address bits that lead a basis of these differences. Bits that the restriction is about are made to be among them,
/// and as many as a hash has rows.
uint32_t bits_that_matter(const Certificate& c) {
  Basis differences;
  const unsigned low = c.in_place ? c.bank_bits : c.plain_low_bits;
  for (unsigned bit = 0; bit < low; ++bit) differences.add(uint32_t{1} << bit);
  for (const Group& group : c.groups) {
    for (uint32_t word : group.words) differences.add(word ^ group.words.front());
  }
  for (unsigned bit = 0; bit < c.address_bits && differences.size() < c.bank_bits; ++bit)
    differences.add(uint32_t{1} << bit);
  return differences.leading_bits();
}

/// The words, with only the bits that matter: since a reduced basis has each leading bit once, a difference of words is
/// told by these bits of it.
std::vector<Group> projected(const Certificate& c, uint32_t bits) {
  std::vector<Group> groups = c.groups;
  for (Group& group : groups) {
    const uint32_t first = group.words.front();
    for (uint32_t& word : group.words) word = (word ^ first) & bits;
    std::sort(group.words.begin(), group.words.end());
  }
  return groups;
}

/// Replays the tree: what is wrong first, or how many nodes it has.
void follow(const Certificate& c, unsigned threads, Verdict& verdict) {
  const uint32_t bits = bits_that_matter(c);
  threads = static_cast<unsigned>(std::clamp<size_t>(threads, 1, c.tree.size() + 1));
  std::vector<Replay> replays;
  std::vector<std::string> wrong(threads);
  std::atomic<uint64_t> next = 0;
  ThreadPool pool;
  threads = pool.prepare(threads);
  replays.reserve(threads);
  replays.emplace_back(c, projected(c, bits), bits, c.excess - c.unavoidable);
  while (replays.size() < threads) replays.push_back(replays.front());
  pool.run_independent(threads, [&](unsigned k) { wrong[k] = replays[k].run(next); });
  size_t first = c.tree.size() + 1;
  uint64_t followed = 0;
  for (unsigned k = 0; k < threads; ++k) {
    verdict.nodes += replays[k].nodes();
    followed += replays[k].followed();
    if (wrong[k].empty() || replays[k].at() >= first) continue;
    first = replays[k].at();
    verdict.text = wrong[k];
  }
  if (verdict.text.empty() && followed != replays.front().parts()) verdict.text = "a part of the tree was not followed";
}

}  // namespace

Verdict check(const Certificate& c, unsigned threads) {
  Verdict verdict;
  verdict.text = complaint(c);
  if (!verdict.text.empty()) return verdict;
  if (c.excess != c.unavoidable) follow(c, threads, verdict);  // else nothing can be below
  verdict.proved = verdict.text.empty();
  if (!verdict.proved) verdict.nodes = 0;  // how many were looked at is chance
  if (verdict.proved) verdict.text = claim(c);
  return verdict;
}

std::string differs(const Certificate& c, std::vector<Group> groups, uint64_t unavoidable) {
  std::vector<Group> own = c.groups;
  std::sort(own.begin(), own.end());
  std::sort(groups.begin(), groups.end());
  if (own.size() != groups.size())
    return fmt::format("the certificate is about {} groups of words, the patterns have {}", own.size(), groups.size());
  for (size_t k = 0; k < own.size(); ++k) {
    if (own[k] != groups[k])
      return fmt::format("the certificate is about other words: those of weight {} at {} are not in the patterns",
                         own[k].weight, fmt::join(own[k].words, " "));
  }
  if (c.unavoidable != unavoidable)
    return fmt::format("the certificate has unavoidable excess {}, the patterns {}", c.unavoidable, unavoidable);
  return {};
}

}  // namespace bankshot::verify

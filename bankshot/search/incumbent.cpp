#include "bankshot/search/incumbent.hpp"

#include <random>

#include "bankshot/scratchpad/hash/gf2.hpp"

namespace bankshot::search {
namespace {

/// Row spaces tried before the proof begins, times the groups: some tenths of a second.
constexpr uint64_t kWorkBeforeProof = 60'000'000;
constexpr int kRandomStarts = 64;
constexpr size_t kSidesBetweenClocks = 4096;  // some hundred microseconds

}  // namespace

Incumbent::Incumbent(const Quotient& quotient, unsigned bank_bits, const Restriction& restriction)
    : quotient_(quotient),
      bank_bits_(bank_bits),
      restriction_(restriction),
      evaluator_(quotient.groups),
      loads_(quotient.groups, bank_bits) {
  for (unsigned bit = 0; bit < restriction.plain_low_bits; ++bit) loads_.push(uint32_t{1} << bit);
  floor = loads_.least();
}

std::vector<uint32_t> Incumbent::start(const std::vector<uint32_t>& wanted) const {
  std::vector<uint32_t> rows;
  for (unsigned bit = 0; bit < restriction_.plain_low_bits; ++bit) rows.push_back(uint32_t{1} << bit);
  for (size_t k = 0; k < wanted.size() && rows.size() < bank_bits_; ++k) {
    rows.push_back(wanted[k]);
    if (rank(rows, bank_bits_, restriction_) < rows.size()) rows.pop_back();
  }
  if (rows.size() < bank_bits_) rows.clear();
  return rows;
}

void Incumbent::offer(const std::vector<uint32_t>& wanted) { take(wanted, evaluator_.excess(wanted)); }

void Incumbent::take(const std::vector<uint32_t>& wanted, uint64_t own) {
  ++evaluated;
  if (!rows.empty() && own >= excess) return;
  rows = wanted;
  excess = own;
}

void Incumbent::descend(std::vector<uint32_t> from, Clock::time_point deadline) {
  const unsigned plain = restriction_.plain_low_bits;
  uint64_t least = evaluator_.excess(from);
  size_t work = kSidesBetweenClocks;  // sides since the clock was last asked
  bool late = false;
  for (unsigned since = 0, i = plain; since < bank_bits_ - plain; i = i + 1 == bank_bits_ ? plain : i + 1) {
    ++since;
    std::vector<uint32_t> others = from;
    others.erase(others.begin() + i);
    uint32_t pivots = 0;
    for (uint32_t row : scratchpad::reduced(others)) pivots |= std::bit_floor(row);
    for (unsigned k = plain; k + 1 < bank_bits_; ++k) loads_.push(others[k]);
    for (uint32_t h = 1; h < uint32_t{1} << quotient_.bits; ++h) {
      if ((h & pivots) != 0) continue;  // one row of each coset
      ++evaluated;
      work += loads_.sides() + 1;
      if (work >= kSidesBetweenClocks) {
        work = 0;
        late = Clock::now() > deadline;
      }
      if (late) break;
      const uint64_t own = loads_.least(h, least);
      if (own >= least) continue;
      if (restriction_.in_place) {
        others.push_back(h);
        const bool allowed = rank(others, bank_bits_, restriction_) == bank_bits_;
        others.pop_back();
        if (!allowed) continue;
      }
      least = own;
      from[i] = h;
      since = 0;
    }
    while (loads_.depth() > plain) loads_.pop();
    if (least <= floor || late) break;
  }
  offer(from);
}

void Incumbent::improve(Clock::time_point deadline) {
  if (at_floor() || restriction_.plain_low_bits == bank_bits_) return;
  descend(rows, deadline);
  std::mt19937 random(1);
  for (int round = 0; round < kRandomStarts && !at_floor(); ++round) {
    if (evaluated * evaluator_.groups() > kWorkBeforeProof || Clock::now() > deadline) return;
    std::vector<uint32_t> wanted(bank_bits_), from;
    do {
      for (uint32_t& row : wanted) row = static_cast<uint32_t>(random()) & ((uint32_t{1} << quotient_.bits) - 1);
      from = start(wanted);
    } while (from.empty());
    descend(std::move(from), deadline);
  }
}

}  // namespace bankshot::search

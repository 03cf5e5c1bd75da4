#include "bankshot/search/quotient.hpp"

#include <algorithm>
#include <bit>

#include "bankshot/scratchpad/hash/gf2.hpp"

namespace bankshot::search {
namespace {

/// The bits of x that `mask` has, packed.
uint32_t gather_bits(uint32_t x, uint32_t mask) {
  uint32_t packed = 0;
  for (unsigned k = 0; mask != 0; mask &= mask - 1, ++k) packed |= (x >> std::countr_zero(mask) & 1) << k;
  return packed;
}
uint32_t scatter_bits(uint32_t packed, uint32_t mask) {
  uint32_t x = 0;
  for (; mask != 0; mask &= mask - 1, packed >>= 1) x |= (packed & 1) << std::countr_zero(mask);
  return x;
}

}  // namespace

std::vector<uint32_t> Quotient::rows(const scratchpad::BankHash& hash) const {
  // Coordinate j stands for basis vector j, counted from the lowest pivot: the row's value on it.
  std::vector<uint32_t> result;
  for (uint32_t row : hash.rows()) {
    uint32_t coordinates = 0;
    for (size_t j = 0; j < basis.size(); ++j) coordinates |= scratchpad::parity(row & basis[basis.size() - 1 - j]) << j;
    result.push_back(coordinates);
  }
  return result;
}

uint32_t Quotient::address_bits(uint32_t row) const { return scatter_bits(row, pivots); }

scratchpad::BankHash Quotient::hash(const std::vector<uint32_t>& rows, scratchpad::HashSize size) const {
  std::vector<uint32_t> full;
  for (uint32_t row : rows) full.push_back(address_bits(row));
  for (unsigned bit = 0; bit < size.address_bits && full.size() < size.bank_bits; ++bit) {
    full.push_back(1u << bit);
    if (scratchpad::rank(full) < full.size()) full.pop_back();
  }
  return *scratchpad::rows_hash(size, scratchpad::reduced_from_below(full));
}

Quotient make_quotient(const Problem& problem, const Restriction& restriction) {
  std::vector<scratchpad::Group> groups = problem.groups;
  std::vector<uint32_t> differences;
  const unsigned low = restriction.in_place ? problem.size.bank_bits : restriction.plain_low_bits;
  for (unsigned bit = 0; bit < low; ++bit) differences.push_back(1u << bit);
  for (const scratchpad::Group& group : groups) {
    for (uint32_t word : group.words) {
      differences.push_back(word ^ group.words.front());
      if (differences.size() == 64) differences = scratchpad::reduced(differences);
    }
  }
  Quotient q;
  q.basis = scratchpad::reduced(differences);
  q.bits = static_cast<unsigned>(q.basis.size());
  for (uint32_t row : q.basis) q.pivots |= std::bit_floor(row);
  for (scratchpad::Group& group : groups) {
    const uint32_t origin = group.words.front();
    for (uint32_t& word : group.words) word = gather_bits(word ^ origin, q.pivots);
    std::sort(group.words.begin(), group.words.end());
  }
  q.groups = std::move(groups);
  return q;
}

unsigned rank(std::span<const uint32_t> rows, unsigned bank_bits, const Restriction& restriction) {
  std::vector<uint32_t> seen(rows.begin(), rows.end());
  for (uint32_t& row : seen) row &= restriction.in_place ? (uint32_t{1} << bank_bits) - 1 : ~uint32_t{0};
  return scratchpad::rank(seen);
}

}  // namespace bankshot::search

// Which operands are tried: the patterns at which rules change, all with all, and random ones.
#include <algorithm>
#include <random>

#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

using T = ptx::Type;
using Patterns = std::vector<uint64_t>;

/// Ends of the ranges of narrower types, shift counts around the widths, alternating bits. What does not fit is cut
/// off.
Patterns integer_patterns(unsigned bits) {
  Patterns all;
  for (unsigned n : {7u, 8u, 15u, 16u, 24u, 31u, 32u, 53u, 63u}) {
    if (n >= bits) continue;
    const uint64_t power = uint64_t{1} << n;
    for (uint64_t x : {power - 1, power, power + 1, ~power, ~power + 1, ~power + 2}) all.push_back(low_bits(x, bits));
  }
  for (uint64_t x = 0; x < 4; ++x) {
    all.push_back(x);
    all.push_back(low_bits(~x, bits));
  }
  for (uint64_t x : {0x5555555555555555u, 0xaaaaaaaaaaaaaaaau, 0x00ff00ff00ff00ffu, 0x123456789abcdef0u}) {
    all.push_back(low_bits(x, bits));
  }
  for (uint64_t x : {5, 10, 20, 33, 40, 64, 65, 100, 255, 256, 300}) all.push_back(low_bits(x, bits));
  return all;
}

/// Of a float with `mantissa` stored bits: zeros, the ends of the subnormal and normal numbers, infinities, NaNs, small
/// numbers, halves and their neighbours, the ends of integer ranges, the highest powers of two.
Patterns float_patterns(unsigned bits, unsigned mantissa) {
  const uint64_t one_ulp = 1, hidden = uint64_t{1} << mantissa,
                 infinity = low_bits(~uint64_t{0}, bits - 1 - mantissa) << mantissa;
  const uint64_t bias = (uint64_t{1} << (bits - 2 - mantissa)) - 1, one = bias << mantissa;
  Patterns all = {0, one_ulp, 2, 3, hidden / 2, hidden - 1, hidden, hidden + 1, 2 * hidden - 1, 2 * hidden};
  for (uint64_t x :
       {one - 1, one, one + 1, one + hidden, one + hidden / 2, one - hidden, one - hidden - 1, one - hidden + 1,
        one - 2 * hidden, one + hidden + hidden / 2, one + hidden + hidden / 4, one + hidden * 3 / 2 + 1}) {
    all.push_back(x);
  }
  for (uint64_t exponent : {7u, 8u, 15u, 16u, 31u, 32u, 63u, 64u}) {
    if (exponent >= bias) continue;
    const uint64_t power = one + exponent * hidden;
    for (uint64_t x : {power - 1, power, power + 1}) all.push_back(x);
  }
  const uint64_t ulp_exponent = mantissa < bias ? mantissa : bias - 1;
  for (uint64_t x : {one + ulp_exponent * hidden, one + ulp_exponent * hidden + 1, one - (ulp_exponent + 1) * hidden,
                     infinity - 2 * hidden, infinity - 2 * hidden + 1, infinity - hidden, infinity - 1, infinity,
                     infinity + 1, infinity + hidden / 2, infinity + hidden / 2 + 5, infinity + hidden - 1}) {
    all.push_back(x);
  }
  const size_t positive = all.size();
  for (size_t k = 0; k < positive; ++k) all.push_back(all[k] | uint64_t{1} << (bits - 1));
  return all;
}

Patterns patterns_of(T type) {
  switch (type) {
    case T::pred: return {0, 1};
    case T::f16: return float_patterns(16, 10);
    case T::bf16: return float_patterns(16, 7);
    case T::f32: return float_patterns(32, 23);
    case T::f64: return float_patterns(64, 52);
    case T::e4m3x2:
    case T::e5m2x2: return integer_patterns(16);
    default: return integer_patterns(ptx::bits(type));
  }
}

/// The type of one of the numbers that a register holds side by side, and how many there are.
std::pair<T, unsigned> element_of(T type) {
  switch (type) {
    case T::f16x2: return {T::f16, 2};
    case T::bf16x2: return {T::bf16, 2};
    case T::f32x2: return {T::f32, 2};
    case T::u16x2: return {T::u16, 2};
    case T::s16x2: return {T::s16, 2};
    default: return {type, 1};
  }
}

/// Patterns of the grid, floats near 1 in half of the cases that are left, else any bits.
uint64_t random_number(std::mt19937_64& random, T type, const Patterns& patterns) {
  const unsigned bits = std::max(ptx::bits(type), 1u);
  const uint64_t x = random();
  if (random() % 3 == 0) return patterns[x % patterns.size()];
  if (random() % 2 == 0) {
    switch (type) {
      case T::f16: return (x & 0x83ff) | (10 + (x >> 20) % 10) << 10;
      case T::bf16: return (x & 0x807f) | (122 + (x >> 20) % 10) << 7;
      case T::f32: return (x & 0x807fffff) | (115 + (x >> 40) % 24) << 23;
      case T::f64: return (x & 0x800fffffffffffff) | (996 + random() % 54) << 52;
      default: return low_bits(x, bits) >> random() % bits;
    }
  }
  return low_bits(x, bits);
}

struct OperandSource {
  T type = T::none;
  unsigned count = 1;
  Patterns patterns;
  uint64_t random(std::mt19937_64& from) const {
    uint64_t all = 0;
    for (unsigned k = 0; k < count; ++k) all |= random_number(from, type, patterns) << k * ptx::bits(type);
    return all;
  }
  /// Pattern n, beside others if there are several numbers.
  uint64_t pattern(size_t n) const {
    uint64_t all = patterns[n % patterns.size()];
    for (unsigned k = 1; k < count; ++k) all |= patterns[(n * 7 + k * 5 + 3) % patterns.size()] << k * ptx::bits(type);
    return all;
  }
};

/// All combinations of patterns; of three operands and more, those of every few.
std::vector<Patterns> grid(const std::vector<OperandSource>& sources) {
  constexpr size_t kEach[] = {1, 1000, 120, 13, 7, 5, 4};
  std::vector<Patterns> all = {{}};
  for (const OperandSource& source : sources) {
    const size_t each = std::min(source.patterns.size(), kEach[std::min<size_t>(sources.size(), 6)]);
    std::vector<Patterns> next;
    for (const Patterns& head : all) {
      for (size_t k = 0; k < each; ++k) {
        next.push_back(head);
        next.back().push_back(source.pattern(k * source.patterns.size() / each));
      }
    }
    all = std::move(next);
  }
  return all;
}

}  // namespace

std::vector<std::vector<uint64_t>> operands_for(const Spelling& spelling, const Rule& rule) {
  std::vector<OperandSource> sources;
  for (const Slot& slot : spelling.sources) {
    if (slot.literal) continue;
    const auto [type, count] = element_of(slot.type);
    sources.push_back({type, count, patterns_of(type)});
  }
  std::mt19937_64 random(std::hash<std::string>{}(spelling.text()));
  std::vector<Patterns> all = grid(sources);
  if (rule.exhaustive) {
    all.clear();
    for (uint64_t x = 0; x < 0x10000; x += sources[0].count)
      all.push_back({x | (sources[0].count > 1 ? (x + 1) << 16 : 0)});
  }
  const size_t randoms = rule.exhaustive ? 0 : 1000;
  for (size_t k = 0; k < randoms; ++k) {
    Patterns& tuple = all.emplace_back();
    for (const OperandSource& source : sources) tuple.push_back(source.random(random));
    // Equal or neighbouring operands are rare among random ones.
    if (tuple.size() > 1 && k % 4 == 0 && sources[0].type == sources[1].type)
      tuple[1] = low_bits(tuple[0] + k / 4 % 3 - 1, ptx::bits(sources[0].type) * sources[0].count);
    if (rule.related && k % 2 == 1) tuple = rule.related(random());
  }
  const size_t most = scaled(rule.most != 0 ? rule.most : all.size());
  if (all.size() > most) {
    std::shuffle(all.begin(), all.end(), random);
    all.resize(most);
  }
  for (Patterns& tuple : all) {
    for (size_t k = 0; k < tuple.size(); ++k) {  // no literals are beside registers that are wider
      if (spelling.sources[k].wider != 0) tuple[k] |= random() << spelling.sources[k].bits();
    }
    tuple.push_back(random() & 1);  // CC.CF
    tuple.push_back(random() & 1);  // whether the lane is on
  }
  return all;
}

}  // namespace bankshot::simt::conformance

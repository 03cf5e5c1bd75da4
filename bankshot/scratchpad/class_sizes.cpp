// Table 1 of the XOR-hash paper.
#include <cmath>
#include <cstdio>

#include "bankshot/scratchpad/hash_text.hpp"

namespace bankshot::scratchpad {
namespace {

using Whole = unsigned __int128;

std::string digits(Whole value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

/// 10^log10 with three digits.
std::string power_of_ten(long double log10) {
  const long double whole = std::floor(log10);
  char text[64];
  std::snprintf(text, sizeof text, "%.2Lfe%.0Lf", std::pow(10.0L, log10 - whole), whole);
  return text;
}

std::string power_of_two(unsigned exponent) {
  return exponent < 127 ? digits(Whole{1} << exponent) : power_of_ten(exponent * std::log10(2.0L));
}

Whole binomial(unsigned n, unsigned k) {
  Whole value = 1;
  for (unsigned i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

/// Eq. 9. Every partial product is a Gaussian binomial itself when the factors are taken from the other end.
Whole subspaces(unsigned n, unsigned m) {
  Whole value = 1;
  for (unsigned i = 1; i <= m; ++i) value = value * ((Whole{1} << (n - m + i)) - 1) / ((Whole{1} << i) - 1);
  return value;
}

}  // namespace

ClassSizes class_sizes(HashSize size) {
  const unsigned n = size.address_bits, m = size.bank_bits;
  ClassSizes sizes;
  sizes.all = power_of_ten(static_cast<long double>(m) * std::pow(2.0L, n) * std::log10(2.0L));
  sizes.linear = power_of_two(n * m);
  sizes.unique_linear = digits(subspaces(n, m));
  sizes.bitvector_perm = digits(n - m + 1);
  sizes.bitvector_xor = digits(Whole{n - m + 1} * n * (Whole{1} << m));
  sizes.bitwise_perm = digits(binomial(n, m));
  sizes.bitwise_xor = digits(binomial(n * (n + 1) / 2, m));
  return sizes;
}

}  // namespace bankshot::scratchpad

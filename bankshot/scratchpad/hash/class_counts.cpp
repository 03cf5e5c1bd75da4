#include "bankshot/scratchpad/hash/class_counts.hpp"

#include <cmath>
#include <cstdio>

#include "bankshot/scratchpad/hash/hash_class.hpp"

namespace bankshot::scratchpad {

std::string digits(Whole value) {
  std::string text;
  do {
    text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(value % 10)));
    value /= 10;
  } while (value != 0);
  return text;
}

Whole binomial(unsigned n, unsigned k) {
  Whole value = 1;
  for (unsigned i = 1; i <= k; ++i) value = value * (n - k + i) / i;
  return value;
}

namespace {

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

/// Eq. 9. Every partial product is a Gaussian binomial itself when the factors are taken from the other end.
Whole subspaces(unsigned n, unsigned m) {
  Whole value = 1;
  for (unsigned i = 1; i <= m; ++i) value = value * ((Whole{1} << (n - m + i)) - 1) / ((Whole{1} << i) - 1);
  return value;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> class_counts(HashSize size) {
  const unsigned n = size.address_bits, m = size.bank_bits;
  std::vector<std::pair<std::string, std::string>> counts = {
      {"all", power_of_ten(static_cast<long double>(m) * std::pow(2.0L, n) * std::log10(2.0L))},
      {"xor", power_of_two(n * m)},
      {"unique-xor", digits(subspaces(n, m))}};
  for (const HashClass& c : hash_classes()) {
    if (c.count != nullptr) counts.emplace_back(c.name, c.count(size));
  }
  return counts;
}

}  // namespace bankshot::scratchpad

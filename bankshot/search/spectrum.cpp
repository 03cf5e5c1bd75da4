#include "bankshot/search/spectrum.hpp"

#include <algorithm>
#include <numeric>

namespace bankshot::search {
namespace {

/// In place: x[h] = sum over a of (-1)^parity(h & a) x[a].
void transform(std::vector<int32_t>& x) {
  for (size_t half = 1; half < x.size(); half *= 2) {
    for (size_t begin = 0; begin < x.size(); begin += 2 * half) {
      for (size_t k = begin; k < begin + half; ++k) {
        const int32_t a = x[k], b = x[k + half];
        x[k] = a + b;
        x[k + half] = a - b;
      }
    }
  }
}

}  // namespace

Spectrum spectrum(std::span<const scratchpad::Group> groups, unsigned bits) {
  Spectrum s;
  s.bits = bits;
  size_t words = 1;
  for (const scratchpad::Group& group : groups) {
    s.total_weight += static_cast<int64_t>(group.weight);
    words = std::max(words, group.words.size());
  }
  // A sum over a whole row space is at most the number of its elements, times the weights, the scale and the words.
  const int64_t room = (int64_t{1} << 61) / (int64_t{1} << scratchpad::kMaxBankBits) / static_cast<int64_t>(words);
  const int64_t most = std::clamp<int64_t>(room / std::max<int64_t>(1, s.total_weight), 1, 1 << 20);
  for (const scratchpad::Group& group : groups) {
    const int64_t next = std::lcm(s.scale, static_cast<int64_t>(group.words.size()));
    if (next > most) {  // rounding down keeps the bound a bound
      s.scale = most;
      break;
    }
    s.scale = next;
  }
  s.value.assign(size_t{1} << bits, 0);
  std::vector<int32_t> f(size_t{1} << bits);
  for (const scratchpad::Group& group : groups) {
    std::fill(f.begin(), f.end(), 0);
    for (uint32_t word : group.words) ++f[word];
    transform(f);
    const auto k = static_cast<int64_t>(group.words.size()), weight = static_cast<int64_t>(group.weight);
    for (size_t h = 0; h < f.size(); ++h) s.value[h] += weight * (s.scale * f[h] * f[h] / k);
  }
  return s;
}

}  // namespace bankshot::search

#include "bankshot/search/spectrum.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace bankshot::search {
namespace {

/// In place: x[h] = sum over a of (-1)^parity(h & a) x[a].
template <class T>
void transform(std::vector<T>& x) {
  for (size_t half = 1; half < x.size(); half *= 2) {
    for (size_t begin = 0; begin < x.size(); begin += 2 * half) {
      for (size_t k = begin; k < begin + half; ++k) {
        const T a = x[k], b = x[k + half];
        x[k] = a + b;
        x[k + half] = a - b;
      }
    }
  }
}

}  // namespace

std::optional<Spectrum> spectrum(std::span<const scratchpad::Group> groups, unsigned bits,
                                 std::chrono::steady_clock::time_point deadline) {
  Spectrum s;
  s.bits = bits;
  size_t words = 1;
  for (const scratchpad::Group& group : groups) {
    s.total_weight += static_cast<int64_t>(group.weight);
    words = std::max(words, group.words.size());
  }
  // A sum over a whole row space is at most the number of its elements, times the weights, the scale and the words.
  const int64_t room = (int64_t{1} << 61) / int64_t{scratchpad::kMaxBanks} / static_cast<int64_t>(words);
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
  // f^2 is the transform of how often two words of the group differ by d. Where nothing is rounded these counts are
  // added up first, and one transform is enough for all groups.
  std::vector<int32_t> f(size_t{1} << bits);
  std::vector<int64_t> square;
  for (size_t done = 0; const scratchpad::Group& group : groups) {
    if ((done++ & 15) == 0 && std::chrono::steady_clock::now() > deadline) return std::nullopt;
    const auto k = static_cast<int64_t>(group.words.size()), weight = static_cast<int64_t>(group.weight);
    if (s.scale % k == 0) {
      const int64_t factor = weight * (s.scale / k);
      s.value[0] += factor * k;
      for (size_t i = 0; i < group.words.size(); ++i) {
        for (size_t j = 0; j < i; ++j) s.value[group.words[i] ^ group.words[j]] += 2 * factor;
      }
    }
  }
  transform(s.value);
  for (size_t done = 0; const scratchpad::Group& group : groups) {
    const auto k = static_cast<int64_t>(group.words.size()), weight = static_cast<int64_t>(group.weight);
    if (s.scale % k == 0) continue;
    if ((done++ & 15) == 0 && std::chrono::steady_clock::now() > deadline) return std::nullopt;
    std::fill(f.begin(), f.end(), 0);
    for (uint32_t word : group.words) ++f[word];
    transform(f);
    square.resize(group.words.size() + 1);
    for (int64_t x = 0; x <= k; ++x) square[static_cast<size_t>(x)] = weight * (s.scale * x * x / k);
    for (size_t h = 0; h < f.size(); ++h) s.value[h] += square[static_cast<size_t>(std::abs(f[h]))];
  }
  return s;
}

}  // namespace bankshot::search

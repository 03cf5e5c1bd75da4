#include "bankshot/scratchpad/counting/trace.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace bankshot::scratchpad {
namespace {

/// Steele, Lea and Flood's SplitMix64 finaliser: every bit of the result depends on every bit of x.
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

constexpr std::array<uint64_t, kMaxLanes> make_keys() {
  std::array<uint64_t, kMaxLanes> keys{};
  for (unsigned lane = 0; lane < kMaxLanes; ++lane) keys[lane] = mix(0x9e3779b97f4a7c15u * (lane + 1)) | 1;
  return keys;
}
constexpr std::array<uint64_t, kMaxLanes> kKeys = make_keys();

/// A sum of products of lanes, which the compiler turns into vector code. It looks the same on every host.
uint64_t digest_of(std::span<const uint32_t> words, uint64_t mask) {
  uint64_t sum = mix(mask);
  for (size_t k = 0; k < words.size(); ++k) sum += (uint64_t{words[k]} + 1) * kKeys[k];
  return mix(sum);
}

}  // namespace

std::span<const uint32_t> AccessTrace::words(const Access& access) const {
  return {store_.data() + access.first, static_cast<size_t>(std::popcount(access.mask))};
}

void AccessTrace::record(const uint32_t* addresses, uint64_t mask) {
  std::array<uint32_t, kMaxLanes> words;
  size_t lanes = 0;
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) words[lanes++] = addresses[std::countr_zero(rest)] / 4;
  record_words({words.data(), lanes}, mask, 1);
}

void AccessTrace::record_words(std::span<const uint32_t> words, uint64_t mask, uint64_t count) {
  if (capacity_ == 0) return;
  recorded_ += count;
  add(digest_of(words, mask), words, mask, count);
}

void AccessTrace::add(uint64_t digest, std::span<const uint32_t> words, uint64_t mask, uint64_t count) {
  if (digest > limit_) return;
  if (2 * accesses_.size() >= slots_.size()) index_again(std::max<size_t>(16, 2 * slots_.size()));
  size_t slot = digest & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1)) {
    Access& access = accesses_[slots_[slot] - 1];
    if (access.digest == digest && access.mask == mask && std::ranges::equal(this->words(access), words)) {
      access.count += count;
      return;
    }
  }
  accesses_.push_back({digest, count, mask, store_.size()});
  store_.insert(store_.end(), words.begin(), words.end());
  slots_[slot] = static_cast<uint32_t>(accesses_.size());
  if (accesses_.size() >= 2 * capacity_) drop_the_greatest();
}

void AccessTrace::index_again(size_t slots) {
  slots_.assign(slots, 0);
  for (size_t k = 0; k < accesses_.size(); ++k) {
    size_t slot = accesses_[k].digest & (slots - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots - 1);
    slots_[slot] = static_cast<uint32_t>(k + 1);
  }
}

std::vector<AccessTrace::Access> AccessTrace::kept() const {
  std::vector<Access> all = accesses_;
  std::sort(all.begin(), all.end(), [this](const Access& a, const Access& b) {
    if (a.digest != b.digest) return a.digest < b.digest;
    if (a.mask != b.mask) return a.mask < b.mask;
    return std::ranges::lexicographical_compare(words(a), words(b));
  });
  if (all.size() > capacity_) all.resize(capacity_);
  return all;
}

void AccessTrace::drop_the_greatest() {
  std::vector<Access> kept = this->kept();
  std::vector<uint32_t> store;
  for (Access& access : kept) {
    const std::span<const uint32_t> from = words(access);
    access.first = store.size();
    store.insert(store.end(), from.begin(), from.end());
  }
  limit_ = kept.back().digest;
  accesses_ = std::move(kept);
  store_ = std::move(store);
  index_again(slots_.size());
}

void AccessTrace::record_lost(uint64_t count) {
  if (count == 0) return;
  recorded_ += count;
  const std::vector<Access> kept = this->kept();
  limit_ = kept.empty() ? 0 : std::min(limit_, kept.back().digest);
}

void AccessTrace::merge(const AccessTrace& other) {
  capacity_ = std::max(capacity_, other.capacity_);
  recorded_ += other.recorded_;
  for (const Access& access : other.accesses_) add(access.digest, other.words(access), access.mask, access.count);
  limit_ = std::min(limit_, other.limit_);
}

}  // namespace bankshot::scratchpad

// Free ranges against what they are by definition: a list that is looked through from its start.
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "bankshot/simt/memory/free_ranges.hpp"
#include "bankshot/support/round_up.hpp"

namespace bankshot::simt {
namespace {

class List {
 public:
  void give(uint64_t start, uint64_t bytes) {
    ranges_[start] = bytes;
    for (auto at = ranges_.begin(); std::next(at) != ranges_.end();) {
      const auto next = std::next(at);
      if (at->first + at->second != next->first) {
        ++at;
        continue;
      }
      at->second += next->second;
      ranges_.erase(next);
    }
  }
  std::optional<uint64_t> take(uint64_t bytes, uint64_t alignment) {
    for (const auto& [start, room] : ranges_) {
      const uint64_t place = round_up(start, alignment), end = start + room;
      if (place + bytes > end) continue;
      const uint64_t begin = start;
      ranges_.erase(begin);
      if (place != begin) ranges_[begin] = place - begin;
      if (place + bytes != end) ranges_[place + bytes] = end - place - bytes;
      return place;
    }
    return std::nullopt;
  }

 private:
  std::map<uint64_t, uint64_t> ranges_;
};

struct Taken {
  uint64_t start, bytes;
};

/// Many takes and gives of a space that is nearly full; the two agree on every place.
void compare(unsigned seed, uint64_t unit, uint64_t most_units, unsigned most_alignment) {
  std::mt19937 random(seed);
  const auto pick = [&](uint64_t below) { return std::uniform_int_distribution<uint64_t>(0, below - 1)(random); };
  constexpr uint64_t kBegin = uint64_t{1} << 20;
  FreeRanges tree;
  List list;
  tree.give(kBegin, 400 * unit);
  list.give(kBegin, 400 * unit);
  std::vector<Taken> taken;
  for (int step = 0; step < 3000; ++step) {
    if (pick(100) < 55 || taken.empty()) {
      const uint64_t bytes = (1 + pick(most_units)) * unit, alignment = unit << pick(most_alignment);
      const auto place = tree.take(bytes, alignment);
      ASSERT_EQ(place, list.take(bytes, alignment)) << seed << ' ' << step;
      if (place) taken.push_back({*place, bytes});
    } else {
      const size_t k = pick(taken.size());
      tree.give(taken[k].start, taken[k].bytes);
      list.give(taken[k].start, taken[k].bytes);
      taken.erase(taken.begin() + static_cast<ptrdiff_t>(k));
    }
  }
  for (const Taken& t : taken) tree.give(t.start, t.bytes);
  EXPECT_EQ(tree.take(400 * unit, unit), kBegin) << "all of it is one range again";
  EXPECT_EQ(tree.take(unit, unit), std::nullopt);
}

TEST(FreeRanges, the_lowest_place_with_room_is_taken) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    compare(seed, 16, 3, 1);
    compare(seed, 16, 40, 1);
    compare(seed, 4096, 12, 6);
  }
}

TEST(FreeRanges, fragments_without_room_are_passed_over_in_a_few_steps) {
  // 2^16 fragments of 32 bytes with gaps: 2^17 times nothing larger is found, which a walk through them would take
  // minutes for.
  FreeRanges ranges;
  constexpr uint64_t kFragments = 1 << 16;
  for (uint64_t k = 0; k < kFragments; ++k) ranges.give(64 * k, 32);
  for (uint64_t k = 0; k < 2 * kFragments; ++k) ASSERT_EQ(ranges.take(48, 16), std::nullopt);
  EXPECT_EQ(ranges.take(32, 16), 0u);
  ranges.give(64 * 1000 + 32, 32);
  EXPECT_EQ(ranges.take(48, 16), 64u * 1000);
}

}  // namespace
}  // namespace bankshot::simt

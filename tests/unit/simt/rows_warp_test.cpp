// Lanes that talk to each other, against a lane-by-lane reading of the manual.
#include <random>

#include "rows_half_runner.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::simt::testing {
namespace {

class WarpRows : public OnEachIsa {
 protected:
  unsigned lanes() const { return lanes_of_isa(GetParam()); }
  uint64_t everyone() const { return all_lanes(lanes()); }
};
BANKSHOT_ON_EACH_ISA(WarpRows);

/// Executes an instruction once, with access to all its registers by place.
struct Once {
  std::optional<Prepared> prepared;
  Registers registers;
  Once(std::string_view isa, std::string_view text) : prepared(prepare(*rows_of(isa), text)) {
    EXPECT_TRUE(prepared) << text;
  }
  /// @param value  of a lane
  template <class F>
  void fill(unsigned place, F value) {
    for (unsigned l = 0; l < 64; ++l) registers.set(place, prepared->places[place].width, l, value(l));
  }
  void run(uint64_t active) {
    uint64_t carry = 0;
    execute(*prepared, registers, active, carry);
  }
  uint64_t get(unsigned place, unsigned lane) const {
    return registers.get(place, prepared->places[place].width, lane);
  }
};

// Places of shfl.sync d|p, a, b, c, membermask.
enum { kD, kP, kA, kB, kC, kMask };

TEST_P(WarpRows, shuffles_follow_the_pseudo_code) {
  std::mt19937 random(1);
  for (const std::string mode : {"up", "down", "bfly", "idx"}) {
    for (int trial = 0; trial < repetitions(300); ++trial) {
      Once once(GetParam(), "shfl.sync." + mode + ".b32");
      const uint64_t active = trial % 3 == 0 ? everyone() : ((uint64_t{random()} << 32 | random()) & everyone()) | 1;
      const unsigned width = 1u << random() % 6;
      const unsigned uniform_b = random() % 40, c = mode == "up" ? (32 - width) << 8 : (32 - width) << 8 | 31;
      std::array<uint32_t, 64> b{};
      for (unsigned l = 0; l < 64; ++l) b[l] = trial % 2 != 0 ? random() % 64 : uniform_b;
      once.fill(kA, [](unsigned l) { return 1000 + l; });
      once.fill(kB, [&](unsigned l) { return b[l]; });
      once.fill(kC, [&](unsigned) { return c; });
      once.fill(kMask, [](unsigned) { return 0xffffffffu; });
      once.run(active);
      for (unsigned l = 0; l < lanes(); ++l) {
        if (!(active >> l & 1)) {
          ASSERT_EQ(once.get(kD, l), 0u);
          ASSERT_EQ(once.get(kP, l), 0u);
          continue;
        }
        // As CUDA describes it: segments of `width` lanes, and lanes outside give the own value.
        const int lane = static_cast<int>(l) & 31, w = static_cast<int>(width), by = static_cast<int>(b[l] & 31);
        const int first = lane / w * w, last = first + w - 1;
        const int from = mode == "up"     ? lane - by
                         : mode == "down" ? lane + by
                         : mode == "bfly" ? lane ^ by
                                          : first + by % w;
        const bool good = mode == "up" ? from >= first : from <= last;
        const unsigned source = good ? static_cast<unsigned>(from) + (l & 32) : l;
        ASSERT_EQ(once.get(kP, l), good) << mode << " lane " << l << " b " << by << " width " << w;
        ASSERT_EQ(once.get(kD, l), active >> source & 1 ? 1000 + source : 0)
            << mode << " lane " << l << " b " << by << " width " << w;
      }
    }
  }
}

/// A membermask for each lane: tiles of 8 lanes that execute together.
uint32_t tile_mask(unsigned lane) { return lane < 32 ? 0xffu << (lane & ~7u) : 0; }

TEST_P(WarpRows, votes_count_the_lanes_of_each_membermask) {
  const uint64_t yes = 0x00ff0f0100ff0f01u;
  for (const std::string mode : {"all", "any", "uni"}) {
    Once once(GetParam(), "vote.sync." + mode + ".pred");
    once.fill(1, [&](unsigned l) { return yes >> l & 1; });
    once.fill(2, tile_mask);
    once.run(everyone() & 0xffffffff);
    for (unsigned l = 0; l < 32; ++l) {
      const unsigned byte = yes >> (l & ~7u) & 0xff;
      ASSERT_EQ(once.get(0, l), mode == "all"   ? byte == 0xff
                                : mode == "any" ? byte != 0
                                                : byte == 0xff || byte == 0)
          << mode << l;
    }
  }
  for (const char* text : {"vote.sync.ballot.b32", "vote.ballot.sync.b32"}) {
    Once once(GetParam(), text);
    once.fill(1, [&](unsigned l) { return yes >> l & 1; });
    once.fill(2, tile_mask);
    once.run(0x7fffffff);
    for (unsigned l = 0; l < 31; ++l) ASSERT_EQ(once.get(0, l), yes & tile_mask(l) & 0x7fffffff) << text << l;
    ASSERT_EQ(once.get(0, 31), 0u);
  }
}

TEST_P(WarpRows, the_full_membermask_is_the_whole_warp) {
  Once all(GetParam(), "vote.sync.all.pred");
  all.fill(1, [&](unsigned l) { return l + 1 != lanes(); });
  all.fill(2, [](unsigned) { return 0xffffffffu; });
  all.run(everyone());
  for (unsigned l = 0; l < lanes(); ++l) ASSERT_EQ(all.get(0, l), 0u);
  all.run(everyone() >> 1);
  for (unsigned l = 0; l + 1 < lanes(); ++l) ASSERT_EQ(all.get(0, l), 1u);
}

TEST_P(WarpRows, votes_without_sync_ask_the_active_lanes) {
  Once ballot(GetParam(), "vote.ballot.b32"), all(GetParam(), "vote.all.pred");
  for (Once* once : {&ballot, &all}) {
    once->fill(1, [](unsigned l) { return l % 2 == 0; });
    once->run(0x55550f0f & 0x55555555);
  }
  EXPECT_EQ(ballot.get(0, 0), 0x55550505u);
  EXPECT_EQ(ballot.get(0, 1), 0u);
  EXPECT_EQ(all.get(0, 0), 1u);
}

TEST_P(WarpRows, match_any_finds_equal_lanes) {
  for (const char* text : {"match.any.sync.b64", "match.sync.any.b32"}) {
    const unsigned shift = std::string_view(text).ends_with("64") ? 33 : 3;
    Once any(GetParam(), text);
    any.fill(1, [&](unsigned l) { return uint64_t{l % 3} << shift; });
    any.fill(2, tile_mask);
    any.run(0xfffffffd);
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t expected = 0;
      for (unsigned k = l & ~7u; k < (l | 7) + 1; ++k) expected |= static_cast<uint32_t>(k != 1 && k % 3 == l % 3) << k;
      ASSERT_EQ(any.get(0, l), l == 1 ? 0 : expected) << text << " lane " << l;
    }
  }
}

TEST_P(WarpRows, match_all_compares_whole_groups) {
  Once all(GetParam(), "match.all.sync.b64");
  all.fill(2, [](unsigned l) { return l < 8 ? uint64_t{7} << 40 : uint64_t{l} << 40; });
  all.fill(3, tile_mask);
  all.run(0xffff);
  for (unsigned l = 0; l < 16; ++l) {
    ASSERT_EQ(all.get(0, l), l < 8 ? 0xffu : 0u);
    ASSERT_EQ(all.get(1, l), l < 8);
  }
}

TEST_P(WarpRows, redux_reduces_each_group) {
  const auto value = [](unsigned l) { return static_cast<uint32_t>(l * 2654435761u); };
  for (const std::string form :
       {"add.u32", "min.s32", "max.s32", "min.u32", "max.u32", "and.b32", "or.b32", "xor.b32"}) {
    Once once(GetParam(), "redux.sync." + form);
    once.fill(1, value);
    once.fill(2, tile_mask);
    once.run(0xfffffffe);
    for (unsigned l = 1; l < 32; ++l) {
      std::optional<uint32_t> expected;
      for (unsigned k = l & ~7u; k < (l | 7) + 1; ++k) {
        if (k == 0) continue;
        const uint32_t x = value(k), s = expected.value_or(0);
        if (!expected)
          expected = x;
        else if (form == "add.u32")
          expected = s + x;
        else if (form == "min.s32")
          expected = static_cast<int32_t>(x) < static_cast<int32_t>(s) ? x : s;
        else if (form == "max.s32")
          expected = static_cast<int32_t>(x) > static_cast<int32_t>(s) ? x : s;
        else if (form == "min.u32")
          expected = std::min(x, s);
        else if (form == "max.u32")
          expected = std::max(x, s);
        else if (form == "and.b32")
          expected = x & s;
        else if (form == "or.b32")
          expected = x | s;
        else
          expected = x ^ s;
      }
      ASSERT_EQ(once.get(0, l), *expected) << form << " lane " << l;
    }
  }
}

TEST_P(WarpRows, redux_of_floats_leaves_out_nan_unless_told) {
  const auto value = [](unsigned l) { return l == 3 ? 0x7fc00000u : bits_of(static_cast<float>(l) - 4); };
  for (const auto& [form, expected] :
       {std::pair{"min.f32", bits_of(-4.0f)}, std::pair{"max.f32", bits_of(3.0f)}, std::pair{"min.abs.f32", 0u},
        std::pair{"max.NaN.f32", 0x7fffffffu}, std::pair{"max.abs.f32", bits_of(4.0f)}}) {
    Once once(GetParam(), std::string("redux.sync.") + form);
    once.fill(1, value);
    once.fill(2, tile_mask);
    once.run(0xff);
    for (unsigned l = 0; l < 8; ++l) EXPECT_EQ(once.get(0, l), expected) << form;
  }
}

/// %lanemask_lt, which public programs take for a membermask: it names the lanes below, and not the lane itself.
uint32_t lanes_below(unsigned lane) { return lane < 32 ? (1u << lane) - 1 : 0; }

TEST_P(WarpRows, a_lane_that_its_membermask_lacks_gets_what_the_named_lanes_make) {
  const uint32_t yes = 0x0f0100f1, active = 0x7ffffffe;
  const auto bit = [&](unsigned l) { return l < 32 && (yes >> l & 1) != 0; };
  Once ballot(GetParam(), "vote.sync.ballot.b32"), any(GetParam(), "vote.sync.any.pred"),
      all(GetParam(), "vote.sync.all.pred"), match(GetParam(), "match.any.sync.b32"),
      sum(GetParam(), "redux.sync.add.u32");
  for (Once* once : {&ballot, &any, &all}) once->fill(1, bit);
  match.fill(1, [&](unsigned l) { return l % 3; });
  sum.fill(1, [&](unsigned l) { return l; });
  for (Once* once : {&ballot, &any, &all, &match, &sum}) {
    once->fill(2, lanes_below);
    once->run(active);
  }
  for (unsigned l = 1; l < 31; ++l) {
    const uint32_t below = lanes_below(l) & active;
    uint32_t equal = 0, total = 0;
    for (unsigned k = 1; k < l; ++k) {
      equal |= static_cast<uint32_t>(k % 3 == l % 3) << k;
      total += k;
    }
    ASSERT_EQ(ballot.get(0, l), yes & below) << l;
    ASSERT_EQ(any.get(0, l), (yes & below) != 0) << l;
    ASSERT_EQ(all.get(0, l), (yes & below) == below) << l;
    ASSERT_EQ(match.get(0, l), equal) << l;
    ASSERT_EQ(sum.get(0, l), total) << l;
  }
  ASSERT_EQ(ballot.get(0, 31), 0u);  // is off
}

TEST_P(WarpRows, a_membermask_of_some_lanes_counts_those_for_all) {
  Once ballot(GetParam(), "vote.sync.ballot.b32"), elect(GetParam(), "elect.sync"),
      match(GetParam(), "match.all.sync.b32");
  ballot.fill(1, [](unsigned l) { return l % 2; });
  match.fill(2, [](unsigned l) { return l < 8 ? 5 : l; });
  ballot.fill(2, [](unsigned) { return 0xff; });
  elect.fill(2, [](unsigned) { return 0xf0; });
  match.fill(3, [](unsigned) { return 0xff; });
  for (Once* once : {&ballot, &elect, &match}) once->run(0xffffffff);
  for (unsigned l = 0; l < 32; ++l) {
    ASSERT_EQ(ballot.get(0, l), 0xaau) << l;
    ASSERT_EQ(elect.get(0, l), 4u) << l;
    ASSERT_EQ(elect.get(1, l), l == 4) << l;
    ASSERT_EQ(match.get(0, l), 0xffu) << l;
    ASSERT_EQ(match.get(1, l), 1u) << l;
  }
}

TEST_P(WarpRows, activemask_and_elect) {
  Once mask(GetParam(), "activemask.b32");
  mask.run(0xa5a50ff0);
  for (unsigned l = 0; l < 32; ++l) EXPECT_EQ(mask.get(0, l), 0xa5a50ff0 >> l & 1 ? 0xa5a50ff0u : 0u);
  Once elect(GetParam(), "elect.sync");
  elect.fill(2, tile_mask);
  elect.run(0xffffff00 & ~0x100u);
  for (unsigned l = 9; l < 32; ++l) {
    EXPECT_EQ(elect.get(0, l), l < 16 ? 9 : l & ~7u);
    EXPECT_EQ(elect.get(1, l), l == 9 || l == 16 || l == 24);
  }
}

}  // namespace
}  // namespace bankshot::simt::testing

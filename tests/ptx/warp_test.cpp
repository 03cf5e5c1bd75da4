// Instructions across the lanes of a warp, against the manual's definitions lane by lane: warps of which some lanes are
// off, and membermasks that divide the others into groups. Source: PTX ISA, "Parallel Synchronization and Communication
// Instructions", and shfl.sync.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "reference_float.hpp"
#include "run_form.hpp"

namespace bankshot::simt::conformance {
namespace {

constexpr unsigned kLanes = 32;

/// The lanes of one warp: what they hold and which take part.
struct Lanes {
  std::vector<std::vector<uint64_t>> sources;  ///< by lane
  std::vector<uint32_t> group;                 ///< by lane: those it exchanges with, itself included; 0 if it is off
  bool in_group(unsigned lane, unsigned other) const { return group[lane] >> other & 1; }
};

/// What a lane gets: nothing where the manual leaves it open.
using Wanted = std::array<std::optional<uint64_t>, 2>;
using Definition = std::function<Wanted(const Lanes& w, unsigned lane)>;

template <class F>
void for_group(const Lanes& w, unsigned lane, F f) {
  for (unsigned l = 0; l < kLanes; ++l) {
    if (w.in_group(lane, l)) f(l);
  }
}

/// The lanes of `lane`'s group for which f holds.
template <class F>
uint32_t lanes_where(const Lanes& w, unsigned lane, F f) {
  uint32_t mask = 0;
  for_group(w, lane, [&](unsigned l) { mask |= static_cast<uint32_t>(f(l) ? 1 : 0) << l; });
  return mask;
}

Definition vote(const Spelling& s) {
  const std::string mode(s.which({"all", "any", "uni", "ballot"}));
  return [mode](const Lanes& w, unsigned lane) -> Wanted {
    const uint32_t yes = lanes_where(w, lane, [&](unsigned l) { return w.sources[l][0] != 0; });
    if (mode == "ballot") return {yes, {}};
    const bool all = yes == w.group[lane], none = yes == 0;
    return {uint64_t{mode == "all" ? all : mode == "any" ? !none : all || none}, {}};
  };
}

Definition match_lanes(const Spelling& s) {
  const bool any = s.has("any");
  return [any](const Lanes& w, unsigned lane) -> Wanted {
    const uint32_t same = lanes_where(w, lane, [&](unsigned l) { return w.sources[l][0] == w.sources[lane][0]; });
    const bool all = same == w.group[lane];
    return {any || all ? same : 0, uint64_t{all}};
  };
}

Definition redux(const Spelling& s) {
  const std::string op(s.which({"add", "min", "max", "and", "or", "xor"}));
  const bool with_sign = s.type() == ptx::Type::s32;
  return [op, with_sign](const Lanes& w, unsigned lane) -> Wanted {
    std::optional<uint32_t> d;
    for_group(w, lane, [&](unsigned l) {
      const auto x = static_cast<uint32_t>(w.sources[l][0]), y = d.value_or(0);
      const bool less = with_sign ? static_cast<int32_t>(x) < static_cast<int32_t>(y) : x < y;
      d = !d            ? x
          : op == "add" ? x + y
          : op == "and" ? x & y
          : op == "or"  ? x | y
          : op == "xor" ? x ^ y
                        : (less == (op == "min") ? x : y);
    });
    return {*d, {}};
  };
}

/// A NaN is left out, but wins with .NaN; -0 is below +0.
Definition redux_floats(const Spelling& s) {
  const bool most = s.has("max"), magnitudes = s.has("abs"), wins = s.has("NaN");
  return [=](const Lanes& w, unsigned lane) -> Wanted {
    std::optional<uint64_t> d;
    bool nan = false;
    for_group(w, lane, [&](unsigned l) {
      const uint64_t x = magnitudes ? w.sources[l][0] & 0x7fffffff : w.sources[l][0];
      if (kF32.is_nan(x)) {
        nan = true;
        return;
      }
      const Real a(kF32, x), b(kF32, d.value_or(0));
      const int order = mpfr_equal_p(a, b) ? mpfr_signbit(b) - mpfr_signbit(a) : mpfr_cmp(a, b);
      if (!d || (order > 0) == most) d = x;
    });
    return {!d || (nan && wins) ? kF32.nan() : *d, {}};
  };
}

/// The manual's pseudo-code; a source outside the group is undefined.
Definition shuffle(const Spelling& s) {
  const std::string mode(s.which({"up", "down", "bfly", "idx"}));
  return [mode](const Lanes& w, unsigned l) -> Wanted {
    const int lane = static_cast<int>(l), b = static_cast<int>(w.sources[l][1] & 31),
              c = static_cast<int>(w.sources[l][2] & 31);
    const int segment = static_cast<int>(w.sources[l][2] >> 8 & 31), most = (lane & segment) | (c & ~segment & 31),
              least = lane & segment;
    const int from = mode == "up"     ? lane - b
                     : mode == "down" ? lane + b
                     : mode == "bfly" ? lane ^ b
                                      : least | (b & ~segment & 31);
    const bool inside = mode == "up" ? from >= most : from <= most;
    const unsigned source = inside ? static_cast<unsigned>(from) : l;
    if (source >= kLanes || !w.in_group(l, source)) return {std::nullopt, uint64_t{inside}};
    return {w.sources[source][0], uint64_t{inside}};
  };
}

/// One leader in each group; here the lowest lane, where the manual only wants the same one each time.
Definition elect() {
  return [](const Lanes& w, unsigned lane) -> Wanted {
    const auto leader = static_cast<uint64_t>(__builtin_ctz(w.group[lane]));
    return {leader, uint64_t{leader == lane}};
  };
}

Definition definition_of(const Spelling& s) {
  if (s.opcode == "vote") return vote(s);
  if (s.opcode == "match") return match_lanes(s);
  if (s.opcode == "redux") return s.type() == ptx::Type::f32 ? redux_floats(s) : redux(s);
  if (s.opcode == "shfl") return shuffle(s);
  if (s.opcode == "elect") return elect();
  return [](const Lanes& w, unsigned lane) -> Wanted { return {w.group[lane], {}}; };  // activemask
}

class Warps {
 public:
  explicit Warps(const Spelling& s) : s_(s), random_(std::hash<std::string>{}(s.text())) {}

  Lanes next() {
    Lanes w;
    const uint32_t on = lanes_on(), few = random() % 4;
    w.group.resize(kLanes);
    const unsigned groups = has_mask() ? 1 + random() % 4 : 1;
    std::vector<uint32_t> masks(groups);
    std::vector<unsigned> of(kLanes);
    for (unsigned l = 0; l < kLanes; ++l) {
      of[l] = random() % groups;
      if (on >> l & 1) masks[of[l]] |= 1u << l;
    }
    for (unsigned l = 0; l < kLanes; ++l) {
      if (on >> l & 1) w.group[l] = masks[of[l]];
      std::vector<uint64_t>& sources = w.sources.emplace_back();
      for (size_t k = 0; k < s_.sources.size(); ++k) {
        const bool mask = has_mask() && k + 1 == s_.sources.size();
        sources.push_back(mask ? masks[of[l]] : operand(k, few));
      }
    }
    return w;
  }
  bool has_mask() const { return s_.has("sync"); }

 private:
  uint32_t random() { return static_cast<uint32_t>(random_()); }
  uint32_t lanes_on() {
    switch (random() % 4) {
      case 0: return ~0u;
      case 1: return 1u << random() % kLanes;
      case 2: return random() | random() | 1;
      default: return random() | 0x80000000u;
    }
  }
  /// @param few  0: all lanes have much the same, so that all may agree
  uint64_t operand(size_t k, uint32_t few) {
    const ptx::Type type = s_.sources[k].type;
    if (type == ptx::Type::pred) return few == 0 ? 1 : few == 1 ? 0 : random() % 8 != 0;
    if (s_.opcode == "shfl" && k == 1) return few == 0 ? 1 : random() % 40;
    if (s_.opcode == "shfl" && k == 2) {
      const unsigned segment = (32 - (1u << random() % 6)) << 8;
      return few == 3 ? random() & 0x1f1f : segment | (s_.has("up") ? 0 : 31);
    }
    if (type == ptx::Type::f32) {
      static constexpr uint32_t kNumbers[] = {0,          0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000,
                                              0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x007fffff, 0xff7fffff};
      if (few == 0) return kNumbers[8 + random() % 2];
      return few == 1 ? kNumbers[random() % 2] : kNumbers[random() % std::size(kNumbers)];
    }
    if (s_.opcode == "match") return few == 0 ? 7 : uint64_t{random() % 4} << (type == ptx::Type::b64 ? 40 : 0);
    return few == 0 ? random() | 0xfffffff0u : random();
  }

  const Spelling& s_;
  std::mt19937_64 random_;
};

void check(const std::vector<Host>& hosts, const Spelling& s) {
  Warps warps(s);
  const Definition definition = definition_of(s);
  const size_t count = scaled(200);
  std::vector<Lanes> all;
  std::vector<std::vector<uint64_t>> tuples;
  for (size_t n = 0; n < count; ++n) {
    all.push_back(warps.next());
    for (unsigned l = 0; l < kLanes; ++l) {
      tuples.push_back(all.back().sources[l]);
      tuples.back().push_back(0);
      tuples.back().push_back(all.back().group[l] != 0);
    }
  }
  for (const Host& host : hosts) {
    if (host.isa == "wide") continue;  // warps of 64 lanes: tests/unit/simt/rows_warp_test.cpp
    const auto out = run_warps(host, s, tuples);
    if (!out && !host.engine) {
      fmt::print("not for this GPU: {}\n", s.text());
      continue;
    }
    ASSERT_TRUE(out) << s.text() << " is refused";
    int shown = 0;
    for (size_t i = 0; i < tuples.size() && shown < 3; ++i) {
      const Lanes& w = all[i / kLanes];
      const unsigned lane = i % kLanes;
      const Wanted wanted = w.group[lane] != 0 ? definition(w, lane) : Wanted{kJunk & 0xffffffffu, 1};
      for (size_t k = 0; k < s.results.size(); ++k) {
        const bool pred = s.results[k].type == ptx::Type::pred;
        const std::optional<uint64_t> want = pred && w.group[lane] == 0 ? std::optional<uint64_t>(1) : wanted[k];
        const uint64_t got = (*out)[k * tuples.size() + i];
        if (!want || got == *want) continue;
        ++shown;
        std::string sources;
        for (uint64_t x : w.sources[lane]) sources += fmt::format(" {:#x}", x);
        ADD_FAILURE() << fmt::format(
            "{} of{} in lane {} of group {:#x}: result {} is {:#x}, expected {:#x} ({}, warp {})", s.text(), sources,
            lane, w.group[lane], k, got, *want, host.isa, i / kLanes);
      }
    }
  }
}

class AcrossLanes : public ::testing::TestWithParam<std::string> {};

TEST_P(AcrossLanes, computes_what_the_manual_says_for_any_lanes) {
  const std::vector<Host> all = hosts_or_gpu();
  size_t forms = 0;
  for (const Row& row : *rows_of("portable")) {
    if (parse_form(row).opcode != GetParam()) continue;
    for (const Spelling& s : spellings_of(row)) {
      check(all, s);
      ++forms;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(forms, 0u);
}

INSTANTIATE_TEST_SUITE_P(ptx, AcrossLanes, ::testing::Values("vote", "match", "redux", "shfl", "activemask", "elect"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace bankshot::simt::conformance

// Every row without side effects gives the same bits whatever the host: all ways to write it, on random and edge
// values.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "edges.hpp"
#include "rows_harness.hpp"

namespace bankshot::simt::testing {
namespace {

using bankshot::testing::kEdges, bankshot::testing::kEdgesF32, bankshot::testing::kEdgesF64;

// Beside those of edges.hpp: NaNs with payloads, numbers whose sine is not simple, f32 in the halves of 64 bits.
constexpr uint64_t kMore16[] = {0x8001, 0xbc00, 0x7bff}, kMore32[] = {0x80000001, 0xffc12345, 0x40490fdb, 0x42c80000},
                   kMore64[] = {0xfff8000000012345, 0x7f8000017fc00001};

class Values {
 public:
  explicit Values(uint64_t seed) : random_(seed) {}
  uint64_t next(unsigned width) {
    switch (random_() % 4) {
      case 0: return edge(width);
      case 1: return random_() % 80;
      case 2: return width == 4 ? moderate_float() : width == 8 ? moderate_double() : random_();
      default: return random_();
    }
  }

 private:
  uint64_t edge(unsigned width) {
    if (width == 0) return random_();
    if (width == 2) return one_of(kEdges, kMore16);
    if (random_() % 2 == 0) return kEdges[random_() % std::size(kEdges)];
    return width == 4 ? one_of(kEdgesF32, kMore32) : one_of(kEdgesF64, kMore64);
  }
  /// Of two lists, as if they were one.
  template <class T, size_t N, class U, size_t M>
  uint64_t one_of(const T (&first)[N], const U (&second)[M]) {
    const size_t k = random_() % (N + M);
    return k < N ? first[k] : second[k - N];
  }
  /// Numbers near 1, whose sums and products are interesting.
  uint64_t moderate_float() { return (random_() & 0x80ffffff) + 0x3f000000; }
  uint64_t moderate_double() { return (random_() & 0x803fffffffffffff) + 0x3fe0000000000000; }

  std::mt19937_64 random_;
};

bool has_no_side_effects(const Row& row) {
  return row.unit == Unit::alu || row.unit == Unit::fp32 || row.unit == Unit::fp64 || row.unit == Unit::sfu;
}

/// Fills the source registers of lanes [0, lanes) from the values at `first_lane` on of a sequence that depends on the
/// instruction only.
void fill(const Prepared& prepared, uint64_t seed, unsigned lanes, unsigned first_lane, Registers& registers) {
  for (const Place& place : prepared.places) {
    if (place.literal) continue;
    Values values(seed * 16 + place.reg);
    for (unsigned l = 0; l < first_lane; ++l) values.next(place.width);
    for (unsigned l = 0; l < lanes; ++l) registers.set(place.reg, place.width, l, values.next(place.width));
  }
}

/// Lanes [0, lanes) of the destinations, one after the other, and the carries.
std::vector<uint64_t> results(const Prepared& prepared, uint64_t seed, unsigned lanes, unsigned first_lane,
                              uint64_t active) {
  Registers registers;
  fill(prepared, seed, lanes, first_lane, registers);
  uint64_t carry = (0x5a5aa5a50f0ff0f0u >> first_lane) & all_lanes(lanes);
  execute(prepared, registers, active >> first_lane & all_lanes(lanes), carry);
  std::vector<uint64_t> out;
  for (unsigned l = 0; l < lanes; ++l) {
    for (const Place& place : prepared.places) {
      if (place.writes) out.push_back(registers.get(place.reg, place.width, l));
    }
    out.push_back(carry >> l & 1);
  }
  return out;
}

class SameOnAllHosts : public ::testing::TestWithParam<std::string_view> {};

TEST_P(SameOnAllHosts, rows_give_the_bits_of_the_portable_ones) {
  const Rows* rows = rows_of(GetParam());
  if (rows == nullptr) GTEST_SKIP() << "not on this host";
  const Rows& reference = *rows_of("portable");
  ASSERT_EQ(rows->size(), reference.size());
  size_t forms = 0;
  for (size_t r = 0; r < rows->size(); ++r) {
    if (!has_no_side_effects(reference[r])) continue;
    ASSERT_EQ((*rows)[r].syntax, reference[r].syntax);
    for (const std::vector<std::string>& modifiers : spellings(parse_form(reference[r]))) {
      for (uint64_t round = 0; round < 6; ++round) {
        Spelling spelling;
        spelling.literals.assign(8, static_cast<int64_t>(round * 0x35 & 0xff));
        spelling.negated.assign(8, round % 2 == 1);
        const auto expected = prepare(reference[r], modifiers, spelling),
                   actual = prepare((*rows)[r], modifiers, spelling);
        ASSERT_EQ(expected.has_value(), actual.has_value()) << reference[r].syntax;
        if (!expected) break;
        const uint64_t active = round == 4 ? 0x00ff00ff0ff0a5a5u : round == 5 ? 0x8000000180000001u : ~uint64_t{0};
        const uint64_t seed = r * 64 + round;
        const unsigned lanes = lanes_of_isa(GetParam());
        std::vector<uint64_t> from_portable = results(*expected, seed, 32, 0, active);
        if (lanes == 64) {
          const std::vector<uint64_t> upper = results(*expected, seed, 32, 32, active);
          from_portable.insert(from_portable.end(), upper.begin(), upper.end());
        }
        const std::vector<uint64_t> here = results(*actual, seed, lanes, 0, active);
        ++forms;
        if (here == from_portable) continue;
        const size_t at =
            static_cast<size_t>(std::mismatch(here.begin(), here.end(), from_portable.begin()).first - here.begin());
        const size_t lane = at / (here.size() / lanes);
        std::string sources;
        Registers registers;
        fill(*expected, seed, lanes, 0, registers);
        for (const Place& place : expected->places) {
          if (!place.writes)
            sources += fmt::format(" {:#x}", registers.get(place.reg, place.width, static_cast<unsigned>(lane)));
        }
        ADD_FAILURE() << fmt::format(
            "{} of{} in lane {} is {:#x}, but {:#x} in portable code (row \"{}\", active {:#x})", expected->text,
            sources, lane, here[at], from_portable[at], reference[r].syntax, active);
        break;
      }
    }
  }
  EXPECT_GT(forms, 5000u);
}

INSTANTIATE_TEST_SUITE_P(rows, SameOnAllHosts, ::testing::Values("avx2", "avx512", "wide"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace bankshot::simt::testing

// Compares rows with an independent definition of what they do.
#pragma once

#include <gtest/gtest.h>

#include <functional>

#include "rows_harness.hpp"
#include "tests/sanitized.hpp"

namespace bankshot::simt::testing {

inline std::vector<std::string_view> hosts() {
  std::vector<std::string_view> found;
  for (std::string_view isa : kIsas) {
    if (rows_of(isa) != nullptr) found.push_back(isa);
  }
  return found;
}

/// Runs `text` with random operands on every host and compares each lane with `rule(sources)`.
inline void compare_with(const std::string& text, const std::function<uint64_t(uint64_t seed)>& operand,
                         const std::function<uint64_t(const std::vector<uint64_t>&)>& rule, int rounds = 40) {
  for (std::string_view isa : hosts()) {
    const auto prepared = prepare(*rows_of(isa), text);
    ASSERT_TRUE(prepared) << text;
    const unsigned lanes = lanes_of_isa(isa);
    for (int round = 0; round < repetitions(rounds); ++round) {
      Registers registers;
      for (const Place& place : prepared->places) {
        for (unsigned l = 0; l < lanes; ++l) {
          registers.set(place.reg, place.width, l, operand(static_cast<uint64_t>(round) * 1024 + place.reg * 64 + l));
        }
      }
      const Registers before = registers;
      uint64_t carry = 0;
      execute(*prepared, registers, all_lanes(lanes), carry);
      for (unsigned l = 0; l < lanes; ++l) {
        std::vector<uint64_t> sources;
        for (size_t k = 1; k < prepared->places.size(); ++k) {
          sources.push_back(before.get(prepared->places[k].reg, prepared->places[k].width, l));
        }
        const Place& d = prepared->places[0];
        const uint64_t mask = d.width == 8 ? ~uint64_t{0} : d.width == 0 ? 1 : (uint64_t{1} << 8 * d.width) - 1;
        ASSERT_EQ(registers.get(d.reg, d.width, l), rule(sources) & mask)
            << isa << ": " << text << " of " << std::hex << sources[0] << ", " << (sources.size() > 1 ? sources[1] : 0)
            << ", " << (sources.size() > 2 ? sources[2] : 0);
      }
    }
  }
}

}  // namespace bankshot::simt::testing

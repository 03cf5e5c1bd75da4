// The counters that are compared, and how large a change may be.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/support/result.hpp"

namespace bankshot::compare {

enum class Counter : uint8_t { conflicts, wavefronts, cycles, findings };
inline constexpr std::array kCounters{Counter::conflicts, Counter::wavefronts, Counter::cycles, Counter::findings};
std::string_view name(Counter counter);

/// Counters of a kernel.
struct Numbers {
  uint64_t conflicts = 0, wavefronts = 0;
  std::optional<uint64_t> cycles;  ///< if it was simulated
};

/// "conflicts+100", "cycles+1%": a kernel or line may have so much more, or less, and counts as the same.
struct Allowance {
  std::optional<Counter> counter;  ///< none: all counters
  uint64_t amount = 0;             ///< of the counter, or ten-thousandths of a percent
  bool percent = false;
};
using Allowances = std::vector<Allowance>;

Result<Allowance> parse_allowance(const std::string& text);
/// "1%": of all counters.
Result<Allowance> parse_tolerance(const std::string& text);

enum class Verdict : uint8_t { same, better, worse };
std::string_view name(Verdict verdict);

/// Less is better. The largest of the allowances counts; a percentage is one of `before`.
Verdict judge(Counter counter, uint64_t before, uint64_t after, const Allowances& allowances);

}  // namespace bankshot::compare

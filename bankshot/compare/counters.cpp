#include "bankshot/compare/counters.hpp"

#include <algorithm>
#include <charconv>

namespace bankshot::compare {
namespace {

constexpr unsigned kDecimals = 4;  // of a percentage

/// A number with at most four decimals, in ten-thousandths.
std::optional<uint64_t> ten_thousandths(std::string_view text) {
  const size_t point = text.find('.');
  std::string decimals(point == text.npos ? "" : text.substr(point + 1));
  if (point != text.npos && decimals.empty()) return std::nullopt;
  if (decimals.size() > kDecimals) return std::nullopt;
  decimals.resize(kDecimals, '0');
  const std::string digits = std::string(text.substr(0, point)) + decimals;
  if (text.empty() || point == 0 || digits.size() > 15 || digits.find_first_not_of("0123456789") != digits.npos)
    return std::nullopt;
  uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

std::optional<uint64_t> whole(std::string_view text) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return text.empty() || error != std::errc{} || end != text.data() + text.size() ? std::nullopt
                                                                                  : std::optional(number);
}

/// What an allowance permits of a counter that was `before`.
uint64_t permitted(const Allowance& allowance, uint64_t before) {
  if (!allowance.percent) return allowance.amount;
  __extension__ using Wide = unsigned __int128;
  const Wide share = Wide{before} * allowance.amount / 1'000'000;
  return static_cast<uint64_t>(std::min<Wide>(share, UINT64_MAX));
}

}  // namespace

std::string_view name(Counter counter) {
  constexpr std::array<std::string_view, kCounters.size()> names{"conflicts", "wavefronts", "cycles", "findings"};
  return names[static_cast<size_t>(counter)];
}

std::string_view name(Verdict verdict) {
  constexpr std::array<std::string_view, 3> names{"same", "better", "worse"};
  return names[static_cast<size_t>(verdict)];
}

Result<Allowance> parse_allowance(const std::string& text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain), [](char c) { return c != ' '; });
  const size_t sign = plain.find('+');
  Allowance allowance;
  for (const Counter counter : kCounters) {
    if (sign != plain.npos && plain.substr(0, sign) == name(counter)) allowance.counter = counter;
  }
  allowance.percent = plain.ends_with('%');
  if (allowance.percent) plain.pop_back();
  const std::string number = sign == plain.npos ? "" : plain.substr(std::min(sign + 1, plain.size()));
  const std::optional<uint64_t> amount = allowance.percent ? ten_thousandths(number) : whole(number);
  if (!allowance.counter || !amount)
    return Error{"'" + text +
                 "' must be COUNTER+N or COUNTER+N%, where COUNTER is conflicts, wavefronts, cycles or findings: "
                 "'conflicts+100', 'cycles+0.5%'"};
  allowance.amount = *amount;
  return allowance;
}

Result<Allowance> parse_tolerance(const std::string& text) {
  const std::optional<uint64_t> amount =
      text.ends_with('%') ? ten_thousandths(std::string_view(text).substr(0, text.size() - 1)) : std::nullopt;
  if (!amount) return Error{"'" + text + "' must be a percentage with at most four decimals: 1%, 0.5%"};
  return Allowance{.counter = std::nullopt, .amount = *amount, .percent = true};
}

Verdict judge(Counter counter, uint64_t before, uint64_t after, const Allowances& allowances) {
  uint64_t most = 0;
  for (const Allowance& allowance : allowances) {
    if (!allowance.counter || allowance.counter == counter) most = std::max(most, permitted(allowance, before));
  }
  const uint64_t change = before < after ? after - before : before - after;
  if (change <= most) return Verdict::same;
  return before < after ? Verdict::worse : Verdict::better;
}

}  // namespace bankshot::compare

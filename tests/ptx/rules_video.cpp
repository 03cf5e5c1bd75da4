// Scalar video instructions. Source: PTX ISA, "Scalar Video Instructions".
#include <algorithm>

#include "exact_integers.hpp"
#include "scalar_video.hpp"

namespace bankshot::simt::conformance {
namespace {

Wide selected(uint32_t x, const std::string& selector, bool with_sign) {
  if (selector.empty()) return number(x, 32, with_sign);
  const unsigned k = static_cast<unsigned>(selector[1] - '0');
  return selector[0] == 'b' ? number(x >> 8 * k, 8, with_sign) : number(x >> 16 * k, 16, with_sign);
}

/// 2^n, n ≤ 32
Wide power_of_two(Wide n) { return static_cast<Wide>(1) << static_cast<int>(n); }
/// x / y towards minus infinity, y > 0
Wide floor_divided(Wide x, Wide y) { return (x - ((x % y) + y) % y) / y; }

Wide operation(const Spelling& s, Wide a, Wide b) {
  if (s.opcode == "vadd") return a + b;
  if (s.opcode == "vsub") return a - b;
  if (s.opcode == "vabsdiff") return std::max(a - b, b - a);
  if (s.opcode == "vmin") return std::min(a, b);
  if (s.opcode == "vmax") return std::max(a, b);
  if (s.opcode == "vset") {
    const std::string_view cmp = s.which({"eq", "ne", "lt", "le", "gt", "ge"});
    const int order = a < b ? -1 : a > b;
    return cmp == "eq"   ? order == 0
           : cmp == "ne" ? order != 0
           : cmp == "lt" ? order < 0
           : cmp == "le" ? order <= 0
           : cmp == "gt" ? order > 0
                         : order >= 0;
  }
  const Wide count = s.has("clamp") ? std::min<Wide>(b, 32) : b % 32;
  return s.opcode == "vshl" ? a * power_of_two(count) : floor_divided(a, power_of_two(count));
}

uint32_t multiplied(const Spelling& s, const Selectors& selectors, const Negated& negated, uint32_t a, uint32_t b,
                    uint32_t c) {
  const bool a_signed = s.types[1] == ptx::Type::s32, b_signed = s.types[2] == ptx::Type::s32;
  const bool product_negated = negated.a != negated.b, product_signed = a_signed || b_signed || product_negated;
  Wide x = selected(a, selectors.a, a_signed) * selected(b, selectors.b, b_signed);
  if (product_negated) x = -x;
  const Wide addend = number(c, 32, product_signed);
  x += negated.c ? -addend : addend;
  if (s.has("po")) ++x;
  if (s.has("shr7")) x = floor_divided(x, 128);
  if (s.has("shr15")) x = floor_divided(x, 32768);
  if (s.has("sat")) x = clamped(x, 32, product_signed || negated.c);
  return static_cast<uint32_t>(low_bits(static_cast<uint64_t>(x), 32));
}

}  // namespace

uint32_t scalar_video(const Spelling& s, const Selectors& selectors, const Negated& negated, uint32_t a, uint32_t b,
                      uint32_t c) {
  if (s.opcode == "vmad") return multiplied(s, selectors, negated, a, b, c);
  const bool sets = s.opcode == "vset", shifts = s.opcode == "vshl" || s.opcode == "vshr";
  const auto is_signed = [&](size_t k) { return s.types[k] == ptx::Type::s32; };
  const bool d_signed = !sets && is_signed(0);
  const unsigned bits = selectors.d.empty() ? 32 : selectors.d[0] == 'b' ? 8 : 16;
  Wide x = operation(s, selected(a, selectors.a, is_signed(sets ? 0 : 1)),
                     selected(b, selectors.b, !shifts && is_signed(sets ? 1 : 2)));
  if (s.has("sat")) x = clamped(x, bits, d_signed);
  x = number(static_cast<uint64_t>(x), 33, true);
  const Wide third = number(c, 32, d_signed);
  if (s.has("add")) x += third;
  if (s.has("min")) x = std::min(x, third);
  if (s.has("max")) x = std::max(x, third);
  const uint64_t result = low_bits(static_cast<uint64_t>(x), bits);
  if (bits == 32) return static_cast<uint32_t>(result);
  const unsigned at = static_cast<unsigned>(selectors.d[1] - '0') * bits;
  return static_cast<uint32_t>((c & ~(low_bits(~uint64_t{0}, bits) << at)) | result << at);
}

std::optional<Rule> scalar_video_rule(const Spelling& s) {
  static constexpr std::string_view kOpcodes[] = {"vadd", "vsub", "vabsdiff", "vmin", "vmax",
                                                  "vshl", "vshr", "vset",     "vmad"};
  if (std::find(std::begin(kOpcodes), std::end(kOpcodes), s.opcode) == std::end(kOpcodes)) return {};
  Rule rule;
  rule.results = [s](Sources v) {
    const uint64_t c = s.sources.size() > 2 ? v[2] : 0;
    return one(
        scalar_video(s, {}, {}, static_cast<uint32_t>(v[0]), static_cast<uint32_t>(v[1]), static_cast<uint32_t>(c)));
  };
  rule.most = 600;
  return rule;
}

}  // namespace bankshot::simt::conformance

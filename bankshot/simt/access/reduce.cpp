#include "bankshot/simt/access/reduce.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace bankshot::simt {
namespace {

using ptx::Type;

constexpr uint16_t kHalfNan = 0x7fff;
constexpr uint32_t kFloatNan = 0x7fffffff;

/// 16-bit floats by their bits.
struct Half {
  uint16_t bits;
  float value() const { return static_cast<float>(std::bit_cast<_Float16>(bits)); }
  static Half of(float x) { return {std::isnan(x) ? kHalfNan : std::bit_cast<uint16_t>(static_cast<_Float16>(x))}; }
};
struct Brain {
  uint16_t bits;
  float value() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  static Brain of(float x) {
    const auto wide = std::bit_cast<uint32_t>(x);
    return {std::isnan(x) ? kHalfNan : static_cast<uint16_t>((wide + 0x7fff + (wide >> 16 & 1)) >> 16)};
  }
};

template <class H>
constexpr bool kIsHalf = std::is_same_v<H, Half> || std::is_same_v<H, Brain>;

float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x; }

template <class T>
T sum(T a, T b) {
  if constexpr (kIsHalf<T>) {
    return T::of(a.value() + b.value());  // why 24 bits are enough: isa/lanes/half.hpp
  } else if constexpr (std::is_same_v<T, float>) {
    const float c = flushed(flushed(a) + flushed(b));
    return std::isnan(c) ? std::bit_cast<float>(kFloatNan) : c;
  } else if constexpr (std::is_same_v<T, double>) {
    return a + b;
  } else {
    using U = std::make_unsigned_t<T>;
    return static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  }
}

/// The lesser or greater; of a number and NaN the number, and -0 is less than +0.
template <class T>
T extremum(T a, T b, bool least) {
  if constexpr (kIsHalf<T>) {
    const float x = a.value(), y = b.value();
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? (std::isnan(y) ? T{kHalfNan} : b) : a;
    const bool less = x < y || (x == y && std::signbit(x) && !std::signbit(y));
    return less == least ? a : b;
  } else {
    return (a < b) == least ? a : b;
  }
}

template <class T>
T apply(Reduction reduction, T old, T value) {
  switch (reduction) {
    case Reduction::add: return sum(old, value);
    case Reduction::min:
    case Reduction::max:
      if constexpr (!std::is_floating_point_v<T>) return extremum(old, value, reduction == Reduction::min);
      break;
    case Reduction::inc:
      if constexpr (std::is_same_v<T, uint32_t>) return old >= value ? 0 : old + 1;
      break;
    case Reduction::dec:
      if constexpr (std::is_same_v<T, uint32_t>) return old == 0 || old > value ? value : old - 1;
      break;
    case Reduction::bit_and:
      if constexpr (std::is_unsigned_v<T>) return old & value;
      break;
    case Reduction::bit_or:
      if constexpr (std::is_unsigned_v<T>) return old | value;
      break;
    case Reduction::bit_xor:
      if constexpr (std::is_unsigned_v<T>) return old ^ value;
      break;
    case Reduction::none: break;
  }
  return value;
}

template <class T>
void at(Reduction reduction, std::byte* target, const std::byte* value) {
  T old, with;
  std::memcpy(&old, target, sizeof(T));
  std::memcpy(&with, value, sizeof(T));
  const T now = apply<T>(reduction, old, with);
  std::memcpy(target, &now, sizeof(T));
}

template <class T>
void at_both(Reduction reduction, std::byte* target, const std::byte* value) {
  at<T>(reduction, target, value);
  at<T>(reduction, target + sizeof(T), value + sizeof(T));
}

}  // namespace

Reduction reduction_named(std::string_view name) {
  constexpr std::string_view kNames[] = {"", "add", "min", "max", "inc", "dec", "and", "or", "xor"};
  for (uint8_t k = 1; k < std::size(kNames); ++k) {
    if (kNames[k] == name) return static_cast<Reduction>(k);
  }
  return Reduction::none;
}

bool can_reduce(Reduction reduction, Type type) {
  const bool halves = type == Type::f16 || type == Type::bf16 || type == Type::f16x2 || type == Type::bf16x2;
  const bool integers = type == Type::u32 || type == Type::s32 || type == Type::u64 || type == Type::s64;
  switch (reduction) {
    case Reduction::add: return integers || halves || type == Type::f32 || type == Type::f64;
    case Reduction::min:
    case Reduction::max: return integers || halves;
    case Reduction::inc:
    case Reduction::dec: return type == Type::u32;
    case Reduction::none: return false;
    default: return integers || type == Type::b32 || type == Type::b64;
  }
}

bool has_form(Reduction reduction, Type type) {
  return can_reduce(reduction, type) && (reduction < Reduction::bit_and || type == Type::b32 || type == Type::b64);
}

void reduce(Reduction reduction, Type type, std::byte* target, const std::byte* value) {
  const bool bits = reduction >= Reduction::bit_and;
  switch (type) {
    case Type::f16: return at<Half>(reduction, target, value);
    case Type::bf16: return at<Brain>(reduction, target, value);
    case Type::f16x2: return at_both<Half>(reduction, target, value);
    case Type::bf16x2: return at_both<Brain>(reduction, target, value);
    case Type::f32: return at<float>(reduction, target, value);
    case Type::f64: return at<double>(reduction, target, value);
    case Type::s32: return bits ? at<uint32_t>(reduction, target, value) : at<int32_t>(reduction, target, value);
    case Type::s64: return bits ? at<uint64_t>(reduction, target, value) : at<int64_t>(reduction, target, value);
    case Type::b64:
    case Type::u64: return at<uint64_t>(reduction, target, value);
    default: return at<uint32_t>(reduction, target, value);
  }
}

}  // namespace bankshot::simt

// Integer division. Source: PTX ISA, "Integer Arithmetic Instructions": div, rem.
//
// Division by zero does not trap and its result is unspecified in PTX; here it is all ones for div and rem, as on
// NVIDIA's GPUs. The most negative number divided by -1 wraps, and leaves no remainder.
#include "bankshot/simt/isa/lanes/parts.hpp"
#include "bankshot/simt/isa/lanes/scalar.hpp"

namespace bankshot::simt::BANKSHOT_ISA {
namespace {

/// An integer of up to 32 bits as a double, exactly and by an instruction every host has for vectors.
template <class T>
f64 exact(T x) {
  if constexpr (sizeof(T) < 4 || std::is_signed_v<T>) return static_cast<f64>(static_cast<s32>(x));
  return static_cast<f64>(static_cast<s32>(static_cast<u32>(x) ^ 0x80000000u)) + 2147483648.0;
}

/// The quotient towards zero; b is not 0.
/// Up to 32 bits it is the truncated quotient of doubles: that lies below the next integer by at least 1/b, while the
/// rounding of a/b (in any mode) moves it by less than 2^-52 a/b, and a < 2^32.
template <class T>
T quotient(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrap_neg(a);
    return static_cast<T>(a / b);
  } else {
    // 1 and -1 apart: only with them the quotient may not fit an s32.
    const bool one = b == T{1}, minus_one = std::is_signed_v<T> && b == static_cast<T>(-1);
    const T divisor = one || minus_one ? T{2} : b;
    const T q = static_cast<T>(static_cast<s32>(exact(a) / exact(divisor)));
    return one ? a : minus_one ? wrap_neg(a) : q;
  }
}

constexpr auto integer_divide = [](auto a, auto b) {
  using T = decltype(a);
  const T q = quotient(a, b == 0 ? T{1} : b);
  return b == 0 ? static_cast<T>(-1) : q;
};
constexpr auto remainder = [](auto a, auto b) {
  using T = decltype(a);
  const T r = wrap_sub(a, wrap_mul(quotient(a, b == 0 ? T{1} : b), b));
  return b == 0 ? static_cast<T>(-1) : r;
};

}  // namespace

[[gnu::cold]] void arith_div_rows(Rows& rows) {
  constexpr std::string_view kAll = "type = u16 u32 u64 s16 s32 s64";
  rows.push_back({"div.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(integer_divide),
                  nullptr,
                  {{"u32", {"4294967295", "10"}, "429496729"},
                   {"s32", {"-7", "2"}, "-3"},
                   {"s32", {"-2147483648", "-1"}, "-2147483648"},
                   {"s64", {"-9223372036854775808", "-1"}, "-9223372036854775808"},
                   {"u32", {"5", "0"}, "0xffffffff"}}});
  rows.push_back({"rem.type d, a, b",
                  kAll,
                  Unit::alu,
                  same_type<2, u16, u32, u64, s16, s32, s64>(remainder),
                  nullptr,
                  {{"u32", {"4294967295", "10"}, "5"},
                   {"s32", {"-7", "2"}, "-1"},
                   {"s32", {"7", "-2"}, "1"},
                   {"s32", {"-2147483648", "-1"}, "0"},
                   {"u64", {"5", "0"}, "0xffffffffffffffff"}}});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

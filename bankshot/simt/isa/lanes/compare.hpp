// Comparison operators as masks: bit l of the result is lane l. Source: PTX ISA, "Comparison Operators".
#pragma once

#include "bankshot/simt/isa/lanes/lanes.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

/// A comparison operator: a relation, perhaps of b and a instead of a and b, perhaps negated.
template <Relation R, bool Swap, bool Negate>
struct Comparison {
  template <class T>
  static uint64_t of(const T* a, const T* b) {
    const uint64_t mask = Swap ? compare_lanes<R>(b, a) : compare_lanes<R>(a, b);
    return Negate ? ~mask : mask;
  }
};

/// Calls make(Comparison<…>{}) for the operator among the modifiers. Integers have eq ne lt le gt ge and the unsigned
/// lo ls hi hs; floats eq … ge, which are false if an operand is NaN, equ … geu, which are true then, num and nan.
template <class T, class Make>
Handler by_comparison(const Match& m, Make make) {
  using R = Relation;
  if (m.has("eq")) return make(Comparison<R::equal, false, false>{});
  if (m.has("lt") || m.has("lo")) return make(Comparison<R::less, false, false>{});
  if (m.has("le") || m.has("ls")) return make(Comparison<R::less_equal, false, false>{});
  if (m.has("gt") || m.has("hi")) return make(Comparison<R::less, true, false>{});
  if (m.has("ge") || m.has("hs")) return make(Comparison<R::less_equal, true, false>{});
  if constexpr (kIsFloat<T>) {
    if (m.has("ne")) return make(Comparison<R::apart, false, false>{});
    if (m.has("equ")) return make(Comparison<R::apart, false, true>{});
    if (m.has("neu")) return make(Comparison<R::equal, false, true>{});
    if (m.has("ltu")) return make(Comparison<R::less_equal, true, true>{});
    if (m.has("leu")) return make(Comparison<R::less, true, true>{});
    if (m.has("gtu")) return make(Comparison<R::less_equal, false, true>{});
    if (m.has("geu")) return make(Comparison<R::less, false, true>{});
    if (m.has("nan")) return make(Comparison<R::unordered, false, false>{});
    if (m.has("num")) return make(Comparison<R::unordered, false, true>{});
  } else {
    if (m.has("ne")) return make(Comparison<R::equal, false, true>{});
  }
  return nullptr;
}

/// Whether the host's mode (.ftz) has to be changed before the comparison.
template <class T>
inline bool needs_other_mode(const Warp& w, const Instr* i) {
  return kIsFloat<T> && w.worker->fp != i->fp;
}

/// How the result of a comparison meets predicate c.
enum class Combine { none, with_and, with_or, with_xor };

template <Combine How>
inline uint64_t combined(uint64_t t, uint64_t c) {
  if constexpr (How == Combine::with_and) return t & c;
  if constexpr (How == Combine::with_or) return t | c;
  if constexpr (How == Combine::with_xor) return t ^ c;
  return t;
}

/// Calls make(integral_constant<Combine>{}) for the Boolean operator among the modifiers.
template <class Make>
Handler by_combine(const Match& m, Make make) {
  if (m.has("and")) return make(std::integral_constant<Combine, Combine::with_and>{});
  if (m.has("or")) return make(std::integral_constant<Combine, Combine::with_or>{});
  if (m.has("xor")) return make(std::integral_constant<Combine, Combine::with_xor>{});
  return make(std::integral_constant<Combine, Combine::none>{});
}

}  // namespace bankshot::simt::BANKSHOT_ISA

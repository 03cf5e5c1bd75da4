// Sizes in whole units.
#pragma once

#include <type_traits>

namespace bankshot {

/// The least multiple of `unit` that is not below `value`.
template <class T>
constexpr T round_up(T value, std::type_identity_t<T> unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace bankshot

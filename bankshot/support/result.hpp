// A value or the reason why there is none.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bankshot/support/diagnostic.hpp"

namespace bankshot {

/// An error without a place in a text: one sentence that says what, where and what to do.
struct Error {
  std::string message;
};

/// Holds a T or an E. Reading the side that is not there is a bug of ours.
template <class T, class E = Error>
class Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& operator*() { return value(); }
  const T& operator*() const { return const_cast<Result*>(this)->value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &**this; }
  const E& error() const {
    assert(state_.index() == 1 && "error() of a Result that holds a value");
    return std::get<1>(state_);
  }

 private:
  T& value() {
    assert(state_.index() == 0 && "value of a Result that holds an error");
    return std::get<0>(state_);
  }
  std::variant<T, E> state_;
};

using Diagnostics = std::vector<Diagnostic>;

}  // namespace bankshot

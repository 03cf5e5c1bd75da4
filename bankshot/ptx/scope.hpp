// What a name means at a place: one scope for the module, one for a function, one for every block inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bankshot/support/diagnostic.hpp"

namespace bankshot::ptx {

struct Declared {
  enum class What : uint8_t { variable, function, label, targets, prototype };
  What what = What::variable;
  bool repeatable = false;  ///< extern or without body: may be declared once more
  Position position;
};

/// Holds views of the names, which must outlive it. Inner scopes hide the names of outer ones.
/// Source: PTX ISA manual, §5.4 and §11.3 ({ } blocks).
class Scope {
 public:
  explicit Scope(const Scope* outer = nullptr) : outer_(outer) {}

  /// @param range  10 declares name0 … name9; 0 the name itself
  /// @return       what already has the name in this very scope, if it may not be declared once more
  std::optional<Declared> declare(std::string_view name, uint32_t range, Declared declared);
  /// In this scope and those around it.
  std::optional<Declared> find(std::string_view name) const;
  /// The nearest visible name of that kind, as one slip of the finger would make it; empty if none is near.
  std::string_view near(std::string_view name, Declared::What what) const;
  /// How many registers of the family of `%r12` there are, if it is one and 12 is too many.
  std::optional<uint32_t> range_of(std::string_view name) const;

 private:
  struct Range {
    uint32_t count;
    Declared declared;
  };

  const Declared* find_here(std::string_view name) const;

  const Scope* outer_;
  std::unordered_map<std::string_view, Declared> names_;
  std::unordered_map<std::string_view, Range> ranges_;
  /// For every single name that ends in a number: its stem, the lowest number and its place; ranges must not meet them.
  std::unordered_map<std::string_view, Range> lowest_;
};

}  // namespace bankshot::ptx

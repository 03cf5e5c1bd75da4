#include "bankshot/ptx/scope.hpp"

#include "bankshot/support/nearest_name.hpp"

namespace bankshot::ptx {
namespace {

/// Calls f(stem, number) for every way to read the name as an element of a range: %r12 is %r1 2 and %r 12.
/// @return the first that f finds, or nullptr
template <class F>
auto for_each_stem(std::string_view name, F f) -> decltype(f(name, 0u)) {
  uint32_t number = 0, weight = 1;
  for (size_t digits = 1; digits < name.size() && digits <= 8; ++digits, weight *= 10) {
    const char c = name[name.size() - digits];
    if (c < '0' || c > '9') break;
    number += static_cast<uint32_t>(c - '0') * weight;
    if (c == '0' && digits > 1) continue;  // %r012 is no element of %r
    if (auto found = f(name.substr(0, name.size() - digits), number)) return found;
  }
  return nullptr;
}

}  // namespace

const Declared* Scope::find_here(std::string_view name) const {
  if (const auto found = names_.find(name); found != names_.end()) return &found->second;
  if (ranges_.empty()) return nullptr;
  return for_each_stem(name, [this](std::string_view stem, uint32_t number) -> const Declared* {
    const auto found = ranges_.find(stem);
    return found != ranges_.end() && number < found->second.count ? &found->second.declared : nullptr;
  });
}

std::optional<Declared> Scope::declare(std::string_view name, uint32_t range, Declared declared) {
  if (range != 0) {
    const auto lowest = lowest_.find(name);
    if (lowest != lowest_.end() && lowest->second.count < range) return lowest->second.declared;
    const auto [place, is_new] = ranges_.insert({name, {range, declared}});
    if (!is_new) return place->second.declared;
    return std::nullopt;
  }
  if (const Declared* before = find_here(name)) {
    if (before->what != declared.what || (!before->repeatable && !declared.repeatable)) return *before;
    if (declared.repeatable) return std::nullopt;  // the definition, if it was there, stays
  }
  names_[name] = declared;
  for_each_stem(name, [&](std::string_view stem, uint32_t number) -> const Declared* {
    const auto [place, is_new] = lowest_.insert({stem, {number, declared}});
    if (!is_new && number < place->second.count) place->second = {number, declared};
    return nullptr;
  });
  return std::nullopt;
}

std::optional<Declared> Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const Declared* found = scope->find_here(name)) return *found;
  }
  return std::nullopt;
}

std::string_view Scope::near(std::string_view name, Declared::What what) const {
  NearestName nearest(name);
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (const auto& [candidate, declared] : scope->names_) {
      if (declared.what == what) nearest.compare(candidate);
    }
  }
  return nearest.found();
}

std::optional<uint32_t> Scope::range_of(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    const Range* range = for_each_stem(name, [scope](std::string_view stem, uint32_t) -> const Range* {
      const auto found = scope->ranges_.find(stem);
      return found != scope->ranges_.end() ? &found->second : nullptr;
    });
    if (range != nullptr) return range->count;
  }
  return std::nullopt;
}

}  // namespace bankshot::ptx

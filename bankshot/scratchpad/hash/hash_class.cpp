#include "bankshot/scratchpad/hash/hash_class.hpp"

#include <algorithm>
#include <cassert>

#include "bankshot/support/nearest_name.hpp"

namespace bankshot::scratchpad {
namespace {

std::vector<HashClass>& registry() {
  static std::vector<HashClass> all;
  return all;
}

const HashClass* first_of(const std::function<bool(const HashClass&)>& wanted) {
  const auto found = std::ranges::find_if(registry(), wanted);
  return found == registry().end() ? nullptr : &*found;
}

/// The last one behind `last`: "a, b and c".
std::string joined(const std::vector<std::string>& parts, std::string_view last) {
  std::string text;
  for (size_t k = 0; k < parts.size(); ++k) {
    if (k != 0) text += k + 1 == parts.size() ? last : ", ";
    text += parts[k];
  }
  return text;
}

/// Of the classes that are wanted, their search_name().
std::vector<std::string> names_of(const std::function<bool(const HashClass&)>& wanted) {
  std::vector<std::string> all;
  for (const HashClass& c : registry()) {
    if (wanted(c)) all.emplace_back(c.search_name());
  }
  return all;
}

}  // namespace

RegisterHashClass::RegisterHashClass(HashClass c) {
  const auto behind = std::ranges::find_if(registry(), [&](const HashClass& other) { return other.order > c.order; });
  registry().insert(behind, std::move(c));
}

std::string HashClass::syntax() const {
  return std::string(word) + (parameters.empty() ? "" : ":" + std::string(parameters));
}

std::span<const HashClass> hash_classes() { return registry(); }

const HashClass* find_hash_class(std::string_view word) {
  return first_of([&](const HashClass& c) { return c.word == word; });
}

const HashClass* find_searchable_class(std::string_view name) {
  return first_of([&](const HashClass& c) { return c.searchable() && c.search_name() == name; });
}

const HashClass& class_of(const BankHash& hash) {
  const HashClass* const c = first_of([&](const HashClass& c) { return !c.name.empty() && c.parameters_of(hash); });
  assert(c != nullptr && "every linear hash has rows, every other one a class of its own");
  return *c;
}

std::string hash_syntaxes() {
  std::vector<std::string> all;
  for (const HashClass& c : hash_classes()) all.push_back(c.syntax());
  return joined(all, " and ");
}

const HashClass* find_configurable_class(std::string_view name) {
  return first_of([&](const HashClass& c) { return c.circuit != nullptr && c.search_name() == name; });
}

std::vector<std::string> searchable_class_names() { return names_of(&HashClass::searchable); }
std::string unknown_class(std::string_view name) {
  return "no hash class is called '" + std::string(name) + "'; there are " + searchable_classes() +
         did_you_mean(name, searchable_class_names());
}
std::string searchable_classes() { return joined(searchable_class_names(), " and "); }

std::string configurable_classes() {
  return joined(names_of([](const HashClass& c) { return c.circuit != nullptr; }), " and ");
}

bool is_fixed(std::string_view spec) {
  const HashClass* const c = find_hash_class(spec);
  return c != nullptr && c->fixed;
}

}  // namespace bankshot::scratchpad

// The keys of a GPU description.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "bankshot/gpu/gpu.hpp"

namespace bankshot::gpu {

/// An integer of the description: where it is written, where it goes, and what it may be.
struct Key {
  std::string_view section, name;
  std::variant<unsigned& (*)(Gpu&), uint64_t& (*)(Gpu&)> value;
  uint64_t least, most;
  std::string_view meaning;  ///< with its unit
  bool power_of_two = false;
  bool optional = false;
};
std::span<const Key> keys();

void set(Gpu& gpu, const Key& key, uint64_t value);

/// A relation between values that every GPU obeys.
struct Relation {
  std::string_view section, name;  ///< the key that is blamed
  bool (*holds)(const Gpu&);
  std::string_view message;
};
std::span<const Relation> relations();

}  // namespace bankshot::gpu

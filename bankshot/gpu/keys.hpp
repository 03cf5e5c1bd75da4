// The keys of a GPU description.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bankshot/gpu/gpu.hpp"

namespace bankshot::gpu {

/// A value that is written as a text.
struct Text {
  std::string (*get)(const Gpu&);
  std::string (*set)(Gpu&, const std::string&);  ///< returns an error, or empty
  bool list = false;  ///< a file has a list of texts, which are separated by ", " here; an empty one is not said
};

/// A value of the description: where it is written, where it goes, and what it may be.
struct Key {
  std::string_view section, name;  ///< a section may have a dot: [units.alu]
  std::variant<unsigned& (*)(Gpu&), uint64_t& (*)(Gpu&), bool& (*)(Gpu&), Text, const timing::Parameter*> value;
  uint64_t least = 0, most = 0;   ///< of integers
  std::string_view meaning = {};  ///< with its unit
  bool power_of_two = false;
  bool optional = false;
};

/// Of every GPU.
std::span<const Key> keys();
/// Of a GPU that can be simulated: a file has all that are not optional, or none. Gpu::timing must be there to use
/// them. Those that components declare come behind the key that chooses the component, else at the end of their
/// section.
std::span<const Key> timing_keys();
/// Whether a GPU may lack this section, as one lacks what it describes; if it is there, so are its keys.
bool may_be_left_out(std::string_view section);

/// Whether the value is true or false.
bool is_flag(const Key& key);

void set(Gpu& gpu, const Key& key, uint64_t value);
/// Whether the GPU's file would say this key. One that may be left out and has a value that no file may give it was
/// left out.
bool is_said(const Gpu& gpu, const Key& key);
/// Whether an integer may have this value.
bool allows(const Key& key, uint64_t value);
/// ", a power of two, from 1 to 64"
std::string range_of(const Key& key);
/// A value as its file would have it: `4`, `true`, `"lrr"`.
std::string value_text(const Gpu& gpu, const Key& key);

/// The keys that components declare, a line each: key, components, range, meaning. For help texts.
std::string component_keys();

/// What follows from the keys.
void derive(Gpu& gpu);

inline constexpr uint64_t kMega = uint64_t{1} << 20;

/// What must hold between values.
struct Relation {
  std::string_view section, name;  ///< the key that is blamed
  bool (*holds)(const Gpu&);
  std::string_view message;
};

/// A relation between values that a GPU breaks.
struct Broken {
  std::string_view section, name;  ///< the key that is blamed
  std::string message;
};
/// Those that every GPU must obey.
std::vector<Broken> broken_relations(const Gpu& gpu);
/// Those that a GPU with a Gpu::timing must also obey; empty for others.
std::vector<Broken> broken_timing_relations(const Gpu& gpu);

}  // namespace bankshot::gpu

// One value of a description, told on a command line.
#include <algorithm>
#include <charconv>
#include <string>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/timing/chip/components.hpp"

namespace bankshot::gpu {
namespace {

/// What is wrong with the value, empty if nothing is.
std::string set_value(Gpu& gpu, const Key& key, const std::string& value) {
  if (const auto* text = std::get_if<Text>(&key.value)) {  // as the file has it, or without its quotes
    if (text->list) {
      const bool opens = value.starts_with('['), closes = value.ends_with(']');
      if (opens != closes) return "= " + value + " is not a list: a bracket is missing";
      std::string plain = value;
      std::erase_if(plain, [](char c) { return c == '[' || c == ']' || c == '"'; });
      return text->set(gpu, plain);
    }
    const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
    return text->set(gpu, quoted ? value.substr(1, value.size() - 2) : value);
  }
  const std::string refusal = "= " + value + " is impossible: " + std::string(key.meaning);
  if (is_flag(key)) {
    if (value != "true" && value != "false") return refusal + ", true or false";
    set(gpu, key, value == "true" ? 1 : 0);
    return {};
  }
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error == std::errc::invalid_argument || end != value.data() + value.size()) {
    return "= '" + value + "' is not a whole number: " + std::string(key.meaning) + range_of(key);
  }
  if (error != std::errc() || !allows(key, number)) return refusal + range_of(key);
  set(gpu, key, number);
  return {};
}

template <class Take>
void for_each_key(const Gpu& gpu, Take take) {
  for (const Key& key : keys()) take(key);
  for (const Key& key : gpu.timing ? timing_keys() : std::span<const Key>()) take(key);
}

const Key* find(const Gpu& gpu, std::string_view section, std::string_view name) {
  const Key* found = nullptr;
  for_each_key(gpu, [&](const Key& key) { found = key.section == section && key.name == name ? &key : found; });
  return found;
}

/// "; [l1] has bytes, ways"
std::string keys_of(const Gpu& gpu, std::string_view section) {
  std::string there;
  for_each_key(gpu, [&](const Key& key) {
    if (key.section == section)
      there += (there.empty() ? "; [" + std::string(section) + "] has " : ", ") + std::string(key.name);
  });
  return there;
}

/// Clocks that are not changed themselves follow the one that their part of the chip runs with.
class Clocks {
 public:
  explicit Clocks(Gpu& gpu) : gpu_(gpu), core_(gpu.core_khz), memory_(gpu.memory_khz) {}
  void changed(std::string_view key) { changed_.emplace_back(key); }
  void follow() {
    follow("clocks.issue_khz", gpu_.issue_khz, core_, gpu_.core_khz);
    if (!gpu_.timing) return;
    follow("interconnect.khz", gpu_.timing->interconnect.khz, core_, gpu_.core_khz);
    follow("l2.khz", gpu_.timing->l2.khz, core_, gpu_.core_khz);
    follow("dram.khz", gpu_.timing->dram.khz, memory_, gpu_.memory_khz);
  }

 private:
  void follow(std::string_view key, unsigned& khz, uint64_t from, uint64_t to) {
    if (from == 0 || from == to || std::ranges::find(changed_, key) != changed_.end()) return;
    khz = static_cast<unsigned>(std::clamp<uint64_t>(khz * to / from, 1000, 100'000'000));  // kHz, as keys have them
  }

  Gpu& gpu_;
  const uint64_t core_, memory_;  ///< kHz, before
  std::vector<std::string> changed_;
};

}  // namespace

std::optional<Error> change(Gpu& gpu, std::span<const std::string> changes) {
  Clocks clocks(gpu);
  for (const std::string& one : changes) {
    const size_t equals = one.find('='), dot = one.rfind('.', equals);
    if (equals == one.npos || dot == one.npos) return Error{"'" + one + "' is not SECTION.KEY=VALUE"};
    const std::string_view section(one.data(), dot), name(one.data() + dot + 1, equals - dot - 1);
    const Key* const key = find(gpu, section, name);
    if (key == nullptr)
      return Error{"'" + one.substr(0, equals) + "' is not a key of a GPU description" + keys_of(gpu, section)};
    if (const std::string wrong = set_value(gpu, *key, one.substr(equals + 1)); !wrong.empty()) {
      return Error{one.substr(0, equals) + " " + wrong};
    }
    clocks.changed(one.substr(0, equals));
  }
  clocks.follow();
  for (const auto& broken : {broken_relations(gpu), broken_timing_relations(gpu)}) {
    if (broken.empty()) continue;
    const Broken& first = broken.front();
    return Error{std::string(first.section) + "." + std::string(first.name) + ": " + first.message};
  }
  derive(gpu);
  return std::nullopt;
}

std::optional<Error> changes_nothing(const Gpu& gpu, std::span<const std::string> changes) {
  for (const std::string& one : changes) {
    const std::string name = one.substr(0, one.find('='));
    std::string readers, chosen;
    bool is_read = false;
    for (const timing::ComponentKind& kind : timing::component_kinds()) {
      for (const timing::Component& component : kind.all()) {
        if (std::ranges::none_of(component.parameters, [&](const auto* p) { return p->key() == name; })) continue;
        is_read = is_read || component.name == kind.chosen(*gpu.timing);
        readers += (readers.empty() ? "" : ", ") + component.name;
        chosen = std::string(kind.section) + "." + std::string(kind.key) + " is " + kind.chosen(*gpu.timing);
      }
    }
    if (!readers.empty() && !is_read)
      return Error{name + " changes nothing here: it is for " + readers + ", and " + chosen};
  }
  return std::nullopt;
}

}  // namespace bankshot::gpu

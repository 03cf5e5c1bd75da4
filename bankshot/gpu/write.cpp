// Writing a description: what parse_gpu reads.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/timing/chip/components.hpp"

namespace bankshot::gpu {

std::string to_toml(const Gpu& gpu) {
  std::vector<const Key*> said;
  const auto take = [&](std::span<const Key> table) {
    for (const Key& key : table) {
      if (is_said(gpu, key)) said.push_back(&key);
    }
  };
  take(keys());
  if (gpu.timing) take(timing_keys());
  // Some sections have keys in both tables, and TOML has each section once.
  std::string text;
  std::vector<std::string_view> written;
  for (const Key* first : said) {
    if (std::ranges::find(written, first->section) != written.end()) continue;
    written.push_back(first->section);
    text += fmt::format("\n[{}]\n", first->section);
    for (const Key* key : said) {
      if (key->section != first->section) continue;
      text += fmt::format("  {:<40} # {}\n", fmt::format("{} = {}", key->name, value_text(gpu, *key)), key->meaning);
    }
  }
  return text;
}

std::string left_out(const Gpu& gpu) {
  std::string text;
  for (const auto table : {keys(), gpu.timing ? timing_keys() : std::span<const Key>()}) {
    for (const Key& key : table) {
      if (is_said(gpu, key)) continue;
      text += fmt::format("#   {:<38} # {}\n", fmt::format("{}.{}", key.section, key.name), key.meaning);
    }
  }
  return text.empty() ? text : "\n# Not in the file:\n" + text;
}

std::string component_keys() {
  std::string text;
  for (const Key& key : timing_keys()) {
    const auto* parameter = std::get_if<const timing::Parameter*>(&key.value);
    if (parameter == nullptr) continue;
    std::string users;
    for (const timing::ComponentKind& kind : timing::component_kinds()) {
      for (const timing::Component& component : kind.all()) {
        if (std::ranges::find(component.parameters, *parameter) == component.parameters.end()) continue;
        users += (users.empty() ? "" : ", ") + component.name;
      }
    }
    const timing::Parameter& p = **parameter;
    std::string range = p.is_flag() ? "true or false" : fmt::format("{} to {} {}", p.least, p.most, p.unit);
    if (!p.required && p.is_flag()) range += p.fallback != 0 ? "; true" : "; false";
    if (!p.required && !p.is_flag() && allows(key, p.fallback)) range += fmt::format("; {}", p.fallback);
    text += fmt::format("  {:<36} {:<24} {:<24} {}\n", p.key(), users, range, p.meaning);
  }
  return text;
}

}  // namespace bankshot::gpu

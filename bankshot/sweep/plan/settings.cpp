#include "bankshot/sweep/plan/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bankshot/gpu/keys.hpp"
#include "bankshot/support/nearest_name.hpp"
#include "bankshot/timing/chip/components.hpp"

namespace bankshot::sweep {
namespace {

struct Named {
  std::string_view name;
  SettingKind kind;
};
constexpr std::array<Named, 11> kNamed{{{"gpu", SettingKind::gpu},
                                        {"program", SettingKind::program},
                                        {"arguments", SettingKind::arguments},
                                        {"bank_hash", SettingKind::bank_hash},
                                        {"lock_hash", SettingKind::lock_hash},
                                        {"scheduler", SettingKind::component},
                                        {"pipeline", SettingKind::component},
                                        {"atomics", SettingKind::component},
                                        {"aware", SettingKind::component},
                                        {"sample", SettingKind::sample},
                                        {"seed", SettingKind::seed}}};

bool is_key(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == name.npos) return false;
  const auto is_it = [&](const gpu::Key& key) {
    return key.section == name.substr(0, dot) && key.name == name.substr(dot + 1);
  };
  return std::ranges::any_of(gpu::keys(), is_it) || std::ranges::any_of(gpu::timing_keys(), is_it);
}

/// "; [l1] has bytes, ways"
std::string keys_of_section(std::string_view name) {
  const std::string_view section = name.substr(0, name.rfind('.'));
  std::string list;
  for (const auto table : {gpu::keys(), gpu::timing_keys()}) {
    for (const gpu::Key& key : table) {
      if (key.section == section) list += (list.empty() ? "" : ", ") + std::string(key.name);
    }
  }
  return list.empty() ? "" : fmt::format("; [{}] has {}", section, list);
}

bool is_variable_name(std::string_view name) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && std::ranges::all_of(name, fits) && !(name[0] >= '0' && name[0] <= '9');
}

std::string unknown_component(std::string_view setting, const std::string& value) {
  const auto all = setting == "scheduler"  ? timing::schedulers()
                   : setting == "pipeline" ? timing::pipelines()
                   : setting == "atomics"  ? timing::atomics_units()
                                           : timing::foresights();
  std::vector<std::string> list;
  for (const timing::Component& one : all) {
    if (one.name == value) return {};
    list.push_back(one.name);
  }
  return fmt::format("{} = \"{}\": there are {}{}", setting, value, fmt::join(list, ", "), did_you_mean(value, list));
}

}  // namespace

SettingKind kind_of(std::string_view name) {
  const auto named = std::ranges::find(kNamed, name, &Named::name);
  if (named != kNamed.end()) return named->kind;
  if (name.starts_with("let.")) return SettingKind::variable;
  return is_key(name) ? SettingKind::key : SettingKind::unknown;
}

std::string name_problem(std::string_view name) {
  const SettingKind kind = kind_of(name);
  if (kind == SettingKind::variable && !is_variable_name(name.substr(4)))
    return fmt::format("'{}': the name of a variable has lower-case letters, digits and '_', and begins with a letter",
                       name);
  if (kind != SettingKind::unknown) return {};
  if (name.find('.') != name.npos)
    return fmt::format("'{}' is not a key of a GPU description{}", name, keys_of_section(name));
  std::string underscored(name);
  std::ranges::replace(underscored, '-', '_');
  if (underscored != name && kind_of(underscored) != SettingKind::unknown)
    return fmt::format("unknown setting '{}'; write {}", name, underscored);
  std::vector<std::string_view> list;
  for (const Named& one : kNamed) list.push_back(one.name);
  return fmt::format("unknown setting '{}'; settings are: {}, let.NAME, and SECTION.KEY of a GPU's file{}", name,
                     fmt::join(list, ", "), did_you_mean(name, list));
}

std::string value_problem(std::string_view name, const Value& value) {
  const bool is_text = std::holds_alternative<std::string>(value), is_flag = std::holds_alternative<bool>(value);
  const bool is_list = std::holds_alternative<std::vector<std::string>>(value);
  const auto must_be = [&](std::string_view what) { return fmt::format("{} must be {}", name, what); };
  switch (kind_of(name)) {
    case SettingKind::gpu:
    case SettingKind::program:
    case SettingKind::bank_hash:
    case SettingKind::lock_hash:
      if (!is_text) return must_be("a string in quotes");
      return std::get<std::string>(value).empty() ? must_be("a name, and not empty") : "";
    case SettingKind::component:
      return is_text ? unknown_component(name, std::get<std::string>(value)) : must_be("a string in quotes");
    case SettingKind::arguments: return is_list ? "" : must_be("a list of strings and numbers");
    case SettingKind::sample: return is_flag ? "" : must_be("true or false");
    case SettingKind::seed: {
      const int64_t* number = std::get_if<int64_t>(&value);
      return number != nullptr && *number >= 0 ? "" : must_be("a whole number, 0 or more");
    }
    case SettingKind::variable: return is_list ? must_be("a string, a number, true or false") : "";
    case SettingKind::key:
      return std::holds_alternative<double>(value) ? must_be("a whole number, a string, true or false") : "";
    case SettingKind::unknown: break;
  }
  return {};
}

bool is_of_machine(std::string_view name) {
  switch (kind_of(name)) {
    case SettingKind::program:
    case SettingKind::arguments:
    case SettingKind::seed:
    case SettingKind::variable: return false;
    default: return true;
  }
}

std::string column_of(std::string_view name) {
  std::string column(name.starts_with("let.") ? name.substr(4) : name);
  std::ranges::replace(column, '.', '_');
  return column;
}

}  // namespace bankshot::sweep

// Reading a plan. toml++ is heavy, so it stays in this file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "bankshot/support/toml_reader.hpp"
#include "bankshot/sweep/plan/draft.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::sweep {
namespace {

constexpr size_t kMostValues = 100'000;  // of a range

bool is_range(const toml::node& node) {
  const toml::table* table = node.as_table();
  return table != nullptr && (table->contains("from") || table->contains("to"));
}

struct Entry {
  std::string name;  ///< with the sections that it lies in: "l1.bytes"
  Position position;
  const toml::node* node;
};

/// The entries of a table and of tables in it, in the order of the file.
void flatten(const toml::table& table, const std::string& prefix, std::vector<Entry>& entries) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (node.is_table() && !is_range(node)) {
      flatten(*node.as_table(), name + ".", entries);
    } else {
      entries.push_back({name, position_of(key.source()), &node});
    }
  }
}

std::vector<Entry> entries_of(const toml::table& table) {
  std::vector<Entry> entries;
  flatten(table, "", entries);
  std::ranges::stable_sort(entries, {},
                           [](const Entry& entry) { return std::pair(entry.position.line, entry.position.column); });
  return entries;
}

class Reader : TomlReader {
 public:
  using TomlReader::TomlReader;

  Draft read() {
    refuse_unknown(root_, {"name", "title", "measure", "program", "base", "axes", "zip", "exclude", "point", "design"},
                   "");
    Draft draft;
    draft.name = text(root_, "name");
    if (!draft.name.empty() && draft.name.find_first_of("\"'\\;/\n") != std::string::npos)
      complain(*root_.get("name"), "name: quotes, slashes and semicolons are not possible, as SQL uses the name");
    draft.title = text(root_, "title");
    if (const toml::node* measure = root_.get("measure")) {
      const std::string what = text(root_, "measure");
      if (measure->is_string() && what != "cycles" && what != "conflicts")
        complain(*measure, "measure must be \"cycles\" (simulated) or \"conflicts\" (counted, without simulation)");
      draft.simulates = what != "conflicts";
    }
    for_each_table("program", [&](const toml::table& table) { draft.programs.push_back(program(table)); });
    if (root_.get("program") == nullptr) complain(Position{1, 1}, "there is no [[program]] with a key `run`");
    if (const toml::table* base = section(root_, "base")) draft.base = assignments(*base);
    read_axes(draft);
    for_each_table("exclude", [&](const toml::table& table) { draft.exclusions.push_back(exclusion(table)); });
    for_each_table("point", [&](const toml::table& table) {
      draft.points.push_back(assignments(table));
      draft.point_positions.push_back(position_of(table));
    });
    if (const toml::table* table = section(root_, "design")) draft.design = design(*table);
    return draft;
  }

 private:
  /// A text, a number or a flag; none of a node that is something else.
  static std::optional<Value> scalar(const toml::node& node) {
    if (node.is_string()) return node.as_string()->get();
    if (node.is_integer()) return node.as_integer()->get();
    if (node.is_boolean()) return node.as_boolean()->get();
    if (node.is_floating_point() && std::isfinite(node.as_floating_point()->get()))
      return node.as_floating_point()->get();
    return std::nullopt;
  }

  /// A list of texts; numbers become texts.
  std::vector<std::string> texts(const toml::node& node, std::string_view name) {
    std::vector<std::string> all;
    const toml::array* list = node.as_array();
    if (list == nullptr) {
      complain(node, fmt::format("{} must be a list of strings and numbers: [\"1024\", 2]", name));
      return all;
    }
    for (const toml::node& item : *list) {
      if (!item.is_boolean() && scalar(item))
        all.push_back(text_of(*scalar(item)));
      else
        complain(item, fmt::format("{} must be a list of strings and numbers: [\"1024\", 2]", name));
    }
    return all;
  }

  std::map<std::string, Value> values(const toml::table& table, std::string_view key) {
    std::map<std::string, Value> all;
    const toml::table* inner = section(table, key);
    if (inner == nullptr) return all;
    for (const auto& [name, node] : *inner) {
      if (const std::optional<Value> value = scalar(node))
        all.emplace(name.str(), *value);
      else
        complain(node, fmt::format("{}.{} must be a string, a number, true or false", key, name.str()));
    }
    return all;
  }

  Program program(const toml::table& table) {
    refuse_unknown(table, {"name", "run", "arguments", "kernel", "inputs", "outputs", "environment", "let"},
                   " of a program");
    Program program;
    program.run = text(table, "run");
    const toml::node* run = table.get("run");
    program.position = run != nullptr ? position_of(*run) : position_of(table);
    if (run == nullptr) complain(table, "a program needs `run`, its path or name");
    program.name = text(table, "name");
    if (program.name.empty()) program.name = program.run.substr(program.run.rfind('/') + 1);
    program.kernel = text(table, "kernel");
    if (const toml::node* node = table.get("arguments")) program.arguments = texts(*node, "arguments");
    if (const toml::node* node = table.get("inputs")) program.inputs = texts(*node, "inputs");
    if (const toml::node* node = table.get("outputs")) program.outputs = texts(*node, "outputs");
    for (const auto& [name, value] : values(table, "environment")) program.environment[name] = text_of(value);
    for (const auto& [name, value] : program.environment) {
      if (name.empty() || name.find('=') != std::string::npos || name.starts_with("BANKSHOT_") ||
          name.starts_with("LD_"))
        complain(*table.get("environment"),
                 fmt::format("environment: {} cannot be set; Bankshot sets BANKSHOT_… and LD_… itself", name));
    }
    program.let = values(table, "let");
    for (const auto& [name, value] : program.let) {
      if (const std::string wrong = name_problem("let." + name); !wrong.empty()) complain(*table.get("let"), wrong);
    }
    return program;
  }

  /// @param name  of a setting
  std::optional<Value> value(const std::string& name, const toml::node& node) {
    if (kind_of(name) == SettingKind::arguments) {
      const size_t before = problems_.size();
      std::vector<std::string> list = texts(node, name);
      return problems_.size() == before ? std::optional<Value>(std::move(list)) : std::nullopt;
    }
    std::optional<Value> value = scalar(node);
    if (!value) {
      complain(node, fmt::format("{} must be a string, a number, true or false", name));
      return value;
    }
    if (const std::string wrong = value_problem(name, *value); !wrong.empty()) {
      complain(node, wrong);
      return std::nullopt;
    }
    return value;
  }

  bool is_setting(const Entry& entry) {
    const std::string wrong = name_problem(entry.name);
    if (!wrong.empty()) complain(entry.position, wrong);
    return wrong.empty();
  }

  Assignments assignments(const toml::table& table) {
    Assignments all;
    for (const Entry& entry : entries_of(table)) {
      if (!is_setting(entry)) continue;
      if (std::optional<Value> one = value(entry.name, *entry.node))
        all.emplace_back(entry.name, Located{*std::move(one), position_of(*entry.node)});
    }
    return all;
  }

  /// The values of an axis: a list, or a range {from, to, step} or {from, to, times}.
  std::vector<Located> list(const Entry& entry) {
    std::vector<Located> all;
    if (const toml::table* table = entry.node->as_table()) {
      for (const int64_t number : range(*table, entry.name)) {
        if (const std::string wrong = value_problem(entry.name, number); !wrong.empty()) {
          complain(*table, wrong);
          break;
        }
        all.push_back({number, position_of(*table)});
      }
      return all;
    }
    const toml::array* items = entry.node->as_array();
    if (items == nullptr) {
      complain(*entry.node, fmt::format("{} must be a list of values, or a range: {{ from = 1, to = 8 }}", entry.name));
      return all;
    }
    if (items->empty()) complain(*entry.node, fmt::format("{} has no values", entry.name));
    for (const toml::node& item : *items) {
      if (std::optional<Value> one = value(entry.name, item)) {
        const auto has_its_text = [&](const Located& other) { return text_of(other.value) == text_of(*one); };
        const bool repeats = std::ranges::any_of(all, has_its_text);
        all.push_back({*std::move(one), position_of(item)});
        if (repeats && zip_ == 0) complain(item, fmt::format("{} has {} twice", entry.name, text_of(all.back().value)));
      }
    }
    return all;
  }

  std::vector<int64_t> range(const toml::table& table, const std::string& name) {
    refuse_unknown(table, {"from", "to", "step", "times"}, " of a range");
    const auto number = [&](std::string_view key, std::optional<int64_t> fallback) -> std::optional<int64_t> {
      const toml::node* node = table.get(key);
      if (node == nullptr) return fallback;
      if (node->is_integer()) return node->as_integer()->get();
      complain(*node, fmt::format("{} of a range must be a whole number", key));
      return std::nullopt;
    };
    const auto from = number("from", std::nullopt), to = number("to", std::nullopt);
    const auto step = number("step", 1), times = number("times", 0);
    std::vector<int64_t> all;
    if (!table.contains("from") || !table.contains("to")) {
      complain(table, fmt::format("{}: a range needs from and to", name));
    } else if (table.contains("step") && table.contains("times")) {
      complain(table, fmt::format("{}: a range has step or times, and not both", name));
    } else if (from && to && step && times) {
      if (*to < *from) {
        complain(table, fmt::format("{}: the range ends before it begins", name));
      } else if (*step < 1 || (table.contains("times") && (*times < 2 || *from < 1))) {
        complain(table, fmt::format("{}: step must be at least 1; times at least 2, with from at least 1", name));
      } else {
        for (int64_t at = *from; at <= *to && all.size() <= kMostValues;) {
          all.push_back(at);
          if (__builtin_add_overflow(at, *step, &at) && *times == 0) break;
          if (*times != 0 && __builtin_mul_overflow(all.back(), *times, &at)) break;
        }
        if (all.size() > kMostValues) {
          complain(table, fmt::format("{}: a range has at most {} values", name, kMostValues));
          all.clear();
        }
      }
    }
    return all;
  }

  void read_axes(Draft& draft) {
    if (const toml::table* axes = section(root_, "axes")) {
      for (const Entry& entry : entries_of(*axes)) {
        if (!is_setting(entry)) continue;
        Axis axis{{entry.name}, {}, entry.position};
        for (Located& one : list(entry)) axis.rows.push_back({std::move(one)});
        draft.axes.push_back(std::move(axis));
      }
    }
    zip_ = 1;
    for_each_table("zip", [&](const toml::table& table) { draft.axes.push_back(zip(table)); });
    zip_ = 0;
    std::ranges::stable_sort(draft.axes, {},
                             [](const Axis& axis) { return std::pair(axis.position.line, axis.position.column); });
  }

  Axis zip(const toml::table& table) {
    Axis axis{{}, {}, position_of(table)};
    std::string longest;
    for (const Entry& entry : entries_of(table)) {
      if (!is_setting(entry)) continue;
      std::vector<Located> values = list(entry);
      if (axis.names.empty()) {
        axis.rows.resize(values.size());
        longest = entry.name;
      }
      axis.names.push_back(entry.name);
      if (values.size() != axis.rows.size()) {
        complain(entry.position, fmt::format("{} has {} values, but {} in the same [[zip]] has {}", entry.name,
                                             values.size(), longest, axis.rows.size()));
        continue;
      }
      for (size_t k = 0; k < values.size(); ++k) axis.rows[k].push_back(std::move(values[k]));
    }
    if (axis.names.size() < 2) complain(table, "a [[zip]] needs two or more settings that change together");
    return axis;
  }

  Exclusion exclusion(const toml::table& table) {
    Exclusion exclusion{{}, position_of(table)};
    for (const Entry& entry : entries_of(table)) {
      if (!is_setting(entry)) continue;
      const bool lists =
          entry.node->is_table() ||
          (entry.node->is_array() && (kind_of(entry.name) != SettingKind::arguments ||
                                      (!entry.node->as_array()->empty() && (*entry.node->as_array())[0].is_array())));
      if (lists) {
        exclusion.conditions.emplace_back(entry.name, list(entry));
      } else if (std::optional<Value> one = value(entry.name, *entry.node)) {
        exclusion.conditions.push_back({entry.name, {{*std::move(one), position_of(*entry.node)}}});
      }
    }
    if (table.empty()) complain(table, "an empty [[exclude]] would exclude every point");
    return exclusion;
  }

  Design design(const toml::table& table) {
    refuse_unknown(table, {"kind", "points", "seed"}, " of a design");
    Design design;
    design.position = position_of(table);
    const auto number = [&](std::string_view key, int64_t least, int64_t most, uint64_t& value) {
      const toml::node* node = table.get(key);
      if (node == nullptr) return;
      const int64_t given = node->is_integer() ? node->as_integer()->get() : least - 1;
      if (given < least || given > most)
        complain(*node, fmt::format("{} must be a whole number from {} to {}", key, least, most));
      else
        value = static_cast<uint64_t>(given);
    };
    number("points", 1, static_cast<int64_t>(kMostPoints), design.points);
    number("seed", 0, INT64_MAX, design.seed);
    const std::string kind = text(table, "kind");
    const auto known = {"grid", "one-at-a-time", "latin-hypercube"};
    const auto at = std::ranges::find(known, kind);
    if (at == known.end()) {
      complain(table.contains("kind") ? *table.get("kind") : static_cast<const toml::node&>(table),
               fmt::format("kind must be one of {}", fmt::join(known, ", ")));
      return design;
    }
    design.kind = static_cast<Design::Kind>(at - known.begin());
    if (design.kind == Design::Kind::latin_hypercube) {
      if (!table.contains("points")) complain(table, "a Latin hypercube needs `points`, their number");
    } else {
      for (const auto key : {"points", "seed"}) {
        if (table.contains(key))
          complain(*table.get(key), fmt::format("{} is for kind = \"latin-hypercube\" only", key));
      }
    }
    return design;
  }

  int zip_ = 0;  ///< 1: values may repeat
};

}  // namespace

Draft read_draft(std::string_view toml, Diagnostics& problems) {
  const toml::parse_result parsed = parse_toml(toml, problems);
  if (!parsed) return {};
  return Reader(parsed.table(), problems).read();
}

}  // namespace bankshot::sweep

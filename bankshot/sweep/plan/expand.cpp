// From axes to points: grids, one at a time, Latin hypercubes.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

#include "bankshot/gpu/gpu.hpp"
#include "bankshot/sweep/plan/draft.hpp"
#include "bankshot/sweep/plan/draw.hpp"
#include "bankshot/sweep/plan/result_columns.hpp"
#include "bankshot/sweep/plan/settings.hpp"

namespace bankshot::sweep {
namespace {

class Expansion {
 public:
  Expansion(const Draft& draft, Plan& plan, Diagnostics& problems) : draft_(draft), plan_(plan), problems_(problems) {}

  void run() {
    plan_.title = draft_.title.empty() ? plan_.name : draft_.title;
    plan_.simulates = draft_.simulates;
    plan_.programs = draft_.programs;
    plan_.is_grid = draft_.design.kind == Design::Kind::grid && draft_.points.empty();
    plan_.one_at_a_time = draft_.design.kind == Design::Kind::one_at_a_time && draft_.points.empty();
    check_programs();
    check_axes();
    if (!problems_.empty()) return;
    make_columns();
    add_designed_points();
    add_explicit_points();
    if (!problems_.empty()) return;
    remove_repeated();
    exclude();
    drop_unused_values();
    check_variables();
    if (problems_.empty() && plan_.points() == 0) complain(Position{1, 1}, "no points are left");
  }

 private:
  void complain(Position position, std::string message) { problems_.push_back({position, std::move(message), {}}); }

  bool is_program(const Value& value) const {
    return std::ranges::any_of(draft_.programs, [&](const Program& one) { return one.name == text_of(value); });
  }

  void check_program_value(const std::string& name, const Located& one) {
    if (kind_of(name) == SettingKind::program && !is_program(one.value))
      complain(one.position, fmt::format("no [[program]] has the name \"{}\"", text_of(one.value)));
  }

  void check_programs() {
    std::set<std::string> names;
    for (const Program& program : draft_.programs) {
      if (!program.name.empty() && !names.insert(program.name).second)
        complain(program.position,
                 fmt::format("two programs have the name \"{}\": give one of them another `name`", program.name));
    }
    for (const auto& [name, one] : draft_.base) check_program_value(name, one);
    for (const Assignments& point : draft_.points) {
      for (const auto& [name, one] : point) check_program_value(name, one);
    }
  }

  void check_axes() {
    std::set<std::string> names{"program", "gpu"}, columns, of_axes;
    for (const Axis& axis : draft_.axes) {
      for (const std::string& name : axis.names) {
        names.insert(name);
        if (!of_axes.insert(name).second)
          complain(axis.position, fmt::format("{} is in two axes: points would have two values of it", name));
      }
      for (const std::vector<Located>& row : axis.rows) {
        for (size_t n = 0; n < row.size(); ++n) check_program_value(axis.names[n], row[n]);
      }
    }
    for (const Assignments* list : lists()) {
      for (const auto& [name, one] : *list) names.insert(name);
    }
    for (const std::string& name : names) {
      if (std::ranges::find(kResultColumns, column_of(name), &ResultColumn::name) != kResultColumns.end())
        complain(Position{1, 1},
                 fmt::format("{} would have the column of the result {}: choose another name", name, column_of(name)));
      if (!columns.insert(column_of(name)).second)
        complain(Position{1, 1}, fmt::format("{} has the same column as another setting, {}: choose another name", name,
                                             column_of(name)));
    }
    for (const Program& program : draft_.programs) {
      for (const auto& [name, value] : program.let) {
        if (names.contains("let." + name))
          complain(program.position, fmt::format("let.{} is an axis and also in the `let` of a program", name));
      }
    }
    uint64_t points = 1;
    for (const Axis& axis : draft_.axes) {
      if (draft_.design.kind == Design::Kind::grid && points <= kMostPoints)
        points *= std::max<size_t>(axis.rows.size(), 1);
    }
    if (points > kMostPoints)
      complain(Position{1, 1}, fmt::format("the axes make more than {} points: use a Latin hypercube", kMostPoints));
  }

  std::vector<const Assignments*> lists() const {
    std::vector<const Assignments*> all{&draft_.base};
    for (const Assignments& point : draft_.points) all.push_back(&point);
    return all;
  }

  size_t column(const std::string& name) {
    const size_t at = plan_.find(name);
    if (at == plan_.columns.size()) {
      plan_.columns.push_back({name, {}, {}});
      places_.emplace_back();
    }
    return at;
  }

  uint32_t cell(size_t column, const Located& one) {
    Column& c = plan_.columns[column];
    const auto [known, is_new] = places_[column].try_emplace(one.value, static_cast<uint32_t>(c.values.size()));
    if (is_new) {
      c.values.push_back(one.value);
      c.positions.push_back(one.position);
    }
    return known->second;
  }

  /// Program and GPU first, then axes, then what only the base or explicit points have.
  void make_columns() {
    axes_ = draft_.axes;
    const bool has_programs = std::ranges::any_of(
        axes_, [](const Axis& axis) { return std::ranges::find(axis.names, "program") != axis.names.end(); });
    column("program");
    column("gpu");
    if (!has_programs && draft_.programs.size() > 1) {
      Axis all{{"program"}, {}, draft_.programs[0].position};
      for (const Program& program : draft_.programs) all.rows.push_back({{program.name, program.position}});
      axes_.insert(axes_.begin(), std::move(all));
    }
    for (const Axis& axis : axes_) {
      for (const std::string& name : axis.names) column(name);
    }
    for (const Assignments* list : lists()) {
      for (const auto& [name, one] : *list) column(name);
    }
    base_.assign(plan_.columns.size(), 0);
    for (size_t c = 0; c < base_.size(); ++c) {
      Located value;
      const std::string& name = plan_.columns[c].name;
      if (name == "program") value = {draft_.programs[0].name, draft_.programs[0].position};
      if (name == "gpu") value = {std::string(gpu::kDefaultGpu), {}};
      for (const auto& [own, one] : draft_.base) {
        if (own == name) value = one;
      }
      base_[c] = cell(c, value);
    }
  }

  void put(std::vector<uint32_t>& point, const Axis& axis, size_t row) {
    for (size_t n = 0; n < axis.names.size(); ++n) {
      const size_t c = plan_.find(axis.names[n]);
      point[c] = cell(c, axis.rows[row][n]);
    }
  }

  void add(const std::vector<uint32_t>& point) { plan_.cells.insert(plan_.cells.end(), point.begin(), point.end()); }

  void add_designed_points() {
    // Explicit points alone are a plan, too.
    if (draft_.axes.empty() && !draft_.points.empty()) return;
    switch (draft_.design.kind) {
      case Design::Kind::grid: return add_grid();
      case Design::Kind::one_at_a_time: return add_one_at_a_time();
      case Design::Kind::latin_hypercube: return add_latin_hypercube();
    }
  }

  void add_grid() {
    std::vector<size_t> at(axes_.size(), 0);
    std::vector<uint32_t> point = base_;
    for (size_t a = 0; a < axes_.size(); ++a) put(point, axes_[a], 0);
    while (true) {
      add(point);
      size_t a = axes_.size();
      while (a > 0 && ++at[a - 1] == axes_[a - 1].rows.size()) {
        at[a - 1] = 0;
        put(point, axes_[a - 1], 0);
        --a;
      }
      if (a == 0) return;
      put(point, axes_[a - 1], at[a - 1]);
    }
  }

  /// The base point, then each axis through its values. Programs are crossed with all of it.
  void add_one_at_a_time() {
    std::vector<const Axis*> varied;
    const Axis* programs = nullptr;
    for (const Axis& axis : axes_) {
      (std::ranges::find(axis.names, "program") != axis.names.end() ? programs = &axis : varied.emplace_back(&axis));
    }
    for (size_t k = 0; k < (programs == nullptr ? 1 : programs->rows.size()); ++k) {
      std::vector<uint32_t> centre = base_;
      if (programs != nullptr) put(centre, *programs, k);
      for (const Axis* axis : varied) {
        for (size_t n = 0; n < axis->names.size(); ++n) {
          const size_t c = plan_.find(axis->names[n]);
          const bool is_in_base =
              std::ranges::any_of(draft_.base, [&](const auto& one) { return one.first == axis->names[n]; });
          if (!is_in_base) centre[c] = cell(c, axis->rows[0][n]);
        }
      }
      add(centre);
      for (const Axis* axis : varied) {
        for (size_t row = 0; row < axis->rows.size(); ++row) {
          std::vector<uint32_t> point = centre;
          put(point, *axis, row);
          add(point);
        }
      }
    }
  }

  /// Of each axis every stratum once, in random order, at a random place within. Source: McKay, Beckman, Conover: A
  /// comparison of three methods for selecting values of input variables, Technometrics 21, 1979.
  void add_latin_hypercube() {
    const size_t points = draft_.design.points;
    std::mt19937_64 random(draft_.design.seed);
    std::vector<std::vector<uint32_t>> strata(axes_.size());
    for (std::vector<uint32_t>& order : strata) {
      order.resize(points);
      std::iota(order.begin(), order.end(), 0u);
      shuffle(order, random);
    }
    for (size_t p = 0; p < points; ++p) {
      std::vector<uint32_t> point = base_;
      for (size_t a = 0; a < axes_.size(); ++a) {
        constexpr uint64_t kPlaces = 1 << 16;  // within a stratum
        const uint64_t place = strata[a][p] * kPlaces + draw_below(random, kPlaces);
        put(point, axes_[a], place * axes_[a].rows.size() / (points * kPlaces));
      }
      add(point);
    }
  }

  void add_explicit_points() {
    for (size_t k = 0; k < draft_.points.size(); ++k) {
      std::vector<uint32_t> point = base_;
      bool names_program = draft_.programs.size() == 1;
      for (const auto& [name, one] : draft_.points[k]) {
        const size_t c = plan_.find(name);
        point[c] = cell(c, one);
        names_program |= name == "program";
      }
      for (const auto& [name, one] : draft_.base) names_program |= name == "program";
      if (!names_program)
        complain(draft_.point_positions[k], "this point does not say which program: there are several");
      add(point);
    }
  }

  void remove_repeated() {
    // Of a Latin hypercube points may repeat: they keep its balance, and one run serves them.
    if (draft_.design.kind == Design::Kind::latin_hypercube) return;
    const bool may_repeat = draft_.design.kind != Design::Kind::grid || !draft_.points.empty() ||
                            std::ranges::any_of(axes_, [](const Axis& axis) { return axis.names.size() > 1; });
    if (!may_repeat) return;
    std::unordered_set<std::string> seen;
    keep([&](std::span<const uint32_t> point) {
      return seen.emplace(reinterpret_cast<const char*>(point.data()), point.size_bytes()).second;
    });
  }

  template <class Keep>
  void keep(Keep is_kept) {
    const size_t width = plan_.columns.size();
    size_t kept = 0;
    for (size_t k = 0; k < plan_.points(); ++k) {
      if (!is_kept(plan_.point(k))) continue;
      std::copy_n(plan_.cells.begin() + static_cast<ptrdiff_t>(k * width), width,
                  plan_.cells.begin() + static_cast<ptrdiff_t>(kept++ * width));
    }
    plan_.cells.resize(kept * width);
  }

  void exclude() {
    for (const Exclusion& exclusion : draft_.exclusions) {
      std::vector<std::pair<size_t, std::set<uint32_t>>> conditions;
      bool is_possible = true;
      for (const auto& [name, values] : exclusion.conditions) {
        const size_t c = plan_.find(name);
        if (c == plan_.columns.size()) {
          complain(exclusion.position, fmt::format("this excludes nothing: the plan does not set {}", name));
          is_possible = false;
          continue;
        }
        std::set<uint32_t> cells;
        for (const Located& one : values) {
          const auto known = places_[c].find(one.value);
          if (known != places_[c].end()) {
            cells.insert(known->second);
          } else {
            complain(one.position,
                     fmt::format("this excludes nothing: no point has {} = {}", name, text_of(one.value)));
            is_possible = false;
          }
        }
        conditions.emplace_back(c, std::move(cells));
      }
      if (!is_possible) continue;
      const size_t before = plan_.points();
      keep([&](std::span<const uint32_t> point) {
        return !std::ranges::all_of(conditions, [&](const auto& one) { return one.second.contains(point[one.first]); });
      });
      if (plan_.points() == before) complain(exclusion.position, "this excludes nothing: no point has all of it");
    }
  }

  /// The base of a setting that every point has another value of.
  void drop_unused_values() {
    const size_t width = plan_.columns.size();
    for (size_t c = 0; c < width; ++c) {
      Column& column = plan_.columns[c];
      std::vector<bool> is_used(column.values.size(), false);
      for (size_t k = 0; k < plan_.points(); ++k) is_used[plan_.point(k)[c]] = true;
      std::vector<uint32_t> moved(column.values.size(), 0);
      Column kept{column.name, {}, {}};
      for (size_t v = 0; v < column.values.size(); ++v) {
        moved[v] = static_cast<uint32_t>(kept.values.size());
        if (!is_used[v]) continue;
        kept.values.push_back(column.values[v]);
        kept.positions.push_back(column.positions[v]);
      }
      for (size_t at = c; at < plan_.cells.size(); at += width) plan_.cells[at] = moved[plan_.cells[at]];
      column = std::move(kept);
    }
  }

  /// A variable that no text uses would give identical points.
  void check_variables() {
    std::string texts;
    const auto add_text = [&](const std::string& text) { texts += text + "\n"; };
    for (const Program& program : plan_.programs) {
      for (const std::string& one : program.arguments) add_text(one);
      for (const std::string& one : program.inputs) add_text(one);
      for (const auto& [name, value] : program.environment) add_text(value);
    }
    for (const Column& one : plan_.columns) {
      for (const Value& value : one.values) {
        if (!is_set(value)) continue;
        const SettingKind kind = kind_of(one.name);
        if (kind == SettingKind::arguments || kind == SettingKind::bank_hash || kind == SettingKind::lock_hash)
          add_text(text_of(value));
      }
    }
    const auto check = [&](const std::string& name, Position position, const std::string& what) {
      if (texts.find("{" + name + "}") == std::string::npos)
        complain(position,
                 fmt::format("{} is used nowhere: write {{{}}} in arguments, environment or a hash", what, name));
    };
    for (const Column& one : plan_.columns) {
      const SettingKind kind = kind_of(one.name);
      if (kind == SettingKind::variable || kind == SettingKind::seed)
        check(column_of(one.name), one.positions.empty() ? Position{1, 1} : one.positions.back(), one.name);
    }
    for (const Program& program : plan_.programs) {
      for (const auto& [name, value] : program.let) check(name, program.position, "let." + name);
    }
  }

  const Draft& draft_;
  Plan& plan_;
  Diagnostics& problems_;
  std::vector<Axis> axes_;                         ///< those of the draft, and the programs
  std::vector<std::map<Value, uint32_t>> places_;  ///< of the values of each column
  std::vector<uint32_t> base_;
};

}  // namespace

void expand(const Draft& draft, Plan& plan, Diagnostics& problems) { Expansion(draft, plan, problems).run(); }

}  // namespace bankshot::sweep

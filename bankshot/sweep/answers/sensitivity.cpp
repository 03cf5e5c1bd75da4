#include "bankshot/sweep/answers/sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace bankshot::sweep {
namespace {

class Analysis {
 public:
  explicit Analysis(const Table& table) : table_(table) {
    for (size_t row = 0; row < table.size(); ++row) {
      if (!std::isnan(table.result(row))) rows_.push_back(row);
    }
    is_logarithmic_ = std::ranges::all_of(rows_, [&](size_t row) { return table.result(row) > 0; });
    for (const size_t row : rows_) values_.push_back(is_logarithmic_ ? std::log(table.result(row)) : table.result(row));
    for (const double value : values_) mean_ += value / static_cast<double>(values_.size());
    for (const double value : values_) squares_ += (value - mean_) * (value - mean_);
    for (size_t axis = 0; axis < table.axes.size(); ++axis) axes_.push_back(axis);
    check_factorial();
    // Where points are chosen otherwise, chance makes one axis determine another.
    if (is_complete_ || !table.is_grid) return;
    merge_axes();
    check_factorial();
    if (is_complete_) return;
    with_.clear();
    axes_.clear();
    for (size_t axis = 0; axis < table.axes.size(); ++axis) axes_.push_back(axis);
  }

  /// An axis with more values than there are results to compare them by; empty if there is none.
  std::string without_results() const {
    for (const size_t axis : axes_) {
      if (!is_complete_ && !table_.one_at_a_time && rows_.size() <= levels_of(axis)) return table_.axes[axis].name;
    }
    return {};
  }

  Sensitivity result() const {
    Sensitivity all;
    all.complete = is_complete_;
    all.logarithmic = is_logarithmic_;
    all.variance = squares_ / static_cast<double>(values_.size());
    for (const size_t axis : axes_) all.main.push_back(main_effect(axis));
    if (is_complete_) {
      for (size_t a = 0; a < axes_.size(); ++a) {
        for (size_t b = a + 1; b < axes_.size(); ++b) {
          Effect effect;
          effect.axes = {axes_[a], axes_[b]};
          effect.share = share({axes_[a], axes_[b]}) - share({axes_[a]}) - share({axes_[b]});
          all.interactions.push_back(std::move(effect));
        }
      }
    }
    const auto by_share = [](const Effect& a, const Effect& b) {
      return std::pair(a.share.value_or(0), a.range) > std::pair(b.share.value_or(0), b.range);
    };
    std::ranges::stable_sort(all.main, by_share);
    std::ranges::stable_sort(all.interactions, by_share);
    return all;
  }

 private:
  /// Whether every combination of values is there once.
  void check_factorial() {
    double combinations = 1;
    for (const size_t axis : axes_) combinations *= static_cast<double>(table_.axes[axis].values.size());
    is_complete_ = true;  // no values are put together
    is_complete_ = !table_.one_at_a_time && combinations == static_cast<double>(rows_.size()) &&
                   sums(axes_).size() == rows_.size();
  }

  /// An axis whose value another one determines, as in a zip, is not an axis of its own.
  void merge_axes() {
    std::vector<size_t> leaders;
    for (size_t axis = 0; axis < table_.axes.size(); ++axis) {
      const auto leader = std::ranges::find_if(leaders, [&](size_t other) { return determines(other, axis); });
      if (leader != leaders.end()) {
        with_[*leader].push_back(table_.axes[axis].name);
        continue;
      }
      std::erase_if(leaders, [&](size_t other) {
        if (!determines(axis, other)) return false;
        with_[axis].push_back(table_.axes[other].name);
        with_[axis].insert(with_[axis].end(), with_[other].begin(), with_[other].end());
        with_.erase(other);
        return true;
      });
      leaders.push_back(axis);
    }
    axes_ = std::move(leaders);
  }

  bool determines(size_t leader, size_t axis) const {
    constexpr uint32_t kNone = ~0u;
    std::vector<uint32_t> code(table_.axes[leader].values.size(), kNone);
    for (const size_t row : rows_) {
      uint32_t& known = code[table_.code(row, leader)];
      if (known == kNone) known = table_.code(row, axis);
      if (known != table_.code(row, axis)) return false;
    }
    return true;
  }

  /// Which of its values a row has on an axis. Where combinations are missing, so many values that most rows have one
  /// of their own are put together, neighbours with neighbours: a mean needs several rows.
  uint32_t level(size_t row, size_t axis) const {
    const size_t values = table_.axes[axis].values.size(), levels = levels_of(axis);
    return static_cast<uint32_t>(table_.code(row, axis) * levels / values);
  }
  size_t levels_of(size_t axis) const {
    const size_t values = table_.axes[axis].values.size();
    if (is_complete_ || table_.one_at_a_time || values <= 2 || 3 * values <= rows_.size()) return values;
    return std::max<size_t>(2, static_cast<size_t>(std::sqrt(static_cast<double>(rows_.size()))));
  }

  /// Sums of the values by their codes on some axes.
  std::map<std::vector<uint32_t>, std::pair<double, size_t>> sums(const std::vector<size_t>& axes) const {
    std::map<std::vector<uint32_t>, std::pair<double, size_t>> all;
    std::vector<uint32_t> key(axes.size());
    for (size_t k = 0; k < rows_.size(); ++k) {
      if (!table_.tells_of(rows_[k], axes, bases_)) continue;
      for (size_t a = 0; a < axes.size(); ++a) key[a] = level(rows_[k], axes[a]);
      auto& [sum, count] = all[key];
      sum += values_[k] - mean_;
      ++count;
    }
    return all;
  }

  /// Of the variance, what the means over all else differ by.
  double share(const std::vector<size_t>& axes) const {
    if (squares_ <= 0) return 0;
    double between = 0;
    for (const auto& [key, one] : sums(axes)) between += one.first * one.first / static_cast<double>(one.second);
    return std::min(1.0, between / squares_);
  }

  Effect main_effect(size_t axis) const {
    Effect effect;
    effect.axes = {axis};
    if (const auto with = with_.find(axis); with != with_.end()) effect.with = with->second;
    if (!table_.one_at_a_time) effect.share = share({axis});
    if (table_.one_at_a_time) {
      // Only how far the axis leads away from the base.
    } else if (is_complete_) {
      std::vector<size_t> others;
      for (const size_t other : axes_) {
        if (other != axis) others.push_back(other);
      }
      effect.total = squares_ > 0 ? std::max(0.0, 1 - share(others)) : 0;
    } else {
      const double levels = static_cast<double>(levels_of(axis)), count = static_cast<double>(rows_.size());
      if (count > levels && squares_ > 0) {
        const double within = (1 - *effect.share) * squares_ / (count - levels);
        effect.share = std::max(0.0, *effect.share - (levels - 1) * within / squares_);
      }
    }
    const auto value_of = [&](uint32_t level) {
      return static_cast<uint32_t>((level * table_.axes[axis].values.size() + levels_of(axis) - 1) / levels_of(axis));
    };
    double least = 0, most = 0;
    bool is_first = true;
    for (const auto& [key, one] : sums({axis})) {
      const double mean = one.first / static_cast<double>(one.second);
      if (is_first || mean < least) {
        least = mean;
        effect.least = value_of(key[0]);
      }
      if (is_first || mean > most) {
        most = mean;
        effect.most = value_of(key[0]);
      }
      is_first = false;
    }
    effect.range = is_logarithmic_ ? std::exp(most - least) : most - least;
    return effect;
  }

  const Table& table_;
  const std::vector<size_t> bases_ = table_.base_rows();
  std::vector<size_t> rows_;
  std::vector<double> values_;
  double mean_ = 0, squares_ = 0;
  bool is_logarithmic_ = false, is_complete_ = false;
  std::vector<size_t> axes_;
  std::map<size_t, std::vector<std::string>> with_;
};

}  // namespace

Result<Sensitivity> sensitivity(const Table& table) {
  if (table.axes.empty()) return Error{"all points have the same settings: there is nothing that could matter"};
  size_t results = 0;
  for (size_t row = 0; row < table.size(); ++row) results += std::isnan(table.result(row)) ? 0 : 1;
  if (results < 2) return Error{"fewer than two points have a result"};
  const Analysis analysis(table);
  if (const std::string axis = analysis.without_results(); !axis.empty())
    return Error{"there are too few results to tell what " + axis + " does"};
  return analysis.result();
}

}  // namespace bankshot::sweep

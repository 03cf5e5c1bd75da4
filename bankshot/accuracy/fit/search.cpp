#include "bankshot/accuracy/fit/search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace bankshot::accuracy {
namespace {

struct Probe {
  uint64_t value = 0;
  double error = 0;
};

class Search {
 public:
  Search(const SearchRange& range, const std::function<std::optional<double>(uint64_t)>& error_of)
      : range_(range), error_of_(error_of) {}

  std::optional<SearchResult> run() {
    if (!probe(range_.start)) return std::nullopt;
    while (calls_ < kMostCalls && best_.error != 0) {
      const std::optional<uint64_t> next = low_ && high_ ? between() : beyond();
      if (!next) break;
      probe(*next);
    }
    return SearchResult{best_.value, best_.error, calls_};
  }

 private:
  bool probe(uint64_t value) {
    ++calls_;
    const std::optional<double> error = error_of_(value);
    if (!error) {  // neither it nor what lies behind it
      blocked_ = true;
      (value > range_.start ? range_.most : range_.least) = value > range_.start ? value - 1 : value + 1;
      return false;
    }
    const Probe here{value, *error};
    if (calls_ == 1 || is_better(here)) best_ = here;
    const bool below = *error < 0;
    same_side_ = calls_ > 1 && below == last_was_below_ ? same_side_ + 1 : 0;
    last_was_below_ = below;
    std::optional<Probe>& side = below ? low_ : high_;
    before_ = side;
    side = here;
    return true;
  }

  bool is_better(const Probe& one) const {
    const double size = std::abs(one.error), least = std::abs(best_.error);
    return size < least || (size == least && distance(one.value) < distance(best_.value));
  }
  uint64_t distance(uint64_t value) const { return value > range_.start ? value - range_.start : range_.start - value; }

  /// All errors so far have one sign: a value further out.
  std::optional<uint64_t> beyond() {
    const bool up = low_.has_value();
    const Probe& last = up ? *low_ : *high_;
    const uint64_t bound = up ? range_.most : range_.least;
    if (last.value == bound) return std::nullopt;
    const auto value = static_cast<double>(last.value);
    double wanted = value * std::exp(-last.error);
    if (before_) {
      const double step = value - static_cast<double>(before_->value), change = last.error - before_->error;
      if (change == 0 && ++flat_ == 2) return std::nullopt;  // a plateau as far as one can see
      wanted = change == 0 ? value + 2 * step : value - last.error * step / change;
    }
    const double room = up ? static_cast<double>(bound - last.value) : static_cast<double>(last.value - bound);
    const double most = blocked_ ? std::ceil(room / 2) : room;
    const double step = std::clamp(std::round(up ? wanted - value : value - wanted), 1.0, most);
    return up ? last.value + static_cast<uint64_t>(step) : last.value - static_cast<uint64_t>(step);
  }

  /// A value between those around the change of sign: on the line through both; after two probes on one side the
  /// middle.
  std::optional<uint64_t> between() const {
    const uint64_t gap = high_->value - low_->value;
    if (gap <= 1) return std::nullopt;
    const double share = same_side_ >= 2 ? 0.5 : -low_->error / (high_->error - low_->error);
    const auto step = static_cast<uint64_t>(std::round(static_cast<double>(gap) * share));
    return low_->value + std::clamp<uint64_t>(step, 1, gap - 1);
  }

  SearchRange range_;
  const std::function<std::optional<double>(uint64_t)>& error_of_;
  unsigned calls_ = 0, flat_ = 0, same_side_ = 0;
  bool last_was_below_ = false;
  bool blocked_ = false;  ///< a value could not be: the bound is only a guess
  Probe best_;
  std::optional<Probe> low_, high_;  ///< nearest to the change of sign: error below zero; at least zero
  std::optional<Probe> before_;      ///< what the last probe took the place of
};

}  // namespace

std::optional<SearchResult> search(const SearchRange& range,
                                   const std::function<std::optional<double>(uint64_t)>& error_of) {
  assert(range.least <= range.start && range.start <= range.most && "the caller starts inside the range");
  return Search(range, error_of).run();
}

}  // namespace bankshot::accuracy

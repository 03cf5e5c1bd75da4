// All bitwise hashes: the XOR-hash paper, sections 4.3 and 4.4, without its heuristics.
#include <algorithm>

#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/heuristics.hpp"
#include "bankshot/search/partial_loads.hpp"

namespace bankshot::search {
namespace {

class Bitwise {
 public:
  Bitwise(const Problem& problem, bool pairs, const Restriction& restriction, Deadline deadline)
      : problem_(problem),
        candidates_(candidates_singles_first(problem.size.address_bits, pairs)),
        restriction_(restriction),
        evaluator_(problem.groups),
        deadline_(deadline) {}

  /// @param known  of the class, without what is unavoidable. Only what is worse is passed over, so that the first of
  /// the
  ///               best is found all the same.
  Found run(const scratchpad::BankHash& known) {
    found_.hash = known;
    found_.excess = evaluator_.excess(known.rows());
    enough_ = found_.excess + 1;
    visit(0);
    found_.status = timed_out_ ? Status::best_found : Status::exhaustive;
    found_.excess += problem_.unavoidable;
    found_.lower_bound = found_.excess;
    if (timed_out_) {
      found_.lower_bound = problem_.unavoidable;
      for (const scratchpad::Group& group : problem_.groups) {
        found_.lower_bound += group.weight * (least_degree(group, problem_.size.bank_bits) - 1);
      }
    }
    return found_;
  }

 private:
  /// What the bits still to come leave at least: each halves a bank's words at best.
  uint64_t bound(unsigned left) const {
    const std::vector<uint32_t> degrees = evaluator_.degrees(rows_);
    uint64_t excess = 0;
    for (size_t k = 0; k < degrees.size(); ++k) {
      excess += problem_.groups[k].weight * (((degrees[k] + (1u << left) - 1) >> left) - 1);
    }
    return excess;
  }

  void visit(size_t first) {
    const unsigned left = problem_.size.bank_bits - static_cast<unsigned>(rows_.size());
    if (left == 0) return leaf();
    if (!rows_.empty() && (bound(left) >= enough_ || late())) return;
    for (size_t k = first; k + left <= candidates_.size() && !timed_out_; ++k) {
      rows_.push_back(candidates_[k]);
      visit(k + 1);
      rows_.pop_back();
    }
  }

  void leaf() {
    if (late()) return;
    ++found_.evaluated;
    const uint64_t excess = evaluator_.excess(rows_, enough_);
    if (excess >= enough_) return;
    const scratchpad::BankHash hash = *scratchpad::rows_hash(problem_.size, rows_);
    if (!restriction_.allows(hash)) return;
    found_.hash = hash;
    found_.excess = enough_ = excess;
  }

  /// Whether time is up; asks the clock after so many groups.
  bool late() {
    work_ += evaluator_.groups() + 1;
    if (work_ >= kGroupsBetweenClocks) {
      work_ = 0;
      timed_out_ = timed_out_ || std::chrono::steady_clock::now() > deadline_;
    }
    return timed_out_;
  }

  static constexpr size_t kGroupsBetweenClocks = 65536;  // some hundred microseconds

  const Problem& problem_;
  std::vector<uint32_t> candidates_, rows_;
  Restriction restriction_;
  uint64_t enough_ = 0;  ///< only less is of interest
  bool timed_out_ = false;
  size_t work_ = kGroupsBetweenClocks;
  Evaluator evaluator_;
  Deadline deadline_;
  Found found_;
};

}  // namespace

Found exhaustive_bitwise(const Problem& problem, bool pairs, const SearchOptions& options) {
  constexpr size_t kHeuristicGroups = 2048;  // some tenths of a second
  const Deadline deadline = std::chrono::steady_clock::now() + options.time_limit;
  const Problem some = sample(problem, kHeuristicGroups);
  scratchpad::BankHash known = minimum_imbalance(some, false, options).hash;
  if (pairs) {
    const Found single = Bitwise(problem, false, options, deadline).run(known);
    const Found paired = minimum_imbalance(some, true, options);
    const Evaluator evaluator(problem.groups);
    known = evaluator.excess(paired.hash.rows()) < evaluator.excess(single.hash.rows()) ? paired.hash : single.hash;
  }
  return Bitwise(problem, pairs, options, deadline).run(known);
}

}  // namespace bankshot::search

// All bitwise hashes: the XOR-hash paper, sections 4.3 and 4.4, without its heuristics.
#include <algorithm>

#include "bankshot/search/evaluate.hpp"
#include "bankshot/search/heuristics.hpp"

namespace bankshot::search {
namespace {

class Bitwise {
 public:
  Bitwise(const Problem& problem, bool pairs, const SearchOptions& options)
      : problem_(problem),
        candidates_(candidates_singles_first(problem.size.address_bits, pairs)),
        restriction_(options),
        evaluator_(problem.groups),
        deadline_(std::chrono::steady_clock::now() + options.time_limit) {}

  Found run() {
    visit(0);
    found_.status = timed_out_ ? Status::best_found : Status::exhaustive;
    found_.excess += problem_.unavoidable;
    found_.lower_bound = timed_out_ ? problem_.unavoidable : found_.excess;
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
    if (!rows_.empty() && any_ && bound(left) >= found_.excess) return;
    for (size_t k = first; k + left <= candidates_.size() && !timed_out_; ++k) {
      rows_.push_back(candidates_[k]);
      visit(k + 1);
      rows_.pop_back();
    }
  }

  void leaf() {
    if ((++found_.evaluated & 4095) == 0) timed_out_ = std::chrono::steady_clock::now() > deadline_;
    const uint64_t excess = evaluator_.excess(rows_);
    if (any_ && excess >= found_.excess) return;
    const scratchpad::BankHash hash = *scratchpad::rows_hash(problem_.size, rows_);
    if (!restriction_.allows(hash)) return;
    any_ = true;
    found_.hash = hash;
    found_.excess = excess;
  }

  const Problem& problem_;
  std::vector<uint32_t> candidates_, rows_;
  Restriction restriction_;
  bool any_ = false, timed_out_ = false;
  Evaluator evaluator_;
  std::chrono::steady_clock::time_point deadline_;
  Found found_;
};

}  // namespace

Found exhaustive_bitwise(const Problem& problem, bool pairs, const SearchOptions& options) {
  return Bitwise(problem, pairs, options).run();
}

}  // namespace bankshot::search

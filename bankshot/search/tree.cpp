#include "bankshot/search/tree.hpp"

#include <algorithm>
#include <atomic>

#include "bankshot/search/branch.hpp"
#include "bankshot/support/thread_pool.hpp"

namespace bankshot::search {
namespace {

/// Children of the root that are searched with the same knowledge, whatever the number of threads.
constexpr size_t kBatch = 64;

template <class Sum>
class Driver {
 public:
  Driver(Tree<Sum> root, unsigned threads) : root_(std::move(root)), threads_(threads) {}

  TreeResult run(Incumbent& best, unsigned plain, Transcript* transcript) {
    State known;
    known.excess = best.excess;
    const size_t children = root_.open();
    bool done = false;
    size_t k = 0;
    for (; k < children && !done; k += kBatch) {
      size_t end = k;
      uint64_t before = 0;  // lower bound while children of this batch are open
      while (end < std::min(children, k + kBatch) && !done) {
        done = root_.done_without(end, best.excess);
        if (end == k) before = root_.lower_bound();
        end += !done;
      }
      lower_bound_ = before;
      if (transcript != nullptr) known.transcript = transcript->child();
      search(k, end, known);
      for (size_t i = 0; i < end - k; ++i) {
        State& found = found_[i];
        best.evaluated += found.evaluated;
        if (found.timed_out) timed_out_ = true;
        for (size_t d = 0; d < known.tried.size(); ++d) {
          sums_.tried[d] += found.tried[d] - known.tried[d];
          sums_.removed[d] += found.removed[d] - known.removed[d];
        }
        if (transcript != nullptr) transcript->append(*found.transcript);
        if (!found.rows.empty() && found.excess < best.excess) best.take(found.rows, found.excess);
      }
      known.tried = sums_.tried;
      known.removed = sums_.removed;
      known.excess = best.excess;
      done = done || timed_out_ || best.at_floor();
    }
    if (transcript != nullptr) transcript->leave(plain, children != 0);
    return {!timed_out_, timed_out_ ? std::min(lower_bound_, best.excess) : best.excess};
  }

 private:
  /// Children k to end - 1, the next one to the thread that is free.
  void search(size_t k, size_t end, const State& known) {
    found_.assign(end - k, {});
    while (trees_.size() < std::min<size_t>(threads_, end - k)) trees_.push_back(root_);
    std::atomic<size_t> next = k;
    pool_.run_independent(static_cast<unsigned>(std::min<size_t>(trees_.size(), end - k)), [&](unsigned t) {
      for (size_t i = next++; i < end; i = next++) found_[i - k] = trees_[t].search(i, known);
    });
  }

  Tree<Sum> root_;
  std::vector<Tree<Sum>> trees_;  ///< one a thread
  unsigned threads_;
  ThreadPool pool_;
  std::vector<State> found_;
  State sums_;
  uint64_t lower_bound_ = 0;
  bool timed_out_ = false;
};

template <class Sum>
TreeResult search_with(const Quotient& quotient, unsigned bank_bits, const SearchOptions& options,
                       const Spectrum& spectrum, Incumbent::Clock::time_point deadline, Incumbent& best,
                       Transcript* transcript) {
  Tree<Sum> root(quotient, bank_bits, options, spectrum, deadline, best.floor, best.excess);
  return Driver<Sum>(std::move(root), std::max(options.threads, 1u)).run(best, options.plain_low_bits, transcript);
}

}  // namespace

TreeResult search_tree(const Quotient& quotient, unsigned bank_bits, const SearchOptions& options,
                       const Spectrum& spectrum, Incumbent::Clock::time_point deadline, Incumbent& best,
                       Transcript* transcript) {
  const bool narrow = Tree<int32_t>::fits(spectrum, bank_bits, best.excess);
  return (narrow ? search_with<int32_t> : search_with<int64_t>)(quotient, bank_bits, options, spectrum, deadline, best,
                                                                transcript);
}

}  // namespace bankshot::search

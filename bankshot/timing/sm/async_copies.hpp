// Copies to shared memory that a warp has under way: groups of cp.async, and bulk copies that tell a barrier. Source:
// PTX ISA 9.0, section 9.7.9.25.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace bankshot::timing {

/// Of one warp. Accesses of one instruction are taken to complete in their order.
class AsyncCopies {
 public:
  void clear() {
    groups_.assign(1, 0);
    copies_.clear();
    bulks_.clear();
  }

  /// cp.async: in the group that the next commit closes.
  void issue(uint32_t instr) {
    copies_.push_back({instr, first_ + static_cast<uint32_t>(groups_.size()) - 1});
    ++groups_.back();
  }
  void commit() { groups_.push_back(0); }
  void complete(uint32_t instr) {
    const auto copy = std::find_if(copies_.begin(), copies_.end(), [&](const Copy& c) { return c.instr == instr; });
    if (copy == copies_.end()) return;
    --groups_[copy->group - first_];
    copies_.erase(copy);
    size_t done = 0;
    while (done + 1 < groups_.size() && groups_[done] == 0) ++done;
    groups_.erase(groups_.begin(), groups_.begin() + static_cast<ptrdiff_t>(done));
    first_ += static_cast<uint32_t>(done);
  }
  /// Whether all committed groups except the last `most` are complete; kAll: including copies that were not committed.
  static constexpr uint64_t kAll = ~uint64_t{0};
  bool there_but_for(uint64_t most) const {
    if (most == kAll) return copies_.empty();
    const size_t committed = groups_.size() - 1;
    for (size_t k = 0; k < committed && committed - k > most; ++k) {
      if (groups_[k] != 0) return false;
    }
    return true;
  }

  /// What a bulk copy tells when its last access completes, or tcgen05.commit when what came before it is done.
  struct Arrival {
    std::vector<uint64_t> barriers;  ///< offsets in shared memory
    uint32_t bytes = 0;
    bool of_products = false;  ///< tcgen05.commit: one arrives, and no bytes
    bool of_pair = false;      ///< … .cta_group::2: between quanta, as what the pair does
  };
  /// @param accesses  that it was divided into
  void issue_bulk(uint32_t instr, const Arrival& arrival, unsigned accesses) {
    bulks_.push_back({instr, arrival, accesses});
  }
  bool has_bulk() const { return !bulks_.empty(); }
  /// @return whether the access was the last one of a copy
  bool complete_bulk(uint32_t instr, Arrival& arrival) {
    const auto bulk = std::find_if(bulks_.begin(), bulks_.end(), [&](const Bulk& b) { return b.instr == instr; });
    if (bulk == bulks_.end() || --bulk->accesses != 0) return false;
    arrival = bulk->arrival;
    bulks_.erase(bulk);
    return true;
  }

 private:
  struct Copy {
    uint32_t instr = 0, group = 0;
  };
  struct Bulk {
    uint32_t instr = 0;
    Arrival arrival;
    unsigned accesses = 0;
  };
  std::vector<uint32_t> groups_{0};  ///< copies under way in each: committed ones, oldest first, and the open one
  uint32_t first_ = 0;               ///< number of the first
  std::vector<Copy> copies_;
  std::vector<Bulk> bulks_;
};

}  // namespace bankshot::timing

// Bulk copies from shared to global memory that a warp has under way, in groups. Source: PTX ISA 9.0, section 9.7.9.25.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "bankshot/timing/base/clock.hpp"

namespace bankshot::timing {

/// Of one warp; each lane has groups of its own. Accesses of one instruction are taken to leave and to be written in
/// their order.
class BulkStores {
 public:
  void clear() {
    if (std::exchange(has_groups_, false)) closed_.fill(0);
    stores_.clear();
  }
  /// A copy, in the group that its lane's next commit closes. @param accesses  that it was divided into: at least one
  void issue(uint32_t instr, unsigned lane, unsigned accesses) {
    stores_.push_back({instr, lane, closed_[lane], accesses, accesses, 0});
  }
  void commit(uint64_t lanes) {
    has_groups_ = true;
    for (unsigned lane = 0; lane < closed_.size(); ++lane) closed_[lane] += lanes >> lane & 1;
  }
  /// The last line of an access has been read, and has left the SM by this cycle.
  void has_left(uint32_t instr, Cycle by) {
    const auto store = first(instr, &Store::unread);
    if (store == stores_.end()) return;
    --store->unread;
    store->left = std::max(store->left, by);
  }
  /// All lines of an access are where other SMs see them.
  void written(uint32_t instr) {
    const auto store = first(instr, &Store::unwritten);
    if (store != stores_.end() && --store->unwritten == 0) stores_.erase(store);
  }

  /// From when on shared memory has been read for all closed groups of these lanes but each one's last `most`; kNever:
  /// not known yet.
  Cycle read_by(uint64_t lanes, uint64_t most) const {
    Cycle by = 0;
    for (const Store& store : stores_) {
      if (is_waited_for(store, lanes, most)) by = std::max(by, store.unread != 0 ? kNever : store.left);
    }
    return by;
  }
  /// Whether these have been written.
  bool are_written(uint64_t lanes, uint64_t most) const {
    return std::none_of(stores_.begin(), stores_.end(), [&](const Store& s) { return is_waited_for(s, lanes, most); });
  }

 private:
  struct Store {
    uint32_t instr = 0;
    unsigned lane = 0;
    uint64_t group = 0;                  ///< counted from the lane's first
    unsigned unread = 0, unwritten = 0;  ///< accesses
    Cycle left = 0;
  };
  std::vector<Store>::iterator first(uint32_t instr, unsigned Store::* accesses) {
    return std::find_if(stores_.begin(), stores_.end(),
                        [&](const Store& s) { return s.instr == instr && s.*accesses != 0; });
  }
  bool is_waited_for(const Store& store, uint64_t lanes, uint64_t most) const {
    return (lanes >> store.lane & 1) != 0 && store.group < closed_[store.lane] &&
           closed_[store.lane] - store.group > most;
  }

  std::array<uint64_t, 64> closed_{};  ///< groups, by lane
  bool has_groups_ = false;
  std::vector<Store> stores_;
};

}  // namespace bankshot::timing

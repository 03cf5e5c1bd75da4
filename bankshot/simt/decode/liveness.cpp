#include "bankshot/simt/decode/liveness.hpp"

#include <algorithm>
#include <span>

namespace bankshot::simt {
namespace {

constexpr uint32_t kNone = ~0u;

/// What a block does to a register.
struct Touch {
  uint32_t reg, block;
  bool reads_first;              ///< before any write of its own that is sure
  bool writes_first;             ///< the other way round; neither: it only may write
  uint32_t first_write = kNone;  ///< index of the use
  bool operator<(const Touch& other) const { return reg != other.reg ? reg < other.reg : block < other.block; }
};

/// A touch for each register of each block, by register.
std::vector<Touch> touches_of(const Blocks& blocks, const std::vector<RegisterUse>& uses, uint32_t registers) {
  std::vector<Touch> touches;
  std::vector<uint32_t> latest(registers, kNone);  // nodes of a block are neighbours, so one look back is enough
  for (uint32_t k = 0; k < uses.size(); ++k) {
    const RegisterUse& use = uses[k];
    const uint32_t block = blocks.of[use.node];
    if (latest[use.reg] == kNone || touches[latest[use.reg]].block != block) {
      latest[use.reg] = static_cast<uint32_t>(touches.size());
      touches.push_back({use.reg, block, false, false});
    }
    Touch& touch = touches[latest[use.reg]];
    if (!touch.writes_first && !use.write) touch.reads_first = true;
    if (!touch.reads_first && use.write && !use.guarded) touch.writes_first = true;
    if (use.write && touch.first_write == kNone) touch.first_write = k;
  }
  std::sort(touches.begin(), touches.end());
  return touches;
}

/// The search for one register after the other. A mark is the register for which it was set last.
class Search {
 public:
  Search(const Blocks& blocks, size_t uses)
      : blocks_(blocks), stops_(size(), kNone), needs_(size(), kNone), ends_(size(), kNone), holds_(size(), kNone) {
    result_.behind.resize(size());
    result_.begins.resize(uses, 0);
  }

  /// @param touches  all of one register
  void add(std::span<const Touch> touches) {
    const uint32_t reg = touches.front().reg;
    for (const Touch& touch : touches) {
      if (touch.writes_first) stops_[touch.block] = reg;
      if (touch.reads_first) need(touch.block, reg);
    }
    bool at_entry = false;
    std::vector<uint32_t> ends;  // blocks behind which the value is needed
    while (!work_.empty()) {
      const uint32_t block = work_.back();
      work_.pop_back();
      at_entry |= block == 0;
      for (const uint32_t before : blocks_.predecessors[block]) {
        if (ends_[before] != reg) ends.push_back(before);
        ends_[before] = reg;
        if (stops_[before] != reg) need(before, reg);
      }
    }
    if (at_entry) {
      result_.at_entry.push_back(reg);
      keep_written(touches, ends);
    }
    for (const uint32_t block : ends) result_.behind[block].push_back(reg);
  }

  Liveness take() { return std::move(result_); }

 private:
  size_t size() const { return blocks_.first.size(); }

  void need(uint32_t block, uint32_t reg) {
    if (needs_[block] == reg) return;
    needs_[block] = reg;
    work_.push_back(block);
  }

  /// Where a value may be needed that nobody has written no register is in use. Follows what was written forwards, to
  /// where it is needed.
  void keep_written(std::span<const Touch> touches, std::vector<uint32_t>& ends) {
    const uint32_t reg = touches.front().reg;
    const auto spread = [&](uint32_t block) {
      for (const uint32_t next : blocks_.successors[block]) {
        if (needs_[next] != reg || holds_[next] == reg) continue;
        holds_[next] = reg;
        work_.push_back(next);
      }
    };
    for (const Touch& touch : touches) {
      if (touch.first_write != kNone) spread(touch.block);
    }
    while (!work_.empty()) {
      const uint32_t block = work_.back();
      work_.pop_back();
      spread(block);
    }
    for (const Touch& touch : touches) {
      if (touch.first_write != kNone && holds_[touch.block] != reg) result_.begins[touch.first_write] = 1;
    }
    std::erase_if(ends, [&](uint32_t block) {
      if (holds_[block] == reg) return false;
      const auto own = std::lower_bound(touches.begin(), touches.end(), Touch{reg, block, false, false});
      return own == touches.end() || own->block != block || own->first_write == kNone;
    });
  }

  const Blocks& blocks_;
  std::vector<uint32_t> stops_;  ///< blocks that write the register before they read it
  std::vector<uint32_t> needs_;  ///< blocks at whose start it is needed
  std::vector<uint32_t> ends_;   ///< … behind which it is
  std::vector<uint32_t> holds_;  ///< … at whose start it may have been written
  std::vector<uint32_t> work_;
  Liveness result_;
};

}  // namespace

Liveness liveness(const Blocks& blocks, const std::vector<RegisterUse>& uses, uint32_t registers) {
  const std::vector<Touch> touches = touches_of(blocks, uses, registers);
  Search search(blocks, uses.size());
  for (size_t begin = 0, end; begin < touches.size(); begin = end) {
    for (end = begin; end < touches.size() && touches[end].reg == touches[begin].reg; ++end) {
    }
    search.add(std::span(touches).subspan(begin, end - begin));
  }
  return search.take();
}

}  // namespace bankshot::simt

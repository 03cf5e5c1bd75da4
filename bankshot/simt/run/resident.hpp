// CTAs that are resident together: those of a cluster, or one where a launch has no clusters.
#pragma once

#include <deque>
#include <vector>

#include "bankshot/simt/run/cta.hpp"

namespace bankshot::simt {

/// Places for CTAs of one worker, kept from launch to launch.
class SlotPool {
 public:
  /// All are free again.
  void begin_launch() { taken_ = 0; }
  CtaSlot& take() {
    if (taken_ == slots_.size()) slots_.emplace_back();
    return slots_[taken_++];
  }

 private:
  std::deque<CtaSlot> slots_;
  size_t taken_ = 0;
};

class Residents {
 public:
  /// Takes places and prepares them.
  Residents(Worker& worker, SlotPool& slots);

  const Worker& worker() const { return worker_; }
  /// CTAs of each cluster.
  size_t size() const { return size_; }
  /// Starts the CTAs of a cluster, counted in the grid. None may be running.
  void start(uint64_t cluster);
  /// Gives each CTA a turn, by rank. Never `blocked`: if no CTA can continue, the first one gets a fault.
  /// @param stop  as of CtaSlot::turn
  CtaSlot::Turn turn(const std::atomic<bool>* stop);
  /// f(Cta&) for each CTA, by rank.
  template <class F>
  void for_each(F f) {
    for (CtaSlot* slot : slots_) f(slot->cta());
  }

 private:
  Worker& worker_;
  size_t size_;
  std::vector<CtaSlot*> slots_;  ///< by rank
  std::vector<bool> ended_;
};

}  // namespace bankshot::simt

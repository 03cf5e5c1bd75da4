// Running one CTA: storage for its warps, start, turns, deadlock.
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "bankshot/simt/memory/arena.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// One CTA's place on a host thread: reused for one CTA after the other and for one launch after the other.
class CtaSlot {
 public:
  /// blocked: nothing can go on before another CTA of the cluster does something.
  enum class Turn : uint8_t { done, waiting, blocked, faulted };

  /// Prepares warps and storage for CTAs of this launch.
  void prepare(Worker& worker);
  /// Starts the CTA of a linear index. @param cluster  that it joins; null: a launch without clusters
  void start(uint64_t linear, std::shared_ptr<Cluster> cluster = nullptr);
  /// It has ended: its shared memory is no longer accessible.
  void leave_cluster();
  /// Gives every warp that can run one turn. @param stop  null, or true once no further warp is to get one: `waiting`
  Turn turn(const std::atomic<bool>* stop = nullptr);
  /// All its warps are blocked for good, or poll: lanes that stand at joins go on by themselves.
  /// @return false if there are none; then the deadlock is the CTA's fault
  bool release_or_fault();
  /// The first part of it. @return whether there were any
  bool release();
  Cta& cta() { return cta_; }
  const Worker* worker() const { return worker_; }

 private:
  void fill_warp_specials();
  uint32_t cta_special(const std::string& name) const;
  void fill_cta_specials();
  /// Whether no path can go on before another CTA of the cluster does something, if the last turn was only polling.
  bool waits_for_good() const;
  void report_deadlock();

  Worker* worker_ = nullptr;
  Cta cta_;
  std::shared_ptr<Cluster> alone_;  ///< of this CTA only
  Arena registers_, local_, shared_, specials_, cta_specials_;
  std::byte* cta_special_rows_ = nullptr;
  std::optional<uint32_t> filled_window_;  ///< Cta::own_window of which they tell
  const FunctionInfo* kernel_ = nullptr;
};

}  // namespace bankshot::simt

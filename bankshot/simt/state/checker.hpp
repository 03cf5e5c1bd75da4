// Who looks for misuse of memory and barriers while kernels run. Handlers tell it what they do, if there is one; what
// it makes of that is its own concern: checks/checks.hpp.
#pragma once

#include <cstdint>

#include "bankshot/hazards/shared_races.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

struct CheckedOp;

class Checker {
 public:
  virtual ~Checker() = default;

  /// The host, or a copy, writes.
  virtual void written(uint64_t address, uint64_t bytes) = 0;
  /// An instruction whose wrapper the decoder made: checks/checks.hpp.
  virtual const Instr* run(Warp& w, const Instr* i, const CheckedOp& op) = 0;
  /// Accesses as run() handles those of ld, st and atom: lanes go to addresses of a space.
  virtual void access(Warp& w, const Instr* i, hazards::AccessKind kind, ptx::Space space, uint64_t lanes,
                      const uint64_t* addresses, unsigned bytes) = 0;
  /// cp.async: lanes write to offsets in shared memory.
  virtual void copies(Warp& w, const Instr* i, uint64_t lanes, const uint32_t* offsets, unsigned bytes) = 0;
  /// A bulk copy of one lane: of its side in shared memory, which it writes or reads. @param barrier  that learns of
  /// it, or -1
  virtual void copies_bulk(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes, bool writes,
                           int64_t barrier) = 0;
  /// red.async of one lane.
  virtual void reduces_async(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes,
                             uint64_t barrier) = 0;
  /// A tensor copy wrote 16 bytes.
  virtual void swizzles(Warp& w, const Instr* i, uint64_t offset, Swizzle swizzle) = 0;
  /// A product reads. @param lane  of w, that issued it; below 0: the warpgroup did whose first warp w is
  /// @param offsets  of rows of `bytes` each, a bit of `rows` for each
  /// @param swizzle  the descriptor's
  virtual void multiplies(Warp& w, const Instr* i, int lane, uint64_t rows, const uint64_t* offsets, unsigned bytes,
                          Swizzle swizzle) = 0;
  virtual void arrives(Warp& w, const Instr* i, unsigned barrier, bool waits) = 0;
  /// @param whole  it is one of all threads of the CTA
  virtual void completes(Cta& cta, unsigned barrier, bool whole) = 0;
  virtual void meets(Warp& w, uint64_t lanes) = 0;
  /// Lanes end.
  virtual void exits(Warp& w, const Instr* i, uint64_t lanes) = 0;
  /// Lanes that waited at a join for others of their warp go on without them.
  virtual void go_on(Warp& w, uint64_t lanes, const Instr* at) = 0;
  /// All that had to come to a .sync instruction have, one after the other.
  virtual void have_come(Warp& w, const Instr* i) = 0;
  /// The barrier of the cluster.
  virtual void arrives_in_cluster(Warp& w) = 0;
  /// @param cta  any of the cluster
  virtual void cluster_completes(Cta& cta, const Worker& worker) = 0;
  virtual void passes_cluster(Warp& w, uint64_t lanes) = 0;
  // mbarriers, by offset in the shared window.
  virtual void initialises(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) = 0;
  virtual void arrives_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) = 0;
  /// When the products that the lane has begun are done: tcgen05.commit.
  virtual void products_arrive_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) = 0;
  virtual void ends_phase(Warp& w, uint64_t barrier) = 0;
  virtual void passes(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) = 0;
  // Tensor memory.
  /// Columns are allocated or freed. @param count  of the allocation; 0: it is freed
  virtual void allocates_columns(Warp& w, const Instr* i, unsigned first, unsigned count) = 0;
  /// @param lane  of w, at fault @param cta  whose tensor memory it is
  virtual void accesses_tensor(Warp& w, const Instr* i, int lane, Cta& cta, const TensorRange& range) = 0;
};

}  // namespace bankshot::simt

// Looks for misuse of memory and barriers while kernels run: what the engine itself lets pass, since on hardware it
// ends in wrong values and not in a fault. Instructions get a wrapper when they are decoded; without checks there is
// none.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "bankshot/hazards/quick_races.hpp"
#include "bankshot/hazards/written_bytes.hpp"
#include "bankshot/simt/checks/finding.hpp"
#include "bankshot/simt/rows/row.hpp"
#include "bankshot/simt/state/checker.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::simt {

/// The mask of one lane.
inline uint64_t lane_bit(unsigned lane) { return uint64_t{1} << lane; }

/// What there is to check at an instruction.
struct CheckedOp {
  enum class Kind : uint8_t {
    none,
    load,
    store,
    atomic,
    fence,
    proxy_fence,
    commit,
    wait,
    copies_arrive,
    barrier,
    members,
    products,     ///< wgmma.mma_async
    tensor_load,  ///< tcgen05.ld
    tensor_wait   ///< tcgen05.wait
  };
  Handler run = nullptr;  ///< the instruction without checks
  Kind kind = Kind::none;
  uint8_t bytes = 0;     ///< an access: of each lane
  bool ignores = false;  ///< an atomic that ignores the old value: exch
  bool strong = false, is_volatile = false, acquires = false, releases = false;
  hazards::SharedRaces::Queue queue = hazards::SharedRaces::kLanes;  ///< commit, wait: of which copies
  bool aligned = false;                  ///< barrier: all lanes of the warp have to execute it together
  uint32_t members = OperandRef::kNone;  ///< row of the membermasks
  bool of_stores = false;                ///< tensor_wait: wait::st
  uint32_t early = 0;  ///< products, tensor_load: index of an instruction that uses their registers too early; 0: none
};

/// What the decoder notes down. @param m  the form that the instruction has
CheckedOp checked_op(const ptx::Instruction& instruction, const Match& m);

/// What is known of a CTA, for the checks requested.
struct CtaChecks {
  /// Shared by all CTAs of the cluster; null if not needed. Race checks need `written` as well. The memories of the
  /// CTAs follow each other, and so do their warps.
  std::shared_ptr<hazards::QuickRaces> races;
  std::shared_ptr<hazards::WrittenBytes> written;
  /// Of lines of kSwizzled bytes that a tensor copy wrote, until something else does; with `memory`.
  struct Swizzled {
    Swizzle swizzle;
    const Instr* by = nullptr;
    Dim3 thread;
  };
  static constexpr uint64_t kSwizzled = 128;
  using Swizzles = std::unordered_map<uint64_t, Swizzled>;
  std::shared_ptr<Swizzles> swizzles;  ///< shared, too
  uint64_t stride = 1;                 ///< from CTA to CTA
  unsigned first_warp = 0;
  /// Lanes of a warp that are at a barrier, and the instruction.
  struct Part {
    const Instr* at = nullptr;
    uint64_t lanes = 0;
    bool aligned = false;
  };
  /// Lanes that others wait for at a .sync instruction, and that went to another place.
  struct Strayed {
    const Instr* awaited_at = nullptr;
    const Instr* went_to = nullptr;
    uint64_t lanes = 0;
  };
  struct OfWarp {
    std::array<Part, 16> parts;
    std::vector<Strayed> strayed;
  };
  std::vector<OfWarp> warps;
  /// Threads that have ended at an instruction.
  struct Ended {
    const Instr* at = nullptr;
    unsigned threads = 0;
    Dim3 first;
  };
  std::vector<Ended> ended;
  /// What tcgen05.ld or tcgen05.st of a warp access and no tcgen05.wait has waited for.
  struct Moved {
    const Instr* by = nullptr;
    unsigned warp = 0;
    TensorRange range;
  };
  std::vector<Moved> moved;
  /// What tcgen05.mma, cp or shift access, until somebody has waited for a tcgen05.commit behind them.
  struct Queued {
    const Instr* by = nullptr;
    unsigned warp = 0;  ///< of the cluster
    TensorRange range;
    std::vector<int64_t> told;  ///< places of mbarriers that commits behind it tell
  };
  std::vector<Queued> queued;
  struct Columns {
    const Instr* by = nullptr;
    unsigned count = 0;
  };
  std::map<unsigned, Columns> columns;  ///< allocations of tensor memory, by their first column
};

class Checks final : public Checker {
 public:
  explicit Checks(CheckOptions options) : options_(options) {}

  const CheckOptions& options() const { return options_; }

  /// Global memory: allocations that are made and freed from now on. Memory::after_allocate and before_free tell it.
  void allocated(const Allocation& allocation);
  void freed(const Allocation& allocation);
  /// All of it is gone.
  void forget_memory() { global_.clear(); }
  void written(uint64_t address, uint64_t bytes) override;
  /// A launch ended so.
  void faulted(const Fault& fault);

  /// What others found.
  void add(Finding finding) { findings_.push_back(std::move(finding)); }

  /// In the order in which they were first found.
  const std::vector<Finding>& findings() const { return findings_; }

  // What handlers call: Checker.
  const Instr* run(Warp& w, const Instr* i, const CheckedOp& op) override;
  void access(Warp& w, const Instr* i, hazards::AccessKind kind, ptx::Space space, uint64_t lanes,
              const uint64_t* addresses, unsigned bytes) override;
  void copies(Warp& w, const Instr* i, uint64_t lanes, const uint32_t* offsets, unsigned bytes) override;
  void copies_bulk(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes, bool writes,
                   int64_t barrier) override;
  void reduces_async(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes,
                     uint64_t barrier) override;
  void swizzles(Warp& w, const Instr* i, uint64_t offset, Swizzle swizzle) override;
  void multiplies(Warp& w, const Instr* i, int lane, uint64_t rows, const uint64_t* offsets, unsigned bytes,
                  Swizzle swizzle) override;
  void arrives(Warp& w, const Instr* i, unsigned barrier, bool waits) override;
  void completes(Cta& cta, unsigned barrier, bool whole) override;
  void meets(Warp& w, uint64_t lanes) override;
  void exits(Warp& w, const Instr* i, uint64_t lanes) override;
  void go_on(Warp& w, uint64_t lanes, const Instr* at) override;
  void have_come(Warp& w, const Instr* i) override;
  void arrives_in_cluster(Warp& w) override;
  void cluster_completes(Cta& cta, const Worker& worker) override;
  void passes_cluster(Warp& w, uint64_t lanes) override;
  void initialises(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) override;
  void arrives_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) override;
  void products_arrive_at(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) override;
  void ends_phase(Warp& w, uint64_t barrier) override;
  void passes(Warp& w, const Instr* i, uint64_t barrier, unsigned lane) override;
  void allocates_columns(Warp& w, const Instr* i, unsigned first, unsigned count) override;
  void accesses_tensor(Warp& w, const Instr* i, int lane, Cta& cta, const TensorRange& range) override;

 private:
  using Key = std::tuple<Finding::Kind, uint64_t, uint32_t, uint64_t, uint64_t>;  ///< program, kernel, places

  CtaChecks& of(Cta& cta, const Worker& worker) { return cta.checks != nullptr ? *cta.checks : made(cta, worker); }
  CtaChecks& of(Warp& w) { return of(*w.cta, *w.worker); }
  CtaChecks& made(Cta& cta, const Worker& worker);
  /// The warp among those of the cluster.
  unsigned warp_of(Warp& w) { return of(w).first_warp + w.index; }
  /// Of an offset in the shared window that in the memory of the cluster (CtaChecks::stride); -1 if nothing is there.
  int64_t place_of(Warp& w, uint64_t offset, uint64_t bytes = 1);
  /// The memory there.
  std::byte* memory_at(Warp& w, uint64_t place);
  /// Of the lanes that access shared memory, those whose address exists. Their offsets become such places.
  uint64_t placed_lanes(Warp& w, uint64_t lanes, uint64_t* offsets, uint64_t bytes);
  /// The bytes that a bulk copy of one lane accesses; reads are checked for uninitialised memory. @return whether they
  /// exist
  bool place_bulk(Warp& w, const Instr* i, unsigned lane, std::array<uint64_t, 64>& at, uint64_t bytes, bool reads,
                  bool writes);
  Dim3 cta_of_rank(const Warp& w, unsigned rank) const;
  const Instr* run_access(Warp& w, const Instr* i, const CheckedOp& op);
  using Value = std::array<std::byte, 32>;  ///< as much as a lane accesses at once
  const Instr* run_store(Warp& w, const Instr* i, const CheckedOp& op, hazards::WarpAccess access);
  std::vector<hazards::Hazard> within_instruction(Warp& w, const Instr* i, const CheckedOp& op,
                                                  const hazards::WarpAccess& access);
  /// Whoever wrote the bytes now did not swizzle them.
  void forget_swizzle(Warp& w, uint64_t place, uint64_t bytes);
  void look_at_swizzle(Warp& w, const Instr* i, unsigned lane, uint64_t rows, const uint64_t* places, Swizzle swizzle);
  void look_for_unwritten(Warp& w, const Instr* i, uint64_t shared, uint64_t global, const uint64_t* addresses,
                          unsigned bytes);
  void mark_written(Warp& w, uint64_t shared, uint64_t global, const uint64_t* addresses, unsigned bytes);
  void synchronise(Warp& w, const CheckedOp& op, uint64_t shared, uint64_t global, const uint64_t* addresses);
  void tell(Warp& w, const std::vector<hazards::Hazard>& found);
  void tell_unwritten(Warp& w, const Instr* i, uint64_t lanes, const uint64_t* addresses, unsigned bytes);
  void copies_arrive(Warp& w, const Instr* i);
  /// The word of an mbarrier, as its operations see it.
  void use_mbarrier(Warp& w, const Instr* i, hazards::AccessKind kind, uint64_t offset, unsigned lane);
  void check_members(Warp& w, const Instr* i, const CheckedOp& op);
  void come_elsewhere(Warp& w, const Instr* i, const uint32_t* masks);
  void stray(Warp& w, const Path& path, uint64_t lanes, const Instr* at);
  void end_awaited(Warp& w, uint64_t lanes);
  /// Whether some instruction of a program is like this.
  struct Has {
    uint64_t program = ~uint64_t{0};  ///< LoadedProgram::serial, of what was asked last
    bool barriers = false, asynchronous = false;
  };
  const Has& has(const LoadedProgram& program);
  void tell_divergence(Warp& w, const CtaChecks::Part& part);
  void tell_places(Warp& a, const CtaChecks::Part& at_a, Warp& b, const CtaChecks::Part& at_b);
  void tell_ended(Warp& w, const CtaChecks::Part& part);
  /// A number for a source line, or a PTX line if there is none: what a loop became that was unrolled is one place.
  uint64_t spot(const Warp& w, const Instr* at) const;
  /// The finding of an instruction, new or not; @param count  is added
  Finding& find(const Warp& w, Finding::Kind kind, const Instr* i, const Instr* other, uint64_t count, bool& is_new);
  void name_shared(Warp& w, Finding& finding, uint64_t place);
  void tell_early(Warp& w, const Instr* i, const CheckedOp& op);
  void tell_unfreed(Warp& w);
  void queue(Warp& w, const Instr* i, Cta& cta, const TensorRange& range);
  void look_at_queue(Warp& w, const Instr* i, int lane, Cta& cta, const TensorRange& range);
  /// f(what is queued for the tensor memory of a CTA), for those of the cluster.
  template <class F>
  void for_queued(Warp& w, F f);
  /// A tcgen05.commit of the warp tells an mbarrier.
  void commits_queued(Warp& w, int64_t place);
  /// Somebody has waited for an mbarrier.
  void waited_for_queued(Warp& w, int64_t place);

  CheckOptions options_;
  Has has_;
  hazards::WrittenRanges global_;
  std::map<Key, size_t> index_;
  std::vector<Finding> findings_;
  std::vector<hazards::Hazard> found_;  ///< of the instruction that runs
};

/// A handler: the wrapper.
const Instr* run_checked(Warp& w, const Instr* i);

}  // namespace bankshot::simt

// Finds accesses to the shared memory of a CTA, or of the CTAs of a cluster, that nothing puts in an order, though one
// of them writes. What is found does not depend on the order in which warps happened to run. Knows nothing of PTX.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "bankshot/hazards/clock.hpp"

namespace bankshot::hazards {

enum class AccessKind : uint8_t { read, write, atomic };

/// An access of some lanes of a warp.
struct WarpAccess {
  AccessKind kind = AccessKind::read;
  bool strong = false;       ///< volatile, relaxed or the like: two of those do not race
  bool is_volatile = false;  ///< … but two volatile ones of one warp are reported: programs rely on their order
  uint32_t site = 0;         ///< the instruction
  unsigned warp = 0;         ///< of the cluster
  uint64_t lanes = 0;
  unsigned width = 4;                 ///< bytes of each lane
  const uint64_t* offsets = nullptr;  ///< by lane: bytes in shared memory
};

/// Two accesses to the same bytes without an order.
struct Hazard {
  enum class Kind : uint8_t { read_after_write, write_after_read, write_after_write };
  Kind kind = Kind::read_after_write;
  uint32_t earlier_site = 0, later_site = 0;
  Agent earlier = 0,
        later = 0;               ///< threads; an agent that copies on behalf of a thread counts as that thread
  bool within_warp = false;      ///< of one warp: hardware that keeps its lanes together hides it
  bool one_instruction = false;  ///< lanes of one warp write one place by one instruction
  bool asynchronous = false;     ///< one is a copy that nobody has waited for
  bool unfenced = false;         ///< a copy reads what was written before it, without a proxy fence in between
  unsigned threads = 1;          ///< how many do what the later one does
  uint64_t offset = 0;           ///< the first byte
  unsigned bytes = 0;            ///< up to 4
};

class SharedRaces {
 public:
  static constexpr unsigned kBarriers = 16;  ///< of a CTA
  static constexpr unsigned kWord = 4;       ///< bytes that accesses are remembered by

  /// @param threads  of a CTA @param lanes  of a warp: thread = warp * lanes + lane @param bytes  of shared memory, of
  /// all CTAs
  /// @param ctas  of the cluster: warps are counted through, each CTA's after those of the one before
  SharedRaces(unsigned threads, unsigned lanes, uint64_t bytes, unsigned ctas = 1);

  /// Accesses within shared memory. Hazards are appended to `found`.
  void access(const WarpAccess& access, std::vector<Hazard>& found);
  /// The hazards that access() would find. Nothing is remembered.
  void look(const WarpAccess& access, std::vector<Hazard>& found) const;

  // What orders.
  /// Lanes end. Barriers of the whole CTA do not wait for them any more: who passes one knows what they did.
  void exit(unsigned warp, uint64_t lanes);
  /// Lanes arrive at a barrier of their CTA, of which it has kBarriers. @param waits  they go on when it is complete
  void arrive(unsigned barrier, unsigned warp, uint64_t lanes, bool waits);
  /// @param whole  of all threads of the CTA, not of a number of them
  void complete(unsigned barrier, bool whole = true, unsigned cta = 0);
  /// Lanes of a warp meet (__syncwarp).
  void meet(unsigned warp, uint64_t lanes);
  void fence(unsigned warp, uint64_t lanes);
  /// What lanes know of goes before what bulk copies read that know of this fence: these go another way to memory (the
  /// async proxy: PTX ISA 9.0, section 8.6, and fence.proxy.async in 9.7.13.4).
  void fence_proxy(unsigned warp, uint64_t lanes);
  /// A strong access of a lane to a place: a byte in shared memory, or an address in global memory, which never are
  /// alike.
  /// @param reads, writes  what it does there @param acquires, releases  by itself, without a fence
  void synchronise(unsigned warp, unsigned lane, uint64_t place, bool reads, bool writes, bool acquires, bool releases);

  // Asynchronous copies.
  /// On behalf of the calling thread, which waits for them in groups, those of cp.async, bulk copies and wgmma apart.
  enum Queue : uint8_t { kLanes, kBulks, kProducts };
  static constexpr size_t kQueues = 3;
  /// From now on copies of any thread of these warps are copies of all: each may wait for them.
  void share_copier(unsigned first_warp, unsigned warps, Queue queue);
  void copy_async(const WarpAccess& access, Queue queue, std::vector<Hazard>& found);
  void commit_group(unsigned warp, uint64_t lanes, Queue queue);
  /// All but the last `groups` have ended; with ~0 all copies.
  void wait_groups(unsigned warp, uint64_t lanes, uint64_t groups, Queue queue);
  /// By the copy engine, which completes on the mbarrier at this offset. One lane.
  void copy_bulk(const WarpAccess& access, uint64_t barrier, std::vector<Hazard>& found);

  // mbarriers, by offset.
  void initialise_mbarrier(uint64_t barrier);
  void arrive_mbarrier(uint64_t barrier, unsigned warp, unsigned lane);
  /// … when the copies of the queue that the lane has begun are there.
  void arrive_mbarrier_async(uint64_t barrier, unsigned warp, unsigned lane, Queue queue);
  /// Its phase is over. @param with_ended  threads that have ended count as arrived
  void end_phase(uint64_t barrier, bool with_ended = false);
  /// A lane has seen that the phase before the present one is over.
  void pass_mbarrier(uint64_t barrier, unsigned warp, unsigned lane);

 private:
  struct Entry {
    uint64_t lanes = 0;  ///< of a warp; of an agent that copies: bit 0
    uint32_t step = 0, site = 0;
    uint32_t owner = 0;  ///< the warp, or kCopies + the agent
    Agent by = 0;        ///< of an agent that copies: the thread that issued the copy
    uint8_t bytes = 0;   ///< of the word, a bit each
    AccessKind kind = AccessKind::read;
    bool strong = false, is_volatile = false;
  };
  static constexpr uint32_t kCopies = 1u << 31;
  /// Mostly one or none, which is kept in place.
  class Entries {
   public:
    Entry* begin() { return many_ ? many_->entries.data() : &one_; }
    Entry* end() { return begin() + count_; }
    const Entry* begin() const { return many_ ? many_->entries.data() : &one_; }
    const Entry* end() const { return begin() + count_; }
    size_t size() const { return count_; }
    void push(const Entry& entry);
    /// Keeps the first ones.
    void keep(size_t count);
    /// Puts it in place of all.
    void set(const Entry& entry);
    /// Whether a warp may have an entry.
    bool may_have(uint32_t owner) const;

    /// Group::clock_id of a clock to which a part of each entry is unknown; 0: none.
    uint32_t unknown_to = 0;

   private:
    uint32_t count_ = 0;
    Entry one_;
    struct Many {
      std::vector<Entry> entries;
      uint64_t owners = 0;  ///< a bit for each, modulo 64
    };
    std::unique_ptr<Many> many_;  ///< has them if there once were several
  };
  /// All that is known of 4 bytes: accesses that are not known to all who came later.
  struct Word {
    Entries reads, writes;
  };
  static constexpr size_t kPageWords = 256;
  using Page = std::array<Word, kPageWords>;
  struct Thread {
    Clock clock;
    uint32_t fenced = 0;  ///< its own step at its last proxy fence
    Clock released;       ///< what was known of and to it at its last fence
    Clock seen;           ///< of strong reads, until its next fence
    struct Copies {
      Agent copier = 0;              ///< 0: none yet
      std::vector<uint32_t> groups;  ///< its step at each commit that was not waited for
    } copies[kQueues];               ///< by queue
  };
  /// What those who arrive somewhere know together.
  class Gathering {
   public:
    void add(const Clock& clock);
    void add(Agent agent, uint32_t step);
    /// Ends it.
    Clock take();
    Clock so_far() const;

   private:
    std::shared_ptr<Steps> steps_;
    Clock last_;  ///< added last: most who meet know the same
  };
  struct Barrier {
    Gathering arrived;
    std::vector<Agent> waiting;
  };
  struct MBarrier {
    Gathering open;  ///< the present phase
    Clock done;      ///< the one before
    Agent copier = 0;
    uint32_t phase = 1;
  };

  unsigned cta_of(unsigned warp) const { return warp / warps_; }
  Agent thread(unsigned warp, unsigned lane) const { return warp * lanes_ + lane; }
  Agent new_agent();
  void learn(Agent thread, const Clock& clock);
  /// What it knows, with what it has done itself.
  Clock with_own(Agent thread, unsigned warp) const;
  void gather(Gathering& into, unsigned warp, uint64_t lanes);
  Agent copier_of(Agent thread, Queue queue);
  /// Who asks: some lanes of a warp that know the same.
  struct Group {
    unsigned warp;
    uint64_t lanes;
    const Clock* clock;
    uint32_t clock_id;  ///< differs between clocks; 0: not assigned yet
  };
  /// Some lanes that go to one place and know the same.
  struct Part {
    Group group;
    uint64_t offset;
  };
  /// What there is of an access, in the order of the first lanes.
  struct Parts {
    bool disjoint = false;  ///< each lane has its own, whole words
    bool apart = false;     ///< no two lanes go to one place
    unsigned count = 0;
    std::array<Part, 64> all;
    const Part* begin() const { return all.data(); }
    const Part* end() const { return all.data() + count; }
  };
  /// The lanes of a warp of whose step a clock does not know.
  uint64_t behind(const Clock& clock, unsigned warp, uint32_t step) const;
  uint32_t id_of(const Clock& clock) const;
  uint64_t unknown_lanes(const Entry& entry, const Group& group) const;
  /// The lanes of an earlier write that no proxy fence has made known to a thread that lets copy.
  uint64_t unfenced_lanes(const Entry& entry, const Group& group) const;
  void compare(const Entries& earlier, const Group& group, const Entry& mine, uint64_t word,
               std::vector<Hazard>& found) const;
  /// f(word, entry of its bytes) for the words of an access.
  template <class F>
  void for_words(Entry mine, uint64_t offset, uint64_t width, F f) const;
  void parts_of(const WarpAccess& access, Parts& parts) const;
  Entry entry_of(const WarpAccess& access, const Group& group) const;
  void look_within(const WarpAccess& access, const Parts& parts, std::vector<Hazard>& found) const;
  void look(const WarpAccess& access, const Parts& parts, std::vector<Hazard>& found) const;
  void look_at(const Group& group, const Entry& mine, uint64_t offset, uint64_t width,
               std::vector<Hazard>& found) const;
  void look_at(const Word& word, uint64_t index, const Group& group, const Entry& mine,
               std::vector<Hazard>& found) const;
  void remember(const Group& group, const Entry& mine, uint64_t offset, uint64_t width);
  void remember(Word& word, const Group& group, const Entry& mine) const;
  void touch(const Group& group, const Entry& mine, uint64_t offset, uint64_t width, std::vector<Hazard>& found);
  bool touch_simple(Word& word, const Group& group, const Entry& mine) const;
  Word& word_at(size_t index);
  void put(Entries& entries, const Group& group, const Entry& mine) const;

  unsigned lanes_;  ///< of a warp
  unsigned warps_;  ///< of a CTA
  std::vector<Thread> threads_;
  std::vector<uint32_t> step_;    ///< by warp
  std::vector<uint32_t> copies_;  ///< by agent behind the threads: its step
  size_t words_;
  std::vector<std::unique_ptr<Page>> pages_;  ///< null: not accessed yet
  std::vector<Barrier> barriers_;             ///< by CTA
  std::vector<Gathering> exited_;             ///< by CTA: what threads did that have ended
  /// The first of as many agents as there are threads: their steps are those that a proxy fence has come after. 0: none
  /// yet.
  Agent fenced_ = 0;
  Clock at_fence_[2];  ///< the last clock at a proxy fence: before and after
  std::unordered_map<uint64_t, MBarrier> mbarriers_;
  std::unordered_map<uint64_t, Clock> places_;
  Clock learnt_[3];  ///< the last that a thread learnt: it knew, was told, and then knew
  /// What behind() found last, two a warp: of steps with an even and an odd number.
  struct Behind {
    Clock clock;
    uint32_t step = 0;  ///< 0: nothing yet
    uint64_t lanes = 0;
  };
  mutable std::vector<Behind> behind_;
  mutable Clock numbered_;   ///< what id_of() was asked last
  mutable uint32_t id_ = 0;  ///< … and its number
};

}  // namespace bankshot::hazards

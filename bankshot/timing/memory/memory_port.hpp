// The load/store unit of an SM toward global memory: its queue, the first-level cache, misses under way, stores under
// way.
#pragma once

#include <span>
#include <vector>

#include "bankshot/scratchpad/access/cache_lines.hpp"
#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/base/ring.hpp"
#include "bankshot/timing/memory/fetch_table.hpp"
#include "bankshot/timing/memory/packet.hpp"
#include "bankshot/timing/memory/sector_cache.hpp"

namespace bankshot::timing {

/// Accesses wait in one queue, in order; its head looks up `l1.tags` lines a cycle. A load that misses takes a miss
/// register (or joins one that waits for the same sectors); where none is free, and where too many stores are under
/// way, the queue stands still. Stores write through; of global memory they evict the sectors they change, of local
/// memory they keep them. Strong loads (volatile and such) and those that say
/// so (.cg) bypass the cache, and are not merged with others.
class MemoryPort {
 public:
  MemoryPort(const Config& config, unsigned sm);

  /// An access whose last line is there, or acknowledged.
  struct Completion {
    Packet::Kind kind = Packet::Kind::load;
    uint32_t warp = 0, generation = 0, instr = 0;  ///< as given to enter()
    Cycle ready = 0;                               ///< cycle at which a dependent instruction can issue
    bool has_left = false;                         ///< instead: by then its last line has left the SM
  };

  bool is_full() const { return queue_.size() >= config_.load_store.queue; }
  struct Access {
    Packet::Kind kind = Packet::Kind::load;
    uint32_t warp = 0, generation = 0, instr = 0;
    bool local = false, strong = false;
    bool tells_when_left =
        false;  ///< a store or atomic that is completed twice: when it has left, and when it is there
  };
  /// Requires !is_full(), and that advance(now) was called if something was due. The first line is looked up at once if
  /// nothing waits.
  void enter(Cycle now, const Access& access, const scratchpad::LineRequests& lines);

  /// Answers of partitions to this SM, by time; all arrive after everything advanced over so far.
  void receive(std::span<const Packet> answers);

  /// Nothing happens before this cycle.
  Cycle next_event() const;
  /// Does the work due at cycle `now`, not before next_event(): answers, and one lookup.
  void advance(Cycle now);
  /// The accesses completed by these; the caller clears the list.
  std::vector<Completion>& completions() { return completions_; }

  /// From now on packets go to one of two outboxes, which is emptied: the other can be read meanwhile.
  void use_outbox(unsigned which);
  /// What was sent, by channel.
  const std::vector<std::vector<Packet>>& outbox(unsigned which) const { return outbox_[which]; }
  /// Whether anything was sent since use_outbox().
  bool has_sent() const { return has_sent_; }
  /// Whether stores or atomics were.
  bool has_sent_stores() const { return has_sent_stores_; }
  /// A flit of a store or atomic takes so many times as long as one of a load from now on. @param pace  in kPace
  void set_pace(unsigned pace) { pace_ = pace; }
  static constexpr unsigned kPace = 128;
  bool is_idle() const { return queue_.empty() && answers_.empty() && under_way_ == 0; }

  void begin_launch(unsigned l1_bytes);  ///< the cache has so many, and is empty
  Counters& counters() { return counters_; }

 private:
  struct Queued {
    uint32_t ticket = 0;
    Access access;
    scratchpad::LineRequests lines;
    unsigned next = 0;
  };
  struct Ticket {
    Completion completion;
    uint32_t remaining = 0;
  };
  struct Answer {
    Cycle at = 0;
    Packet packet;
  };
  void look_up(Cycle now);
  bool look_up_line(Cycle now, const Queued& head);
  bool load(Cycle now, const Queued& head, const scratchpad::LineRequest& line);
  bool write(Cycle now, const Queued& head, const scratchpad::LineRequest& line);
  void answer(Cycle now, const Packet& packet);
  void line_done(uint32_t ticket, Cycle ready);
  void send(Cycle now, Packet::Kind kind, const scratchpad::LineRequest& line, uint8_t sectors, uint32_t tag);

  const Config& config_;
  const uint16_t sm_;
  SectorCache cache_;
  unsigned l1_bytes_ = 0;
  Counters counters_;
  Ring<Queued> queue_;
  Cycle lookup_at_ = kNever;  ///< of the head; kNever while it waits for an answer
  Cycle lookup_free_ = 0;     ///< the cycle behind the last lookup
  std::vector<Ticket> tickets_;
  std::vector<uint32_t> free_tickets_;
  FetchTable<uint32_t> misses_;          ///< those who wait are tickets
  unsigned stores_ = 0, under_way_ = 0;  ///< packets not answered: of stores and atomics, of all
  Ring<Answer> answers_;
  std::vector<Completion> completions_;
  std::array<std::vector<std::vector<Packet>>, 2> outbox_;
  unsigned box_ = 0;
  bool has_sent_ = false, has_sent_stores_ = false;
  unsigned pace_ = kPace;
  ClockRatio to_network_, to_core_;
  Cycle in_free_ = 0;                     ///< the SM's port for what comes, in cycles of the network
  Cycle out_free_ = 0, stores_free_ = 0;  ///< its port for what goes, its part of the group's, in these times kPace
};

}  // namespace bankshot::timing

// Finds the same races as SharedRaces, with less work. A barrier of all threads of a CTA orders everything before it
// before everything after it, and between two such barriers few words are used by two threads of which one writes. As
// long as there is no such word, nothing can race: accesses are only recorded, and dropped at the next barrier. When
// there is one, SharedRaces gets the recorded accesses, and all others until the next barrier.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bankshot/hazards/shared_races.hpp"

namespace bankshot::hazards {

class QuickRaces {
 public:
  /// @param alive  threads that have not ended @param always_exact  nothing is left out, which asynchronous copies,
  /// mbarriers and clusters need. The rest as of SharedRaces
  QuickRaces(unsigned threads, unsigned lanes, uint64_t bytes, unsigned ctas, unsigned alive, bool always_exact);

  // As of SharedRaces.
  void access(const WarpAccess& access, std::vector<Hazard>& found);
  void exit(unsigned warp, uint64_t lanes);
  void arrive(unsigned barrier, unsigned warp, uint64_t lanes, bool waits);
  void complete(unsigned barrier, bool whole, unsigned cta);
  void meet(unsigned warp, uint64_t lanes);
  void fence(unsigned warp, uint64_t lanes);
  void synchronise(unsigned warp, unsigned lane, uint64_t place, bool reads, bool writes, bool acquires, bool releases);

  /// Whether a strong access that does not release may matter: a fence or a release has published something.
  bool is_told() const { return exact_ != nullptr || told_; }
  /// Knows everything since the last barrier, and gets every access until the next one.
  SharedRaces& exact();
  bool is_exact() const { return exact_ != nullptr; }

 private:
  /// What has happened, in order.
  struct Event {
    enum class Kind : uint8_t { access, exit, arrive, complete, meet, fence, synchronise };
    Kind kind = Kind::access;
    uint8_t barrier = 0;
    bool flags[4] = {};   ///< arguments that are true or false, in order
    unsigned number = 0;  ///< the CTA of a barrier that is complete; the lane that synchronises
    WarpAccess access;    ///< of all kinds: warp and lanes; its offsets are in offsets_
    uint64_t place = 0;
    size_t first_offset = 0;
  };
  static constexpr size_t kMostEvents = 1 << 15;  ///< then it is exact

  bool is_simple(const WarpAccess& access);
  static Event event_of(Event::Kind kind, unsigned warp, uint64_t lanes);
  /// Writes an event down, or tells the exact one, which finds no hazard by it.
  void note(const Event& event);
  void tell(const Event& event);
  void begin_anew();

  unsigned threads_, lanes_, ctas_;
  uint64_t bytes_;
  unsigned alive_;
  bool always_exact_;
  std::vector<unsigned> waiting_;  ///< threads, by barrier
  std::unique_ptr<SharedRaces> exact_;
  std::vector<Event> events_;
  std::vector<uint32_t> offsets_;  ///< of accesses, those of lanes that take part
  /// By word, what was done there: in the upper half era_ at that time, below it the kinds of accesses, a bit each, and
  /// the thread, counted from 1, or kSeveral. What is of another era is forgotten.
  std::vector<uint64_t> words_;
  uint64_t era_ = 0;   ///< goes up at each barrier of all threads
  bool told_ = false;  ///< by a fence or a release, since the last barrier
};

}  // namespace bankshot::hazards

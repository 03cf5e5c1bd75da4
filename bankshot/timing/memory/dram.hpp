// One DRAM channel: the controller that chooses commands, and the state of its banks.
//
// Open page: a row stays open until another row of its bank is wanted. First ready, first come first served: of the
// column commands that can issue the one of the oldest request; else of activates and precharges that of the oldest
// request. A bank's row hits are served in their order of age, and its row is not closed while there are any, except
// for a request that many younger ones have passed. A request is some bursts of one row, whose column commands follow
// each other as closely as they can; row commands of other banks go between them. At most one command a cycle. There is
// no refresh, no limit on activates but rrd (no tFAW), and reads do not look into writes that wait: values are kept
// elsewhere.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "bankshot/timing/base/clock.hpp"
#include "bankshot/timing/base/config.hpp"
#include "bankshot/timing/base/counters.hpp"
#include "bankshot/timing/memory/address_map.hpp"

namespace bankshot::timing {

/// All times are ticks of the command clock. What follows what, at the earliest (names of DramConfig; data of a read
/// begin cl after its command, of a write cwl, and last burst_cycles):
///   column after activate of its bank                 rcd
///   column after column                               ccd, and a free data bus; of one request max(ccd, burst_cycles)
///   read after write                                  wtr after the last data
///   activate after precharge of its bank              rp
///   activate after activate                           rc in its bank, rrd in any
///   precharge after activate of its bank              ras
///   precharge after read of its bank                  burst_cycles
///   precharge after write of its bank                 wr after the last data
class DramChannel {
 public:
  /// @param counters  where dram_… are counted; outlives this
  DramChannel(const DramConfig& config, Counters& counters);

  bool full() const { return free_ == kNone; }

  /// Something to read or write. The queue must not be full.
  /// @param bursts  1 to 255, all in the row
  /// @param tag     the caller's
  /// @param tick    when it comes; no command before is outstanding (next_command() >= tick)
  void push(DramPlace place, unsigned bursts, bool write, uint32_t tag, Cycle tick);

  /// When the next command issues, if no request arrives before; kNever if there are no requests.
  Cycle next_command() {
    if (!chosen_) choose();
    return next_tick_;
  }

  /// What issue() did.
  struct Issued {
    bool column = false;  ///< a request was served and has left the queue
    bool write = false;
    uint32_t tag = 0;
    Cycle data = 0;  ///< the first tick after its last data on the bus
  };
  /// Issues the next command, of which there must be one: of a request's column commands all, the first of them then.
  Issued issue();

 private:
  static constexpr uint32_t kNone = ~uint32_t{0};
  static constexpr uint64_t kNoRow = ~uint64_t{0};
  enum Command : uint8_t { kRead, kWrite, kActivate, kPrecharge };

  struct Request {
    uint64_t row = 0, age = 0;  ///< age: number of the request, from 0
    uint32_t tag = 0, next = kNone;
    uint8_t bursts = 1;
    bool write = false;
  };
  struct Bank {
    uint64_t row = kNoRow;
    Cycle activate = 0, column = 0, precharge = 0;  ///< from when these may come
    uint32_t first = kNone, last = kNone;           ///< its requests, by age
    uint32_t before = kNone;                        ///< the request before the next command's, if that is not the first
    bool fresh = false;                             ///< the row was opened and not used yet
  };
  /// The next command of a bank that has requests; side by side, as all are looked at for every command.
  struct Next {
    Cycle from = 0;      ///< of the bank's own times
    uint64_t order = 0;  ///< of the ready ones, the smallest goes first: columns first, then by age
    uint32_t bank = 0, request = 0;
    Command command = kRead;
  };

  void decide(uint32_t bank);  ///< what the bank wants next
  void choose();               ///< the next command of all banks
  void serve(Bank& bank, const Next& next, Cycle tick, Issued& issued);
  void take(Bank& bank, uint32_t request);
  Cycle slot(Cycle tick) const;  ///< the first from then on that no column command has

  DramConfig config_;
  Counters& counters_;
  std::vector<Request> requests_;
  std::vector<Bank> banks_;
  std::vector<Next> nexts_;        ///< of banks with requests, in no order
  std::vector<uint32_t> next_of_;  ///< bank -> its place in nexts_, or kNone
  uint32_t free_ = kNone;          ///< list of free requests
  uint64_t ages_ = 0;
  std::array<Cycle, 4> from_{};                ///< by Command: what all banks share
  Cycle command_free_ = 0;                     ///< one command a cycle, and so no other before this
  Cycle spacing_;                              ///< of the column commands of a request
  Cycle columns_begin_ = 0, columns_end_ = 0;  ///< column commands of the last request served: [begin, end)
  bool chosen_ = true;                         ///< what follows is up to date
  Cycle next_tick_ = kNever;
  uint32_t next_place_ = 0;  ///< in nexts_
};

}  // namespace bankshot::timing

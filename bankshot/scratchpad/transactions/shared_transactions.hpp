// Conflict detection and version management of transactions on the shared memory of one CTA. Source: GPU-LocalTM,
// sections 3.2 (eager: new values in place, old ones in shadow memory) and 3.3 (signatures in each bank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "bankshot/scratchpad/transactions/tx_config.hpp"
#include "bankshot/scratchpad/transactions/tx_totals.hpp"

namespace bankshot::scratchpad {

/// Threads are numbered in the CTA; lanes of a warp by `first`, the thread of its lane 0. Words are bank words.
class SharedTransactions {
 public:
  SharedTransactions(const Rules& rules, const TxConfig& config) : rules_(rules), config_(config) {}

  /// A CTA begins that has these bytes of shared memory; they stay where they are.
  void start(std::byte* shared, uint32_t bytes, unsigned threads);

  /// One access of a warp in a transaction; the arguments are those of cost().
  struct Access {
    AccessKind kind = AccessKind::load;
    unsigned width = 4;
    const uint32_t* addresses = nullptr;
    uint64_t mask = 0;
    unsigned first = 0;
  };
  struct Outcome {
    uint64_t conflicts = 0;  ///< lanes that must not perform it: their writes are undone, their words are free
    unsigned passes = 0;     ///< of the banks, each of which serves one lane after the other
    unsigned cycles = 0;     ///< that detection and versions add to them
  };
  /// Must be called before the access is performed, for it keeps the old values.
  Outcome access(const Access& access, TxTotals& totals);

  /// The words of these lanes are theirs no more, with the values that they have. @return cycles: entries of the
  /// slowest bank
  unsigned commit(unsigned first, uint64_t lanes) { return release(first, lanes, false); }
  /// … with the values that they had.
  unsigned abort(unsigned first, uint64_t lanes) { return release(first, lanes, true); }

  /// abort() of all threads but those of a warp.
  unsigned abort_others(unsigned first, unsigned lanes);

  /// Whether the thread has no words. For tests.
  bool owns_nothing(unsigned thread) const;

 private:
  struct Shadow {
    uint64_t backup = 0;
    uint16_t owner = 0;    ///< thread + 1; 0: none. A byte with a valid bit, in the paper's CTA of 256 threads
    bool written = false;  ///< by its owner
  };
  /// What a thread has.
  struct Log {
    std::vector<uint32_t> owned, read;  ///< words; read: only where sets are separate
    std::vector<uint32_t> marks;        ///< its bits in filters, as indices of marks_ rows
  };
  /// A lane at a word of a bank.
  struct Request {
    uint32_t word = 0;
    uint8_t lane = 0, bank = 0;
    uint16_t turn = 0;  ///< how many the bank serves before
  };
  enum class Set : uint8_t { read = 0, written = 1 };

  void collect(const Access& access, LaneMask phase);
  unsigned serve(const Request& request, const Access& access, uint64_t& conflicts, TxTotals& totals);
  uint32_t row_of(uint32_t word, Set set) const;
  bool others_have(uint32_t row, unsigned thread) const;
  bool truly_conflicts(uint32_t word, unsigned thread, bool writes) const;
  void mark(uint32_t row, unsigned thread);
  bool own(uint32_t word, unsigned thread);
  void release(unsigned thread, bool restore);
  unsigned release(unsigned first, uint64_t lanes, bool restore);
  unsigned slowest_bank() const;
  unsigned bank_of(uint32_t word) const { return rules_.bank(word); }
  unsigned shift() const { return rules_.bank_bytes == 8 ? 3 : 2; }

  const Rules rules_;
  const TxConfig config_;
  std::byte* shared_ = nullptr;
  uint32_t bytes_ = 0;
  unsigned log2_bits_ = 3;
  uint32_t classes_ = 0;           ///< words that detection can tell apart
  size_t row_words_ = 1;           ///< of 64 threads
  std::vector<uint64_t> marks_;    ///< by set and class: a row of threads
  std::vector<Shadow> shadow_;     ///< by word
  std::vector<Log> logs_;          ///< by thread
  std::vector<Request> requests_;  ///< room
  std::vector<unsigned> by_bank_;  ///< room
};

}  // namespace bankshot::scratchpad

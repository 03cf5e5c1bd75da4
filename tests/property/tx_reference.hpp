// The reference of random transactional programs: threads run one at a time, one whole transaction after the other.
#pragma once

#include <array>
#include <vector>

#include "bankshot/scratchpad/access/access.hpp"
#include "tests/property/tx_program.hpp"

namespace bankshot::simt::tx {

/// Of one lane in a transaction.
struct Access {
  scratchpad::AccessKind kind = scratchpad::AccessKind::load;
  uint32_t offset = 0, width = 0;
  bool global = false;             ///< the offset is one in global memory
  std::array<uint8_t, 16> seen{};  ///< of loads and atomics
  std::array<uint8_t, 16> left{};  ///< by stores and atomics
  bool operator==(const Access&) const = default;
};
std::string text(const Access& access);

/// The threads of one CTA.
class Reference {
 public:
  /// @param global  words of global memory: those of all CTAs
  Reference(const Program& program, unsigned cta, std::vector<uint8_t>& global);

  /// Runs a thread to the end of its next transaction, which accesses memory so, or to its end.
  /// @return whether it was a transaction
  bool run(unsigned thread, std::vector<Access>& accesses);

  std::vector<uint8_t> memory;
  uint32_t checksum(unsigned thread) const { return threads_[thread].r[0]; }

 private:
  struct Thread {
    size_t at = 0;
    unsigned depth = 0;  ///< of transactions
    bool carry = false;
    std::array<uint32_t, kWords> r{};
    std::array<uint64_t, kWides> q{};
    std::array<uint16_t, kHalves> h{};
    std::array<bool, kPredicates> p{};
    std::array<uint32_t, kLocals> local{};
    std::vector<uint32_t> counters;
  };

  bool compute(Thread& t, const Op& op) const;
  void access(unsigned thread, const Op& op, std::vector<Access>& accesses);
  void call(unsigned thread, const Op& op, std::vector<Access>& accesses);
  /// Where the access goes; it says so in `access`.
  uint8_t* place(unsigned thread, const Op& op, Access& access);

  const Program& program_;
  std::vector<uint8_t>& global_;
  std::vector<size_t> labels_;
  std::vector<Thread> threads_;
};

}  // namespace bankshot::simt::tx

// A CTA's shared memory with transactions on it: what the tests of conflict detection share.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/scratchpad/transactions/shared_transactions.hpp"

namespace bankshot::scratchpad {

/// What a lane asks for.
struct LaneAt {
  unsigned lane;
  uint32_t address;
};

/// Byte k holds k + k / 256, so that words differ.
class TxMemory {
 public:
  explicit TxMemory(const TxConfig& config = {}, uint32_t bytes = 4096, const Rules& rules = {}, unsigned threads = 256)
      : transactions_(rules, config), bytes_(bytes + kGuard) {
    for (uint32_t k = 0; k < bytes_.size(); ++k) bytes_[k] = std::byte(k + k / 256);
    transactions_.start(bytes_.data(), bytes, threads);
  }

  SharedTransactions::Outcome access(AccessKind kind, const std::vector<LaneAt>& lanes, unsigned width = 4,
                                     unsigned first = 0) {
    std::array<uint32_t, kMaxLanes> addresses{};
    uint64_t mask = 0;
    for (const LaneAt& at : lanes) {
      addresses[at.lane] = at.address;
      mask |= uint64_t{1} << at.lane;
    }
    return transactions_.access({kind, width, addresses.data(), mask, first}, totals);
  }
  SharedTransactions::Outcome load(const std::vector<LaneAt>& lanes, unsigned width = 4) {
    return access(AccessKind::load, lanes, width);
  }
  /// … and writes `value` into each byte of the lanes that may.
  SharedTransactions::Outcome store(const std::vector<LaneAt>& lanes, unsigned width = 4, uint32_t value = 0xee) {
    const SharedTransactions::Outcome outcome = access(AccessKind::store, lanes, width);
    write(lanes, outcome.conflicts, width, value);
    return outcome;
  }
  void write(const std::vector<LaneAt>& lanes, uint64_t but, unsigned width, uint32_t value) {
    for (const LaneAt& at : lanes) {
      if ((but >> at.lane & 1) == 0) std::memset(bytes_.data() + at.address, static_cast<int>(value), width);
    }
  }
  unsigned commit(uint64_t lanes) { return transactions_.commit(0, lanes); }
  unsigned abort(uint64_t lanes) { return transactions_.abort(0, lanes); }

  /// Whether the bytes are as they were at first.
  bool untouched(uint32_t at, uint32_t count) const {
    for (uint32_t k = at; k < at + count; ++k) {
      if (bytes_[k] != std::byte(k + k / 256)) return false;
    }
    return true;
  }
  bool all_untouched() const { return untouched(0, static_cast<uint32_t>(bytes_.size())); }
  int byte(uint32_t at) const { return std::to_integer<int>(bytes_[at]); }
  SharedTransactions& transactions() { return transactions_; }

  TxTotals totals;

 private:
  static constexpr uint32_t kGuard = 64;  ///< bytes behind the CTA's, which are nobody's
  SharedTransactions transactions_;
  std::vector<std::byte> bytes_;
};

/// All that there are, by name.
struct Organisation {
  std::string name;
  TxConfig config;
};
inline std::vector<Organisation> organisations() {
  std::vector<Organisation> all;
  for (const bool separate : {false, true}) {
    const std::string sets = separate ? "_separate" : "_one";
    TxConfig config;
    config.separate = separate;
    config.exact = true;
    all.push_back({"exact" + sets, config});
    config.exact = false;
    for (const unsigned bits : {4u, 8u, 16u, 32u}) {
      for (const NamedSignatureHash& hash : signature_hashes()) {
        config.filter_bits = bits;
        config.hash = &hash;
        all.push_back({"bloom" + std::to_string(bits) + "_" + std::string(hash.name) + sets, config});
      }
    }
  }
  return all;
}

}  // namespace bankshot::scratchpad

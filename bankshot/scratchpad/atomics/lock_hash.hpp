// Which lock bit guards a word of shared memory.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

constexpr unsigned kMaxLockBits = 12;

/// Words share lock bits. Without a hash, word a has lock a mod 2^lock_bits: bits 11:2 of the byte address and 1,024
/// locks on Fermi. Source: the TPDS'13 paper, section 2.1.3; the ICCD'13 paper, section IV for hashes.
struct LockHash {
  enum class Kind : uint8_t { linear, add };

  Kind kind = Kind::linear;
  unsigned address_bits = 14;
  unsigned lock_bits = 10;  ///< at most kMaxLockBits and address_bits
  unsigned field_bits = 5;  ///< add: the word address is cut into fields of this many bits, those of the banks
  std::array<uint32_t, kMaxLockBits> row{};  ///< linear: lock bit i is the parity of (word & row[i])

  unsigned locks() const { return 1u << lock_bits; }
  /// @param word  word address; bits above address_bits do not matter
  unsigned lock(uint32_t word) const;
  bool operator==(const LockHash&) const = default;
};

/// A lock hash, looked up.
class LockTable {
 public:
  explicit LockTable(const LockHash& hash) : of_(size_t{1} << hash.address_bits) {
    for (uint32_t word = 0; word < of_.size(); ++word) of_[word] = static_cast<uint16_t>(hash.lock(word));
  }
  unsigned lock(uint32_t word) const { return of_[word & (of_.size() - 1)]; }

 private:
  std::vector<uint16_t> of_;
};

/// Sizes of a lock hash: the fields are those of the banks.
struct LockSize {
  unsigned address_bits = 14, lock_bits = 10, bank_bits = 5;
};

/// none, xor, add, or rows:R0,R1,… with a row for each lock bit, bit 0 first.
///   none  (f0, f1)            = a mod 2^lock_bits, f being the fields of bank_bits
///   xor   (f0 ^ f1, f1 ^ f2)
///   add   (f0 + f1, f1 + f2), each modulo 2^bank_bits
/// A lock bit lives in the bank of its word, so its low half is the bank as hashed. That the high half takes in f2 is
/// inferred: without address bits from 10 up, lock conflicts would remain in figure 5c of the ICCD'13 paper, and it has
/// none.
Result<LockHash> parse_lock_hash(std::string_view spec, LockSize size);
/// What parse_lock_hash makes it of.
std::string spec(const LockHash& hash, LockSize size);

}  // namespace bankshot::scratchpad

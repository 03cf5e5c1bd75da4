// How transactions on shared memory find conflicts, and what they charge. Source: Hardware Support for Local Memory
// Transactions on GPU Architectures (GPU-LocalTM), sections 3.3 and 4.2; section 7 leaves other organisations to the
// future.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace bankshot::scratchpad {

/// Where in a filter of 2^log2_bits bits a word falls that is the position-th of its bank.
using SignatureHash = uint32_t (*)(uint32_t position, unsigned log2_bits);

struct NamedSignatureHash {
  std::string_view name, summary;
  SignatureHash hash;
};
/// "modulo" is the paper's.
std::span<const NamedSignatureHash> signature_hashes();
const NamedSignatureHash* find_signature_hash(std::string_view name);

struct TxConfig {
  bool perfect = false;      ///< the same behaviour, and no cycle charged for it: the paper's Perfect GPU-LocalTM
  bool exact = false;        ///< a word conflicts with itself only; else Bloom filters, one of each bank and thread
  unsigned filter_bits = 8;  ///< of a Bloom filter: a power of two, 4 to 32
  const NamedSignatureHash* hash = nullptr;  ///< of a Bloom filter; null: modulo
  bool separate = false;   ///< sets of words read and of words written; else one of both, and two readers conflict
  bool exclusive = false;  ///< one warp of a CTA at a time is in a transaction; the paper lets them overlap
  bool operator==(const TxConfig&) const = default;

  SignatureHash hash_function() const { return hash != nullptr ? hash->hash : signature_hashes()[0].hash; }
  /// Filters of a bank and thread.
  unsigned filters() const { return exact ? 0 : separate ? 2 : 1; }
};

/// "bloom, 8 bits, modulo, one set"
std::string text(const TxConfig& config);

/// What an event adds to the cycles of its instruction: section 4.2.
struct TxCosts {
  unsigned query = 1;   ///< an access: all filters of its bank are looked at
  unsigned check = 1;   ///< … its own filter only has the word: who owns it?
  unsigned record = 2;  ///< a word that is new to its thread: its backup and its owner are written
  unsigned clear = 1;   ///< an entry of shadow memory; banks work at the same time
  unsigned begin = 1;   ///< masks and registers are put aside, all at once
  unsigned commit = 1;  ///< the filters of those that commit are emptied
};
constexpr TxCosts kTxCosts{};
constexpr TxCosts kNoTxCosts{0, 0, 0, 0, 0, 0};
inline const TxCosts& costs(const TxConfig& config) { return config.perfect ? kNoTxCosts : kTxCosts; }

}  // namespace bankshot::scratchpad

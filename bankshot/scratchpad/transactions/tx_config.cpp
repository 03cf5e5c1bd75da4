#include "bankshot/scratchpad/transactions/tx_config.hpp"

#include <array>

namespace bankshot::scratchpad {
namespace {

uint32_t modulo(uint32_t position, unsigned log2_bits) { return position & ((1u << log2_bits) - 1); }

uint32_t fold(uint32_t position, unsigned log2_bits) {
  uint32_t bits = 0;
  for (; position != 0; position >>= log2_bits) bits ^= position;
  return modulo(bits, log2_bits);
}

/// Knuth, The Art of Computer Programming 3, section 6.4: the golden ratio of 2^32.
uint32_t multiply(uint32_t position, unsigned log2_bits) { return position * 0x9e3779b1u >> (32 - log2_bits); }

constexpr std::array kHashes = {
    NamedSignatureHash{"modulo", "the lowest bits of the position in the bank", modulo},
    NamedSignatureHash{"xor", "all bits of the position, folded by XOR", fold},
    NamedSignatureHash{"multiply", "the position times the golden ratio, its highest bits", multiply},
};

}  // namespace

std::span<const NamedSignatureHash> signature_hashes() { return kHashes; }

const NamedSignatureHash* find_signature_hash(std::string_view name) {
  for (const NamedSignatureHash& hash : kHashes) {
    if (hash.name == name) return &hash;
  }
  return nullptr;
}

std::string text(const TxConfig& config) {
  const std::string sets = config.separate ? ", separate sets" : ", one set";
  const std::string rest =
      std::string(config.exclusive ? ", one warp at a time" : "") + (config.perfect ? ", nothing charged" : "");
  if (config.exact) return "exact" + sets + rest;
  const NamedSignatureHash& hash = config.hash != nullptr ? *config.hash : kHashes[0];
  return "bloom, " + std::to_string(config.filter_bits) + " bits, " + std::string(hash.name) + sets + rest;
}

}  // namespace bankshot::scratchpad

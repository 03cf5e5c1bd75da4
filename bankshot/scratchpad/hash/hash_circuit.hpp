// Hardware that can be set to any hash of a class, as Verilog. Section 4.5 of the XOR-hash paper.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bankshot/scratchpad/hash/hash.hpp"

namespace bankshot::scratchpad {

/// A part of the configuration register.
struct CircuitField {
  CircuitField(std::string name, uint32_t last)
      : name(std::move(name)), last(last), bits(std::max(1u, static_cast<unsigned>(std::bit_width(last)))) {}

  std::string name;  ///< a Verilog name
  uint32_t last;     ///< the largest value that it may have
  unsigned bits;
};

/// One constant of each class of hashes that can be configured.
struct HashCircuit {
  /// The configuration register, from bit 0 up.
  std::vector<CircuitField> (*fields)(HashSize size) = nullptr;
  /// Verilog statements, a line each, that drive `bank` (m bits) from `address` (n bits) and the fields.
  std::vector<std::string> (*body)(HashSize size) = nullptr;
  /// What the fields are set to for a hash of the class.
  std::vector<uint32_t> (*setting)(const BankHash& hash) = nullptr;
};

/// "address[3]"
inline std::string verilog_bit(const std::string& name, unsigned bit) { return name + "[" + std::to_string(bit) + "]"; }

/// "address[{1'b0, k} +: 5]": `bits` bits of a signal of `width` from the bit on whose number is in a field. Zeros make
/// the index as wide as that of the signal's last bit.
inline std::string verilog_window(const std::string& signal, unsigned width, const CircuitField& first, unsigned bits) {
  const unsigned index = CircuitField({}, width - 1).bits;
  const std::string zeros = index > first.bits ? std::to_string(index - first.bits) + "'b0" : "";
  return signal + "[" + (zeros.empty() ? first.name : "{" + zeros + ", " + first.name + "}") +
         " +: " + std::to_string(bits) + "]";
}

}  // namespace bankshot::scratchpad

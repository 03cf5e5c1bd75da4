// A bank hash as hardware: one hash, or whatever of a class a register says.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bankshot/scratchpad/hash/hash_class.hpp"
#include "bankshot/support/result.hpp"

namespace bankshot::circuit {

/// The parts of a Verilog module. The part without registers is a separate module.
struct Design {
  std::string what;     ///< "bitvector-xor", or the spec of the one hash
  std::string meaning;  ///< the bank as a formula, or empty
  scratchpad::HashSize size;
  std::vector<scratchpad::CircuitField>
      fields;                     ///< of the configuration register, from bit 0 up; none: nothing can be set
  std::vector<std::string> body;  ///< Verilog that drives `bank`

  bool configurable() const { return !fields.empty(); }
  unsigned setting_bits() const;
};

/// The name of the module, unless the user gives one. What is simulated or synthesised here has it.
inline constexpr std::string_view kModule = "bank_hash";

/// Why a text cannot be the name of a module, or empty. Source: IEEE 1364-2005, section 3.7 and annex B.
std::string module_problem(std::string_view name);

/// The module that has no registers: `module` itself if nothing can be set.
std::string logic_module(const Design& design, std::string_view module = kModule);

/// Which bits of the configuration register each field is: "[7:4]".
std::vector<std::string> setting_ranges(const Design& design);

/// Hardware of that hash alone.
Design fixed_design(const scratchpad::BankHash& hash);
/// Hardware that can be set to any hash of a class. The error says which classes can be configured.
Result<Design> configurable_design(const scratchpad::HashClass& c, scratchpad::HashSize size);

/// What the configuration register holds for values of its fields, as a Verilog literal: "13'h0e28".
std::string setting_literal(const Design& design, const std::vector<uint32_t>& fields);

/// The modules, synthesizable (Verilog-2001).
/// @param module  the name of the one that is to be used; names of further ones begin with it
std::string to_verilog(const Design& design, std::string_view module = kModule);

/// XOR gates of two inputs that a linear hash takes without sharing any, and how many are behind each other.
struct XorGates {
  unsigned gates = 0, levels = 0;
};
XorGates xor_gates(const scratchpad::BankHash& hash);

}  // namespace bankshot::circuit

// Instructions that compute where the words at an address have gone.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"
#include "bankshot/rewrite/place_terms.hpp"

namespace bankshot::rewrite {

/// Names of registers that a kernel does not have yet.
struct FreshRegisters {
  std::string prefix;  ///< no name in the module begins with it
  uint32_t narrow = 0, wide = 0, predicates = 0;

  std::string next32() { return prefix + std::to_string(narrow++); }
  std::string next64() { return prefix + "_wide" + std::to_string(wide++); }
  std::string next_predicate() { return prefix + "_whole" + std::to_string(predicates++); }
  /// Declarations of all that were taken.
  std::vector<ptx::Variable> declarations() const;
};

/// How addresses of one array are hashed in one kernel.
struct ArrayCode {
  std::string variable;  ///< its name
  PlaceTerms terms;
  bool dynamic = false;
  bool has_lop3 = true;  ///< sm_50 and later, and nothing depends on the low zeros of places: ptxas follows them
                         ///< through and and xor (of which it makes one instruction), not through lop3
  std::string base;      ///< 32-bit register with its address in the shared window
  std::vector<std::string> masks;  ///< dynamic: for each term a register with its mask, or 0 where the hash is off
  size_t added = 0;                ///< instructions so far
};

/// Where an address comes from, at a place in the program.
struct AddressSource {
  enum class Kind {
    constant,  ///< the array's start + `offset`
    sum,       ///< the array's start + the register `distance`
    pointer,   ///< nothing is known but the address
  };
  Kind kind = Kind::pointer;
  std::string address{};  ///< the register of the address; empty for a constant
  bool address_wide = false, distance_wide = false;
  bool generic = false;  ///< `address` is a generic address
  std::string distance{};
  uint32_t offset = 0;
  unsigned zeros = 0;  ///< low bits of the distance from the array's start that are surely 0
};

/// Code that puts the places of address + d into registers, for each d < terms.period of `places`.
/// @param places  d -> 32-bit register (64-bit, and a generic address, if source.generic)
void append_places(std::vector<ptx::Statement>& out, ArrayCode& array, FreshRegisters& fresh,
                   const AddressSource& source, const std::map<uint32_t, std::string>& places);

/// Code for the start of the kernel: the base, and the masks of a dynamic array.
void append_entry(std::vector<ptx::Statement>& out, ArrayCode& array, FreshRegisters& fresh);

}  // namespace bankshot::rewrite

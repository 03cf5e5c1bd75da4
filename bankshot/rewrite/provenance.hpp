// Which shared arrays the value of each register may point into: found without regard to the order of instructions, so
// that it holds on every path.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bankshot/ptx/kernel_code.hpp"

namespace bankshot::rewrite {

using ptx::KernelCode;
using ptx::Place;
using ptx::Step;

/// What the value of a register may be.
struct Value {
  uint64_t arrays = 0;  ///< bit 2k: an address of array k in the shared window; bit 2k + 1: its generic address
  bool number = false;  ///< something that comes from no array
  uint8_t zeros = 64;   ///< low bits that are surely 0: of the number, or of the distance from the array's start

  bool is_known() const { return arrays != 0 || number; }
  bool operator==(const Value&) const = default;
};
constexpr unsigned kMostArrays = 32;  ///< a kernel's, that Value has bits for
constexpr unsigned kRowZeros =
    6;  ///< a hashed array starts at a multiple of 64 bytes at least: 16 banks of 4; not before

/// What an instruction does to addresses of arrays beyond handing them on.
struct Misuse {
  uint64_t arrays = 0;  ///< bits as in Value
  std::string reason;   ///< "its address is stored by st.global.u64"
};

class Provenance {
 public:
  /// @param array_of  for each entity of the code: the number of the array that it is, or -1
  Provenance(const KernelCode& code, const std::vector<int>& array_of);

  /// The value of an operand; an address operand without its offset.
  Value value(const Step& step, const ptx::Operand& operand) const;
  Value value(int entity) const { return values_[static_cast<size_t>(entity)]; }
  Misuse misuse(const Step& step) const { return effect(step).misuse; }
  /// The registers that the instruction may write.
  std::vector<int> targets(const Step& step) const { return effect(step).targets; }

 private:
  /// What an instruction writes, and what it does wrong.
  struct Effect {
    std::vector<int> targets;
    Value result;
    Misuse misuse;
  };
  struct Finder;
  Effect effect(const Step& step) const;
  /// Low zeros of the starts of arrays, in the original and when they are hashed. @param arrays  bits as in Value
  unsigned zeros_of_starts(uint64_t arrays) const;
  void add_registers(const Step& step, const ptx::Operand& operand, std::vector<int>& out) const;

  const KernelCode& code_;
  const std::vector<int>& array_of_;
  std::vector<Value> values_;
};

}  // namespace bankshot::rewrite

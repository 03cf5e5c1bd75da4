// What an instruction on registers does to one lane, said a second time: slowly, from the manual alone. Nothing of
// bankshot/simt is used, so that an error there shows as a difference.
// Source: PTX ISA 9.0, chapter 9. What the manual leaves open (payloads of f64 NaN …) is as docs and comments of the
// rows say.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bankshot/ptx/module.hpp"

namespace bankshot::differential {

using ptx::Type;

/// What a lane gives an instruction and what it gets. Values are in the low bits; a result is extended to 64 bits.
struct Values {
  std::array<uint64_t, 6> s{};  ///< sources in the order of the text; predicates are 0 or 1
  bool carry = false;           ///< CC.CF
  uint64_t d = 0, q = 0;        ///< `d|q`
};
using Meaning = std::function<void(Values&)>;

/// An opcode and its modifiers, of which the families take what they know: what is left over is not known.
class Name {
 public:
  Name(std::string opcode, std::vector<std::string> modifiers, size_t sources)
      : opcode(std::move(opcode)), sources(sources), left_(std::move(modifiers)) {}

  bool take(const std::string& modifier);
  /// The first of `choices` that is there, or "".
  std::string take_one(const std::vector<std::string>& choices);
  /// The next type; Type::none if no type is left.
  Type take_type();
  /// rn, rz, rm or rp as a mode of <cfenv>; to nearest if there is none.
  int take_rounding();
  bool all_taken() const { return left_.empty(); }

  const std::string opcode;
  const size_t sources;

 private:
  std::vector<std::string> left_;
};

/// Null if the reference does not know the instruction. @param sources  how many operands are read
Meaning meaning_of(const std::string& opcode, const std::vector<std::string>& modifiers, size_t sources);

// The families: each returns null for what is another's.
Meaning integer_meaning(Name& name);
Meaning carry_meaning(Name& name);
Meaning video_meaning(Name& name);
Meaning bit_meaning(Name& name);
Meaning field_meaning(Name& name);
Meaning compare_meaning(Name& name);
Meaning float_meaning(Name& name);
Meaning half_meaning(Name& name);
Meaning convert_meaning(Name& name);

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

bool is_signed(Type type);
/// The low bits of a value.
uint64_t low(uint64_t value, unsigned bits);
/// A value of an integer type as a number.
Wide number(uint64_t value, Type type);
/// A number modulo 2^bits of the type, extended to 64 bits as the type says.
uint64_t wrapped(Wide number, Type type);
Wide least(Type type);
Wide greatest(Type type);
/// A number limited to what the type holds.
Wide limited(Wide number, Type type);
/// u16 of u16x2 and so on; the type itself if it is not packed.
Type element_of(Type type);
bool is_packed(Type type);
/// eq, lt, … of what is below, equal or above; floats may be unordered besides.
bool compared(const std::string& comparison, bool below, bool equal, bool above, bool unordered);

}  // namespace bankshot::differential

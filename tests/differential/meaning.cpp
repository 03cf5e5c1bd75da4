#include "tests/differential/meaning.hpp"

#include <algorithm>
#include <cfenv>

namespace bankshot::differential {

bool Name::take(const std::string& modifier) {
  const auto at = std::find(left_.begin(), left_.end(), modifier);
  if (at == left_.end()) return false;
  left_.erase(at);
  return true;
}

std::string Name::take_one(const std::vector<std::string>& choices) {
  for (const std::string& choice : choices) {
    if (take(choice)) return choice;
  }
  return "";
}

Type Name::take_type() {
  for (const std::string& modifier : left_) {
    const Type type = ptx::type_named(modifier);
    if (type == Type::none) continue;
    take(std::string(modifier));
    return type;
  }
  return Type::none;
}

int Name::take_rounding() {
  const std::string rounding = take_one({"rn", "rz", "rm", "rp"});
  return rounding == "rz"   ? FE_TOWARDZERO
         : rounding == "rm" ? FE_DOWNWARD
         : rounding == "rp" ? FE_UPWARD
                            : FE_TONEAREST;
}

Meaning meaning_of(const std::string& opcode, const std::vector<std::string>& modifiers, size_t sources) {
  for (const auto family : {integer_meaning, carry_meaning, video_meaning, bit_meaning, field_meaning, compare_meaning,
                            float_meaning, half_meaning, convert_meaning}) {
    Name name(opcode, modifiers, sources);
    Meaning meaning = family(name);
    if (meaning && name.all_taken()) return meaning;
  }
  return nullptr;
}

bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

uint64_t low(uint64_t value, unsigned bits) { return bits >= 64 ? value : value & ((uint64_t{1} << bits) - 1); }

Wide number(uint64_t value, Type type) {
  const unsigned bits = ptx::bits(type);
  const Wide positive = static_cast<Wide>(low(value, bits));
  return is_signed(type) && (value >> (bits - 1) & 1) != 0 ? positive - (Wide{1} << bits) : positive;
}

uint64_t wrapped(Wide number_, Type type) {
  return static_cast<uint64_t>(number(static_cast<uint64_t>(number_), type));
}

Wide least(Type type) { return is_signed(type) ? -(Wide{1} << (ptx::bits(type) - 1)) : 0; }
Wide greatest(Type type) { return (Wide{1} << (ptx::bits(type) - (is_signed(type) ? 1 : 0))) - 1; }
Wide limited(Wide number, Type type) { return std::clamp(number, least(type), greatest(type)); }

Type element_of(Type type) {
  switch (type) {
    case Type::u16x2: return Type::u16;
    case Type::s16x2: return Type::s16;
    case Type::f16x2: return Type::f16;
    case Type::bf16x2: return Type::bf16;
    case Type::f32x2: return Type::f32;
    case Type::e4m3x2: return Type::e4m3;
    case Type::e5m2x2: return Type::e5m2;
    default: return type;
  }
}
bool is_packed(Type type) { return element_of(type) != type; }

bool compared(const std::string& c, bool below, bool equal, bool above, bool unordered) {
  if (c == "eq") return equal;
  if (c == "ne") return below || above;
  if (c == "lt" || c == "lo") return below;
  if (c == "le" || c == "ls") return below || equal;
  if (c == "gt" || c == "hi") return above;
  if (c == "ge" || c == "hs") return above || equal;
  if (c == "equ") return equal || unordered;
  if (c == "neu") return below || above || unordered;
  if (c == "ltu") return below || unordered;
  if (c == "leu") return below || equal || unordered;
  if (c == "gtu") return above || unordered;
  if (c == "geu") return above || equal || unordered;
  return c == "num" ? !unordered : unordered;
}

}  // namespace bankshot::differential

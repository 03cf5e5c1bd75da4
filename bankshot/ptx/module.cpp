#include "bankshot/ptx/module.hpp"

#include <algorithm>
#include <array>

namespace bankshot::ptx {
namespace {

struct TypeRow {
  std::string_view name;
  uint16_t bits;
};

/// In the order of Type. Source: PTX ISA manual, §5.2 (types).
constexpr std::array kTypes = {
    TypeRow{"", 0},       TypeRow{"pred", 1},    TypeRow{"b8", 8},      TypeRow{"b16", 16},    TypeRow{"b32", 32},
    TypeRow{"b64", 64},   TypeRow{"b128", 128},  TypeRow{"u8", 8},      TypeRow{"u16", 16},    TypeRow{"u32", 32},
    TypeRow{"u64", 64},   TypeRow{"s8", 8},      TypeRow{"s16", 16},    TypeRow{"s32", 32},    TypeRow{"s64", 64},
    TypeRow{"f16", 16},   TypeRow{"bf16", 16},   TypeRow{"f32", 32},    TypeRow{"f64", 64},    TypeRow{"tf32", 32},
    TypeRow{"f16x2", 32}, TypeRow{"bf16x2", 32}, TypeRow{"u16x2", 32},  TypeRow{"s16x2", 32},  TypeRow{"f32x2", 64},
    TypeRow{"e4m3", 8},   TypeRow{"e5m2", 8},    TypeRow{"e4m3x2", 16}, TypeRow{"e5m2x2", 16}, TypeRow{"opaque", 0}};
static_assert(kTypes.size() == static_cast<size_t>(Type::opaque) + 1);

/// Of one element. A .texref, .samplerref or .surfref is a handle of 64 bits in memory; a predicate has a byte.
uint64_t element_bytes(const Variable& variable) {
  if (variable.type == Type::opaque) return 8;
  return (bits(variable.type) + 7) / 8 * uint64_t{variable.vector};
}

}  // namespace

unsigned bits(Type type) { return kTypes[static_cast<size_t>(type)].bits; }

bool is_float(Type type) { return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64; }

std::string_view name(Type type) { return kTypes[static_cast<size_t>(type)].name; }

Type type_named(std::string_view name) {
  constexpr size_t kLast = static_cast<size_t>(Type::opaque);  // not a name of the language
  for (size_t i = 1; i < kLast; ++i) {
    if (kTypes[i].name == name) return static_cast<Type>(i);
  }
  return Type::none;
}

std::string_view name(Space space) {
  switch (space) {
    case Space::generic: return "";
    case Space::reg: return "reg";
    case Space::sreg: return "sreg";
    case Space::constant: return "const";
    case Space::global: return "global";
    case Space::local: return "local";
    case Space::param: return "param";
    case Space::shared: return "shared";
    case Space::tex: return "tex";
  }
  return "";
}

uint64_t size_of(const Variable& variable) {
  uint64_t size = element_bytes(variable);
  for (const std::optional<uint64_t>& dimension : variable.dimensions) size *= dimension.value_or(0);
  return size;
}

uint32_t alignment_of(const Variable& variable) {
  if (variable.align != 0) return variable.align;
  return static_cast<uint32_t>(std::max<uint64_t>(1, element_bytes(variable)));
}

}  // namespace bankshot::ptx

#include "bankshot/simt/matrices/fragment.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace bankshot::simt {
namespace {

struct ElementName {
  std::string_view name;
  unsigned bits;
};
constexpr ElementName kElements[] = {{"f16", 16}, {"bf16", 16},      {"tf32", 32}, {"f32", 32}, {"f64", 64},
                                     {"e4m3", 8}, {"e5m2", 8},       {"s8", 8},    {"u8", 8},   {"s4", 4},
                                     {"u4", 4},   {"b1", 1},         {"s32", 32},  {"e3m2", 8}, {"e2m3", 8},
                                     {"e2m1", 4}, {"padded e2m1", 8}};

}  // namespace

unsigned bits(Element element) { return kElements[static_cast<unsigned>(element)].bits; }

Element element_named(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kElements), std::end(kElements), [&](const ElementName& e) { return e.name == name; });
  return static_cast<Element>(found - std::begin(kElements));
}

bool MatrixShape::named(std::string_view name, MatrixShape& out) {
  const char* at = name.data();
  const char* const end = at + name.size();
  for (const auto& [letter, number] : {std::pair('m', &out.m), std::pair('n', &out.n), std::pair('k', &out.k)}) {
    if (at == end || *at != letter) return false;
    const auto [behind, error] = std::from_chars(at + 1, end, *number);
    if (error != std::errc{}) return false;
    at = behind;
  }
  return at == end;
}

uint32_t Fragment::packed() const {
  return shape.packed() | static_cast<uint32_t>(role) << 25 | static_cast<uint32_t>(element) << 27 |
         (column_major ? 1u << 31 : 0);
}

Fragment Fragment::unpacked(uint32_t bits) {
  return {static_cast<Role>(bits >> 25 & 3), static_cast<Element>(bits >> 27 & 15),
          MatrixShape::unpacked(bits & 0x1ffffff), (bits >> 31) != 0};
}

/// mma takes 16 lines of A at a time, so that the two cores of these are neighbours; B and accumulators have 8 columns
/// at a time.
unsigned Fragment::cores() const { return lines() / kCoreLines * (across() / core_width()); }

Fragment::Place Fragment::core(unsigned index) const {
  const unsigned along = across() / core_width();
  if (role == Role::b) return {index / along * kCoreLines, index % along * core_width()};
  const unsigned pair = std::min(lines() / kCoreLines, 2u);
  const unsigned line = index / (pair * along) * pair + index % pair;
  return {line * kCoreLines, index / pair % along * core_width()};
}

Fragment::Way Fragment::way(bool shared) const {
  const unsigned size = bits(element);
  if (role == Role::c) {
    if (element == Element::f16) return lines_in_memory() ? Way::words : Way::transposed;
    return lines_in_memory() ? Way::pairs : Way::elements;
  }
  if (size >= 32) return Way::elements;
  if (shared && (lines_in_memory() || size == 16)) return Way::matrices;
  if (lines_in_memory()) return Way::words;
  return size == 16 ? Way::transposed : Way::elements;
}

unsigned Fragment::width(Way way) const {
  switch (way) {
    case Way::matrices: return 16;
    case Way::words:
    case Way::transposed: return 4;
    case Way::pairs: return 2 * register_bytes();
    case Way::elements: return std::max(bits(element), 8u) / 8;
  }
  return 0;
}

}  // namespace bankshot::simt

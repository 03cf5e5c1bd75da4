// How the lanes of a warp hold a matrix: the fragments of mma, wmma and their loads and stores. Pure descriptions.
//
// All fragments but those of mma.m8n8k4 on f16 are made of *cores*: 8 lines times 4 groups of elements, of which lane l
// holds group l % 4 of line l / 4. Lines are rows of A and of the accumulators and columns of B. A register of A or B
// holds one group of 32 bits (64 of f64), so that such a register, lane after lane, is its core line by line. A core of
// an accumulator has two columns a group: two registers, or one of f16. Source: PTX ISA 9.0, warp-level matrix
// instructions ("Matrix Fragments for mma…"). Which lane holds what of a wmma fragment is not said; machine code of
// ptxas 13 has these same cores.
#pragma once

#include <cstdint>
#include <string_view>

namespace bankshot::simt {

/// padded_e2m1: an e2m1 in the middle of a byte, as .kind::f8f6f4 has it. (Fragments in memory have the first sixteen.)
enum class Element : uint8_t {
  f16,
  bf16,
  tf32,
  f32,
  f64,
  e4m3,
  e5m2,
  s8,
  u8,
  s4,
  u4,
  b1,
  s32,
  e3m2,
  e2m3,
  e2m1,
  padded_e2m1,
  none
};
/// In memory and in registers. Elements of 6 bits have a byte.
unsigned bits(Element element);
/// @param name  "bf16"; Element::none if it is none
Element element_named(std::string_view name);

/// A is m × k, B is k × n, the accumulators C and D are m × n.
struct MatrixShape {
  unsigned m = 0, n = 0, k = 0;
  /// @param name  "m16n8k16"   @return false if it is none
  static bool named(std::string_view name, MatrixShape& out);
  uint32_t packed() const { return m | n << 8 | k << 16; }
  static MatrixShape unpacked(uint32_t bits) { return {bits & 0xff, bits >> 8 & 0xff, bits >> 16}; }
};

/// mma.m8n8k4 on f16, which Volta has: four products of 8 × 8 × 4, each by a pair of groups of four lanes.
inline bool is_quad_pairs(const MatrixShape& shape, Element a) {
  return a == Element::f16 && shape.m == 8 && shape.n == 8 && shape.k == 4;
}

constexpr unsigned kCoreLines = 8, kCoreGroups = 4;

/// One matrix as a warp of 32 lanes holds it.
struct Fragment {
  enum class Role : uint8_t { a, b, c };  ///< c: the accumulators C and D
  /// How its elements come from and go to memory.
  enum class Way : uint8_t {
    matrices,    ///< as ldmatrix: a lane gives a line of 16 bytes of a core
    words,       ///< a register of each lane at a time
    transposed,  ///< the same where 16-bit neighbours in memory are in different lines: lanes exchange them afterwards
    pairs,       ///< both columns of an accumulator's group at once
    elements,    ///< one element of each lane at a time
  };
  Role role = Role::a;
  Element element = Element::f16;
  MatrixShape shape;
  bool column_major = false;  ///< in memory

  uint32_t packed() const;
  static Fragment unpacked(uint32_t bits);

  unsigned lines() const { return role == Role::b ? shape.n : shape.m; }
  unsigned across() const { return role == Role::c ? shape.n : shape.k; }
  /// Elements along a line of a core, and in a lane's group.
  unsigned core_width() const {
    return role == Role::c ? 8 : kCoreGroups * (element == Element::f64 ? 1 : 32 / bits(element));
  }
  unsigned group() const { return core_width() / kCoreGroups; }
  unsigned cores() const;
  unsigned registers_of_core() const { return role == Role::c && element != Element::f16 ? 2 : 1; }
  unsigned registers() const { return cores() * registers_of_core(); }
  unsigned register_bytes() const { return element == Element::f64 ? 8 : 4; }
  /// Registers that wmma names: those of f16 matrices A and B hold everything once more, or several times.
  unsigned wmma_registers() const { return role != Role::c && element == Element::f16 ? 8 : registers(); }

  /// The first element of a core: its line and its place along it. Cores are in the order of the registers.
  struct Place {
    unsigned line = 0, across = 0;
  };
  Place core(unsigned index) const;

  /// Whether neighbours along a line are neighbours in memory.
  bool lines_in_memory() const { return (role == Role::b) == column_major; }
  /// Distance in memory from the first element, in elements. @param stride  of the rows (of the columns if
  /// column_major)
  uint64_t distance(Place place, uint64_t stride) const {
    return lines_in_memory() ? place.line * stride + place.across : place.across * stride + place.line;
  }
  /// What ptxas 13 makes of wmma.load and wmma.store for sm_80. @param shared  the instruction says .shared
  Way way(bool shared) const;
  /// Bytes that a lane accesses at a time in this way.
  unsigned width(Way way) const;
};

}  // namespace bankshot::simt

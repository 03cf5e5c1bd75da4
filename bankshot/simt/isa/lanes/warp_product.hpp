// The matrices of mma and wmma.mma, and where their registers are. Layout of the Instr: lower_matrix.hpp
#pragma once

#include <algorithm>
#include <cstring>

#include "bankshot/simt/isa/lanes/tensor_tiles.hpp"
#include "bankshot/simt/matrices/mma_variant.hpp"
#include "bankshot/simt/matrices/sparse_selection.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

struct Product {
  using Role = Fragment::Role;
  /// Of mma.sp, and of mma with .kind; k and elements of a row at most.
  static constexpr unsigned kM = 16, kN = 8, kMostDepth = 128, kMostKept = 64;
  MatrixShape shape;
  bool sparse;    ///< mma.sp
  unsigned kept;  ///< elements of a row of A: of a sparse one half of k
  Fragment a, b, c, d;
  Rows32 d_rows, a_rows, b_rows, c_rows;

  Product(const Warp& w, const Instr* i)
      : shape(MatrixShape::unpacked(i->op[1])),
        sparse(i->op[4] != OperandRef::kNone),
        kept(sparse ? shape.k / 2 : shape.k),
        a{Role::a, element(i, 0), {shape.m, shape.n, kept}},
        b{Role::b, element(i, 1), shape},
        c{Role::c, element(i, 2), shape},
        d{Role::c, element(i, 3), shape},
        d_rows{w, w.worker->program->lists[i->op[0]].data()},
        a_rows{w, d_rows.list + (i->op[3] & 0xff)},
        b_rows{w, a_rows.list + (i->op[3] >> 8 & 0xff)},
        c_rows{w, b_rows.list + (i->op[3] >> 16 & 0xff)} {}

  SparseSelection selection(const Instr* i) const {
    return {bits(a.element), kept, MmaVariant::unpacked(i->imm).selector};
  }

 private:
  static Element element(const Instr* i, unsigned k) { return static_cast<Element>(i->op[2] >> (8 * k) & 0xff); }
};

/// The rows of B that the elements of a row of a sparse A are multiplied with. @param metadata  of the warp's lanes
/// @param n  elements of a row of B @param b  k rows, `pitch` elements apart @param out  [kept][n]
template <class T>
inline void select_rows(const SparseSelection& selection, const u32* metadata, unsigned row, unsigned n, const T* b,
                        unsigned pitch, T* out) {
  for (unsigned c = 0; c < selection.kept; ++c, out += n) {
    const int k = selection.selected(metadata, row, c);
    if (k < 0) {
      std::fill_n(out, n, T{0});
    } else {
      std::memcpy(out, b + static_cast<unsigned>(k) * pitch, n * sizeof(T));
    }
  }
}

}  // namespace bankshot::simt::BANKSHOT_ISA

// The table of one instruction set: all families in one list.
#include "bankshot/simt/isa/lanes/families.hpp"

namespace bankshot::simt::BANKSHOT_ISA {

const Rows& rows() {
  // Never destroyed: when the process ends, the compiler of kernels may still look at it.
  static const Rows& table = *new Rows([] {
    Rows all;
    arith_rows(all);
    logic_rows(all);
    compare_rows(all);
    float_rows(all);
    approx_rows(all);
    half_rows(all);
    convert_rows(all);
    move_rows(all);
    memory_rows(all);
    atomic_rows(all);
    wide_atomic_rows(all);
    multimem_rows(all);
    async_rows(all);
    cluster_rows(all);
    tensor_copy_rows(all);
    warp_rows(all);
    tensor_rows(all);
    sparse_matrix_rows(all);
    scaled_matrix_rows(all);
    warpgroup_rows(all);
    tensor_memory_rows(all);
    tensor_product_rows(all);
    byte_matrix_rows(all);
    texture_rows(all);
    control_rows(all);
    return all;
  }());
  return table;
}

}  // namespace bankshot::simt::BANKSHOT_ISA

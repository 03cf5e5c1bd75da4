#include "bankshot/simt/tensor_access/work.hpp"

#include <bit>

#include "bankshot/simt/matrices/tensor_product.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/tensor_access/copy_in.hpp"

namespace bankshot::simt {

TensorWork product_work(const Warp& w, const Instr* i, uint64_t lanes) {
  TensorWork work;
  if (lanes == 0) return work;
  const auto form = TensorProductForm::unpacked(i->imm);
  const uint32_t descriptors = w.worker->program->lists[i->op[4]][TensorOperands::kDescriptor];
  TensorProduct product;
  // One that does not fit faults when it is executed.
  if (!TensorProduct::read(w.row<const uint32_t>(descriptors)[std::countr_zero(lanes)], form, product).empty())
    return work;
  const unsigned of_a = form.a_in_tensor_memory ? 0 : product.rows() * product.depth;
  return {static_cast<unsigned>(std::popcount(lanes)), product.n, of_a + product.columns_of_b() * product.depth_of_b()};
}

TensorWork copy_work(const Instr* i, uint64_t lanes) {
  const TensorCopyForm form = TensorCopyForm::unpacked(i->op[2]);
  return {static_cast<unsigned>(std::popcount(lanes)), 0, form.rows * form.words * 4u};
}

unsigned moved_bytes(const Instr* i) { return TensorMoveShape::from_bits(i->op[2]).registers * 32 * 4; }

unsigned asked_columns(const Warp& w, const Instr* i) { return w.row<const uint32_t>(i->op[1])[0]; }

}  // namespace bankshot::simt

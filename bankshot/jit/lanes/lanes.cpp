// What instructions do to lanes, as code that the compiler of kernels can put together: the rows of simt/isa whose
// handlers are BANKSHOT_LANES_ONLY, compiled by clang to LLVM's bitcode for each instruction set of the host and for
// one lane. lane_code.cpp makes a function of operands in memory of each handler; the meaning of an instruction is
// thereby what it is in the interpreter.
#include <new>

#include "bankshot/simt/isa/approx.cpp"
#include "bankshot/simt/isa/arith.cpp"
#include "bankshot/simt/isa/arith_div.cpp"
#include "bankshot/simt/isa/arith_mul.cpp"
#include "bankshot/simt/isa/atomic.cpp"
#include "bankshot/simt/isa/compare.cpp"
#include "bankshot/simt/isa/convert.cpp"
#include "bankshot/simt/isa/convert_packed.cpp"
#include "bankshot/simt/isa/convert_small.cpp"
#include "bankshot/simt/isa/convert_stochastic.cpp"
#include "bankshot/simt/isa/float.cpp"
#include "bankshot/simt/isa/float_mixed.cpp"
#include "bankshot/simt/isa/float_order.cpp"
#include "bankshot/simt/isa/half.cpp"
#include "bankshot/simt/isa/half_approx.cpp"
#include "bankshot/simt/isa/half_compare.cpp"
#include "bankshot/simt/isa/logic.cpp"
#include "bankshot/simt/isa/logic_field.cpp"
#include "bankshot/simt/isa/move.cpp"
#include "bankshot/simt/isa/warp_ops.cpp"

namespace bankshot::simt::BANKSHOT_ISA {
// Not here: they touch more than lanes.
void arith_carry_rows(Rows&) {}
void arith_video_rows(Rows&) {}
void scalar_video_rows(Rows&) {}
void redux_rows(Rows&) {}

void lane_rows(Rows& rows) {
  arith_rows(rows);
  logic_rows(rows);
  compare_rows(rows);
  float_rows(rows);
  approx_rows(rows);
  half_rows(rows);
  convert_rows(rows);
  move_rows(rows);
  warp_rows(rows);
  atomic_rows(rows);
}
}  // namespace bankshot::simt::BANKSHOT_ISA

/// Runs a handler for all lanes on rows at `rows`. lane_code.cpp makes a copy for each handler, in which only the rows
/// are left of the warp.
/// @param op  Instr::op: offsets from `rows`, or OperandRef::kNone
extern "C" void bankshot_apply(bankshot::simt::Handler handler, std::byte* rows, uint64_t imm, uint32_t op0,
                               uint32_t op1, uint32_t op2, uint32_t op3, uint32_t op4, uint32_t op5, uint32_t aux,
                               uint32_t flags, uint32_t fp, uint32_t small) {
  using namespace bankshot::simt;
  alignas(Worker) std::byte worker_room[sizeof(Worker)];
  alignas(Warp) std::byte warp_room[sizeof(Warp)];
  Worker& worker = *reinterpret_cast<Worker*>(worker_room);  // only what handlers of lanes read is filled in
  Warp& warp = *reinterpret_cast<Warp*>(warp_room);
  worker.fp = static_cast<uint8_t>(fp);
  warp.base[0] = rows;
  warp.active = BANKSHOT_ISA::kAllLanes;
  warp.worker = &worker;
  Instr i;
  i.imm = imm;
  i.op[0] = op0;
  i.op[1] = op1;
  i.op[2] = op2;
  i.op[3] = op3;
  i.op[4] = op4;
  i.op[5] = op5;
  i.aux = aux;
  i.flags = static_cast<uint16_t>(flags);
  i.fp = static_cast<uint8_t>(fp);
  i.small = static_cast<uint8_t>(small);
  handler(warp, &i);
}

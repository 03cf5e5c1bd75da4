#include "bankshot/simt/lower/lower_control.hpp"

#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/paths.hpp"

namespace bankshot::simt {
namespace {

using ptx::Operand;
using ptx::Type;

bool operands_between(Decoder& decoder, const ptx::Instruction& instruction, size_t least, size_t most) {
  const size_t have = instruction.operands.size();
  if (have >= least && have <= most) return true;
  return decoder.error(instruction.position, "'" + instruction.opcode + "' takes " + std::to_string(least) +
                                                 (most != least ? " to " + std::to_string(most) : "") +
                                                 " operands, found " + std::to_string(have));
}

}  // namespace

void lower_branch(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_branch;
  if (operands_between(decoder, instruction, 1, 1)) decoder.jumps_to(instruction.operands[0]);
}

void lower_branch_indexed(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_branch_indexed;
  if (!operands_between(decoder, instruction, 2, 2)) return;
  if (instruction.guard) {
    decoder.error(instruction.position, "a guarded brx.idx is not supported");
    return;
  }
  out.op[0] = decoder.source(instruction.operands[0], Type::u32);
  decoder.jumps_by_table(instruction.operands[1]);
}

void lower_call(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_call;
  decoder.calls(instruction, out);
}

void lower_return(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_branch;
  if (operands_between(decoder, instruction, 0, 0)) decoder.jumps_to_end();
}

void lower_exit(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_exit;
  if (operands_between(decoder, instruction, 0, 0)) decoder.never_falls_through();
}

void lower_trap(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  out.body = &run_trap;
  if (operands_between(decoder, instruction, 0, 0)) decoder.never_falls_through();
}

/// bar.sync a{, b}; bar.arrive a, b; bar.red.popc.u32 d, a{, b}, {!}c; bar.red.and.pred p, a{, b}, {!}c
void lower_barrier(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  out.body = &run_barrier;
  const std::vector<Operand>& operands = instruction.operands;
  size_t next = 0;
  out.small = m.has("arrive") ? kBarrierArrive : kBarrierSync;
  if (m.has("red")) {
    if (!operands_between(decoder, instruction, 3, 4)) return;
    out.small = m.has("popc") ? kBarrierRedPopc : m.has("and") ? kBarrierRedAnd : kBarrierRedOr;
    out.op[2] =
        m.has("popc") ? decoder.destination(operands[0], Type::u32) : decoder.predicate_destination(operands[0]);
    out.op[3] = decoder.predicate_source(operands.back());
    next = 1;
  } else if (!operands_between(decoder, instruction, m.has("arrive") ? 2 : 1, 2)) {
    return;
  }
  const size_t end = operands.size() - (m.has("red") ? 1 : 0);
  out.op[0] = next < end ? decoder.source(operands[next], Type::u32) : decoder.constant(0, 4);
  if (next + 1 < end) out.op[1] = decoder.source(operands[next + 1], Type::u32);
}

void lower_warp_barrier(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (operands_between(decoder, instruction, 1, 1)) out.op[0] = decoder.source(instruction.operands[0], Type::u32);
}

namespace {

void note_fence(Decoder& decoder, const ptx::Instruction& instruction, const Match& m) {
  // The engine executes memory operations in order, so a fence orders nothing; it tells that CTAs talk to each other.
  // Those of a cluster do so on one host thread, and no other CTA sees their shared memory.
  for (const std::string_view inside : {"cta", "cluster", "shared::cta", "shared::cluster"}) {
    if (m.has(inside)) return;
  }
  decoder.cta_communication(instruction, "orders accesses other CTAs may see");
}

}  // namespace

void lower_fence(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr&) {
  if (operands_between(decoder, instruction, 0, 0)) note_fence(decoder, instruction, m);
}

void lower_tensor_map_fence(Decoder& decoder, const ptx::Instruction& instruction, const Match& m, Instr& out) {
  int64_t bytes = 0;
  if (!operands_between(decoder, instruction, 2, 2) || !decoder.literal(instruction.operands[1], bytes)) return;
  if (bytes != 128) decoder.error(instruction.operands[1].position, "a tensor map has 128 bytes");
  lower_nothing(decoder, instruction, m, out);
  note_fence(decoder, instruction, m);
}

void lower_sleep(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr& out) {
  if (operands_between(decoder, instruction, 1, 1)) out.op[0] = decoder.source(instruction.operands[0], Type::u32);
}

void lower_event(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr&) {
  int64_t event = 0;
  if (operands_between(decoder, instruction, 1, 1)) decoder.literal(instruction.operands[0], event);
}

void lower_register_count(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr&) {
  int64_t count = 0;
  if (!operands_between(decoder, instruction, 1, 1) || !decoder.literal(instruction.operands[0], count)) return;
  if (count < 24 || count > 256 || count % 8 != 0) {
    decoder.error(instruction.operands[0].position,
                  "setmaxnreg takes a multiple of 8 from 24 to 256, found " + std::to_string(count));
  }
}

void lower_nothing(Decoder& decoder, const ptx::Instruction& instruction, const Match&, Instr&) {
  for (const Operand& operand : instruction.operands) {
    if (operand.kind == Operand::Kind::identifier && decoder.find(operand.name) == nullptr) {
      decoder.error(operand.position, "'" + operand.name + "' is not declared");
    }
  }
}

}  // namespace bankshot::simt

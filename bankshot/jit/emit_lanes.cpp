// Instructions on lanes, and those that their handlers do.
#include <algorithm>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/jit/fields.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/control/native.hpp"

namespace bankshot::jit {

using llvm::BasicBlock;
using llvm::Value;
using simt::Cta;
using simt::Instr;
using simt::InstrFlag;
using simt::OperandRef;
using simt::Warp;
using simt::Worker;

/// Calls the function of lanes that an instruction is. @param arguments  the frame, Instr::imm and Instr::op
void Emitter::call_lanes(uint32_t i, const std::string& prefix, std::vector<Value*> arguments) {
  const Instr& instr = program_.code[i];
  for (const uint32_t more : {instr.aux, uint32_t{instr.flags}, uint32_t{instr.fp}, uint32_t{instr.small}})
    arguments.push_back(build_.getInt32(more));
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  const std::string name = prefix + *lanes_.find(*program_.info[i].row, program_.texts[program_.info[i].text]);
  build_.CreateCall(module_.getOrInsertFunction(name, llvm::FunctionType::get(build_.getVoidTy(), types, false)),
                    arguments);
}

void Emitter::emit_uniform(uint32_t i, const State& state) {
  const Instr& instr = program_.code[i];
  const bool moves = program_.texts[program_.info[i].text].starts_with("mov");
  const auto base = static_cast<uint32_t>(function_.register_count + specials_.size());
  const bool guarded = instr.guard != OperandRef::kNone;
  std::vector<Value*> arguments{ones_, build_.getInt64(instr.imm)};
  std::vector<std::pair<uint32_t, uint32_t>> results;  // register, number of its scratch
  for (unsigned k = 0; k < 6; ++k) {
    uint32_t op = instr.op[k];
    if (op != OperandRef::kNone && !(moves && k >= 2)) {
      const Operand o = operand(op);
      uint32_t slot = o.kind == Operand::Kind::special ? function_.register_count + o.index : o.index;
      if (o.kind == Operand::Kind::constant) {
        slot = base + k;
        build_.CreateStore(number(o, 8), one(slot));
      }
      if (is_destination(i, k) && guarded) {
        results.emplace_back(o.index, base + k);
        slot = base + k;
      }
      op = 8 * slot | (o.negated ? OperandRef::kNegated : 0);
    }
    arguments.push_back(build_.getInt32(op));
  }
  call_lanes(i, "lane.", std::move(arguments));
  if (!guarded) return;
  Value* const holds = build_.CreateICmpNE(guard_mask(i, state), build_.getInt32(0));
  for (const auto& [r, slot] : results) {
    Value* const chosen = build_.CreateSelect(holds, build_.CreateLoad(build_.getInt64Ty(), one(slot)),
                                              build_.CreateLoad(build_.getInt64Ty(), one(r)));
    build_.CreateStore(chosen, one(r));
  }
}

/// Leaves if the narrow numbers of some lane and of the others are not as far apart when they are widened.
void Emitter::emit_wide_check(uint32_t i, const State& state) {
  const Linear linear = linear_of(program_.texts[program_.info[i].text]);
  if (linear.how < Linear::How::widen) return;
  const Operand narrow = operand(program_.code[i].op[1]);
  const int32_t c = class_of(narrow, state);
  if (c <= 0) return;
  const Pattern& pattern = patterns_[c];
  const auto [least, most] = std::minmax_element(pattern.begin(), pattern.end());
  Value* const value = build_.CreateIntCast(number(narrow, 4), build_.getInt64Ty(), linear.is_signed);
  const int64_t low = linear.is_signed ? INT32_MIN : 0, high = linear.is_signed ? INT32_MAX : UINT32_MAX;
  Value* const fine =
      build_.CreateAnd(build_.CreateICmpSGE(value, build_.getInt64(static_cast<uint64_t>(low - *least))),
                       build_.CreateICmpSLE(value, build_.getInt64(static_cast<uint64_t>(high - *most))));
  auto* const wraps = BasicBlock::Create(module_.getContext(), "wraps", code_);
  auto* const on = BasicBlock::Create(module_.getContext(), "", code_);
  build_.CreateCondBr(fine, on, wraps);
  build_.SetInsertPoint(wraps);
  const uint32_t counted = counted_;
  leave(i, state);
  counted_ = counted;
  build_.SetInsertPoint(on);
}

/// @param mask  the lanes whose results are kept; null: all
void Emitter::emit_lanes(uint32_t i, State& state, Value* mask) {
  State after = state;
  transfer(i, after);
  const auto writes = writes_of(program_, i);
  if (writes.empty()) return;  // a result that nobody gets
  // In sides there is no way to the interpreter.
  const bool widens = linear_of(program_.texts[program_.info[i].text]).how >= Linear::How::widen;
  if (mask != nullptr || (in_sides_ && widens && after[writes[0]] > 0)) {
    for (const uint32_t r : writes) after[r] = kVector;
  } else if (after[writes[0]] >= 0) {
    emit_wide_check(i, state);
    emit_uniform(i, state);
    state = std::move(after);
    return;
  }
  const Instr& instr = program_.code[i];
  const bool guarded = instr.guard != OperandRef::kNone || mask != nullptr;
  const bool moves = program_.texts[program_.info[i].text].starts_with("mov");
  std::vector<Value*> arguments{frame_, build_.getInt64(instr.imm)};
  std::vector<std::pair<uint32_t, unsigned>> results;  // register, scratch row
  const auto scratch_op = [&](unsigned k) { return static_cast<uint32_t>(function_.register_bytes + kScratchRow * k); };
  for (unsigned k = 0; k < 6; ++k) {
    uint32_t op = instr.op[k];
    if (op != OperandRef::kNone && !(moves && k >= 2)) {
      const Operand o = operand(op);
      if (is_destination(i, k)) {
        if (guarded) {
          results.emplace_back(o.index, k);
          op = scratch_op(k);
        } else {
          op = function_.all_registers[o.index].offset;
        }
      } else if (const int32_t c = class_of(o, state); o.kind == Operand::Kind::reg && c < 0) {
        op = function_.all_registers[o.index].offset | (o.negated ? OperandRef::kNegated : 0);
      } else {
        materialise(o, c, scratch(k));
        op = scratch_op(k) | (o.negated ? OperandRef::kNegated : 0);
      }
    }
    arguments.push_back(build_.getInt32(op));
  }
  Value* guard = mask;
  if (instr.guard != OperandRef::kNone) {
    guard = guard_mask(i, state);
    if (mask != nullptr) guard = build_.CreateAnd(guard, mask);
  }
  call_lanes(i, "lanes.", std::move(arguments));
  for (const auto& [r, k] : results) {
    const simt::FunctionInfo::Register& reg = function_.all_registers[r];
    if (state[r] >= 0) materialise(register_operand(r), state[r], row(r));
    if (reg.predicate) {
      Value* const mask = build_.CreateZExt(guard, build_.getInt64Ty());
      Value* const was = build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), row(r)), build_.CreateNot(mask));
      build_.CreateStore(
          build_.CreateOr(was, build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), scratch(k)), mask)), row(r));
      continue;
    }
    const unsigned bytes = reg.bytes / kLanes, count = std::min(vector_bytes_ / bytes, kLanes);
    auto* const type = llvm::FixedVectorType::get(integer(bytes), count);
    for (unsigned l = 0; l < kLanes; l += count) {
      Value* const made = build_.CreateAlignedLoad(type, at(scratch(k), l * bytes), llvm::Align(8));
      Value* const was = build_.CreateAlignedLoad(type, at(row(r), l * bytes), llvm::Align(8));
      build_.CreateAlignedStore(build_.CreateSelect(mask_part(guard, l, count), made, was), at(row(r), l * bytes),
                                llvm::Align(8));
    }
  }
  state = std::move(after);
}

/// Calls the handler of an instruction. @return what it returns
Value* Emitter::run_handler(const Instr& instr) {
  Value* const here = constant_pointer(&instr);
  if (!needs_mode_) return call(reinterpret_cast<const void*>(instr.run), build_.getPtrTy(), {warp_, here});
  return call(reinterpret_cast<const void*>(runtime_.run), build_.getPtrTy(), {warp_, here, build_.getInt32(mode_)});
}

/// Puts what the handler of an instruction reads, and what it may keep, into the warp's rows.
void Emitter::flush_operands(uint32_t i, const State& state) {
  for (const uint32_t r : reads_of(program_, i)) {
    if (dirty_now_.has(r)) flush(r, state);
  }
  if (program_.code[i].guard == OperandRef::kNone) return;
  for (const uint32_t r : writes_of(program_, i)) {
    if (dirty_now_.has(r)) flush(r, state);
  }
}

/// Runs the handler of an instruction as the interpreter would.
void Emitter::emit_handler_call(uint32_t i, State& state, bool exchange) {
  const Instr& instr = program_.code[i];
  Value* const here = constant_pointer(&instr);
  if (exchange) {
    count(i);
    build_.CreateStore(here, at(warp_, kSegment));
    RegisterSet wanted = live_[i - function_.begin];
    flush(wanted, state);
    wanted.for_each([&](uint32_t r) { dirty_now_.remove(r); });
  } else {
    flush_operands(i, state);
  }
  Value* const next = run_handler(instr);
  Value* fine = build_.CreateICmpEQ(next, constant_pointer(&instr + 1));
  if (exchange) {
    Value* const same_segment = build_.CreateICmpEQ(field(warp_, kSegment, build_.getPtrTy()), here);
    Value* const active = build_.CreateTrunc(field(warp_, kActive, build_.getInt64Ty()), build_.getInt32Ty());
    Value* const before = request_.whole ? build_.getInt32(~0u)
                                         : static_cast<Value*>(build_.CreateLoad(build_.getInt32Ty(), active_slot_));
    fine = build_.CreateAnd(fine, build_.CreateAnd(same_segment, build_.CreateICmpEQ(active, before)));
  }
  auto* const gone = BasicBlock::Create(module_.getContext(), "gone", code_);
  auto* const on = BasicBlock::Create(module_.getContext(), "", code_);
  build_.CreateCondBr(fine, on, gone);
  build_.SetInsertPoint(gone);
  build_.CreateRet(next);
  build_.SetInsertPoint(on);
  for (const uint32_t r : writes_of(program_, i)) {
    reload(r);
    state[r] = kVector;
    dirty_now_.remove(r);
  }
}

void Emitter::emit_instruction(uint32_t i, State& state) {
  switch (kind_[i - function_.begin]) {
    case Kind::lanes:
    case Kind::across: emit_lanes(i, state); break;
    case Kind::load:
    case Kind::store: emit_access(i, state); break;
    case Kind::atomic: return emit_atomic(i, state);
    case Kind::call:
    case Kind::exchange:
      not_native_.push_back({i, true, why_[i - function_.begin]});
      return emit_handler_call(i, state, kind_[i - function_.begin] == Kind::exchange);
    case Kind::nothing:
      build_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
      return;
    default: return;
  }
  for (const uint32_t r : writes_of(program_, i)) dirty_now_.add(r);
}

}  // namespace bankshot::jit

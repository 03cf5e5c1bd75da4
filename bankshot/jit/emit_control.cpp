// Branches, joins and ends; the sides of short branches.
#include <algorithm>
#include <map>

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

void Emitter::emit_edge(uint32_t to, const State& state) {
  const State& wanted = in_[to];
  live_[stretch_.blocks[to].begin - function_.begin].for_each([&](uint32_t r) {
    if (wanted[r] != kVector || state[r] < 0) return;
    materialise(register_operand(r), state[r], row(r));
  });
  build_.CreateBr(block_[to]);
}

/// A block that goes on at another one.
BasicBlock* Emitter::edge(uint32_t to, const State& state) {
  const auto before = build_.saveIP();
  auto* const block = BasicBlock::Create(module_.getContext(), "edge", code_);
  build_.SetInsertPoint(block);
  emit_edge(to, state);
  build_.restoreIP(before);
  return block;
}

/// Both sides of a branch, one after the other, each for its lanes; then what is behind their join.
void Emitter::emit_sides(uint32_t i, const Block& block, State state, Value* taken, Value* active) {
  const Sides& sides = *block.sides;
  in_sides_ = true;
  // Registers of the sides alone keep no old values.
  std::map<uint32_t, unsigned> writes;
  for (const auto& [begin, end] : sides.parts) {
    for (uint32_t k = begin; k < end; ++k) {
      for (const uint32_t r : writes_of(program_, k)) ++writes[r];
    }
  }
  const auto is_own = [&](uint32_t r) {
    return writes[r] == 1 && !live_[sides.join - function_.begin].has(r) && !live_[i + 1 - function_.begin].has(r) &&
           !live_[target_of(program_, i) - function_.begin].has(r);
  };
  std::map<uint32_t, Value*> lanes;  // by instruction
  const auto come = [&](uint32_t to, Value* more) {
    Value*& all = lanes[to];
    all = all == nullptr ? more : build_.CreateOr(all, more);
  };
  come(target_of(program_, i), taken);
  come(i + 1, build_.CreateAnd(active, build_.CreateNot(taken)));
  Value *warps = build_.getInt64(0), *threads = build_.getInt64(0);
  for (const auto& [begin, end] : sides.parts) {
    Value* const mask = lanes[begin];
    uint64_t n = 0;
    bool branches = false;
    for (uint32_t k = begin; k < end; ++k) {
      const Kind kind = kind_[k - function_.begin];
      n += kind != Kind::join && (program_.code[k].flags & InstrFlag::kPseudo) == 0;
      if (kind == Kind::lanes) {
        const auto written = writes_of(program_, k);
        emit_lanes(k, state, std::all_of(written.begin(), written.end(), is_own) ? nullptr : mask);
        for (const uint32_t r : written) dirty_now_.add(r);
      } else if (kind == Kind::branch) {
        branches = true;
        const uint32_t to = target_of(program_, k);
        if (program_.code[k].guard == OperandRef::kNone) {
          come(to, mask);
        } else {
          Value* const go = build_.CreateAnd(guard_mask(k, state), mask);
          come(to, go);
          come(k + 1, build_.CreateAnd(mask, build_.CreateNot(go)));
        }
      }
    }
    if (!branches) come(end, mask);
    Value* const any = build_.CreateZExt(build_.CreateICmpNE(mask, build_.getInt32(0)), build_.getInt64Ty());
    warps = build_.CreateAdd(warps, build_.CreateMul(any, build_.getInt64(n)));
    Value* const count =
        build_.CreateZExt(build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, mask), build_.getInt64Ty());
    threads = build_.CreateAdd(threads, build_.CreateMul(count, build_.getInt64(n)));
  }
  in_sides_ = false;
  add_to(kWarpInstructions, warps);
  add_to(kThreadInstructions, threads);
  for (const auto& [r, n] : writes) {
    if (state[r] >= 0 && live_[sides.join - function_.begin].has(r)) {
      materialise(register_operand(r), state[r], row(r));
      state[r] = kVector;
    }
  }
  emit_edge(block.join_block, state);
}

void Emitter::emit_branch(uint32_t i, const Block& block, const State& state) {
  const Instr& instr = program_.code[i];
  count(i + 1);
  const uint32_t target = target_of(program_, i), taken_block = block.next[0];
  auto* const taken = BasicBlock::Create(module_.getContext(), "taken", code_);
  const auto begin_taken = [&] {
    build_.SetInsertPoint(taken);
    if (target <= i) {  // it may be waiting for another warp
      Value* const left = build_.CreateSub(field(warp_, kLoops, build_.getInt32Ty()), build_.getInt32(1));
      build_.CreateStore(left, at(warp_, kLoops));
      auto* const yield = BasicBlock::Create(module_.getContext(), "yield", code_);
      auto* const on = BasicBlock::Create(module_.getContext(), "", code_);
      build_.CreateCondBr(build_.CreateICmpSGT(left, build_.getInt32(0)), on, yield);
      build_.SetInsertPoint(yield);
      flush(live_[target - function_.begin], state);
      call(reinterpret_cast<const void*>(runtime_.yield), build_.getVoidTy(),
           {warp_, constant_pointer(&program_.code[target])});
      build_.CreateRet(llvm::ConstantPointerNull::get(build_.getPtrTy()));
      build_.SetInsertPoint(on);
    }
    emit_edge(taken_block, state);
  };
  if (instr.guard == OperandRef::kNone) {
    build_.CreateBr(taken);
    return begin_taken();
  }
  Value* mask = guard_mask(i, state);
  if (class_of(operand(instr.guard), state) == kUniform) {
    build_.CreateCondBr(build_.CreateICmpNE(mask, build_.getInt32(0)), taken, edge(block.next[1], state));
    return begin_taken();
  }
  Value* const active =
      request_.whole ? build_.getInt32(~0u) : static_cast<Value*>(build_.CreateLoad(build_.getInt32Ty(), active_slot_));
  mask = build_.CreateAnd(mask, active);
  auto* const some = BasicBlock::Create(module_.getContext(), "some", code_);
  auto* const part = BasicBlock::Create(module_.getContext(), "part", code_);
  BasicBlock* const not_taken = edge(block.next[1], state);
  build_.CreateCondBr(build_.CreateICmpEQ(mask, active), taken, some);
  build_.SetInsertPoint(some);
  build_.CreateCondBr(build_.CreateICmpEQ(mask, build_.getInt32(0)), not_taken, part);
  build_.SetInsertPoint(part);
  if (block.sides) {
    emit_sides(i, block, state, mask, active);
    return begin_taken();
  }
  RegisterSet wanted = live_[target - function_.begin];
  wanted.add(live_[i + 1 - function_.begin]);
  flush(wanted, state);
  Value* const next = call(reinterpret_cast<const void*>(runtime_.diverge), build_.getPtrTy(),
                           {warp_, constant_pointer(&instr), build_.CreateZExt(mask, build_.getInt64Ty())});
  if (request_.whole) {
    build_.CreateRet(next);
  } else {
    // Lanes of this path go on here, if it is they that come next.
    auto* const elsewhere = BasicBlock::Create(module_.getContext(), "elsewhere", code_);
    build_.CreateStore(build_.CreateTrunc(field(warp_, kActive, build_.getInt64Ty()), build_.getInt32Ty()),
                       active_slot_);
    auto* const other = BasicBlock::Create(module_.getContext(), "", code_);
    BasicBlock *const to_target = edge(taken_block, state), *const to_next = edge(block.next[1], state);
    build_.CreateCondBr(build_.CreateICmpEQ(next, constant_pointer(&program_.code[target])), to_target, other);
    build_.SetInsertPoint(other);
    build_.CreateCondBr(build_.CreateICmpEQ(next, constant_pointer(&instr + 1)), to_next, elsewhere);
    build_.SetInsertPoint(elsewhere);
    build_.CreateRet(next);
  }
  begin_taken();
}

void Emitter::emit_join(uint32_t i, const State& state) {
  auto* const nested = BasicBlock::Create(module_.getContext(), "nested", code_);
  auto* const on = BasicBlock::Create(module_.getContext(), "", code_);
  Value* const bit = build_.CreateAnd(field(warp_, kAwaited, build_.getInt64Ty()),
                                      build_.getInt64(simt::bit_of_join(&program_.code[i])));
  build_.CreateCondBr(build_.CreateICmpEQ(bit, build_.getInt64(0)), on, nested);
  build_.SetInsertPoint(nested);
  flush(live_[i - function_.begin], state);
  Value* const next = call(reinterpret_cast<const void*>(runtime_.join), build_.getPtrTy(),
                           {warp_, constant_pointer(&program_.code[i])});
  auto* const gone = BasicBlock::Create(module_.getContext(), "gone", code_);
  build_.CreateCondBr(build_.CreateIsNull(next), on, gone);
  build_.SetInsertPoint(gone);
  Value* const nobody = build_.CreateICmpEQ(next, constant_pointer(simt::kNobodyReady));
  build_.CreateRet(build_.CreateSelect(nobody, llvm::ConstantPointerNull::get(build_.getPtrTy()), next));
  build_.SetInsertPoint(on);
}

/// Behind the barrier, when all have arrived: rows have what registers held in front of it.
const Emitter::Way& Emitter::behind(uint32_t b) {
  Way& way = behind_[b];
  if (way.to != nullptr) return way;
  way = add_way("behind");
  const auto before = build_.saveIP();
  build_.SetInsertPoint(way.to);
  take_values(in_[b], live_[stretch_.blocks[b].begin - function_.begin], nullptr);
  ensure_mode();
  build_.CreateBr(block_[b]);
  build_.restoreIP(before);
  return way;
}

void Emitter::emit_barrier(uint32_t i, const Block& block, const State& state) {
  count(i);
  flush(live_[i - function_.begin], state);
  const Way& way = behind(block.next[0]);
  build_.CreateStore(constant_pointer(&program_.code[i]), at(warp_, kSegment));
  Value* const next = call(reinterpret_cast<const void*>(runtime_.arrive), build_.getPtrTy(),
                           {warp_, constant_pointer(&program_.code[i]), code_, build_.getInt32(way.number)});
  auto* const waits = BasicBlock::Create(module_.getContext(), "waits", code_);
  build_.CreateCondBr(build_.CreateICmpEQ(next, constant_pointer(&program_.code[i + 1])), way.to, waits);
  build_.SetInsertPoint(waits);
  build_.CreateRet(next);
}

void Emitter::emit_end(uint32_t i) {
  count(i);
  build_.CreateRet(call(reinterpret_cast<const void*>(runtime_.end), build_.getPtrTy(),
                        {warp_, constant_pointer(&program_.code[i])}));
}

void Emitter::emit_block(uint32_t b) {
  const Block& block = stretch_.blocks[b];
  build_.SetInsertPoint(block_[b]);
  State state = in_[b];
  dirty_now_ = dirty_[b];
  counted_ = block.begin;
  together_.clear();
  block_end_ = block.end;
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const Kind kind = kind_[i - function_.begin];
    if (kind == Kind::branch) return emit_branch(i, block, state);
    if (kind == Kind::end) return emit_end(i);
    if (kind == Kind::barrier) return emit_barrier(i, block, state);
    if (kind == Kind::join) {
      emit_join(i, state);
    } else {
      emit_instruction(i, state);
      forget_together(i);
    }
  }
  if (!block.falls_through) {
    const bool left = kind_[block.end - function_.begin] == Kind::leave;
    not_native_.push_back({block.end, false, left ? why_[block.end - function_.begin] : "the stretch is long enough"});
    return leave(block.end, state);
  }
  count(block.end);
  emit_edge(block.next[0], state);
}

}  // namespace bankshot::jit

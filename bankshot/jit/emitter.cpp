#include "bankshot/jit/emitter.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>

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

namespace {

#pragma GCC diagnostic ignored "-Winvalid-offsetof"  // of structures with members that have constructors
constexpr size_t kBase = offsetof(Warp, base), kActive = offsetof(Warp, active), kWorker = offsetof(Warp, worker),
                 kCta = offsetof(Warp, cta), kSegment = offsetof(Warp, segment), kLoops = offsetof(Warp, loops),
                 kAwaited = offsetof(Warp, awaited);
constexpr size_t kWarpInstructions = offsetof(Worker, warp_instructions),
                 kThreadInstructions = offsetof(Worker, thread_instructions), kFp = offsetof(Worker, fp);
constexpr size_t kShared = offsetof(Cta, shared), kSharedBytes = offsetof(Cta, shared_bytes);
constexpr uint32_t kScratchRow = 8 * kLanes;

}  // namespace

Emitter::Emitter(const simt::NativeRequest& request, const simt::NativeRuntime& runtime, LaneLibrary& lanes,
                 const std::vector<RegisterSet>& live, llvm::Module& module, unsigned vector_bytes)
    : request_(request),
      runtime_(runtime),
      lanes_(lanes),
      live_(live),
      module_(module),
      build_(module.getContext()),
      vector_bytes_(vector_bytes),
      program_(*request.program),
      function_(program_.functions[program_.info[request.entry].function]) {
  for (const simt::SpecialUse& use : program_.specials) specials_.push_back({use.op, use.bytes});
}

Value* Emitter::at(Value* pointer, uint64_t bytes) {
  return build_.CreateConstInBoundsGEP1_64(build_.getInt8Ty(), pointer, bytes);
}
Value* Emitter::row(uint32_t r) { return at(frame_, function_.all_registers[r].offset); }
Value* Emitter::one(uint32_t index) { return at(ones_, 8 * index); }
Value* Emitter::scratch(unsigned k) { return at(frame_, function_.register_bytes + kScratchRow * k); }
Value* Emitter::real_row(uint32_t r) { return at(base_, function_.all_registers[r].offset); }
Value* Emitter::field(Value* base, size_t offset, llvm::Type* type) {
  return build_.CreateLoad(type, at(base, offset));
}
Value* Emitter::constant_pointer(const void* p) {
  return llvm::ConstantExpr::getIntToPtr(build_.getInt64(reinterpret_cast<uint64_t>(p)), build_.getPtrTy());
}

llvm::CallInst* Emitter::call(const void* function, llvm::Type* result, std::vector<Value*> arguments) {
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  return build_.CreateCall(llvm::FunctionType::get(result, types, false), constant_pointer(function), arguments);
}

/// The bits of some lanes of a mask, as a vector.
Value* Emitter::mask_part(Value* mask, unsigned first, unsigned count) {
  Value* const bits = first == 0 ? mask : build_.CreateLShr(mask, first);
  Value* const low = build_.CreateTruncOrBitCast(bits, build_.getIntNTy(count));
  return build_.CreateBitCast(low, llvm::FixedVectorType::get(build_.getInt1Ty(), count));
}

/// to[l] = number + pattern[l]
void Emitter::spread(Value* to, unsigned bytes, Value* number, const Pattern& pattern) {
  const unsigned count = vector_bytes_ / bytes < kLanes ? vector_bytes_ / bytes : kLanes;
  Value* const same = build_.CreateVectorSplat(count, number);
  for (unsigned l = 0; l < kLanes; l += count) {
    std::vector<llvm::Constant*> distances;
    for (unsigned k = 0; k < count; ++k)
      distances.push_back(llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(pattern[l + k]), true));
    build_.CreateAlignedStore(build_.CreateAdd(same, llvm::ConstantVector::get(distances)), at(to, l * bytes),
                              llvm::Align(8));
  }
}

/// Writes the lanes of a mask (null: all) of a row.
void Emitter::store_parts(Value* to, unsigned bytes, Value* from, Value* mask) {
  const unsigned count = vector_bytes_ / bytes < kLanes ? vector_bytes_ / bytes : kLanes;
  auto* const type = llvm::FixedVectorType::get(integer(bytes), count);
  for (unsigned l = 0; l < kLanes; l += count) {
    Value* const part = build_.CreateAlignedLoad(type, at(from, l * bytes), llvm::Align(8));
    if (mask == nullptr) {
      build_.CreateAlignedStore(part, at(to, l * bytes), llvm::Align(8));
    } else {
      build_.CreateMaskedStore(part, at(to, l * bytes), llvm::Align(8), mask_part(mask, l, count));
    }
  }
}

/// A number that all lanes have, with the pattern's distances if there is one.
Value* Emitter::number(const Operand& operand, unsigned bytes) {
  switch (operand.kind) {
    case Operand::Kind::constant:
      if ((mode_ & simt::FpMode::kFlush) != 0)  // the compiler would compute with it as if nothing were flushed
        return build_.CreateLoad(integer(bytes), constant_pointer(program_.constant_rows + operand.index));
      return build_.getIntN(8 * bytes, bytes == 8 ? operand.value : operand.value & ((uint64_t{1} << (8 * bytes)) - 1));
    case Operand::Kind::special:
      return build_.CreateLoad(integer(bytes), one(function_.register_count + operand.index));
    default: return build_.CreateLoad(integer(bytes), one(operand.index));
  }
}

/// The lanes of an operand, at `to`. @param kind  its class
void Emitter::materialise(const Operand& operand, int32_t kind, Value* to) {
  if (operand.kind == Operand::Kind::constant) {
    const size_t room = std::min<size_t>(kScratchRow, program_.constants.size() - operand.index);
    Value* const pool = constant_pointer(program_.constant_rows + operand.index);
    for (size_t b = 0; b + vector_bytes_ <= room; b += vector_bytes_) {
      auto* const type = llvm::FixedVectorType::get(build_.getInt32Ty(), vector_bytes_ / 4);
      Value* part;
      if ((mode_ & simt::FpMode::kFlush) != 0) {
        part = build_.CreateAlignedLoad(type, at(pool, b), llvm::Align(8));
      } else {
        std::vector<uint32_t> words(vector_bytes_ / 4);
        std::memcpy(words.data(), program_.constant_rows + operand.index + b, vector_bytes_);
        part = llvm::ConstantDataVector::get(module_.getContext(), words);
      }
      build_.CreateAlignedStore(part, at(to, b), llvm::Align(8));
    }
    return;
  }
  if (operand.kind == Operand::Kind::special && kind < 0) {
    Value* const base = specials_[operand.index].op >> 30 == 3 ? cta_special_base_ : special_base_;
    return store_parts(to, operand.bytes, at(base, specials_[operand.index].op & OperandRef::kOffset), nullptr);
  }
  if (operand.bytes == 0) {  // a predicate
    Value* const bit = build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), one(operand.index)), 1);
    build_.CreateStore(build_.CreateSub(build_.getInt64(0), bit), to);
    return;
  }
  spread(to, operand.bytes, number(operand, operand.bytes), patterns_[kind]);
}

Value* Emitter::predicate(const Operand& operand, const State& state) {
  Value* mask;
  if (operand.kind == Operand::Kind::constant) {
    mask = build_.getInt32(static_cast<uint32_t>(operand.value));
  } else if (class_of(operand, state) == kUniform) {
    Value* const bit = build_.CreateAnd(build_.CreateLoad(build_.getInt32Ty(), one(operand.index)), 1);
    mask = build_.CreateSub(build_.getInt32(0), bit);
  } else {
    mask = build_.CreateTrunc(build_.CreateLoad(build_.getInt64Ty(), row(operand.index)), build_.getInt32Ty());
  }
  return operand.negated ? build_.CreateNot(mask) : mask;
}

Value* Emitter::guard_mask(uint32_t i, const State& state) {
  const Instr& instr = program_.code[i];
  Value* const mask = predicate(operand(instr.guard), state);
  return (instr.flags & InstrFlag::kGuardNegated) != 0 ? build_.CreateNot(mask) : mask;
}

Value* Emitter::first_lane() {
  if (request_.whole) return build_.getInt64(0);
  Value* const active = build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  return build_.CreateZExt(build_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, active, build_.getTrue()),
                           build_.getInt64Ty());
}

// Between the frame of this function and the warp's.

void Emitter::flush(uint32_t r, const State& state) {
  const simt::FunctionInfo::Register& reg = function_.all_registers[r];
  if (state[r] == kUnknown) return;
  if (state[r] >= 0) {
    materialise(register_operand(r), state[r], row(r));
  }
  Value* const active = request_.whole ? nullptr : build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  if (!reg.predicate) return store_parts(real_row(r), reg.bytes / kLanes, row(r), active);
  Value* bits = build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), row(r)), 0xffffffff);
  if (active != nullptr) {
    Value* const mask = build_.CreateZExt(active, build_.getInt64Ty());
    Value* const others = build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), real_row(r)), build_.CreateNot(mask));
    bits = build_.CreateOr(build_.CreateAnd(bits, mask), others);
  }
  build_.CreateStore(bits, real_row(r));
}

void Emitter::flush(const RegisterSet& registers, const State& state) {
  registers.for_each([&](uint32_t r) {
    if (dirty_now_.has(r)) flush(r, state);
  });
}

void Emitter::reload(uint32_t r) {
  const simt::FunctionInfo::Register& reg = function_.all_registers[r];
  if (reg.predicate) {
    build_.CreateStore(build_.CreateLoad(build_.getInt64Ty(), real_row(r)), row(r));
  } else {
    store_parts(row(r), reg.bytes / kLanes, real_row(r), nullptr);
  }
}

/// Adds to a counter of the worker.
void Emitter::add_to(size_t offset, Value* amount) {
  Value* const counter = at(worker_, offset);
  build_.CreateStore(build_.CreateAdd(build_.CreateLoad(build_.getInt64Ty(), counter), amount), counter);
}

/// Adds the instructions of the block before `until` that are not counted yet.
void Emitter::count(uint32_t until) {
  uint64_t n = 0;
  for (uint32_t i = counted_; i < until; ++i)
    n += kind_[i - function_.begin] != Kind::join && (program_.code[i].flags & InstrFlag::kPseudo) == 0;
  counted_ = until;
  if (n == 0) return;
  add_to(kWarpInstructions, build_.getInt64(n));
  if (request_.whole) {
    add_to(kThreadInstructions, build_.getInt64(n * kLanes));
    return;
  }
  Value* const active = build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  Value* const lanes = build_.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, active);
  add_to(kThreadInstructions, build_.CreateMul(build_.CreateZExt(lanes, build_.getInt64Ty()), build_.getInt64(n)));
}

void Emitter::leave(uint32_t at_instruction, const State& state) {
  count(at_instruction);
  flush(live_[at_instruction - function_.begin], state);
  Value* const next = constant_pointer(&program_.code[at_instruction]);
  build_.CreateStore(next, at(warp_, kSegment));
  build_.CreateRet(at_instruction == request_.entry ? constant_pointer(simt::kRefused)
                                                    : next);  // the interpreter has to get on
}

void Emitter::ensure_mode() {
  if (!needs_mode_) return;
  Value* const now = field(worker_, kFp, build_.getInt8Ty());
  auto* const change = BasicBlock::Create(module_.getContext(), "mode", code_);
  auto* const done = BasicBlock::Create(module_.getContext(), "", code_);
  build_.CreateCondBr(build_.CreateICmpEQ(now, build_.getInt8(mode_)), done, change);
  build_.SetInsertPoint(change);
  call(reinterpret_cast<const void*>(runtime_.set_mode), build_.getVoidTy(), {warp_, build_.getInt32(mode_)});
  build_.CreateBr(done);
  build_.SetInsertPoint(done);
}

// Instructions.

void Emitter::emit_uniform(uint32_t i, const State& state) {
  const Instr& instr = program_.code[i];
  const std::string name = "lane." + *lanes_.find(*program_.info[i].row, program_.texts[program_.info[i].text]);
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
  for (const uint32_t more : {instr.aux, uint32_t{instr.flags}, uint32_t{instr.fp}, uint32_t{instr.small}})
    arguments.push_back(build_.getInt32(more));
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  called_.insert(name);
  build_.CreateCall(module_.getOrInsertFunction(name, llvm::FunctionType::get(build_.getVoidTy(), types, false)),
                    arguments);
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
  const std::string name = "lanes." + *lanes_.find(*program_.info[i].row, program_.texts[program_.info[i].text]);
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
  for (const uint32_t more : {instr.aux, uint32_t{instr.flags}, uint32_t{instr.fp}, uint32_t{instr.small}})
    arguments.push_back(build_.getInt32(more));
  std::vector<llvm::Type*> types;
  for (Value* argument : arguments) types.push_back(argument->getType());
  called_.insert(name);
  Value* guard = mask;
  if (instr.guard != OperandRef::kNone) {
    guard = guard_mask(i, state);
    if (mask != nullptr) guard = build_.CreateAnd(guard, mask);
  }
  build_.CreateCall(module_.getOrInsertFunction(name, llvm::FunctionType::get(build_.getVoidTy(), types, false)),
                    arguments);
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
    case Kind::call: return emit_handler_call(i, state, false);
    case Kind::exchange: return emit_handler_call(i, state, true);
    case Kind::nothing:
      build_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread);
      return;
    default: return;
  }
  for (const uint32_t r : writes_of(program_, i)) dirty_now_.add(r);
}

// Control flow.

void Emitter::emit_edge(uint32_t to, const State& state) {
  const State& wanted = in_[to];
  live_[stretch_.blocks[to].begin - function_.begin].for_each([&](uint32_t r) {
    if (wanted[r] != kVector || state[r] < 0) return;
    const simt::FunctionInfo::Register& reg = function_.all_registers[r];
    materialise(register_operand(r), state[r], row(r));
  });
  build_.CreateBr(block_[to]);
}

/// A block that goes on at another one. @param back  the warp may have to let others run first
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
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const Kind kind = kind_[i - function_.begin];
    if (kind == Kind::branch) return emit_branch(i, block, state);
    if (kind == Kind::end) return emit_end(i);
    if (kind == Kind::join) {
      emit_join(i, state);
    } else {
      emit_instruction(i, state);
    }
  }
  if (!block.falls_through) return leave(block.end, state);
  count(block.end);
  emit_edge(block.next[0], state);
}

void Emitter::emit_entry() {
  build_.SetInsertPoint(entry_);
  const auto room = [&](uint64_t bytes, const char* name) {
    auto* const slot = build_.CreateAlloca(llvm::ArrayType::get(build_.getInt8Ty(), bytes), nullptr, name);
    slot->setAlignment(llvm::Align(64));
    return slot;
  };
  frame_ = room(function_.register_bytes + 8 * kScratchRow, "frame");
  ones_ = room(8 * (function_.register_count + specials_.size() + 8), "ones");
  active_slot_ = build_.CreateAlloca(build_.getInt32Ty(), nullptr, "active");
  warp_ = code_->getArg(0);
  worker_ = field(warp_, kWorker, build_.getPtrTy());
  cta_ = field(warp_, kCta, build_.getPtrTy());
  base_ = field(warp_, kBase, build_.getPtrTy());
  special_base_ = field(warp_, kBase + 16, build_.getPtrTy());
  cta_special_base_ = field(warp_, kBase + 24, build_.getPtrTy());
  shared_ = field(cta_, kShared, build_.getPtrTy());
  shared_bytes_ = build_.CreateZExt(field(cta_, kSharedBytes, build_.getInt32Ty()), build_.getInt64Ty());
  sites_ = field(worker_, offsetof(Worker, sites), build_.getPtrTy());  // where a vector has its elements
  l1_sites_ = field(worker_, offsetof(Worker, l1_sites), build_.getPtrTy());
  Value* const active = build_.CreateTrunc(field(warp_, kActive, build_.getInt64Ty()), build_.getInt32Ty());
  build_.CreateStore(active, active_slot_);
  Value* const first = first_lane();
  Value* different = build_.getFalse();

  const auto take = [&](Value* from, unsigned bytes, int32_t c, uint32_t index, bool check) {
    const Pattern& pattern = patterns_[c];
    Value* number = build_.CreateLoad(integer(bytes), build_.CreateGEP(integer(bytes), from, first));
    if (!request_.whole && c != kUniform) {
      std::vector<llvm::Constant*> distances;
      for (const int64_t d : pattern)
        distances.push_back(llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(d), true));
      number = build_.CreateSub(number, build_.CreateExtractElement(llvm::ConstantVector::get(distances), first));
    } else if (c != kUniform) {
      number =
          build_.CreateSub(number, llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(pattern[0]), true));
    }
    build_.CreateStore(number, one(index));
    if (!check) return;
    const unsigned count = std::min(vector_bytes_ / bytes, kLanes);
    auto* const type = llvm::FixedVectorType::get(integer(bytes), count);
    Value* const same = build_.CreateVectorSplat(count, number);
    for (unsigned l = 0; l < kLanes; l += count) {
      std::vector<llvm::Constant*> distances;
      for (unsigned k = 0; k < count; ++k)
        distances.push_back(llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(pattern[l + k]), true));
      Value* const is = build_.CreateAlignedLoad(type, at(from, l * bytes), llvm::Align(8));
      Value* off = build_.CreateICmpNE(is, build_.CreateAdd(same, llvm::ConstantVector::get(distances)));
      if (!request_.whole) off = build_.CreateAnd(off, mask_part(active, l, count));
      Value* const any =
          build_.CreateICmpNE(build_.CreateBitCast(off, build_.getIntNTy(count)), build_.getIntN(count, 0));
      different = build_.CreateOr(different, any);
    }
  };
  const State& state = in_[0];
  live_[request_.entry - function_.begin].for_each([&](uint32_t r) {
    if (state[r] < 0) {
      reload(r);
    } else {
      take(real_row(r), function_.all_registers[r].bytes / kLanes, state[r], r, true);
    }
  });
  for (size_t s = 0; s < specials_.size(); ++s) {
    const auto index = static_cast<uint32_t>(function_.register_count + s);
    if (state[index] < 0) continue;
    const bool per_cta = specials_[s].op >> 30 == 3;
    take(at(per_cta ? cta_special_base_ : special_base_, specials_[s].op & OperandRef::kOffset), specials_[s].bytes,
         state[index], index, !per_cta);
  }
  auto* const refused = BasicBlock::Create(module_.getContext(), "refused", code_);
  auto* const fine = BasicBlock::Create(module_.getContext(), "fine", code_);
  build_.CreateCondBr(different, refused, fine);
  build_.SetInsertPoint(refused);
  build_.CreateRet(constant_pointer(simt::kRefused));
  build_.SetInsertPoint(fine);
  ensure_mode();
  build_.CreateBr(block_[0]);
}

llvm::Function* Emitter::emit(const std::string& name, std::string& why) {
  kind_ = kinds();
  needs_mode_ = choose_mode();
  stretch_ = stretch_from(program_, function_, kind_, request_.entry);
  if (stretch_.blocks[0].begin == stretch_.blocks[0].end || kind_[request_.entry - function_.begin] == Kind::end) {
    why = "nothing but '" + program_.texts[program_.info[request_.entry].text] + "', which is interpreted";
    return nullptr;
  }
  solve();
  if (std::getenv("BANKSHOT_JIT_PLAN") != nullptr) {
    for (const Block& b : stretch_.blocks) {
      std::fprintf(stderr, "block %u-%u ->", b.begin, b.end);
      for (const uint32_t n : b.next) std::fprintf(stderr, " %u", stretch_.blocks[n].begin);
      if (b.sides) {
        std::fprintf(stderr, " sides to %u:", b.sides->join);
        for (const auto& [from, to] : b.sides->parts) std::fprintf(stderr, " %u-%u", from, to);
      }
      std::fprintf(stderr, " state:");
      const State& st = in_[&b - stretch_.blocks.data()];
      live_[b.begin - function_.begin].for_each(
          [&](uint32_t r) { std::fprintf(stderr, " r%u@%u:%d", r, function_.all_registers[r].offset, st[r]); });
      std::fprintf(stderr, "\n");
      State now = st;
      for (uint32_t i = b.begin; i < b.end; ++i) {
        transfer(i, now);
        std::fprintf(stderr, "  %u %s kind %d ->", i, program_.texts[program_.info[i].text].c_str(),
                     static_cast<int>(kind_[i - function_.begin]));
        for (const uint32_t r : writes_of(program_, i)) std::fprintf(stderr, " r%u:%d", r, now[r]);
        std::fprintf(stderr, "\n");
      }
    }
  }
  code_ = llvm::Function::Create(llvm::FunctionType::get(build_.getPtrTy(), {build_.getPtrTy()}, false),
                                 llvm::Function::ExternalLinkage, name, module_);
  code_->setDoesNotThrow();
  entry_ = BasicBlock::Create(module_.getContext(), "entry", code_);
  for (const Block& block : stretch_.blocks)
    block_.push_back(BasicBlock::Create(module_.getContext(), "i" + std::to_string(block.begin), code_));
  emit_entry();
  for (uint32_t b = 0; b < stretch_.blocks.size(); ++b) emit_block(b);
  return code_;
}

}  // namespace bankshot::jit

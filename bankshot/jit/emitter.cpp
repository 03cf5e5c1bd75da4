#include "bankshot/jit/emitter.hpp"

#include <cstring>

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

/// Those of some lanes, as a vector.
llvm::Constant* Emitter::distances(const Pattern& pattern, unsigned bytes, unsigned first, unsigned count) {
  std::vector<llvm::Constant*> all;
  for (unsigned l = first; l < first + count; ++l)
    all.push_back(llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(pattern[l]), true));
  return llvm::ConstantVector::get(all);
}

/// to[l] = number + pattern[l]
void Emitter::spread(Value* to, unsigned bytes, Value* number, const Pattern& pattern) {
  const unsigned count = vector_bytes_ / bytes < kLanes ? vector_bytes_ / bytes : kLanes;
  Value* const same = build_.CreateVectorSplat(count, number);
  for (unsigned l = 0; l < kLanes; l += count) {
    build_.CreateAlignedStore(build_.CreateAdd(same, distances(pattern, bytes, l, count)), at(to, l * bytes),
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
  if (at_instruction != request_.entry) {
    build_.CreateRet(next);
    return;
  }
  // A warp that began here gets no further: the interpreter has to. One that began elsewhere comes here anew.
  Value* const began_here = build_.CreateICmpEQ(code_->getArg(1), build_.getInt32(0));
  build_.CreateRet(build_.CreateSelect(began_here, constant_pointer(simt::kRefused), next));
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

void Emitter::emit_entry() {
  build_.SetInsertPoint(entry_);
  const auto room = [&](uint64_t bytes, const char* name) {
    auto* const slot = build_.CreateAlloca(llvm::ArrayType::get(build_.getInt8Ty(), bytes), nullptr, name);
    slot->setAlignment(llvm::Align(64));
    return slot;
  };
  frame_ = room(function_.register_bytes + 8 * kScratchRow, "frame");
  ones_ = room(8 * (function_.register_count + specials_.size() + 8), "ones");
  lane_places_ = room(kScratchRow, "places");
  lane_values_ = room(kScratchRow, "values");
  active_slot_ = build_.CreateAlloca(build_.getInt32Ty(), nullptr, "active");
  warp_ = code_->getArg(0);
  worker_ = field(warp_, kWorker, build_.getPtrTy());
  cta_ = field(warp_, kCta, build_.getPtrTy());
  base_ = field(warp_, kBase, build_.getPtrTy());
  special_base_ = field(warp_, kBase + 16, build_.getPtrTy());
  cta_special_base_ = field(warp_, kBase + 24, build_.getPtrTy());
  shared_ = field(cta_, kShared, build_.getPtrTy());
  shared_bytes_ = build_.CreateZExt(field(cta_, kSharedBytes, build_.getInt32Ty()), build_.getInt64Ty());
  own_window_ = field(cta_, kOwnWindow, build_.getInt32Ty());
  sites_ = field(worker_, offsetof(Worker, sites), build_.getPtrTy());  // where a vector has its elements
  l1_sites_ = field(worker_, offsetof(Worker, l1_sites), build_.getPtrTy());
  Value* const active = build_.CreateTrunc(field(warp_, kActive, build_.getInt64Ty()), build_.getInt32Ty());
  build_.CreateStore(active, active_slot_);
  first_ = first_lane();
  auto* const begin = BasicBlock::Create(module_.getContext(), "begin", code_);
  way_in_ = build_.CreateSwitch(code_->getArg(1), begin);
  build_.SetInsertPoint(begin);
  emit_begin(0);
  emit_ways_in();
}

Emitter::Way Emitter::add_way(const char* name) {
  const Way way{BasicBlock::Create(module_.getContext(), name, code_), way_in_->getNumCases() + 1};
  way_in_->addCase(build_.getInt32(way.number), way.to);
  return way;
}

/// Lanes that parted come together at joins, and go on as a whole warp.
void Emitter::emit_ways_in() {
  constexpr size_t kMost = 8;
  for (uint32_t b = 1; b < stretch_.blocks.size() && ways_in_.size() < kMost; ++b) {
    const uint32_t i = stretch_.blocks[b].begin, before = i - 1;
    if (i == function_.begin || stretch_.blocks[b].begin == stretch_.blocks[b].end) continue;
    if (kind_[before - function_.begin] != Kind::join || kind_[i - function_.begin] == Kind::end) continue;
    const Way way = add_way("way");
    ways_in_.emplace_back(i, way.number);
    build_.SetInsertPoint(way.to);
    emit_begin(b);
  }
}

/// What a row holds, in the form that its class wants. @param different  set if the row does not match; null: not
/// checked
void Emitter::take(Value* from, unsigned bytes, int32_t c, uint32_t index, Value** different) {
  const Pattern& pattern = patterns_[c];
  Value* number = build_.CreateLoad(integer(bytes), build_.CreateGEP(integer(bytes), from, first_));
  if (!request_.whole && c != kUniform) {
    number = build_.CreateSub(number, build_.CreateExtractElement(distances(pattern, bytes, 0, kLanes), first_));
  } else if (c != kUniform) {
    number = build_.CreateSub(number, llvm::ConstantInt::get(integer(bytes), static_cast<uint64_t>(pattern[0]), true));
  }
  build_.CreateStore(number, one(index));
  if (different == nullptr) return;
  const unsigned count = std::min(vector_bytes_ / bytes, kLanes);
  auto* const type = llvm::FixedVectorType::get(integer(bytes), count);
  Value* const same = build_.CreateVectorSplat(count, number);
  Value* const active = build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  for (unsigned l = 0; l < kLanes; l += count) {
    Value* const is = build_.CreateAlignedLoad(type, at(from, l * bytes), llvm::Align(8));
    Value* off = build_.CreateICmpNE(is, build_.CreateAdd(same, distances(pattern, bytes, l, count)));
    if (!request_.whole) off = build_.CreateAnd(off, mask_part(active, l, count));
    Value* const any =
        build_.CreateICmpNE(build_.CreateBitCast(off, build_.getIntNTy(count)), build_.getIntN(count, 0));
    *different = build_.CreateOr(*different, any);
  }
}

/// The same of a predicate that all lanes share.
void Emitter::take_predicate(uint32_t r, Value** different) {
  Value* const active = build_.CreateZExt(build_.CreateLoad(build_.getInt32Ty(), active_slot_), build_.getInt64Ty());
  Value* const holds = build_.CreateAnd(build_.CreateLoad(build_.getInt64Ty(), real_row(r)), active);
  Value* const any = build_.CreateICmpNE(holds, build_.getInt64(0));
  build_.CreateStore(build_.CreateZExt(any, build_.getInt64Ty()), one(r));
  if (different == nullptr) return;
  Value* const some = build_.CreateAnd(any, build_.CreateICmpNE(holds, active));
  *different = build_.CreateOr(*different, some);
}

/// Registers and special values from their rows.
void Emitter::take_values(const State& state, const RegisterSet& registers, Value** different) {
  registers.for_each([&](uint32_t r) {
    if (state[r] < 0) {
      reload(r);
    } else if (function_.all_registers[r].predicate) {
      take_predicate(r, different);
    } else {
      take(real_row(r), function_.all_registers[r].bytes / kLanes, state[r], r, different);
    }
  });
  for (size_t s = 0; s < specials_.size(); ++s) {
    const auto index = static_cast<uint32_t>(function_.register_count + s);
    if (state[index] < 0) continue;
    const bool per_cta = specials_[s].op >> 30 == 3;
    take(at(per_cta ? cta_special_base_ : special_base_, specials_[s].op & OperandRef::kOffset), specials_[s].bytes,
         state[index], index, per_cta ? nullptr : different);
  }
}

/// Goes on at a block if registers and parameters are as its code assumes.
void Emitter::emit_begin(uint32_t b) {
  Value* different = build_.getFalse();
  take_values(in_[b], live_[stretch_.blocks[b].begin - function_.begin], &different);
  Value* const params = field(field(worker_, offsetof(Worker, launch), build_.getPtrTy()),
                              offsetof(simt::Launch, params), build_.getPtrTy());
  for (const auto& [offset, parameter] : assumed_) {
    Value* const is = field(params, offset, integer(parameter.bytes));
    different =
        build_.CreateOr(different, build_.CreateICmpNE(is, build_.getIntN(8 * parameter.bytes, parameter.value)));
  }
  auto* const refused = BasicBlock::Create(module_.getContext(), "refused", code_);
  auto* const fine = BasicBlock::Create(module_.getContext(), "fine", code_);
  build_.CreateCondBr(different, refused, fine);
  build_.SetInsertPoint(refused);
  build_.CreateRet(constant_pointer(simt::kRefused));
  build_.SetInsertPoint(fine);
  ensure_mode();
  build_.CreateBr(block_[b]);
}

llvm::Function* Emitter::emit(const std::string& name, std::string& why) {
  choose_kinds();
  needs_mode_ = choose_mode();
  stretch_ = stretch_from(program_, function_, kind_, request_.entry);
  if (stretch_.blocks[0].begin == stretch_.blocks[0].end || kind_[request_.entry - function_.begin] == Kind::end) {
    const char* const reason = why_[request_.entry - function_.begin];
    why = "it begins with " + program_.texts[program_.info[request_.entry].text] + ": " +
          (reason[0] == 0 ? "the end of the kernel" : reason);
    return nullptr;
  }
  solve();
  code_ = llvm::Function::Create(
      llvm::FunctionType::get(build_.getPtrTy(), {build_.getPtrTy(), build_.getInt32Ty()}, false),
      llvm::Function::ExternalLinkage, name, module_);
  code_->setDoesNotThrow();
  code_->addFnAttr(llvm::Attribute::NoRedZone);  // call_keeping_registers() pushes there
  entry_ = BasicBlock::Create(module_.getContext(), "entry", code_);
  for (const Block& block : stretch_.blocks)
    block_.push_back(BasicBlock::Create(module_.getContext(), "i" + std::to_string(block.begin), code_));
  emit_entry();
  for (uint32_t b = 0; b < stretch_.blocks.size(); ++b) emit_block(b);
  return code_;
}

std::vector<uint32_t> Emitter::blocks() const {
  std::vector<uint32_t> all;
  for (const Block& block : stretch_.blocks) all.push_back(block.begin);
  return all;
}

}  // namespace bankshot::jit

// Atomics on shared memory whose old values nobody wants: lane after lane in ascending order, as the handler does.
#include <algorithm>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/simt/control/control.hpp"

namespace bankshot::jit {

using llvm::BasicBlock;
using llvm::Value;
using simt::Instr;
using simt::InstrFlag;
using simt::OperandRef;

const char* Emitter::why_no_atomic(uint32_t i) {
  const Instr& instr = program_.code[i];
  const std::string& text = program_.texts[program_.info[i].text];
  if (static_cast<ptx::Space>(instr.small) != ptx::Space::shared) return "an atomic outside shared memory";
  if (instr.op[1] != OperandRef::kNone) return "an atomic whose result is used";
  if (instr.op[3] != OperandRef::kNone) return "a compare-and-swap";
  if (request_.counting && !program_.hash_of_site.empty()) return kOwnHash;
  if (instr.run != instr.body && instr.run != runtime_.guarded) return kWrapped;
  const unsigned bytes = bytes_of_type(i);
  if (bytes != 4 && bytes != 8) return "an atomic on 16 or 128 bits";
  return lanes_.find(*program_.info[i].row, text) == nullptr ? "an atomic on more than one word" : nullptr;
}

/// Bytes of a value of the type that is the last word of the instruction.
unsigned Emitter::bytes_of_type(uint32_t i) const {
  return ptx::bits(ptx::type_named(words_of(program_.texts[program_.info[i].text]).back())) / 8;
}

/// One lane's. @param varies  whether lanes have values of their own, else they are in the slots
void Emitter::emit_update(uint32_t i, Value* lane, bool varies) {
  const Instr& instr = program_.code[i];
  const auto base = static_cast<uint32_t>(function_.register_count + specials_.size());
  llvm::Type* const type = integer(bytes_of_type(i));
  Value* const offset = build_.CreateZExt(
      build_.CreateLoad(build_.getInt32Ty(), build_.CreateGEP(build_.getInt32Ty(), lane_places_, lane)),
      build_.getInt64Ty());
  Value* const place = build_.CreateGEP(build_.getInt8Ty(), shared_, offset);
  build_.CreateStore(build_.CreateLoad(type, place), one(base));
  if (varies) build_.CreateStore(build_.CreateLoad(type, build_.CreateGEP(type, lane_values_, lane)), one(base + 2));
  std::vector<Value*> arguments{ones_, build_.getInt64(instr.imm)};
  for (unsigned k = 0; k < 6; ++k)
    arguments.push_back(build_.getInt32(k == 0 || k == 2 ? 8 * (base + k) : OperandRef::kNone));
  call_lanes(i, "lane.", std::move(arguments));
  build_.CreateStore(build_.CreateLoad(type, one(base)), place);
}

void Emitter::emit_atomic(uint32_t i, const State& state) {
  const Instr& instr = program_.code[i];
  const unsigned bytes = bytes_of_type(i);
  const auto base = static_cast<uint32_t>(function_.register_count + specials_.size());
  const bool guarded = instr.guard != OperandRef::kNone;
  Value* mask = request_.whole ? nullptr : build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  if (guarded) {
    Value* const holds = guard_mask(i, state);
    mask = mask == nullptr ? holds : build_.CreateAnd(holds, mask);
  }

  // Where the lanes are, and whether they all may be there: one check if their distances are known.
  const Operand address = operand(instr.op[0]);
  const int32_t c = address.kind == Operand::Kind::none ? kUniform : class_of(address, state);
  Value* fine = nullptr;
  if (c >= 0) {
    if (!is_aligned(patterns_[c], bytes)) {
      not_native_.push_back({i, true, kNotAligned});
      return emit_slow_access(i, state, state, false);
    }
    Access access;
    access.space = ptx::Space::shared;
    access.bytes = bytes;
    access.offset = instr.imm;
    access.base = address;
    emit_place(i, access, patterns_[c], fine);
  }
  Value* addresses = nullptr;
  if (address.kind == Operand::Kind::reg && c < 0) {
    addresses = row(address.index);
  } else if (address.kind != Operand::Kind::none) {
    materialise(address, c, scratch(0));
    addresses = scratch(0);
  }
  const unsigned count = vector_bytes_ / 4;
  auto* const places = llvm::FixedVectorType::get(build_.getInt32Ty(), count);
  Value* const last = build_.CreateTrunc(build_.CreateSub(shared_bytes_, build_.getInt64(bytes)), build_.getInt32Ty());
  std::vector<Value*> wrong;
  for (unsigned l = 0; l < kLanes; l += count) {
    Value* place = build_.CreateVectorSplat(count, build_.getInt32(static_cast<uint32_t>(instr.imm)));
    if (addresses != nullptr) {
      auto* const type = llvm::FixedVectorType::get(integer(address.bytes), count);
      Value* const part = build_.CreateAlignedLoad(type, at(addresses, l * address.bytes), llvm::Align(8));
      place = build_.CreateAdd(place, build_.CreateTrunc(part, places));
      place = build_.CreateSub(place, build_.CreateVectorSplat(count, own_window_));
    }
    build_.CreateAlignedStore(place, at(lane_places_, 4 * l), llvm::Align(64));
    if (c >= 0) continue;
    Value* const low = build_.CreateAnd(place, build_.CreateVectorSplat(count, build_.getInt32(bytes - 1)));
    wrong.push_back(build_.CreateOr(build_.CreateICmpUGT(place, build_.CreateVectorSplat(count, last)),
                                    build_.CreateICmpNE(low, llvm::Constant::getNullValue(places))));
  }
  if (c < 0) {
    Value* const room = build_.CreateICmpUGE(shared_bytes_, build_.getInt64(bytes));
    fine = build_.CreateAnd(room, build_.CreateNot(any_lane(wrong, mask)));
  }
  const auto [slow, done] = begin_fast(fine);
  if (request_.counting) emit_record(i, bytes, mask);
  const Operand value = operand(instr.op[2]);
  const bool varies = value.kind == Operand::Kind::reg && state[value.index] < 0;
  const bool spreads = !varies && class_of(value, state) != kUniform;
  if (varies || spreads) {
    if (spreads) materialise(value, class_of(value, state), scratch(1));
    store_parts(lane_values_, bytes, varies ? row(value.index) : scratch(1), nullptr);
  } else {
    build_.CreateStore(number(value, bytes), one(base + 2));
  }
  // All lanes: some in each round of a loop. Else those of the mask, one a round.
  constexpr unsigned kAtOnce = 8;
  auto* const start = build_.GetInsertBlock();
  auto* const loop = BasicBlock::Create(module_.getContext(), "lanes", code_);
  if (mask == nullptr) {
    build_.CreateBr(loop);
    build_.SetInsertPoint(loop);
    llvm::PHINode* const lane = build_.CreatePHI(build_.getInt64Ty(), 2);
    for (unsigned k = 0; k < kAtOnce; ++k)
      emit_update(i, build_.CreateAdd(lane, build_.getInt64(k)), varies || spreads);
    Value* const next = build_.CreateAdd(lane, build_.getInt64(kAtOnce));
    lane->addIncoming(build_.getInt64(0), start);
    lane->addIncoming(next, build_.GetInsertBlock());
    build_.CreateCondBr(build_.CreateICmpULT(next, build_.getInt64(kLanes)), loop, done);
  } else {
    Value* const none = build_.getInt32(0);
    build_.CreateCondBr(build_.CreateICmpNE(mask, none), loop, done);
    build_.SetInsertPoint(loop);
    llvm::PHINode* const rest = build_.CreatePHI(build_.getInt32Ty(), 2);
    Value* const lane = build_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, rest, build_.getTrue());
    emit_update(i, build_.CreateZExt(lane, build_.getInt64Ty()), varies || spreads);
    Value* const next = build_.CreateAnd(rest, build_.CreateSub(rest, build_.getInt32(1)));
    rest->addIncoming(mask, start);
    rest->addIncoming(next, build_.GetInsertBlock());
    build_.CreateCondBr(build_.CreateICmpNE(next, none), loop, done);
  }
  build_.SetInsertPoint(slow);
  emit_slow_access(i, state, state, true);
  build_.CreateBr(done);
  build_.SetInsertPoint(done);
}

}  // namespace bankshot::jit

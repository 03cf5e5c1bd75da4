// Loads and stores whose places are known at run time only: each lane's is checked, all at once, and what is moved is
// gathered or scattered, or a whole row where lanes turn out to be neighbours.
#include <cstddef>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/simt/state/worker.hpp"

namespace bankshot::jit {

using llvm::BasicBlock;
using llvm::Value;

/// The addresses of the lanes, in vectors of `count`: offsets of shared memory, else the host's.
std::vector<Value*> Emitter::addresses_of(const Access& access, unsigned count) {
  const bool shared = access.space == ptx::Space::shared;
  llvm::Type* const type = shared ? build_.getInt32Ty() : build_.getInt64Ty();
  auto* const stored = llvm::FixedVectorType::get(integer(access.base.bytes), count);
  auto* const wanted = llvm::FixedVectorType::get(type, count);
  const uint64_t narrow = access.offset & 0xffffffff;
  std::vector<Value*> all;
  for (unsigned l = 0; l < kLanes; l += count) {
    Value* at_lanes =
        build_.CreateAlignedLoad(stored, at(row(access.base.index), l * access.base.bytes), llvm::Align(8));
    if (shared || access.wide) {
      at_lanes = build_.CreateZExtOrTrunc(at_lanes, wanted);
      at_lanes = build_.CreateAdd(at_lanes, llvm::ConstantInt::get(wanted, shared ? narrow : access.offset));
    } else {
      at_lanes = build_.CreateZExt(build_.CreateAdd(at_lanes, llvm::ConstantInt::get(stored, narrow)), wanted);
    }
    all.push_back(at_lanes);
  }
  return all;
}

namespace {

/// Vectors side by side.
Value* together(llvm::IRBuilder<>& build, std::vector<Value*> parts) {
  while (parts.size() > 1) {
    std::vector<Value*> halves;
    const unsigned count = llvm::cast<llvm::FixedVectorType>(parts[0]->getType())->getNumElements();
    std::vector<int> order;
    for (unsigned k = 0; k < 2 * count; ++k) order.push_back(static_cast<int>(k));
    for (size_t k = 0; k < parts.size(); k += 2)
      halves.push_back(build.CreateShuffleVector(parts[k], parts[k + 1], order));
    parts = std::move(halves);
  }
  return parts[0];
}

}  // namespace

/// Whether some lane of the mask (null: any) has a bit set in the vectors of conditions.
Value* Emitter::any_lane(const std::vector<Value*>& conditions, Value* mask) {
  Value* any = nullptr;
  unsigned first = 0;
  for (Value* condition : conditions) {
    const unsigned count = llvm::cast<llvm::FixedVectorType>(condition->getType())->getNumElements();
    if (mask != nullptr) condition = build_.CreateAnd(condition, mask_part(mask, first, count));
    Value* const bits =
        build_.CreateZExt(build_.CreateBitCast(condition, build_.getIntNTy(count)), build_.getInt32Ty());
    any = any == nullptr ? bits : build_.CreateOr(any, bits);
    first += count;
  }
  return build_.CreateICmpNE(any, build_.getInt32(0));
}

void Emitter::emit_scattered(uint32_t i, const Access& access, State& state, const State& after) {
  const bool shared = access.space == ptx::Space::shared, guarded = program_.code[i].guard != simt::OperandRef::kNone;
  if (shared && request_.counting) return emit_slow_access(i, state, after);
  const unsigned bytes = access.bytes * access.elements, count = vector_bytes_ / (shared ? 4 : 8);
  Value* mask = request_.whole ? nullptr : build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  if (guarded) {
    Value* const holds = guard_mask(i, state);
    mask = mask == nullptr ? holds : build_.CreateAnd(holds, mask);
  }
  const std::vector<Value*> addresses = addresses_of(access, count);
  llvm::Type* const type = addresses[0]->getType();
  Value* const first = build_.CreateExtractElement(addresses[0], uint64_t{0});
  const auto constant = [&](uint64_t value) { return llvm::ConstantInt::get(type, value); };

  Value *begin, *room, *fine;
  if (shared) {
    begin = llvm::Constant::getNullValue(type->getScalarType());
    room = build_.CreateTrunc(shared_bytes_, build_.getInt32Ty());
    fine = build_.CreateICmpULE(build_.getInt32(bytes), room);
    room = build_.CreateSub(room, build_.getInt32(bytes));
  } else {
    Value* const hit = hit_of(i);
    begin = field(hit, offsetof(simt::Worker::Hit, begin), build_.getInt64Ty());
    Value* const size = build_.CreateSub(field(hit, offsetof(simt::Worker::Hit, end), build_.getInt64Ty()), begin);
    fine = build_.CreateICmpULE(build_.getInt64(bytes), size);
    room = build_.CreateSub(size, build_.getInt64(bytes));
    if (access.store)
      fine = build_.CreateAnd(fine,
                              build_.CreateICmpNE(field(hit, offsetof(simt::Worker::Hit, writable), build_.getInt8Ty()),
                                                  build_.getInt8(0)));
  }
  std::vector<Value*> wrong, apart;
  for (size_t k = 0; k < addresses.size(); ++k) {
    Value* const inside = build_.CreateSub(addresses[k], build_.CreateVectorSplat(count, begin));
    Value* bad = build_.CreateICmpUGT(inside, build_.CreateVectorSplat(count, room));
    if (bytes > 1)
      bad = build_.CreateOr(bad, build_.CreateICmpNE(build_.CreateAnd(addresses[k], constant(bytes - 1)), constant(0)));
    wrong.push_back(bad);
    std::vector<llvm::Constant*> steps;
    for (unsigned l = 0; l < count; ++l)
      steps.push_back(llvm::ConstantInt::get(type->getScalarType(), (k * count + l) * bytes));
    Value* const line = build_.CreateAdd(build_.CreateVectorSplat(count, first), llvm::ConstantVector::get(steps));
    apart.push_back(build_.CreateICmpNE(addresses[k], line));
  }
  fine = build_.CreateAnd(fine, build_.CreateNot(any_lane(wrong, mask)));
  if (access.l1_site >= 0) {
    std::vector<Value*> distances;
    for (Value* part : addresses) distances.push_back(build_.CreateSub(part, build_.CreateVectorSplat(count, first)));
    fine = build_.CreateAnd(fine, emit_l1_check(access, first, distances));
  }

  auto* const fast = BasicBlock::Create(module_.getContext(), "fast", code_);
  auto* const slow = BasicBlock::Create(module_.getContext(), "slow", code_);
  auto* const done = BasicBlock::Create(module_.getContext(), "", code_);
  llvm::MDBuilder weights(module_.getContext());
  build_.CreateCondBr(fine, fast, slow, weights.createLikelyBranchWeights());
  build_.SetInsertPoint(fast);
  if (access.l1_site >= 0) emit_l1_count();
  for (const uint32_t r : writes_of(program_, i)) {
    if (guarded && state[r] >= 0) materialise(register_operand(r), state[r], row(r));
  }
  if (mask == nullptr) {
    auto* const row_of_lanes = BasicBlock::Create(module_.getContext(), "line", code_);
    auto* const scattered = BasicBlock::Create(module_.getContext(), "scattered", code_);
    build_.CreateCondBr(any_lane(apart, nullptr), scattered, row_of_lanes);
    build_.SetInsertPoint(row_of_lanes);
    Pattern neighbours;
    for (unsigned l = 0; l < kLanes; ++l) neighbours[l] = static_cast<int64_t>(l) * bytes;
    Value* const place =
        shared ? build_.CreateGEP(build_.getInt8Ty(), shared_, build_.CreateZExt(first, build_.getInt64Ty()))
               : build_.CreateIntToPtr(first, build_.getPtrTy());
    if (access.store) {
      emit_store(access, place, neighbours, state, nullptr);
    } else {
      emit_load(access, place, neighbours, false, nullptr);
    }
    build_.CreateBr(done);
    build_.SetInsertPoint(scattered);
  }
  const unsigned lanes = std::min(vector_bytes_ / access.register_bytes, kLanes);
  const std::vector<Value*> rows = access.store ? value_rows(access, state) : std::vector<Value*>{};
  for (unsigned l = 0; l < kLanes; l += lanes) {
    std::vector<Value*> parts;
    for (unsigned k = l; k < l + lanes; k += count) parts.push_back(addresses[k / count]);
    Value* const where = lanes < count ? addresses[l / count] : together(build_, parts);
    Value* const chosen = mask == nullptr ? nullptr : mask_part(mask, l, lanes);
    for (unsigned e = 0; e < access.elements; ++e) {
      Value* places;
      if (shared) {
        places = build_.CreateGEP(build_.getInt8Ty(), at(shared_, e * access.bytes),
                                  build_.CreateZExt(where, llvm::FixedVectorType::get(build_.getInt64Ty(), lanes)));
      } else {
        Value* const address = build_.CreateAdd(where, llvm::ConstantInt::get(where->getType(), e * access.bytes));
        places = build_.CreateIntToPtr(address, llvm::FixedVectorType::get(build_.getPtrTy(), lanes));
      }
      auto* const narrow = llvm::FixedVectorType::get(integer(access.bytes), lanes);
      auto* const wide = llvm::FixedVectorType::get(integer(access.register_bytes), lanes);
      if (access.store) {
        Value* const value = build_.CreateAlignedLoad(wide, at(rows[e], l * access.register_bytes), llvm::Align(8));
        build_.CreateMaskedScatter(build_.CreateTrunc(value, narrow), places, llvm::Align(access.bytes), chosen);
        continue;
      }
      if (access.values[e] == simt::OperandRef::kNone) continue;
      Value* const to = at(row(operand(access.values[e]).index), l * access.register_bytes);
      Value* value = build_.CreateIntCast(build_.CreateMaskedGather(narrow, places, llvm::Align(access.bytes), chosen),
                                          wide, access.is_signed);
      if (chosen != nullptr)
        value = build_.CreateSelect(chosen, value, build_.CreateAlignedLoad(wide, to, llvm::Align(8)));
      build_.CreateAlignedStore(value, to, llvm::Align(8));
    }
  }
  build_.CreateBr(done);
  build_.SetInsertPoint(slow);
  emit_slow_access(i, state, after);
  build_.CreateBr(done);
  build_.SetInsertPoint(done);
}

}  // namespace bankshot::jit

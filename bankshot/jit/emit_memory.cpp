// Loads and stores: where the place of each lane is a number with known distances, one check of it is enough for all
// lanes, and what is moved is whole vectors as far as lanes are neighbours.
#include <algorithm>
#include <cstddef>

#include "bankshot/jit/emitter.hpp"
#include "bankshot/jit/keep_registers.hpp"
#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/control/control.hpp"

namespace bankshot::jit {

using llvm::BasicBlock;
using llvm::Value;
using simt::Instr;
using simt::InstrFlag;
using simt::MemorySmall;
using simt::OperandRef;

const char* Emitter::describe(uint32_t i, Access& access) const {
  const Instr& instr = program_.code[i];
  const simt::InstrInfo& info = program_.info[i];
  const bool load = info.access.kind == ptx::Access::Kind::load;
  if ((!load && info.access.kind != ptx::Access::Kind::store) || info.access.layout != ptx::Access::Layout::lanes ||
      info.access.asynchronous)
    return "no plain load or store";
  if (instr.run != instr.body && instr.run != runtime_.guarded) return kWrapped;
  const std::string& text = program_.texts[info.text];
  if (!text.starts_with(load ? "ld" : "st")) return "no plain load or store";
  access.l1_site = i < program_.l1_ops.size() && program_.l1_ops[i].body != nullptr
                       ? static_cast<int32_t>(program_.l1_ops[i].site)
                       : -1;
  const ptx::Type type = ptx::type_named(words_of(text).back());
  const unsigned bits = ptx::bits(type);
  if (bits < 8 || bits > 64) return "elements of more than 64 bits";
  access.store = !load;
  access.is_signed =
      type == ptx::Type::s8 || type == ptx::Type::s16 || type == ptx::Type::s32 || type == ptx::Type::s64;
  access.bytes = bits / 8;
  access.elements = instr.op[3];
  access.register_bytes = instr.op[2];
  access.offset = instr.imm;
  access.wide = (instr.flags & InstrFlag::kWide) != 0;
  access.space = static_cast<ptx::Space>(instr.small & MemorySmall::kSpaceMask);
  access.parameter = (instr.small & MemorySmall::kEntryParam) != 0;
  using ptx::Space;
  const bool known = access.space == Space::global || access.space == Space::constant ||
                     access.space == Space::shared ||
                     (access.space == Space::param && access.parameter && instr.op[0] == OperandRef::kNone);
  if (!known) return "memory other than global, constant and shared";
  if (access.elements > 4) return "more than four elements";
  const bool guarded = instr.guard != OperandRef::kNone;
  if (access.space == Space::shared && request_.counting && !program_.hash_of_site.empty()) return kOwnHash;
  if (guarded && access.l1_site >= 0) return "L1 counts of some lanes";
  if (guarded && access.space == Space::param) return "a guarded load of a parameter";
  if (access.space != Space::param && instr.op[0] == OperandRef::kNone && access.space != Space::shared)
    return "the address is a number";
  access.base = operand(instr.op[0]);
  if (access.l1_site >= 0 &&
      (!request_.whole || request_.l1 == nullptr || access.space != Space::global || !access.wide))
    return "L1 counts of some lanes";
  if (access.elements == 1) {
    access.values = {instr.op[1]};
  } else {
    access.values = program_.lists[instr.op[1]];
  }
  return nullptr;
}

/// Whether an access with known distances costs the same at any word, and only sums are kept of it.
bool Emitter::counts_here(bool guarded) const {
  return request_.whole && !guarded && !request_.rules->hash && !request_.tracing;
}

/// What the access costs, added to the counters of its site. @param low  offset of the lane with the least distance
/// @return whether that is all: not if it begins within a word, or is the worst of its site so far
Value* Emitter::emit_count_check(uint32_t i, const Access& access, const Pattern& pattern, Value* low) {
  const scratchpad::Rules& rules = *request_.rules;
  const unsigned width = access.bytes * access.elements;
  std::array<uint32_t, kLanes> addresses;
  const int64_t least = range_of(pattern).first;
  for (unsigned l = 0; l < kLanes; ++l) addresses[l] = static_cast<uint32_t>(pattern[l] - least);
  const auto kind = access.store ? scratchpad::AccessKind::store : scratchpad::AccessKind::load;
  cost_ = scratchpad::cost(rules, kind, width, addresses.data(), 0xffffffff);
  shape_ = scratchpad::classify(rules, width, addresses.data(), 0xffffffff);
  using Totals = scratchpad::SiteTotals;
  site_ = at(sites_, program_.code[i].aux * sizeof(scratchpad::SiteCounter));
  Value* const cta = field(cta_, offsetof(simt::Cta, linear), build_.getInt64Ty());
  const auto is_worst = [&](size_t degree, size_t of) {
    Value* const most = field(site_, degree, build_.getInt32Ty());
    Value* const mine = build_.getInt32(cost_.wavefronts);
    Value* const earlier = build_.CreateICmpULT(cta, field(site_, of, build_.getInt64Ty()));
    return build_.CreateOr(build_.CreateICmpULT(most, mine),
                           build_.CreateAnd(build_.CreateICmpEQ(most, mine), earlier));
  };
  Value* worst = is_worst(offsetof(Totals, degree_max), offsetof(Totals, worst) + offsetof(Totals::Worst, cta));
  if (shape_.pattern == scratchpad::PatternClass::stride)
    worst = build_.CreateOr(worst, is_worst(offsetof(Totals, stride) + offsetof(Totals::Stride, degree),
                                            offsetof(Totals, stride) + offsetof(Totals::Stride, cta)));
  Value* fine = build_.CreateNot(worst);
  if (width < rules.bank_bytes)
    fine = build_.CreateAnd(fine, build_.CreateICmpEQ(build_.CreateAnd(low, rules.bank_bytes - 1), build_.getInt64(0)));
  return fine;
}

/// Adds what emit_count_check() found.
void Emitter::emit_count() {
  using Totals = scratchpad::SiteTotals;
  const auto add = [&](size_t offset, uint64_t amount) {
    if (amount == 0) return;
    Value* const counter = at(site_, offset);
    build_.CreateStore(build_.CreateAdd(build_.CreateLoad(build_.getInt64Ty(), counter), build_.getInt64(amount)),
                       counter);
  };
  add(offsetof(Totals, accesses), 1);
  add(offsetof(Totals, lanes), kLanes);
  add(offsetof(Totals, wavefronts), cost_.wavefronts);
  add(offsetof(Totals, ideal), cost_.ideal);
  add(offsetof(Totals, position), cost_.position);
  add(offsetof(Totals, classes) + 8 * static_cast<size_t>(shape_.pattern), 1);
  add(offsetof(Totals, degrees) + 8 * std::min(cost_.wavefronts, scratchpad::kMostCounted), 1);
}

/// Has the engine count an access. @param mask  null: of all lanes. Their offsets are in lane_places_
void Emitter::emit_record(uint32_t i, unsigned bytes, Value* mask) {
  call(reinterpret_cast<void*>(runtime_.count), build_.getVoidTy(),
       {warp_, constant_pointer(&program_.code[i]), build_.getInt32(bytes), lane_places_,
        mask == nullptr ? build_.getInt32(0xffffffff) : mask});
}

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

/// Whether the access is like the one that its site saw last. @param first  address of lane 0
/// @param distances  of the lanes from it, in vectors
Value* Emitter::emit_l1_check(const Access& access, Value* first, const std::vector<Value*>& distances) {
  const scratchpad::L1Counter::Offsets at_ = scratchpad::L1Counter::offsets();
  Value* const counter = at(l1_sites_, static_cast<uint64_t>(access.l1_site) * sizeof(scratchpad::L1Counter));
  Value* const latest = build_.CreateZExt(field(counter, at_.latest, build_.getInt32Ty()), build_.getInt64Ty());
  l1_seen_ = build_.CreateGEP(build_.getInt8Ty(), at(counter, at_.seen),
                              build_.CreateMul(latest, build_.getInt64(at_.seen_bytes)));
  Value* const in_line = build_.CreateAnd(first, build_.getInt64(request_.l1->line_bytes - 1));
  Value* const same_lanes =
      build_.CreateICmpEQ(field(l1_seen_, at_.mask, build_.getInt64Ty()), build_.getInt64(0xffffffff));
  Value* const same_place = build_.CreateICmpEQ(field(l1_seen_, at_.first, build_.getInt64Ty()), in_line);
  std::vector<Value*> apart;
  uint64_t offset = at_.distance;
  for (Value* part : distances) {
    Value* const seen = build_.CreateAlignedLoad(part->getType(), at(l1_seen_, offset), llvm::Align(8));
    apart.push_back(build_.CreateICmpNE(seen, part));
    offset += vector_bytes_;
  }
  return build_.CreateAnd(build_.CreateAnd(same_lanes, same_place), build_.CreateNot(any_lane(apart, nullptr)));
}

void Emitter::emit_l1_count() {
  const scratchpad::L1Counter::Offsets at_ = scratchpad::L1Counter::offsets();
  Value* const cta = at(l1_seen_, at_.cta);
  Value* const lowest = build_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, build_.CreateLoad(build_.getInt64Ty(), cta),
                                                     field(cta_, offsetof(simt::Cta, linear), build_.getInt64Ty()));
  build_.CreateStore(lowest, cta);
  Value* const counter = at(l1_seen_, at_.count);
  build_.CreateStore(build_.CreateAdd(build_.CreateLoad(build_.getInt64Ty(), counter), build_.getInt64(1)), counter);
}

/// Integers of `count` lanes from `first` on, each at its offset.
Value* Emitter::load_lanes(Value* place, const Pattern& offsets, unsigned first, unsigned count, unsigned bytes) {
  llvm::Type* const type = integer(bytes);
  const auto vector = [&](unsigned n) { return llvm::FixedVectorType::get(type, n); };
  int64_t least = offsets[first], most = least;
  bool line = true;
  for (unsigned k = 0; k < count; ++k) {
    least = std::min(least, offsets[first + k]);
    most = std::max(most, offsets[first + k]);
    line &= offsets[first + k] == offsets[first] + static_cast<int64_t>(k) * bytes;
  }
  const auto from = [&](int64_t offset) { return at(place, static_cast<uint64_t>(offset)); };
  if (line) return build_.CreateAlignedLoad(vector(count), from(least), llvm::Align(bytes));
  if (least == most)
    return build_.CreateVectorSplat(count, build_.CreateAlignedLoad(type, from(least), llvm::Align(bytes)));
  const auto words = static_cast<unsigned>((most - least) / bytes + 1);
  if (words <= 4 * count) {
    std::vector<int> order;
    for (unsigned k = 0; k < count; ++k) order.push_back(static_cast<int>((offsets[first + k] - least) / bytes));
    Value* const all = build_.CreateAlignedLoad(vector(words), from(least), llvm::Align(bytes));
    return build_.CreateShuffleVector(all, order);
  }
  std::vector<llvm::Constant*> distances;
  for (unsigned k = 0; k < count; ++k) distances.push_back(build_.getInt32(static_cast<uint32_t>(offsets[first + k])));
  Value* const places = build_.CreateGEP(build_.getInt8Ty(), place, llvm::ConstantVector::get(distances));
  return build_.CreateMaskedGather(vector(count), places, llvm::Align(bytes));
}

/// @param mask  the lanes that load; null: all
void Emitter::emit_load(const Access& access, Value* place, const Pattern& offsets, bool uniform, Value* mask) {
  for (unsigned e = 0; e < access.elements; ++e) {
    const uint32_t op = access.values[e];
    if (op == OperandRef::kNone) continue;
    const uint32_t r = operand(op).index;
    llvm::Type* const wide = integer(access.register_bytes);
    if (uniform) {
      Value* const value =
          build_.CreateAlignedLoad(integer(access.bytes), at(place, e * access.bytes), llvm::Align(access.bytes));
      build_.CreateStore(build_.CreateIntCast(value, wide, access.is_signed), one(r));
      continue;
    }
    const unsigned count = std::min(vector_bytes_ / access.register_bytes, kLanes);
    for (unsigned l = 0; l < kLanes; l += count) {
      auto* const type = llvm::FixedVectorType::get(wide, count);
      Value* value = load_lanes(at(place, e * access.bytes), offsets, l, count, access.bytes);
      value = build_.CreateIntCast(value, type, access.is_signed);
      Value* const to = at(row(r), l * access.register_bytes);
      if (mask != nullptr)
        value =
            build_.CreateSelect(mask_part(mask, l, count), value, build_.CreateAlignedLoad(type, to, llvm::Align(8)));
      build_.CreateAlignedStore(value, to, llvm::Align(8));
    }
  }
}

/// The rows of what is stored.
std::vector<Value*> Emitter::value_rows(const Access& access, const State& state) {
  std::vector<Value*> rows;
  for (unsigned e = 0; e < access.elements; ++e) {
    const Operand value = operand(access.values[e]);
    if (value.kind == Operand::Kind::reg && state[value.index] < 0) {
      rows.push_back(row(value.index));
    } else {
      Operand given = value;
      if (given.kind != Operand::Kind::constant) given.bytes = access.register_bytes;
      materialise(given, class_of(value, state), scratch(e));
      rows.push_back(scratch(e));
    }
  }
  return rows;
}

/// @param active  the lanes that store; null: all
void Emitter::emit_store(const Access& access, Value* place, const Pattern& offsets, const State& state,
                         Value* active) {
  llvm::Type* const narrow = integer(access.bytes);
  const unsigned count = std::min(vector_bytes_ / access.register_bytes, kLanes);
  const bool same = range_of(offsets).first == range_of(offsets).second;
  const std::vector<Value*> rows = value_rows(access, state);
  const auto part = [&](unsigned e, unsigned l) -> Value* {
    Value* const whole = build_.CreateAlignedLoad(llvm::FixedVectorType::get(integer(access.register_bytes), count),
                                                  at(rows[e], l * access.register_bytes), llvm::Align(8));
    return build_.CreateTrunc(whole, llvm::FixedVectorType::get(narrow, count));
  };
  if (same && active == nullptr) {  // of several lanes on one address the last one wins
    for (unsigned e = 0; e < access.elements; ++e)
      build_.CreateAlignedStore(build_.CreateExtractElement(part(e, kLanes - count), uint64_t{count - 1}),
                                at(place, e * access.bytes), llvm::Align(access.bytes));
    return;
  }
  const unsigned step = access.bytes * access.elements;
  for (unsigned l = 0; l < kLanes; l += count) {
    bool line = true;
    for (unsigned k = 0; k < count; ++k) line &= offsets[l + k] == offsets[l] + static_cast<int64_t>(k) * step;
    Value* const begin = at(place, static_cast<uint64_t>(offsets[l]));
    if (line && access.elements == 1) {
      if (active == nullptr) {
        build_.CreateAlignedStore(part(0, l), begin, llvm::Align(access.bytes));
      } else {
        build_.CreateMaskedStore(part(0, l), begin, llvm::Align(access.bytes), mask_part(active, l, count));
      }
      continue;
    }
    if (line && active == nullptr) {  // elements of a lane side by side
      std::vector<Value*> parts;
      for (unsigned e = 0; e < access.elements; ++e) parts.push_back(part(e, l));
      std::vector<int> both(2 * count), order;
      for (unsigned k = 0; k < 2 * count; ++k) both[k] = static_cast<int>(k);
      Value* all = build_.CreateShuffleVector(parts[0], parts[1], both);
      if (access.elements == 4) {
        Value* const rest = build_.CreateShuffleVector(parts[2], parts[3], both);
        std::vector<int> four(4 * count);
        for (unsigned k = 0; k < 4 * count; ++k) four[k] = static_cast<int>(k);
        all = build_.CreateShuffleVector(all, rest, four);
      }
      for (unsigned k = 0; k < count; ++k) {
        for (unsigned e = 0; e < access.elements; ++e) order.push_back(static_cast<int>(e * count + k));
      }
      build_.CreateAlignedStore(build_.CreateShuffleVector(all, order), begin, llvm::Align(access.bytes));
      continue;
    }
    std::vector<llvm::Constant*> distances;
    for (unsigned k = 0; k < count; ++k) distances.push_back(build_.getInt32(static_cast<uint32_t>(offsets[l + k])));
    Value* const mask = active == nullptr ? nullptr : mask_part(active, l, count);
    for (unsigned e = 0; e < access.elements; ++e) {
      Value* const places =
          build_.CreateGEP(build_.getInt8Ty(), at(place, e * access.bytes), llvm::ConstantVector::get(distances));
      build_.CreateMaskedScatter(part(e, l), places, llvm::Align(access.bytes), mask);
    }
  }
}

/// By the handler, which also finds the fault. @param rare  the fast path is the common one
void Emitter::emit_slow_access(uint32_t i, const State& before, const State& after, bool rare) {
  const Instr& instr = program_.code[i];
  flush_operands(i, before);
  Value* const next =
      rare ? call_keeping_registers(build_, constant_pointer(reinterpret_cast<void*>(runtime_.run)), warp_,
                                    constant_pointer(&instr), build_.getInt32(mode_), vector_bytes_)
           : run_handler(instr);
  auto* const gone = BasicBlock::Create(module_.getContext(), "gone", code_);
  auto* const on = BasicBlock::Create(module_.getContext(), "", code_);
  build_.CreateCondBr(build_.CreateICmpEQ(next, constant_pointer(&instr + 1)), on, gone);
  build_.SetInsertPoint(gone);
  build_.CreateRet(next);
  build_.SetInsertPoint(on);
  for (const uint32_t r : writes_of(program_, i)) {
    if (after[r] < 0) {
      reload(r);
    } else {
      const unsigned bytes = function_.all_registers[r].bytes / kLanes;
      build_.CreateStore(build_.CreateLoad(integer(bytes), build_.CreateGEP(integer(bytes), real_row(r), first_lane())),
                         one(r));
    }
  }
}

/// Goes on where an access is fine. @return the blocks where it is not, and behind both
std::pair<BasicBlock*, BasicBlock*> Emitter::begin_fast(Value* fine) {
  auto* const fast = BasicBlock::Create(module_.getContext(), "fast", code_);
  auto* const slow = BasicBlock::Create(module_.getContext(), "slow", code_);
  auto* const done = BasicBlock::Create(module_.getContext(), "", code_);
  llvm::MDBuilder weights(module_.getContext());
  build_.CreateCondBr(fine, fast, slow, weights.createLikelyBranchWeights());
  build_.SetInsertPoint(fast);
  return {slow, done};
}

void Emitter::emit_access(uint32_t i, State& state) {
  Access access;
  describe(i, access);
  State after = state;
  transfer(i, after);
  const int32_t c = access.base.kind == Operand::Kind::none ? kUniform : class_of(access.base, state);
  if (c < 0 || !is_aligned(patterns_[c], access.bytes * access.elements)) {
    not_native_.push_back({i, true, c < 0 ? "addresses at unknown distances from each other" : kNotAligned});
    emit_slow_access(i, state, after, false);
    state = std::move(after);
    return;
  }
  const Pattern& pattern = patterns_[c];
  Value* fine = nullptr;
  Value* const place = emit_place(i, access, pattern, fine);
  const auto [slow, done] = begin_fast(fine);
  Pattern offsets = pattern;
  const int64_t least = range_of(pattern).first;
  for (int64_t& d : offsets) d -= least;
  if (access.l1_site >= 0) emit_l1_count();
  Value* mask = request_.whole ? nullptr : build_.CreateLoad(build_.getInt32Ty(), active_slot_);
  const bool guarded = program_.code[i].guard != OperandRef::kNone;
  if (guarded) {
    Value* const holds = guard_mask(i, state);
    mask = mask == nullptr ? holds : build_.CreateAnd(holds, mask);
  }
  if (access.space == ptx::Space::shared && request_.counting) {
    if (counts_here(guarded)) {
      emit_count();
    } else {
      Value* const low =
          build_.CreateTrunc(build_.CreatePtrDiff(build_.getInt8Ty(), place, shared_), build_.getInt32Ty());
      spread(lane_places_, 4, low, offsets);
      emit_record(i, access.bytes * access.elements, mask);
    }
  }
  if (access.store) {
    emit_store(access, place, offsets, state, mask);
  } else {
    for (const uint32_t r : writes_of(program_, i)) {
      if (guarded && state[r] >= 0) materialise(register_operand(r), state[r], row(r));
    }
    emit_load(access, place, offsets, c == kUniform && !guarded, guarded ? mask : nullptr);
  }
  build_.CreateBr(done);
  build_.SetInsertPoint(slow);
  emit_slow_access(i, state, after, true);
  build_.CreateBr(done);
  build_.SetInsertPoint(done);
  state = std::move(after);
}

}  // namespace bankshot::jit

// Where the lanes of an access with known distances are in the host's memory, and whether they may be accessed.
// Accesses of a block through the same register are checked together.
#include <algorithm>
#include <cstddef>

#include "bankshot/jit/emitter.hpp"

namespace bankshot::jit {

using llvm::Value;
using simt::Instr;
using simt::OperandRef;

/// Where the worker keeps the allocation that the instruction hit last.
Value* Emitter::hit_of(uint32_t i) {
  const size_t entry = reinterpret_cast<uintptr_t>(&program_.code[i]) / sizeof(Instr) % simt::Worker::kHits;
  return at(worker_, offsetof(simt::Worker, hits) + entry * sizeof(simt::Worker::Hit));
}

/// Whether accesses of the same block differ in their offsets only, as far as it matters to where they may be.
bool Emitter::Together::has(const Access& access) const {
  const auto offset = static_cast<int64_t>(access.offset);
  const unsigned width = access.bytes * access.elements;
  return access.space == space && access.base.kind == base.kind && access.base.index == base.index && width == bytes &&
         (store || !access.store) && offset >= least && offset <= most && (offset - least) % bytes == 0;
}

/// What follows an instruction in its block through the same register, all of which is executed if it is.
Emitter::Together Emitter::together_with(uint32_t i, const Access& access) const {
  const auto own = static_cast<int64_t>(access.offset);
  Together all{access.space, access.base, access.bytes * access.elements, access.store, own, own};
  const bool alone = access.space != ptx::Space::shared && !access.wide;
  for (uint32_t k = i; k < block_end_ && !alone; ++k) {
    const Kind kind = kind_[k - function_.begin];
    if (kind != Kind::lanes && kind != Kind::across && kind != Kind::load && kind != Kind::store) break;
    Access other;
    if ((kind == Kind::load || kind == Kind::store) && program_.code[k].guard == OperandRef::kNone &&
        describe(k, other) == nullptr) {
      Together wider = all;
      wider.least = std::min(all.least, static_cast<int64_t>(other.offset));
      wider.most = std::max(all.most, static_cast<int64_t>(other.offset));
      if (wider.has(other) && (own - wider.least) % wider.bytes == 0) all = wider;
    }
    if (access.base.kind == Operand::Kind::reg && std::ranges::count(writes_of(program_, k), access.base.index) != 0)
      break;
  }
  return all;
}

/// Whether the lanes' places of all of these accesses are in shared memory, or in the allocation that the instruction
/// hit last.
void Emitter::check_together(uint32_t i, const Access& access, const Pattern& pattern, Together& all) {
  const auto [nearest, farthest] = range_of(pattern);
  const uint64_t span = static_cast<uint64_t>(farthest - nearest + all.most - all.least) + all.bytes;
  const auto offset = static_cast<uint64_t>(all.least + nearest);
  if (access.space == ptx::Space::shared) {
    Value* lowest = build_.getInt32(static_cast<uint32_t>(offset));
    if (access.base.kind != Operand::Kind::none) {
      Value* const base = build_.CreateTrunc(number(access.base, access.base.bytes), build_.getInt32Ty());
      lowest = build_.CreateAdd(build_.CreateSub(base, own_window_), lowest);
    }
    all.low = build_.CreateZExt(lowest, build_.getInt64Ty());
    all.fine = build_.CreateICmpULE(build_.CreateAdd(all.low, build_.getInt64(span)), shared_bytes_);
  } else {
    Value* const base = number(access.base, access.base.bytes);
    all.low = access.wide ? build_.CreateAdd(base, build_.getInt64(offset))
                          : build_.CreateZExt(build_.CreateAdd(base, build_.getInt32(static_cast<uint32_t>(offset))),
                                              build_.getInt64Ty());
    Value* const hit = hit_of(i);
    Value* const begin = field(hit, offsetof(simt::Worker::Hit, begin), build_.getInt64Ty());
    Value* const end = field(hit, offsetof(simt::Worker::Hit, end), build_.getInt64Ty());
    Value* const inside = build_.CreateSub(all.low, begin);
    Value* const room = build_.CreateSub(end, begin);
    all.fine = build_.CreateAnd(build_.CreateICmpULE(build_.getInt64(span), room),
                                build_.CreateICmpULE(inside, build_.CreateSub(room, build_.getInt64(span))));
    if (access.store) {
      Value* const writable = field(hit, offsetof(simt::Worker::Hit, writable), build_.getInt8Ty());
      all.fine = build_.CreateAnd(all.fine, build_.CreateICmpNE(writable, build_.getInt8(0)));
    }
  }
  if (all.bytes > 1)
    all.fine =
        build_.CreateAnd(all.fine, build_.CreateICmpEQ(build_.CreateAnd(all.low, all.bytes - 1), build_.getInt64(0)));
}

/// The host's place of the lane with the least distance. @param fine  receives whether all lanes may be accessed
Value* Emitter::emit_place(uint32_t i, const Access& access, const Pattern& pattern, Value*& fine) {
  if (access.space == ptx::Space::param) {
    fine = build_.getTrue();
    Value* const launch = field(worker_, offsetof(simt::Worker, launch), build_.getPtrTy());
    return at(field(launch, offsetof(simt::Launch, params), build_.getPtrTy()), access.offset);
  }
  auto known = std::ranges::find_if(together_, [&](const Together& one) { return one.has(access); });
  if (known == together_.end()) {
    known = together_.insert(known, together_with(i, access));
    check_together(i, access, pattern, *known);
  }
  fine = known->fine;
  Value* const low = build_.CreateAdd(
      known->low, build_.getInt64(static_cast<uint64_t>(static_cast<int64_t>(access.offset) - known->least)));
  if (access.space == ptx::Space::shared) {
    // An atomic is counted by the engine: emit_atomic().
    if (request_.counting && kind_[i - function_.begin] != Kind::atomic &&
        counts_here(program_.code[i].guard != OperandRef::kNone))
      fine = build_.CreateAnd(fine, emit_count_check(i, access, pattern, low));
    return build_.CreateGEP(build_.getInt8Ty(), shared_, low);
  }
  if (access.l1_site >= 0) {
    Pattern from_first = pattern;
    for (int64_t& d : from_first) d -= pattern[0];
    std::vector<Value*> parts;
    for (unsigned l = 0; l < kLanes; l += vector_bytes_ / 8)
      parts.push_back(distances(from_first, 8, l, vector_bytes_ / 8));
    const int64_t least = range_of(pattern).first;
    Value* const first = build_.CreateAdd(low, build_.getInt64(static_cast<uint64_t>(pattern[0] - least)));
    fine = build_.CreateAnd(fine, emit_l1_check(access, first, parts));
  }
  return build_.CreateIntToPtr(low, build_.getPtrTy());
}

/// Places through registers that an instruction writes are others from now on; what it calls may free memory.
void Emitter::forget_together(uint32_t i) {
  const Kind kind = kind_[i - function_.begin];
  if (kind == Kind::call || kind == Kind::exchange) return together_.clear();
  for (const uint32_t r : writes_of(program_, i))
    std::erase_if(together_,
                  [&](const Together& one) { return one.base.kind == Operand::Kind::reg && one.base.index == r; });
}

}  // namespace bankshot::jit

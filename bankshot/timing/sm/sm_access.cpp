// What accesses to memory cost: the banks of the scratchpad and of the first-level cache, the way to global memory.
#include <algorithm>
#include <bit>

#include "bankshot/simt/state/instruction_hash.hpp"
#include "bankshot/support/round_up.hpp"
#include "bankshot/timing/sm/sm.hpp"

namespace bankshot::timing {
namespace {

constexpr uint64_t kLocalBase = uint64_t{1} << 46;

}  // namespace

/// What a deferred access needs of the banks: it is executed later, because it goes to global memory with other lanes.
scratchpad::Cost Sm::shared_cost(const Issue& issue) const {
  std::array<uint32_t, scratchpad::kMaxLanes> offsets{};
  for (uint64_t rest = addresses_.shared; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(std::countr_zero(rest));
    offsets[lane] = static_cast<uint32_t>(addresses_.address[lane]);
  }
  return scratchpad::cost(rules_of(issue), issue.operation->shared_kind, issue.operation->width, offsets.data(),
                          addresses_.shared);
}

/// Under which an instruction's accesses of shared memory are counted.
const scratchpad::Rules& Sm::rules_of(const Issue& issue) const {
  const simt::InstructionHash* const own = worker_->hashes.empty() ? nullptr : worker_->hashes[issue.instr->aux];
  return own == nullptr ? config_.rules : own->rules;
}

/// The scratchpad. A deferred atomic is served as at native banks, whatever the unit of atomics.
void Sm::charge_shared(Issue& issue, const scratchpad::Cost& cost) {
  SharedPort::Access access;
  access.issued = issued(issue);
  access.operation = issue.operation;
  access.rules = &rules_of(issue);
  access.cost = cost;
  access.lanes = addresses_.shared;
  access.offsets = addresses_.address.data();
  access.base = shared_base(issue.slot);
  access.extra = worker_->tx_charge.access_cycles;
  access.takes_turns = issue.transactional;
  access.by_atomics_unit = issue.operation->kind == Kind::atomic && !issue.deferred && !issue.transactional;
  access.matrix = (issue.instr->flags & simt::InstrFlag::kMatrix) != 0;
  const SharedPort::Outcome outcome = shared_.access(access);
  if (!issue.deferred) issue.why = access.by_atomics_unit ? Cause::atomic : Cause::scratchpad;
  if (outcome.kept) {
    issue.kept = true;
    kept_ |= uint64_t{1} << issue.slot;
    issue.ready = kNever;
    return;
  }
  issue.conflict = outcome.conflict;
  replay(outcome.passes);
  issue.ready = std::max(issue.ready, outcome.ready);
}

/// What lanes of cp.async write goes to the banks at once.
void Sm::charge_copy(Issue& issue, const scratchpad::Cost& cost) {
  const SharedPort::Outcome outcome = shared_.copy(issued(issue), cost);
  issue.conflict = outcome.conflict;
  replay(outcome.passes);
  copies_[issue.slot].issue(issue.index);
}

/// The texels of a fetch, each of the lanes' first, then each second one …: a line that several need is asked for once.
void Sm::coalesce_texels(const Issue& issue, uint64_t lanes) {
  simt::texel_addresses_of(*issue.warp, issue.instr, lanes, texels_);
  requests_.count = 0;
  for (unsigned k = 0; k < texels_.count; ++k) {
    simt::TexelAddresses::Row& row = texels_.row[k];
    for (uint64_t rest = row.lanes; rest != 0; rest &= rest - 1) {
      uint64_t& address = row.address[static_cast<size_t>(std::countr_zero(rest))];
      address = physical(address);
    }
    coalesce(row.address.data(), row.lanes, texels_.width, config_.l1.line_bytes, config_.l1.sector_bytes,
             issue.operation->kind == Kind::atomic, row_);
    merge_lines(row_, requests_);
  }
}

/// Global and local memory: from here on the port knows.
void Sm::charge_memory(Issue& issue) {
  const Operation& operation = *issue.operation;
  const unsigned slot = issue.slot;
  const uint64_t lanes = addresses_.global | addresses_.local;
  std::array<uint64_t, scratchpad::kMaxLanes>& at = physical_;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    at[lane] = (addresses_.local >> lane & 1) != 0 ? physical_local(addresses_.address[lane], slot, lane)
                                                   : physical(addresses_.address[lane]);
  }
  const bool local = addresses_.local != 0;
  if (operation.texture)
    coalesce_texels(issue, lanes);
  else
    coalesce(at.data(), lanes, local ? std::min(4u, unsigned{operation.width}) : operation.width, config_.l1.line_bytes,
             config_.l1.sector_bytes, operation.kind == Kind::atomic, requests_);
  // Local memory lies word by word: each further word of an access is in the row of words behind.
  for (unsigned word = 1; local && word < operation.width / 4u; ++word) {
    for (uint64_t rest = lanes; rest != 0; rest &= rest - 1)
      at[static_cast<size_t>(std::countr_zero(rest))] += launch_.setup->program->lanes * 4;
    coalesce(at.data(), lanes, 4, config_.l1.line_bytes, config_.l1.sector_bytes, false, row_);
    std::copy_n(row_.request.begin(), row_.count, requests_.request.begin() + requests_.count);
    requests_.count += row_.count;
  }
  replay(requests_.count);
  // Transactions keep what they write to themselves, and look at what they change, until they commit.
  if (issue.kept_global && operation.kind == Kind::store) return;
  const auto kind = operation.kind == Kind::load || operation.kind == Kind::copy || issue.kept_global
                        ? Packet::Kind::load
                    : operation.kind == Kind::store ? Packet::Kind::store
                                                    : Packet::Kind::atomic;
  if (kind != Packet::Kind::load) ++stores_[slot];
  const bool result = kind == Packet::Kind::load || (kind == Packet::Kind::atomic && operation.writes != 0);
  if (result) {
    scoreboard_.expect(slot, 1);
    issue.ready = kNever;
  }
  issue.why = Cause::memory;
  port_.enter(
      issue.now,
      {kind, slot, generation_[slot], issue.index, local, operation.strong || operation.passes_l1 || issue.kept_global},
      requests_);
}

/// A first-level cache whose data lies in banks. @return when its data is there, if the line is
Cycle Sm::charge_l1(Issue& issue) {
  const unsigned bytes = issue.operation->width, width = addresses_.local != 0 ? std::min(4u, bytes) : bytes;
  // Local memory: one row of all lanes after the other.
  return l1_banks_.load(issued(issue), width, bytes / width, addresses_.global | addresses_.local, physical_.data(),
                        issue.conflict);
}

/// Constant memory and parameters: the cache always hits, one word at a time.
void Sm::charge_constant(Issue& issue) {
  const uint64_t lanes = simt::executing_lanes(*issue.warp, issue.instr);
  unsigned words = 0;
  if (lanes != 0) {
    simt::lane_addresses_of(*issue.warp, issue.instr, lanes, addresses_);
    for (uint64_t rest = lanes; rest != 0; ++words) {
      const uint64_t one = addresses_.address[static_cast<size_t>(std::countr_zero(rest))];
      for (uint64_t same = rest; same != 0; same &= same - 1) {
        const int lane = std::countr_zero(same);
        if (addresses_.address[static_cast<size_t>(lane)] == one) rest &= ~(uint64_t{1} << lane);
      }
    }
  }
  replay(words);
  issue.ready = issue.now + config_.load_store.constant_latency + (words == 0 ? 0 : words - 1);
}

/// Addresses of the memory system do not depend on where the host put the device's memory, or the program's own.
uint64_t Sm::physical(uint64_t address) const {
  const simt::Memory& memory = *launch_.setup->memory;
  return memory.contains(address) ? address - memory.base() : launch_.host->of(address);
}

uint64_t Sm::physical_local(uint64_t offset, unsigned slot, unsigned lane) const {
  const uint64_t lanes = launch_.setup->program->lanes;
  const uint64_t stack = round_up<uint64_t>(worker_->local_stack, 128) * lanes;
  return kLocalBase + (uint64_t{index_} * kSlots + slot) * stack + (offset / 4 * lanes + lane) * 4 + offset % 4;
}

}  // namespace bankshot::timing

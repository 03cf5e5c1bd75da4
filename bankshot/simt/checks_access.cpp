// Accesses to memory, as Checks sees them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>

#include "bankshot/simt/access.hpp"
#include "bankshot/simt/cluster.hpp"
#include "bankshot/simt/checks.hpp"
#include "bankshot/simt/program.hpp"
#include "bankshot/simt/reserved_shared.hpp"
#include "bankshot/simt/stepper.hpp"
#include "bankshot/simt/thread_index.hpp"
#include "bankshot/simt/transaction.hpp"

namespace bankshot::simt {
namespace {

using hazards::AccessKind;
using Kind = Finding::Kind;

constexpr unsigned kMostBytes = 32;  ///< that a lane accesses at once

uint64_t bit(unsigned lane) { return uint64_t{1} << lane; }

hazards::WarpAccess warp_access(const Warp& w, const Instr* i, AccessKind kind, uint64_t lanes, const uint64_t* offsets,
                                unsigned bytes) {
  hazards::WarpAccess access;
  access.kind = kind;
  access.site = static_cast<uint32_t>(i - w.worker->program->code.data());
  access.warp = w.index;
  access.lanes = lanes;
  access.width = bytes;
  access.offsets = offsets;
  return access;
}

}  // namespace

uint64_t Checks::own_lanes(Warp& w, uint64_t lanes, uint64_t* offsets, unsigned bytes, bool writes) {
  uint64_t own = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    uint64_t& offset = offsets[lane];
    Cta* const cta = cta_at(*w.cta, offset);
    const uint64_t byte = byte_in_cta(offset);
    if (cta == nullptr || byte + bytes > cta->shared_bytes) continue;  // the engine tells of it
    offset = byte;
    if (cta == w.cta) {
      own |= bit(lane);
    } else if (writes && (options_.memory || options_.race)) {
      of(*cta, *w.worker).written->write(byte, bytes);
    }
  }
  return own;
}

void Checks::tell(Warp& w, const std::vector<hazards::Hazard>& found) {
  const Instr* const code = w.worker->program->code.data();
  for (const hazards::Hazard& hazard : found) {
    using H = hazards::Hazard::Kind;
    if (is_the_systems(w, hazard.offset)) continue;
    const Kind kind = hazard.kind == H::read_after_write    ? Kind::read_after_write
                      : hazard.kind == H::write_after_read ? Kind::write_after_read
                                                           : Kind::write_after_write;
    bool is_new = false;
    const bool is_warning = hazard.within_warp && !hazard.asynchronous;
    Finding& finding = find(w, kind, code + hazard.later_site, code + hazard.earlier_site, hazard.threads, is_new);
    if (!is_new && (is_warning || !finding.is_warning)) continue;
    // The example is one of the worst.
    finding.is_warning = is_warning;
    finding.cta = w.cta->index;
    finding.thread = thread_at(w.worker->launch->config->block, hazard.later);
    finding.other_thread = thread_at(w.worker->launch->config->block, hazard.earlier);
    finding.bytes = hazard.bytes;
    name_shared(w, finding, hazard.offset);
    finding.detail = hazard.asynchronous      ? "one of them is an asynchronous copy, for which nobody has waited"
                     : hazard.one_instruction ? "threads of one warp write different values to one place by one instruction"
                     : hazard.within_warp     ? "threads of one warp, and no __syncwarp() between"
                                              : "no barrier between";
  }
}

void Checks::look_for_unwritten(Warp& w, const Instr* i, uint64_t shared, uint64_t global, const uint64_t* addresses,
                                unsigned bytes) {
  uint64_t nobody = 0;
  for (uint64_t rest = shared; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (!of(w).written->is_written(addresses[lane], bytes) && !is_the_systems(w, addresses[lane])) nobody |= bit(lane);
  }
  if (nobody != 0) {
    bool is_new = false;
    Finding& finding = find(w, Kind::unwritten_shared, i, nullptr, static_cast<uint64_t>(std::popcount(nobody)), is_new);
    if (is_new) {
      const auto lane = static_cast<unsigned>(std::countr_zero(nobody));
      finding.is_warning = true;  // merges read past the end of a tile and throw it away
      finding.thread = thread_of(w, lane);
      finding.bytes = bytes;
      name_shared(w, finding, addresses[lane]);
    }
  }
  nobody = 0;
  for (uint64_t rest = global; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (global_.first_unwritten(addresses[lane], bytes) != addresses[lane] + bytes) nobody |= bit(lane);
  }
  if (nobody != 0) tell_unwritten(w, i, nobody, addresses, bytes);
}

/// Lanes have read global memory of which somebody has written a part, or nobody anything.
void Checks::tell_unwritten(Warp& w, const Instr* i, uint64_t lanes, const uint64_t* addresses, unsigned bytes) {
  uint64_t wholly = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    bool any = false;
    for (uint64_t at = addresses[lane]; at < addresses[lane] + bytes; ++at) any |= global_.first_unwritten(at, 1) != at;
    if (!any) wholly |= bit(lane);
  }
  bool is_new = false;
  Finding& finding = find(w, Kind::unwritten_global, i, nullptr, static_cast<uint64_t>(std::popcount(lanes)), is_new);
  if (!is_new && (!finding.is_warning || wholly == 0)) return;
  const auto lane = static_cast<unsigned>(std::countr_zero(wholly != 0 ? wholly : lanes));
  finding.is_warning = wholly == 0;  // gaps between the members of a structure are copied with it
  finding.thread = thread_of(w, lane);
  finding.cta = w.cta->index;
  finding.bytes = bytes;
  const uint64_t address = global_.first_unwritten(addresses[lane], bytes);
  if (const Allocation* const there = w.worker->memory->find(address)) {
    finding.address = address - there->address;
    finding.variable = there->label;
    finding.detail = "byte " + std::to_string(finding.address) + " of an allocation of " + std::to_string(there->size) + " bytes";
  }
}

void Checks::mark_written(Warp& w, uint64_t shared, uint64_t global, const uint64_t* addresses, unsigned bytes) {
  if (!options_.memory && !options_.race) return;
  for (uint64_t rest = shared; rest != 0; rest &= rest - 1) of(w).written->write(addresses[std::countr_zero(rest)], bytes);
  for (uint64_t rest = global; rest != 0; rest &= rest - 1) global_.write(addresses[std::countr_zero(rest)], bytes);
}

void Checks::synchronise(Warp& w, const CheckedOp& op, uint64_t shared, uint64_t global, const uint64_t* addresses) {
  const bool reads = op.kind != CheckedOp::Kind::store, writes = op.kind != CheckedOp::Kind::load;
  for (uint64_t rest = shared | global; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    of(w).races->synchronise(w.index, lane, addresses[lane], reads, writes, op.acquires, op.releases);
  }
}

const Instr* Checks::run_access(Warp& w, const Instr* i, const CheckedOp& op) {
  const uint64_t lanes = executing_lanes(w, i);
  // What a transaction does nobody sees before it commits.
  if (lanes == 0) return op.run(w, i);
  const bool hidden = in_transaction(w);
  LaneAddresses to;
  lane_addresses_of(w, i, lanes, to);
  const bool stores = op.kind == CheckedOp::Kind::store;
  const uint64_t shared = own_lanes(w, to.shared, to.address.data(), op.bytes, op.kind != CheckedOp::Kind::load);
  const uint64_t* const addresses = to.address.data();
  if (options_.memory) {
    if (!stores && !op.ignores && !hidden) look_for_unwritten(w, i, shared, to.global, addresses, op.bytes);
  }
  // Stores to shared memory are marked in run_store(), which asks what was written before.
  const uint64_t marked = stores && options_.race && !hidden ? 0 : shared;
  if (op.kind != CheckedOp::Kind::load) mark_written(w, marked, to.global, addresses, op.bytes);
  if (!options_.race || hidden) return op.run(w, i);
  found_.clear();
  const AccessKind kind = stores                                  ? AccessKind::write
                          : op.kind == CheckedOp::Kind::load ? AccessKind::read
                                                                  : AccessKind::atomic;
  hazards::WarpAccess access = warp_access(w, i, kind, shared, addresses, op.bytes);
  access.strong = op.strong;
  access.is_volatile = op.is_volatile;
  if (op.strong) synchronise(w, op, shared, to.global, addresses);
  if (stores) return run_store(w, i, op, access);
  if (shared != 0) of(w).races->access(access, found_);
  tell(w, found_);
  return op.run(w, i);
}

/// Of lanes that write one place by one instruction, those that write different values. They are asked one after the other; the
/// instruction has to be executed again afterwards.
std::vector<hazards::Hazard> Checks::within_instruction(Warp& w, const Instr* i, const CheckedOp& op,
                                                        const hazards::WarpAccess& access) {
  using Value = std::array<std::byte, kMostBytes>;
  const uint64_t active = w.active;
  const bool counting = std::exchange(w.worker->counting, false);
  std::map<uint64_t, Value> values;
  std::set<uint64_t> differ;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    w.active = bit(lane);
    op.run(w, i);
    Value value{};
    std::memcpy(value.data(), w.cta->shared + access.offsets[lane], access.width);
    const auto [it, first] = values.try_emplace(access.offsets[lane], value);
    if (!first && it->second != value) differ.insert(access.offsets[lane]);
  }
  w.active = active;
  op.run(w, i);
  w.worker->counting = counting;
  std::vector<hazards::Hazard> harmful;
  for (const hazards::Hazard& hazard : found_) {
    if (!hazard.one_instruction || differ.contains(hazard.offset)) harmful.push_back(hazard);
  }
  return harmful;
}

/// A store. Who writes what somebody has written there before harms nobody, whoever is faster: that is no access.
const Instr* Checks::run_store(Warp& w, const Instr* i, const CheckedOp& op, hazards::WarpAccess access) {
  if (access.lanes == 0) return op.run(w, i);
  const hazards::WrittenBytes& written = *of(w).written;
  uint64_t known = 0;
  std::array<std::array<std::byte, kMostBytes>, 64> before;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (written.is_written(access.offsets[lane], access.width)) known |= bit(lane);
    std::memcpy(before[lane].data(), w.cta->shared + access.offsets[lane], access.width);
  }
  const Instr* const next = op.run(w, i);
  if (w.cta->faulted) return next;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    of(w).written->write(access.offsets[lane], access.width);
    const bool same = std::memcmp(before[lane].data(), w.cta->shared + access.offsets[lane], access.width) == 0;
    if (same && (known & bit(lane)) != 0) access.lanes &= ~bit(lane);
  }
  of(w).races->access(access, found_);
  const auto one_instruction = [](const hazards::Hazard& hazard) { return hazard.one_instruction; };
  if (std::any_of(found_.begin(), found_.end(), one_instruction)) found_ = within_instruction(w, i, op, access);
  tell(w, found_);
  return next;
}

void Checks::access(Warp& w, const Instr* i, AccessKind kind, ptx::Space space, uint64_t lanes, const uint64_t* addresses,
                    unsigned bytes) {
  LaneAddresses to;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t offset = shared_offset(w, space, addresses[lane]);
    to.address[lane] = offset >= 0 ? static_cast<uint64_t>(offset) : addresses[lane];
    (offset >= 0 ? to.shared : to.global) |= bit(lane);
  }
  const uint64_t shared = own_lanes(w, to.shared, to.address.data(), bytes, kind != AccessKind::read);
  if (options_.memory) {
    if (kind != AccessKind::write) look_for_unwritten(w, i, shared, to.global, to.address.data(), bytes);
  }
  if (kind != AccessKind::read) mark_written(w, shared, to.global, to.address.data(), bytes);
  if (!options_.race || shared == 0) return;
  found_.clear();
  of(w).races->access(warp_access(w, i, kind, shared, to.address.data(), bytes), found_);
  tell(w, found_);
}

void Checks::copies(Warp& w, const Instr* i, uint64_t lanes, const uint32_t* offsets, unsigned bytes) {
  std::array<uint64_t, 64> wide;
  for (size_t lane = 0; lane < wide.size(); ++lane) wide[lane] = offsets[lane];
  const uint64_t shared = own_lanes(w, lanes, wide.data(), bytes, true);
  mark_written(w, shared, 0, wide.data(), bytes);
  if (!options_.race) return;
  found_.clear();
  of(w).races->copy_async(warp_access(w, i, AccessKind::write, shared, wide.data(), bytes), hazards::SharedRaces::kLanes, found_);
  tell(w, found_);
}

void Checks::copies_bulk(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes, bool writes, int64_t barrier) {
  std::array<uint64_t, 64> at{};
  at[lane] = offset;
  if (own_lanes(w, bit(lane), at.data(), static_cast<unsigned>(bytes), writes) == 0) return;
  offset = at[lane];
  if ((options_.memory || options_.race) && writes) of(w).written->write(offset, bytes);
  if (options_.memory && !writes && !of(w).written->is_written(offset, bytes)) {
    look_for_unwritten(w, i, bit(lane), 0, at.data(), static_cast<unsigned>(bytes));
  }
  if (!options_.race) return;
  found_.clear();
  const hazards::WarpAccess access =
      warp_access(w, i, writes ? AccessKind::write : AccessKind::read, bit(lane), at.data(), static_cast<unsigned>(bytes));
  if (barrier >= 0 && is_elsewhere(*w.cta, static_cast<uint64_t>(barrier))) {
    of(w).races->access(access, found_);  // who is told of its end is in another CTA
  } else if (barrier >= 0) {
    of(w).races->copy_bulk(access, byte_in_cta(static_cast<uint64_t>(barrier)), found_);
  } else {
    of(w).races->copy_async(access, hazards::SharedRaces::kBulks, found_);
  }
  tell(w, found_);
}

}  // namespace bankshot::simt

// Accesses to memory, as Checks sees them.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <map>
#include <set>
#include <type_traits>

#include "bankshot/hazards/lane_bits.hpp"
#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/lane_addresses.hpp"
#include "bankshot/simt/checks/checks.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/state/program.hpp"
#include "bankshot/simt/state/reserved_shared.hpp"
#include "bankshot/simt/state/thread_index.hpp"
#include "bankshot/simt/transactions/transaction.hpp"

namespace bankshot::simt {
namespace {

using hazards::for_lanes;
using Kind = Finding::Kind;

/// @param warp  of the cluster
hazards::WarpAccess warp_access(const Warp& w, unsigned warp, const Instr* i, hazards::AccessKind kind, uint64_t lanes,
                                const uint64_t* offsets, unsigned bytes) {
  hazards::WarpAccess access;
  access.kind = kind;
  access.site = static_cast<uint32_t>(i - w.worker->program->code.data());
  access.warp = warp;
  access.lanes = lanes;
  access.width = bytes;
  access.offsets = offsets;
  return access;
}

/// f(lanes, address, bytes) for lanes that access neighbouring places, or one, one after the other.
template <class F>
void for_runs(uint64_t lanes, const uint64_t* addresses, unsigned bytes, F f) {
  while (lanes != 0) {
    const uint64_t begin = addresses[std::countr_zero(lanes)];
    uint64_t end = begin + bytes, run = lanes & -lanes;
    for (uint64_t rest = lanes & ~run; rest != 0; rest &= rest - 1) {
      const uint64_t address = addresses[std::countr_zero(rest)];
      if (address != end && address != end - bytes) break;
      end = address + bytes;
      run |= rest & -rest;
    }
    lanes &= ~run;
    f(run, begin, end - begin);
  }
}

/// f(bytes of a lane), the common numbers as constants.
template <class F>
void with_width(size_t bytes, F f) {
  switch (bytes) {
    case 4: return f(std::integral_constant<size_t, 4>{});
    case 8: return f(std::integral_constant<size_t, 8>{});
    case 16: return f(std::integral_constant<size_t, 16>{});
    default: return f(bytes);
  }
}

/// "wgmma", "tcgen05.mma" or "tcgen05.cp": what reads operands that descriptors describe; empty if the instruction does
/// not.
std::string_view product_name(const Warp& w, const Instr* i) {
  const LoadedProgram& program = *w.worker->program;
  const InstrInfo& info = program.info_of(i);
  if (info.access.layout != ptx::Access::Layout::operands) return {};
  const std::string_view text = program.texts[info.text];
  const size_t opcode = text.find('.');
  return text.starts_with("wgmma") ? text.substr(0, opcode) : text.substr(0, text.find('.', opcode + 1));
}

/// cp.async and its relatives
bool is_copy(const Warp& w, const Instr* i) {
  return w.worker->program->info_of(i).access.kind == ptx::Access::Kind::copy;
}

std::string triple(const Dim3& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

}  // namespace

uint64_t Checks::placed_lanes(Warp& w, uint64_t lanes, uint64_t* offsets, uint64_t bytes) {
  uint64_t placed = 0;
  const uint64_t own = w.cta->rank * of(w).stride;
  if (own == 0) {  // most are within the memory of their CTA, which is the first
    uint64_t any = 0, last = 0;
    for_lanes(lanes, [&](unsigned lane) { any |= offsets[lane]; });
    if (any + bytes <= w.cta->shared_bytes) return lanes;
    for_lanes(lanes, [&](unsigned lane) { last = std::max(last, offsets[lane]); });
    if (last + bytes <= w.cta->shared_bytes) return lanes;
  }
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    if (offsets[lane] + bytes <= w.cta->shared_bytes) {
      offsets[lane] += own;
    } else {
      const int64_t place = place_of(w, offsets[lane], bytes);
      if (place < 0) continue;  // the engine reports it
      offsets[lane] = static_cast<uint64_t>(place);
    }
    placed |= lane_bit(lane);
  }
  return placed;
}

void Checks::tell(Warp& w, const std::vector<hazards::Hazard>& found) {
  const Instr* const code = w.worker->program->code.data();
  for (const hazards::Hazard& hazard : found) {
    using H = hazards::Hazard::Kind;
    if (is_the_systems(w, hazard.offset % of(w).stride)) continue;
    const Kind kind = hazard.kind == H::read_after_write   ? Kind::read_after_write
                      : hazard.kind == H::write_after_read ? Kind::write_after_read
                                                           : Kind::write_after_write;
    bool is_new = false;
    const bool is_warning = hazard.within_warp && !hazard.asynchronous;
    Finding& finding = find(w, kind, code + hazard.later_site, code + hazard.earlier_site, hazard.threads, is_new);
    if (!is_new && (is_warning || !finding.is_warning)) continue;
    // The example is one of the worst.
    finding.is_warning = is_warning;
    finding.cta = w.cta->index;
    const auto threads = static_cast<unsigned>(w.cta->warps.size()) * w.worker->warp_size;
    const unsigned rank = hazard.earlier / threads;
    finding.thread = thread_at(w.worker->launch->config->block, hazard.later % threads);
    finding.other_thread = thread_at(w.worker->launch->config->block, hazard.earlier % threads);
    finding.bytes = hazard.bytes;
    name_shared(w, finding, hazard.offset);
    const std::string_view later = product_name(w, code + hazard.later_site),
                           earlier = product_name(w, code + hazard.earlier_site);
    finding.detail =
        hazard.unfenced
            ? std::string(later.empty() ? "a bulk copy" : later) + " reads it, without a fence.proxy.async in between"
        : !earlier.empty() ? "the earlier access is a " + std::string(earlier) + " that no thread has waited for"
        : !later.empty() && is_copy(w, code + hazard.earlier_site)
            ? std::string(later) + " reads it without waiting for the asynchronous copy"
        : !later.empty()         ? std::string(later) + " reads it, without a barrier in between"
        : hazard.asynchronous    ? "one of them is an asynchronous copy that no thread has waited for"
        : hazard.one_instruction ? "threads of one warp write different values to the same place in one instruction"
        : hazard.within_warp     ? "threads of one warp, without a __syncwarp() in between"
        : rank != w.cta->rank    ? "no cluster barrier in between"
                                 : "no barrier in between";
    const auto memory = static_cast<unsigned>(hazard.offset / of(w).stride);
    if (rank != w.cta->rank) finding.detail += "; the earlier thread is one of CTA " + triple(cta_of_rank(w, rank));
    if (memory != w.cta->rank) finding.detail += "; the memory is that of CTA " + triple(cta_of_rank(w, memory));
  }
}

void Checks::look_for_unwritten(Warp& w, const Instr* i, uint64_t shared, uint64_t global, const uint64_t* addresses,
                                unsigned bytes) {
  uint64_t nobody = 0;
  const CtaChecks& checks = of(w);
  for_runs(checks.written->all_written() ? 0 : shared, addresses, bytes,
           [&](uint64_t lanes, uint64_t first, uint64_t size) {
             if (checks.written->is_written(first, size)) return;
             for_lanes(lanes, [&](unsigned lane) {
               const uint64_t place = addresses[lane];
               if (!checks.written->is_written(place, bytes) && !is_the_systems(w, place % checks.stride))
                 nobody |= lane_bit(lane);
             });
           });
  if (nobody != 0) {
    bool is_new = false;
    Finding& finding =
        find(w, Kind::unwritten_shared, i, nullptr, static_cast<uint64_t>(std::popcount(nobody)), is_new);
    if (is_new) {
      const auto lane = static_cast<unsigned>(std::countr_zero(nobody));
      finding.is_warning = true;  // merges read past the end of a tile and throw it away
      finding.thread = thread_of(w, lane);
      finding.bytes = bytes;
      name_shared(w, finding, addresses[lane]);
    }
  }
  nobody = 0;
  for_runs(global, addresses, bytes, [&](uint64_t lanes, uint64_t first, uint64_t size) {
    if (global_.first_unwritten(first, size) == first + size) return;
    for_lanes(lanes, [&](unsigned lane) {
      if (global_.first_unwritten(addresses[lane], bytes) != addresses[lane] + bytes) nobody |= lane_bit(lane);
    });
  });
  if (nobody != 0) tell_unwritten(w, i, nobody, addresses, bytes);
}

/// Lanes have read global memory that is partly or not at all written.
void Checks::tell_unwritten(Warp& w, const Instr* i, uint64_t lanes, const uint64_t* addresses, unsigned bytes) {
  uint64_t wholly = 0;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    bool any = false;
    for (uint64_t at = addresses[lane]; at < addresses[lane] + bytes; ++at) any |= global_.first_unwritten(at, 1) != at;
    if (!any) wholly |= lane_bit(lane);
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
    finding.detail =
        "byte " + std::to_string(finding.address) + " of an allocation of " + std::to_string(there->size) + " bytes";
  }
}

void Checks::forget_swizzle(Warp& w, uint64_t place, uint64_t bytes) {
  if (!options_.memory || of(w).swizzles->empty()) return;
  for (uint64_t at = place / CtaChecks::kSwizzled; at * CtaChecks::kSwizzled < place + bytes; ++at)
    of(w).swizzles->erase(at);
}

void Checks::mark_written(Warp& w, uint64_t shared, uint64_t global, const uint64_t* addresses, unsigned bytes) {
  if (!options_.memory && !options_.race) return;
  for_lanes(shared, [&](unsigned lane) { forget_swizzle(w, addresses[lane], bytes); });
  for_runs(shared == 0 || of(w).written->all_written() ? 0 : shared, addresses, bytes,
           [&](uint64_t, uint64_t first, uint64_t size) { of(w).written->write(first, size); });
  for_runs(global, addresses, bytes, [&](uint64_t, uint64_t first, uint64_t size) { global_.write(first, size); });
}

void Checks::synchronise(Warp& w, const CheckedOp& op, uint64_t shared, uint64_t global, const uint64_t* addresses) {
  const bool reads = op.kind != CheckedOp::Kind::store, writes = op.kind != CheckedOp::Kind::load;
  hazards::QuickRaces& races = *of(w).races;
  if (!op.releases && !races.is_told()) return;
  const unsigned warp = warp_of(w);
  for_lanes(shared | global, [&](unsigned lane) {
    races.synchronise(warp, lane, addresses[lane], reads, writes, op.acquires, op.releases);
  });
}

const Instr* Checks::run_access(Warp& w, const Instr* i, const CheckedOp& op) {
  const uint64_t lanes = executing_lanes(w, i);
  // Writes of a transaction are not visible before it commits.
  if (lanes == 0 || (!options_.memory && !options_.race)) return op.run(w, i);
  const bool hidden = in_transaction(w);
  LaneAddresses to;
  addresses_of(w, i, lanes, to);
  const bool stores = op.kind == CheckedOp::Kind::store;
  const uint64_t in_cluster = to.shared | to.elsewhere;
  const uint64_t shared = in_cluster == 0 ? 0 : placed_lanes(w, in_cluster, to.address.data(), op.bytes);
  const uint64_t* const addresses = to.address.data();
  if (options_.memory) {
    if (!stores && !op.ignores && !hidden) look_for_unwritten(w, i, shared, to.global, addresses, op.bytes);
  }
  // Stores to shared memory are marked in run_store(), which asks what was written before.
  const uint64_t marked = stores && options_.race && !hidden ? 0 : shared;
  if (op.kind != CheckedOp::Kind::load) mark_written(w, marked, to.global, addresses, op.bytes);
  if (!options_.race || hidden || (shared == 0 && !op.strong)) return op.run(w, i);
  found_.clear();
  const hazards::AccessKind kind = stores                             ? hazards::AccessKind::write
                                   : op.kind == CheckedOp::Kind::load ? hazards::AccessKind::read
                                                                      : hazards::AccessKind::atomic;
  hazards::WarpAccess access = warp_access(w, warp_of(w), i, kind, shared, addresses, op.bytes);
  access.strong = op.strong;
  access.is_volatile = op.is_volatile;
  if (op.strong) synchronise(w, op, shared, to.global, addresses);
  if (stores) return run_store(w, i, op, access);
  if (shared != 0) of(w).races->access(access, found_);
  tell(w, found_);
  return op.run(w, i);
}

/// Of lanes that write one place by one instruction, those that write different values. They are asked one after the
/// other; the instruction has to be executed again afterwards.
std::vector<hazards::Hazard> Checks::within_instruction(Warp& w, const Instr* i, const CheckedOp& op,
                                                        const hazards::WarpAccess& access) {
  const uint64_t active = w.active;
  const bool counting = std::exchange(w.worker->counting, false);
  std::map<uint64_t, Value> values;
  std::set<uint64_t> differ;
  for (uint64_t rest = access.lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    w.active = lane_bit(lane);
    op.run(w, i);
    Value value{};
    std::memcpy(value.data(), memory_at(w, access.offsets[lane]), access.width);
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

/// A store. A lane that stores the value that is already there changes nothing, in either order: by default it does not
/// count as an access. Whether it does so depends on the data, so CheckOptions::same_value counts it.
const Instr* Checks::run_store(Warp& w, const Instr* i, const CheckedOp& op, hazards::WarpAccess access) {
  if (access.lanes == 0) return op.run(w, i);
  hazards::WrittenBytes& written = *of(w).written;
  const uint64_t compared = options_.same_value ? 0 : access.lanes;
  uint64_t known = written.all_written() ? compared : 0;
  std::array<const std::byte*, 64> there;
  std::array<std::byte, 64 * sizeof(Value)> before;
  for_runs(compared & ~known, access.offsets, access.width, [&](uint64_t lanes, uint64_t first, uint64_t size) {
    const bool all = written.is_written(first, size);
    for_lanes(lanes, [&](unsigned lane) {
      if (all || written.is_written(access.offsets[lane], access.width)) known |= lane_bit(lane);
    });
  });
  for_lanes(compared, [&](unsigned lane) { there[lane] = memory_at(w, access.offsets[lane]); });
  with_width(access.width, [&](auto width) {
    for_lanes(known, [&](unsigned lane) { std::memcpy(&before[lane * width], there[lane], width); });
  });
  const Instr* const next = op.run(w, i);
  if (w.cta->faulted) return next;
  mark_written(w, access.lanes, 0, access.offsets, access.width);
  uint64_t same = 0;
  with_width(access.width, [&](auto width) {
    for_lanes(known, [&](unsigned lane) {
      if (std::memcmp(&before[lane * width], there[lane], width) == 0) same |= lane_bit(lane);
    });
  });
  access.lanes &= ~same;
  of(w).races->access(access, found_);
  const auto one_instruction = [](const hazards::Hazard& hazard) { return hazard.one_instruction; };
  if (std::any_of(found_.begin(), found_.end(), one_instruction)) found_ = within_instruction(w, i, op, access);
  tell(w, found_);
  return next;
}

void Checks::access(Warp& w, const Instr* i, hazards::AccessKind kind, ptx::Space space, uint64_t lanes,
                    const uint64_t* addresses, unsigned bytes) {
  LaneAddresses to;
  for (uint64_t rest = lanes; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t offset = shared_offset(w, space, addresses[lane]);
    to.address[lane] = offset >= 0 ? static_cast<uint64_t>(offset) : addresses[lane];
    (offset >= 0 ? to.shared : to.global) |= lane_bit(lane);
  }
  const uint64_t shared = placed_lanes(w, to.shared, to.address.data(), bytes);
  if (options_.memory) {
    if (kind != hazards::AccessKind::write) look_for_unwritten(w, i, shared, to.global, to.address.data(), bytes);
  }
  if (kind != hazards::AccessKind::read) mark_written(w, shared, to.global, to.address.data(), bytes);
  if (!options_.race || shared == 0) return;
  found_.clear();
  of(w).races->access(warp_access(w, warp_of(w), i, kind, shared, to.address.data(), bytes), found_);
  tell(w, found_);
}

void Checks::copies(Warp& w, const Instr* i, uint64_t lanes, const uint32_t* offsets, unsigned bytes) {
  std::array<uint64_t, 64> wide;
  for (size_t lane = 0; lane < wide.size(); ++lane) wide[lane] = offsets[lane];
  const uint64_t shared = placed_lanes(w, lanes, wide.data(), bytes);
  mark_written(w, shared, 0, wide.data(), bytes);
  if (!options_.race) return;
  found_.clear();
  of(w).races->exact().copy_async(warp_access(w, warp_of(w), i, hazards::AccessKind::write, shared, wide.data(), bytes),
                                  hazards::SharedRaces::kLanes, found_);
  tell(w, found_);
}

bool Checks::place_bulk(Warp& w, const Instr* i, unsigned lane, std::array<uint64_t, 64>& at, uint64_t bytes,
                        bool reads, bool writes) {
  if (placed_lanes(w, lane_bit(lane), at.data(), bytes) == 0) return false;
  if (options_.memory && reads) look_for_unwritten(w, i, lane_bit(lane), 0, at.data(), static_cast<unsigned>(bytes));
  if (writes) forget_swizzle(w, at[lane], bytes);
  if ((options_.memory || options_.race) && writes) of(w).written->write(at[lane], bytes);
  return true;
}

void Checks::copies_bulk(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes, bool writes,
                         int64_t barrier) {
  std::array<uint64_t, 64> at{};
  at[lane] = offset;
  if (!place_bulk(w, i, lane, at, bytes, !writes, writes) || !options_.race) return;
  found_.clear();
  const hazards::WarpAccess access =
      warp_access(w, warp_of(w), i, writes ? hazards::AccessKind::write : hazards::AccessKind::read, lane_bit(lane),
                  at.data(), static_cast<unsigned>(bytes));
  const int64_t told = barrier < 0 ? -1 : place_of(w, static_cast<uint64_t>(barrier), sizeof(uint64_t));
  if (told >= 0) {
    of(w).races->exact().copy_bulk(access, static_cast<uint64_t>(told), found_);
  } else {
    of(w).races->exact().copy_async(access, hazards::SharedRaces::kBulks, found_);
  }
  tell(w, found_);
}

void Checks::swizzles(Warp& w, const Instr* i, uint64_t offset, Swizzle swizzle) {
  const int64_t place = options_.memory ? place_of(w, offset, 16) : -1;
  if (place >= 0)
    (*of(w).swizzles)[static_cast<uint64_t>(place) / CtaChecks::kSwizzled] = {
        swizzle, i, thread_of(w, static_cast<unsigned>(std::countr_zero(executing_lanes(w, i))))};
}

void Checks::look_at_swizzle(Warp& w, const Instr* i, unsigned lane, uint64_t rows, const uint64_t* places,
                             Swizzle swizzle) {
  const CtaChecks::Swizzles& swizzles = *of(w).swizzles;
  if (swizzles.empty()) return;
  for_lanes(rows, [&](unsigned row) {
    const auto wrote = swizzles.find(places[row] / CtaChecks::kSwizzled);
    if (wrote == swizzles.end() || wrote->second.swizzle == swizzle) return;
    bool is_new = false;
    Finding& finding = find(w, Kind::wrong_swizzle, i, wrote->second.by, 1, is_new);
    if (!is_new) return;
    finding.is_warning = wrote->second.swizzle.span == 0;  // the data may be swizzled in global memory
    finding.thread = thread_of(w, lane);
    finding.other_thread = wrote->second.thread;
    finding.bytes = 16;
    name_shared(w, finding, places[row]);
    finding.detail = "the tensor copy wrote it with " + wrote->second.swizzle.text() +
                     ", the matrix descriptor reads it with " + swizzle.text() + ": give both the same";
  });
}

void Checks::multiplies(Warp& w, const Instr* i, int lane, uint64_t rows, const uint64_t* offsets, unsigned bytes,
                        Swizzle swizzle) {
  constexpr auto kQueue = hazards::SharedRaces::kProducts;
  std::array<uint64_t, 64> at{};
  for_lanes(rows, [&](unsigned row) { at[row] = offsets[row]; });
  const uint64_t placed = placed_lanes(w, rows, at.data(), bytes);
  if (options_.memory) {
    look_for_unwritten(w, i, placed, 0, at.data(), bytes);
    look_at_swizzle(w, i, lane < 0 ? 0 : static_cast<unsigned>(lane), placed, at.data(), swizzle);
  }
  if (!options_.race) return;
  found_.clear();
  hazards::SharedRaces& races = of(w).races->exact();
  const bool warpgroup = lane < 0;
  if (warpgroup) races.share_copier(warp_of(w), 4, kQueue);
  const auto reader = static_cast<unsigned>(warpgroup ? 0 : lane);
  for_lanes(placed, [&](unsigned row) {
    std::array<uint64_t, 64> from{};
    from[reader] = at[row];
    hazards::WarpAccess access =
        warp_access(w, warp_of(w), i, hazards::AccessKind::read, lane_bit(reader), from.data(), bytes);
    races.copy_async(access, kQueue, found_);
    // The other warps have to know of the data, too.
    for (unsigned warp = 1; warpgroup && warp < 4; ++warp) {
      access.warp = warp_of(w) + warp;
      races.look(access, found_);
    }
  });
  tell(w, found_);
}

void Checks::reduces_async(Warp& w, const Instr* i, unsigned lane, uint64_t offset, uint64_t bytes, uint64_t barrier) {
  std::array<uint64_t, 64> at{};
  at[lane] = offset;
  const int64_t told = place_of(w, barrier, sizeof(uint64_t));
  if (!place_bulk(w, i, lane, at, bytes, true, true) || !options_.race || told < 0) return;
  found_.clear();
  const hazards::WarpAccess access = warp_access(w, warp_of(w), i, hazards::AccessKind::atomic, lane_bit(lane),
                                                 at.data(), static_cast<unsigned>(bytes));
  of(w).races->exact().copy_bulk(access, static_cast<uint64_t>(told), found_);
  tell(w, found_);
}

}  // namespace bankshot::simt

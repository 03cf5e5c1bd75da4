#include "bankshot/simt/access/access.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/labels.hpp"
#include "bankshot/simt/state/program.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;

/// Bytes from an address outside an allocation to it; 0 just past its end.
uint64_t distance(const Allocation& there, uint64_t address) {
  return address < there.address ? there.address - address : address - (there.address + there.size);
}

/// Describes a wild address by the nearest memory that the program allocated, else what it freed, else the engine's
/// own; null if none of it is within a megabyte.
const Allocation* near_to(const Memory& memory, uint64_t address) {
  constexpr uint64_t kNear = 1 << 20, kLast = ~uint64_t{0} - kNear;
  const auto order = [&](const Allocation& there) {
    const bool is_ours = there.label.starts_with('$') || there.label == kParametersLabel;
    return std::pair(is_ours ? 2 : there.live ? 0 : 1, distance(there, address));
  };
  const Allocation* near = memory.nearest(address);
  if (near == nullptr || distance(*near, address) > kNear) return nullptr;
  // Allocations begin at pages: looking at each page around finds them all.
  const uint64_t page = address / kPage * kPage, end = std::min(page, kLast) + kNear;
  for (uint64_t at = page - std::min(page, kNear); at <= end; at += kPage) {
    const Allocation* there = memory.find(at);
    if (there != nullptr && distance(*there, address) <= kNear && order(*there) < order(*near)) near = there;
  }
  return near;
}

std::string what_is_there(const Memory& memory, uint64_t address) {
  const auto size_of = [](const Allocation& a) { return std::to_string(a.size) + " bytes at " + hex(a.address); };
  if (const Allocation* hit = memory.find(address)) {
    const std::string text = "byte " + std::to_string(address - hit->address) + " of an allocation of " + size_of(*hit);
    if (!hit->live) return text + " that was freed";
    return text + (hit->label.empty() ? "" : " (" + hit->label + ")");
  }
  if (memory.behind_multicast(address) != 0) return "a multicast object is mapped there, which is for multimem only";
  const Allocation* near = near_to(memory, address);
  if (near == nullptr && memory.has_host_ranges()) return "the process has nothing mapped there";
  if (near == nullptr) {
    return std::string("no device memory is near; ") + (address < 4096 ? "a null pointer?" : "a pointer of the host?");
  }
  const uint64_t bytes = distance(*near, address);
  std::string where = std::to_string(bytes) + (address < near->address ? " bytes before " : " bytes past the end of ");
  if (bytes == 0) where = "just past the end of ";
  return where + (near->label.empty() ? "an allocation" : near->label) + " of " + size_of(*near) +
         (near->live ? "" : " (freed)");
}

void* global_pointer(Warp& w, const Instr* i, uint64_t address, unsigned bytes, bool write, unsigned lane) {
  Worker& worker = *w.worker;
  Worker::Hit& hit = worker.last_hit(i);
  if (address < hit.begin || address >= hit.end || hit.end - address < bytes || (write && !hit.writable)) {
    const Allocation* allocation = worker.memory->accessible(address);
    const std::string access =
        std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at " + hex(address) + ": ";
    if (allocation == nullptr || !allocation->live || allocation->address + allocation->size - address < bytes) {
      fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
            access + what_is_there(*worker.memory, address));
      return nullptr;
    }
    if (write && !allocation->writable) {
      fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address,
            access + (allocation->kind == MemoryKind::registered ? "memory of the host that may only be read"
                                                                 : "constant memory"));
      return nullptr;
    }
    hit = {allocation->address, allocation->address + allocation->size, allocation->writable};
  }
  return reinterpret_cast<void*>(address);
}

void* shared_pointer(Warp& w, const Instr* i, uint64_t offset, unsigned bytes, bool write, unsigned lane) {
  const Cta* const cta = cta_at(*w.cta, offset);
  if (cta == nullptr) {
    const uint64_t rank = rank_at(*w.cta, offset), size = w.cta->cluster->ctas.size();
    if (rank >= Windows::kMostCtas ||
        !has_ranks(*w.cta)) {  // no address of a cluster, but an index below 0 or far too large
      fault(w, i, Fault::Kind::out_of_shared, static_cast<int>(lane), offset,
            std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at shared offset " +
                std::to_string(static_cast<int32_t>(static_cast<uint32_t>(offset) - w.cta->own_window)) +
                ", but the CTA has " + std::to_string(w.cta->shared_bytes) + " bytes of shared memory");
      return nullptr;
    }
    fault(w, i, Fault::Kind::out_of_shared, static_cast<int>(lane), offset,
          rank < size ? "the CTA of rank " + std::to_string(rank) + ", whose shared memory this is, has ended"
                      : "shared memory of rank " + std::to_string(rank) + " in a cluster of " + std::to_string(size));
    return nullptr;
  }
  offset = byte_in_cta(offset);
  // LLVM makes a vector of the last elements of an array if the load is aligned: memory comes in larger units.
  const bool is_widened = !write && offset < w.cta->shared_bytes && offset % bytes == 0 && bytes <= kSharedUnit;
  if (offset + bytes > w.cta->shared_bytes && !is_widened) {
    fault(w, i, Fault::Kind::out_of_shared, static_cast<int>(lane), offset,
          std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at shared offset " +
              hex(offset) + ", but the CTA has " + std::to_string(w.cta->shared_bytes) + " bytes of shared memory");
    return nullptr;
  }
  return cta->shared + offset;
}

bool local_in_range(Warp& w, const Instr* i, uint64_t offset, unsigned bytes, bool write, unsigned lane) {
  if (offset <= w.worker->local_stack && w.worker->local_stack - offset >= bytes) return true;
  fault(w, i, Fault::Kind::out_of_local, static_cast<int>(lane), offset,
        std::string(write ? "write" : "read") + " of " + std::to_string(bytes) + " bytes at local offset " +
            hex(offset) + ", but a thread has " + std::to_string(w.worker->local_stack) + " bytes of local memory");
  return false;
}

bool aligned(Warp& w, const Instr* i, uint64_t address, unsigned bytes, unsigned lane) {
  if (address % bytes == 0) return true;
  fault(w, i, Fault::Kind::misaligned, static_cast<int>(lane), address,
        "address " + hex(address) + " is not a multiple of the access size of " + std::to_string(bytes) + " bytes");
  return false;
}

/// Sorts a generic address by window; `address` becomes the offset in its space.
Space sort(const Warp& w, Space space, uint64_t& address) {
  if (space == Space::shared) {
    address &= 0xffffffffu;
    return space;
  }
  if (space != Space::generic) return space;
  const Windows& windows = w.worker->windows;
  if (address - windows.shared < Windows::kClusterBytes) {
    address -= windows.shared;
    return Space::shared;
  }
  if (address - windows.local < Windows::kLocalBytes) {
    address -= windows.local;
    return Space::local;
  }
  return Space::global;
}

std::byte* local_byte(const Warp& w, uint64_t offset, unsigned lane) {
  return w.local + ((offset >> 2) * w.worker->program->lanes + lane) * 4 + (offset & 3);
}

}  // namespace

void* lane_pointer(Warp& w, const Instr* i, Space space, uint64_t address, unsigned bytes, bool write, unsigned lane) {
  space = sort(w, space, address);
  if (!aligned(w, i, address, bytes, lane)) return nullptr;
  switch (space) {
    case Space::shared: return shared_pointer(w, i, address, bytes, write, lane);
    case Space::local:
      return local_in_range(w, i, address, bytes, write, lane) ? local_byte(w, address, lane) : nullptr;
    case Space::param: address += reinterpret_cast<uint64_t>(w.worker->launch->params); [[fallthrough]];
    default: return global_pointer(w, i, address, bytes, write, lane);
  }
}

bool load_lane(Warp& w, const Instr* i, Space space, uint64_t address, unsigned bytes, unsigned lane, void* to) {
  uint64_t offset = address;
  if (sort(w, space, offset) == Space::local && bytes > 4) {
    if (!aligned(w, i, offset, bytes, lane) || !local_in_range(w, i, offset, bytes, false, lane)) return false;
    for (unsigned k = 0; k < bytes; k += 4) std::memcpy(static_cast<char*>(to) + k, local_byte(w, offset + k, lane), 4);
    return true;
  }
  const void* from = lane_pointer(w, i, space, address, bytes, false, lane);
  if (from != nullptr) std::memcpy(to, from, bytes);
  return from != nullptr;
}

bool store_lane(Warp& w, const Instr* i, Space space, uint64_t address, unsigned bytes, unsigned lane,
                const void* from) {
  uint64_t offset = address;
  if (sort(w, space, offset) == Space::local && bytes > 4) {
    if (!aligned(w, i, offset, bytes, lane) || !local_in_range(w, i, offset, bytes, true, lane)) return false;
    for (unsigned k = 0; k < bytes; k += 4) {
      std::memcpy(local_byte(w, offset + k, lane), static_cast<const char*>(from) + k, 4);
    }
    return true;
  }
  void* to = lane_pointer(w, i, space, address, bytes, true, lane);
  if (to != nullptr) std::memcpy(to, from, bytes);
  return to != nullptr;
}

const scratchpad::Rules& rules_of(Warp& w, uint32_t site, unsigned width, const uint32_t* addresses, uint64_t mask) {
  const InstructionHash* const hash = w.worker->hashes[site];
  if (hash == nullptr) return *w.worker->rules;
  const LoadedProgram& program = *w.worker->program;
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
    const int lane = std::countr_zero(rest);
    const uint32_t first = addresses[lane] / 4, words = std::max(4u, width) / 4;
    if (scratchpad::contains(hash->words, first) && scratchpad::contains(hash->words, first + words - 1)) continue;
    fault(w, program.code.data() + program.sites[site].instr, Fault::Kind::foreign_words, lane, addresses[lane],
          "word " + std::to_string(first) + " of shared memory is " +
              (hash->ptx_lines.empty() ? "among those that other instructions' bank hashes move"
                                       : "outside the words of this instruction's bank hash") +
              ": the access leaves its array, or the launch differs from the traced one; trace and search again");
    break;
  }
  return hash->rules;
}

void note_writers(Cta& cta, uint32_t site, unsigned width, const uint32_t* addresses, uint64_t mask) {
  const TileWriter by{site, false, {}};
  for (uint64_t rest = mask; rest != 0; rest &= rest - 1)
    cta.writers.wrote(by, addresses[std::countr_zero(rest)], width);
}

void count_in_cluster(Warp& w, uint32_t site, scratchpad::AccessKind kind, unsigned width, const uint32_t* offsets,
                      uint64_t mask) {
  while (mask != 0 && w.worker->counting) {
    const uint32_t first = offsets[std::countr_zero(mask)];
    Cta* const cta = cta_at(*w.cta, first);
    std::array<uint32_t, 64> bytes{};
    uint64_t together = 0;
    for (uint64_t rest = mask; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<size_t>(std::countr_zero(rest));
      if (cta_at(*w.cta, offsets[lane]) != cta) continue;
      bytes[lane] = static_cast<uint32_t>(byte_in_cta(offsets[lane]));
      together |= uint64_t{1} << lane;
    }
    count_in_cta(w, cta == nullptr ? *w.cta : *cta, site, kind, width, bytes.data(), together);
    mask &= ~together;
  }
}

}  // namespace bankshot::simt

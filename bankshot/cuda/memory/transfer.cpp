#include "bankshot/cuda/memory/transfer.hpp"

#include <algorithm>
#include <cstring>

#include "bankshot/cuda/process/checking.hpp"
#include "bankshot/cuda/process/simulation.hpp"
#include "bankshot/cuda/process/witness.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"

namespace bankshot::cuda {
namespace {

bool is_device_only(simt::MemoryKind kind) {
  using simt::MemoryKind;
  return kind == MemoryKind::device || kind == MemoryKind::module_global || kind == MemoryKind::module_constant;
}

bool is_empty(const Extent& extent) { return extent.width == 0 || extent.height == 0 || extent.depth == 0; }

/// Bytes from a region's first to its last byte; 0 if that overflows.
uint64_t span_of(const Region& region, const Extent& extent) {
  const auto bytes = static_cast<unsigned __int128>(extent.depth - 1) * region.slice +
                     static_cast<unsigned __int128>(extent.height - 1) * region.pitch + extent.width;
  return bytes > UINT64_MAX / 2 ? 0 : static_cast<uint64_t>(bytes);
}

/// What is copied or filled counts as written, whatever it came from; a simulated GPU has it in its cache.
void note_written(const simt::Memory& memory, const Region& to, const Extent& extent) {
  simt::Checks* const all = checks();
  const simt::Allocation* const allocation = memory.find(to.address);
  const bool is_device = allocation != nullptr && is_device_only(allocation->kind);
  Simulation* const simulation = is_device ? Simulation::current() : nullptr;
  if (all == nullptr && simulation == nullptr) return;
  for (uint64_t z = 0; z < extent.depth; ++z) {
    for (uint64_t y = 0; y < extent.height; ++y) {
      const uint64_t row = to.address + z * to.slice + y * to.pitch;
      if (all != nullptr) all->written(row, extent.width);
      if (simulation != nullptr) simulation->copied(memory, row, extent.width);
    }
  }
}

bool rows_overlap(const Region& region, const Extent& extent) {
  return extent.height > 1 && extent.width > region.pitch;
}

Status check_region(const simt::Memory& memory, const Region& region, const Extent& extent) {
  const uint64_t bytes = span_of(region, extent);
  return bytes == 0 ? Status::invalid_value : check_range(memory, region.address, bytes, region.side);
}

/// Rows that follow each other without gaps are one row.
Extent merged(Extent extent, uint64_t pitch_a, uint64_t pitch_b, uint64_t slice_a, uint64_t slice_b) {
  if (extent.depth > 1 && slice_a == pitch_a * extent.height && slice_b == pitch_b * extent.height) {
    extent.height *= extent.depth;
    extent.depth = 1;
  }
  if (extent.depth == 1 && extent.height > 1 && pitch_a == extent.width && pitch_b == extent.width) {
    extent.width *= extent.height;
    extent.height = 1;
  }
  return extent;
}

template <class T>
void fill_row(uint64_t address, uint64_t bytes, uint32_t value) {
  std::fill_n(reinterpret_cast<T*>(address), bytes / sizeof(T), static_cast<T>(value));
}

}  // namespace

Status check_range(const simt::Memory& memory, uint64_t address, uint64_t bytes, Side side) {
  if (bytes == 0) return Status::success;
  if (address == 0 || address + bytes < address) return Status::invalid_value;
  const simt::Allocation* allocation = memory.find(address);
  if (!allocation) {
    const bool is_ours = side != Side::device && !memory.contains(address) && !memory.contains(address + bytes - 1);
    return is_ours ? Status::success : Status::invalid_value;
  }
  if (!allocation->live) return Status::invalid_value;
  if (side == Side::host && is_device_only(allocation->kind)) return Status::invalid_value;
  // A registered range is the program's own memory: a copy may go on beyond it, as far as the host side is concerned.
  if (allocation->kind == simt::MemoryKind::registered && side != Side::device) return Status::success;
  return simt::reaches(memory, address, bytes) ? Status::success : Status::invalid_value;
}

Status copy(const simt::Memory& memory, const Region& to, const Region& from, const Extent& wanted) {
  if (is_empty(wanted)) return Status::success;
  if (rows_overlap(to, wanted) || rows_overlap(from, wanted)) return Status::invalid_pitch;
  if (const Status status = check_region(memory, to, wanted); status != Status::success) return status;
  if (const Status status = check_region(memory, from, wanted); status != Status::success) return status;
  const Extent extent = merged(wanted, to.pitch, from.pitch, to.slice, from.slice);
  for (uint64_t z = 0; z < extent.depth; ++z)
    for (uint64_t y = 0; y < extent.height; ++y)
      std::memmove(reinterpret_cast<void*>(to.address + z * to.slice + y * to.pitch),
                   reinterpret_cast<const void*>(from.address + z * from.slice + y * from.pitch), extent.width);
  note_written(memory, to, extent);
  Witness* const witness = Witness::get();
  const simt::Allocation* const ours = memory.find(to.address);
  if (witness == nullptr || (ours != nullptr && ours->kind != simt::MemoryKind::registered)) return Status::success;
  for (uint64_t z = 0; z < extent.depth; ++z)
    for (uint64_t y = 0; y < extent.height; ++y)
      witness->copied_row(reinterpret_cast<const void*>(to.address + z * to.slice + y * to.pitch), extent.width);
  return Status::success;
}

Status fill(const simt::Memory& memory, const Region& to, const Extent& wanted, uint32_t value, unsigned element) {
  if (is_empty(wanted)) return Status::success;
  Region region = to;
  region.side = Side::device;
  if (rows_overlap(region, wanted)) return Status::invalid_value;
  if (const Status status = check_region(memory, region, wanted); status != Status::success) return status;
  if (to.address % element || wanted.width % element || (wanted.height > 1 && to.pitch % element))
    return Status::invalid_value;
  const Extent extent = merged(wanted, to.pitch, to.pitch, to.slice, to.slice);
  for (uint64_t z = 0; z < extent.depth; ++z)
    for (uint64_t y = 0; y < extent.height; ++y) {
      const uint64_t row = to.address + z * to.slice + y * to.pitch;
      if (element == 1)
        std::memset(reinterpret_cast<void*>(row), static_cast<int>(value & 0xff), extent.width);
      else if (element == 2)
        fill_row<uint16_t>(row, extent.width, value);
      else
        fill_row<uint32_t>(row, extent.width, value);
    }
  note_written(memory, to, extent);
  return Status::success;
}

}  // namespace bankshot::cuda

#include "bankshot/simt/async/tensor_copy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>

#include "bankshot/simt/access/access.hpp"
#include "bankshot/simt/access/bulk.hpp"
#include "bankshot/simt/access/reduce.hpp"
#include "bankshot/simt/async/bulk_targets.hpp"
#include "bankshot/simt/async/mbarrier.hpp"
#include "bankshot/simt/async/tensor_map.hpp"
#include "bankshot/simt/control/cluster.hpp"
#include "bankshot/simt/control/control.hpp"
#include "bankshot/simt/memory/mapped_range.hpp"
#include "bankshot/simt/state/call_values.hpp"
#include "bankshot/simt/state/checker.hpp"

namespace bankshot::simt {
namespace {

using ptx::Space;
using scratchpad::AccessKind;

constexpr uint64_t kMapAlignment = 64, kSharedAlignment = 128;  // bytes
constexpr unsigned kChunk = 16;                                 // that a swizzle exchanges
constexpr unsigned kFour = 4;                                   // rows of .tile::gather4
constexpr unsigned kMostRow = 256 * 8;                          // bytes of a row of a box

bool bad_copy(Warp& w, const Instr* i, unsigned lane, const std::string& what) {
  fault(w, i, Fault::Kind::bad_copy, static_cast<int>(lane), 0, what);
  return false;
}

bool misaligned(Warp& w, const Instr* i, unsigned lane, uint64_t address, const std::string& what) {
  fault(w, i, Fault::Kind::misaligned, static_cast<int>(lane), address, what);
  return false;
}

/// A box: the descriptor, and where a lane begins.
struct Box {
  TensorMap map;
  std::array<int32_t, TensorMap::kMostDimensions> at{};
  std::array<int32_t, 3> offsets{};  ///< modes im2col: of W and further dimensions
  uint32_t halo = 0;                 ///< modes im2col::w: pixels behind those of each segment
  bool four_rows = false;            ///< at[0] is their first column, and the others are the rows

  /// From one row to the next in shared memory: a swizzle takes its whole span.
  unsigned pitch() const { return std::max(map.row_bytes_in_shared(), map.span()); }
  /// Modes im2col: pixels that follow each other without a halo.
  uint32_t segment() const { return map.mode == TensorMap::im2col_w128 ? TensorMap::kWideSegment : map.pixels; }
  uint64_t rows() const {
    if (map.mode != TensorMap::tiled) return map.pixels + uint64_t{map.pixels} / segment() * halo;
    if (four_rows) return kFour;
    uint64_t rows = 1;
    for (unsigned d = 1; d < map.dimensions; ++d) rows *= map.taken(d);
    return rows;
  }
};

/// Of a row of a box what lies in the tensor.
struct Inside {
  uint64_t address = 0;                ///< of the first element that does
  unsigned skipped = 0, elements = 0;  ///< elements before it, and how many there are
};

/// @param at  coordinates of the row's first element
Inside inside(const TensorMap& map, const std::array<int64_t, TensorMap::kMostDimensions>& at) {
  uint64_t address = map.address;
  for (unsigned d = 1; d < map.dimensions; ++d) {
    if (at[d] < 0 || static_cast<uint64_t>(at[d]) >= map.size(d)) return {};
    address += static_cast<uint64_t>(at[d]) * map.stride(d);
  }
  const int64_t first = std::max<int64_t>(at[0], 0);
  const int64_t end = std::min<int64_t>(at[0] + map.box[0], static_cast<int64_t>(map.size(0)));
  if (first >= end) return {};
  return {address + map.bytes(static_cast<uint64_t>(first)), static_cast<unsigned>(first - at[0]),
          static_cast<unsigned>(end - first)};
}

/// f(row, Inside) for the rows in the order in which they lie in shared memory, until it returns false.
template <class F>
bool for_tiled_rows(const Box& box, F f) {
  const TensorMap& map = box.map;
  std::array<unsigned, TensorMap::kMostDimensions> taken{};
  const uint64_t rows = box.rows();
  for (uint64_t row = 0; row < rows; ++row) {
    std::array<int64_t, TensorMap::kMostDimensions> at{};
    for (unsigned d = 0; d < map.dimensions; ++d) at[d] = int64_t{box.at[d]} + int64_t{taken[d]} * map.steps[d];
    if (!f(row, inside(map, at))) return false;
    for (unsigned d = 1; d < map.dimensions && ++taken[d] == map.taken(d); ++d) taken[d] = 0;
  }
  return true;
}

using Pixel = std::array<int64_t, TensorMap::kMostDimensions>;

/// To the next pixel of the bounding box, W first, and on to the next image. Modes im2col::w keep H and D.
void advance(const TensorMap& map, Pixel& pixel) {
  const unsigned image = map.dimensions - 1u, moving = map.wide() ? 1 : map.dimensions - 2u;
  for (unsigned k = 0; k < moving; ++k) {
    pixel[k + 1] += map.steps[k + 1];
    if (pixel[k + 1] <= static_cast<int64_t>(map.size(k + 1)) - 1 + map.upper[k]) return;
    pixel[k + 1] = map.lower[k];
  }
  ++pixel[image];
}

/// The same for pixels; each is looked at so many pixels further. A halo is what would follow its segment, also where
/// another segment has it. Source: PTX ISA 9.0, sections 5.5.4 and 5.5.5.
template <class F>
bool for_pixels(const Box& box, F f) {
  const TensorMap& map = box.map;
  Pixel next{};
  for (unsigned d = 0; d < map.dimensions; ++d) next[d] = box.at[d];
  uint64_t row = 0;
  for (uint32_t begin = 0; begin < map.pixels; begin += box.segment()) {
    Pixel pixel = next;
    for (uint32_t k = 0; k < box.segment() + box.halo; ++k) {
      Pixel at = pixel;
      for (unsigned d = 0; d < box.offsets.size(); ++d) at[d + 1] += box.offsets[d];
      if (!f(row++, inside(map, at))) return false;
      advance(map, pixel);
      if (k + 1 == box.segment()) next = pixel;
    }
  }
  return true;
}

/// The same for four rows wherever they are.
template <class F>
bool for_four_rows(const Box& box, F f) {
  for (unsigned row = 0; row < kFour; ++row) {
    if (!f(uint64_t{row}, inside(box.map, {box.at[0], box.at[1 + row]}))) return false;
  }
  return true;
}

template <class F>
bool for_rows(const Box& box, F f) {
  if (box.four_rows) return for_four_rows(box, f);
  return box.map.mode == TensorMap::tiled ? for_tiled_rows(box, f) : for_pixels(box, f);
}

std::string_view name_of(TensorMap::Mode mode) {
  static constexpr std::string_view kNames[] = {"a tiled", "an im2col", "an im2col::w", "an im2col::w::128"};
  return kNames[mode];
}

/// Takes wHalo and wOffset from the offsets of modes im2col::w. @return false after a fault
bool take_halo(Warp& w, const Instr* i, unsigned lane, Box& box) {
  const auto most = box.map.mode == TensorMap::im2col_w128 ? 31 : 511;
  if (box.offsets[0] > most)
    return bad_copy(w, i, lane,
                    "wHalo is " + std::to_string(box.offsets[0]) + ", but must be 0 to " + std::to_string(most));
  box.halo = static_cast<uint32_t>(box.offsets[0]);
  box.offsets = {static_cast<int16_t>(box.offsets[1])};
  return true;
}

/// The descriptor and coordinates of a lane; nothing after a fault.
std::optional<Box> box_of(Warp& w, const Instr* i, const CopyInfo& copy, unsigned lane) {
  uint64_t address = address_of(w, copy.tensor, lane);
  Space space = copy.tensor.space;
  if (space == Space::param) {
    address += reinterpret_cast<uint64_t>(w.worker->launch->params);
    space = Space::generic;
  }
  if (address % kMapAlignment != 0) {
    misaligned(w, i, lane, address, "a tensor map must be aligned to 64 bytes");
    return std::nullopt;
  }
  const std::byte* const bytes = bulk_range(w, i, space, address, sizeof(TensorMap), false, lane);
  if (bytes == nullptr) return std::nullopt;
  Box box;
  std::memcpy(static_cast<void*>(&box.map), bytes, sizeof(TensorMap));
  const TensorMap& map = box.map;
  if (map.mark != TensorMap::kMark) {
    bad_copy(w, i, lane, "there is no tensor map here: create one with cuTensorMapEncodeTiled");
    return std::nullopt;
  }
  if (const std::string row = what_is_wrong(map); !row.empty()) {
    bad_copy(w, i, lane, row);
    return std::nullopt;
  }
  box.four_rows = i->op[4] == kFourRows;
  const size_t dimensions = box.four_rows ? 2 : copy.coordinates.size();
  if (map.dimensions != dimensions) {
    bad_copy(w, i, lane,
             "a tensor map of " + std::to_string(map.dimensions) + " dimensions, but a copy of " +
                 std::to_string(dimensions));
    return std::nullopt;
  }
  if (box.four_rows && map.box[1] != 1) {
    bad_copy(w, i, lane,
             "gather4 and scatter4 take a tensor map with a box of one row, not of " + std::to_string(map.box[1]));
    return std::nullopt;
  }
  if (const auto mode = box.four_rows ? TensorMap::tiled : static_cast<TensorMap::Mode>(i->op[4]); map.mode != mode) {
    const std::string_view wanted = name_of(mode), found = name_of(map.mode);
    bad_copy(w, i, lane, std::string(wanted) + " copy with " + std::string(found) + " tensor map");
    return std::nullopt;
  }
  for (size_t d = 0; d < copy.coordinates.size(); ++d) box.at[d] = w.row<const int32_t>(copy.coordinates[d])[lane];
  if (box.at[0] % static_cast<int32_t>(map.coordinate_step()) != 0) {
    bad_copy(w, i, lane,
             "coordinate " + std::to_string(box.at[0]) + " of elements of " + std::to_string(map.element_bits()) +
                 " bits is not a multiple of " + std::to_string(map.coordinate_step()));
    return std::nullopt;
  }
  for (size_t k = 0; k < copy.offsets.size(); ++k) box.offsets[k] = w.row<const uint16_t>(copy.offsets[k])[lane];
  if (map.wide() && !take_halo(w, i, lane, box)) return std::nullopt;
  return box;
}

/// Host memory of a part of a row in global memory; null after a fault.
std::byte* global_row(Warp& w, const Instr* i, uint64_t address, uint64_t bytes, bool write, unsigned lane) {
  void* const first = lane_pointer(w, i, Space::global, address, 1, write, lane);
  if (first == nullptr || lane_pointer(w, i, Space::global, address + bytes - 1, 1, write, lane) == nullptr)
    return nullptr;
  if (!reaches(*w.worker->memory, address, bytes)) {
    fault(w, i, Fault::Kind::illegal_address, static_cast<int>(lane), address + bytes,
          "a tensor reaches into another allocation");
    return nullptr;
  }
  return static_cast<std::byte*>(first);
}

/// Byte 0 of the shared memory in which a box lies; null after a fault.
std::byte* shared_of_box(Warp& w, const Instr* i, const Box& box, uint64_t offset, bool write, unsigned lane) {
  if (offset % kSharedAlignment != 0) {
    misaligned(w, i, lane, offset, "a box must be aligned to 128 bytes in shared memory");
    return nullptr;
  }
  std::byte* const start = bulk_range(w, i, Space::shared, offset, box.rows() * box.pitch(), write, lane);
  return start == nullptr ? nullptr : start - byte_in_cta(offset);
}

/// f(chunk of the row, its place in shared memory) for the chunks of a row.
template <class F>
void for_chunks(const Box& box, std::byte* shared, uint64_t offset, uint64_t row, F f) {
  const uint64_t begin = byte_in_cta(offset) + row * box.pitch();
  for (unsigned at = 0; at < box.map.row_bytes_in_shared(); at += kChunk) f(at, shared + swizzled(box.map, begin + at));
}

/// What is read outside of a tensor.
void fill(const TensorMap& map, std::byte* row) {
  const unsigned bytes = map.row_bytes(), width = map.element_bits() / 8;
  std::memset(row, 0, bytes);
  if (map.fills_with_nan == 0) return;
  for (unsigned at = 0; at < bytes; at += width) {  // 0x7fff…: PTX's canonical NaN
    std::memset(row + at, 0xff, width);
    row[at + width - 1] = std::byte{0x7f};
  }
}

}  // namespace

const Instr* run_tensor_load(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a copy of a tensor");
  const CopyInfo& copy = w.worker->program->copies[i->op[5]];
  const Instr* const next = each_lane(w, i, [&](unsigned lane) {
    const int64_t to = shared_of(w, i, copy.to, lane), barrier = to < 0 ? -1 : shared_of(w, i, copy.barrier, lane);
    if (barrier < 0) return false;
    const std::optional<Box> box = box_of(w, i, copy, lane);
    if (!box) return false;
    if (box->map.element == TensorMap::u6_padded && box->map.atomicity == TensorMap::by_64)
      return bad_copy(w, i, lane, "padded elements of 6 bits that are loaded allow no swizzle in units of 64 bytes");
    const BulkTargets targets = bulk_targets(w, copy, lane, static_cast<uint64_t>(to), static_cast<uint64_t>(barrier));
    std::array<std::byte*, Windows::kMostCtas> shared;
    for (unsigned k = 0; k < targets.count; ++k) {
      shared[k] = shared_of_box(w, i, *box, targets.places[k].to, true, lane);
      if (shared[k] == nullptr) return false;
      count_rows(w, i, AccessKind::store, targets.places[k].to, box->rows() * box->pitch());
    }
    Checker* const checks = w.worker->checks;
    BulkArrival arrival;
    const TensorMap& map = box->map;
    arrival.bytes = static_cast<uint32_t>(box->rows() * map.row_bytes());
    arrival.lane = lane;
    alignas(kChunk) std::array<std::byte, kMostRow> room;
    const bool fine = for_rows(*box, [&](uint64_t row, const Inside& part) {
      const auto bytes = static_cast<unsigned>(map.bytes(part.elements));
      if (bytes != map.row_bytes()) fill(map, room.data());
      if (bytes != 0) {
        const std::byte* const from = global_row(w, i, part.address, bytes, false, lane);
        if (from == nullptr) return false;
        std::byte* const values = room.data() + map.bytes(part.skipped);
        std::memcpy(values, from, bytes);
        if (map.converts()) convert_loaded(map, values, part.elements);
        arrival.parts.push_back({part.address, bytes});
      }
      if (map.pads()) spread_row(map, room.data());
      for (unsigned k = 0; k < targets.count; ++k) {
        TileWriters& writers = cta_at(*w.cta, targets.places[k].to)->writers;
        for_chunks(*box, shared[k], targets.places[k].to, row, [&](unsigned at, std::byte* place) {
          std::memcpy(place, room.data() + at, kChunk);
          if (writers.followed())
            writers.wrote({i->aux, true, map.swizzle_of_tile()}, static_cast<uint64_t>(place - shared[k]), kChunk);
          if (checks == nullptr) return;
          const uint64_t there =
              (targets.places[k].to & ~(Windows::kSharedBytes - 1)) + static_cast<uint64_t>(place - shared[k]);
          checks->copies_bulk(w, i, lane, there, kChunk, true, static_cast<int64_t>(targets.places[k].barrier));
          checks->swizzles(w, i, there, map.swizzle_of_tile());
        });
      }
      return true;
    });
    return fine && bulk_arrives(w, i, targets, std::move(arrival), lane);
  });
  return after_phase(w, next);
}

const Instr* run_tensor_store(Warp& w, const Instr* i) {
  if (in_transaction(w)) return refuse_in_transaction(w, i, "a copy of a tensor");
  const CopyInfo& copy = w.worker->program->copies[i->op[5]];
  const auto reduction = static_cast<Reduction>(copy.reduction);
  if (reduction != Reduction::none) use_default_rounding(w);
  return each_lane(w, i, [&](unsigned lane) {
    const int64_t from = shared_of(w, i, copy.from, lane);
    if (from < 0) return false;
    const std::optional<Box> box = box_of(w, i, copy, lane);
    if (!box) return false;
    const auto offset = static_cast<uint64_t>(from);
    std::byte* const shared = shared_of_box(w, i, *box, offset, false, lane);
    if (shared == nullptr) return false;
    count_rows(w, i, AccessKind::load, offset, box->rows() * box->pitch());
    Checker* const checks = w.worker->checks;
    const TensorMap& map = box->map;
    if (map.element == TensorMap::u4_padded)
      return bad_copy(w, i, lane, "elements of 4 bits that are padded to 16 bytes can be loaded, but not stored");
    if (reduction != Reduction::none && map.element >= TensorMap::u4)
      return bad_copy(w, i, lane, "there are no reductions of elements of 4 and 6 bits");
    const ptx::Type type = map.element_type();
    if (reduction != Reduction::none && map.converts())
      return bad_copy(w, i, lane,
                      "reductions of elements that are flushed or rounded to tf32 are not supported: their results are "
                      "not documented");
    if (reduction != Reduction::none && !can_reduce(reduction, type))
      return bad_copy(w, i, lane, "there is no such reduction of elements of type " + std::string(name(type)));
    BulkArrival store;
    store.bytes = static_cast<uint32_t>(box->rows() * map.row_bytes());
    store.lane = lane;
    alignas(kChunk) std::array<std::byte, kMostRow> room;
    const bool fine = for_rows(*box, [&](uint64_t row, const Inside& part) {
      if (part.elements == 0) return true;
      for_chunks(*box, shared, offset, row, [&](unsigned at, const std::byte* place) {
        std::memcpy(room.data() + at, place, kChunk);
        if (checks == nullptr) return;
        const uint64_t there = (offset & ~(Windows::kSharedBytes - 1)) + static_cast<uint64_t>(place - shared);
        checks->copies_bulk(w, i, lane, there, kChunk, false, -1);
      });
      if (map.pads()) pack_row(map, room.data());
      const auto bytes = static_cast<unsigned>(map.bytes(part.elements));
      std::byte* const to = global_row(w, i, part.address, bytes, true, lane);
      if (to == nullptr) return false;
      if (checks != nullptr) checks->written(part.address, bytes);
      const std::byte* const values = room.data() + map.bytes(part.skipped);
      if (reduction == Reduction::none) {
        std::memcpy(to, values, bytes);
      } else {
        const unsigned width = map.element_bits() / 8;
        for (unsigned k = 0; k < part.elements; ++k) reduce(reduction, type, to + k * width, values + k * width);
      }
      store.parts.push_back({part.address, bytes});
      return true;
    });
    if (fine) bulk_leaves(w, std::move(store));
    return fine;
  });
}

}  // namespace bankshot::simt

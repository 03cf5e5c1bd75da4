#include "bankshot/simt/tiles/tile_reads.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "bankshot/simt/tiles/merge_by.hpp"

namespace bankshot::simt {
namespace {

constexpr unsigned kChunk = TileWriters::kBytes, kRow = 128, kRows = 8;
constexpr unsigned kMostWidth = kRow / kChunk;

}  // namespace

void TileReads::Tiles::add(uint32_t start, unsigned more_columns) {
  columns = std::max(columns, more_columns);
  const auto at = std::ranges::lower_bound(starts, start);
  if (at == starts.end() || *at != start) starts.insert(at, start);
}

void OperandReads::add(const TileWriter& by, uint64_t bytes) {
  const auto at = std::ranges::lower_bound(written, by, {}, &Part::by);
  if (at != written.end() && at->by == by) {
    at->bytes += bytes;
  } else {
    written.insert(at, {by, bytes});
  }
}

void OperandReads::merge(const OperandReads& other) {
  reads += other.reads;
  for (const Part& part : other.written) add(part.by, part.bytes);
}

TileReads::TileReads(uint32_t shared_bytes, size_t sites)
    : sites_(sites), number_((shared_bytes + kChunk - 1) / kChunk, kNone) {}

void TileReads::begin(uint32_t site, const OperandLayout& layout, uint32_t start, unsigned columns) {
  std::vector<OperandReads>& all = sites_[site];
  auto at = std::ranges::lower_bound(all, layout, {}, &OperandReads::layout);
  if (at == all.end() || at->layout != layout) at = all.insert(at, {layout, 0, {}});
  reading_ = &*at;
  ++reading_->reads;
  reading_number_ = number_of(layout.operand, layout.tile);
  if (reading_number_ != kSeveral) tiles_[reading_number_ - 1u].add(start, columns);
}

void TileReads::read(std::span<const uint32_t> offsets, const TileWriters& writers) {
  for (const uint32_t offset : offsets) {
    reading_->add(writers.at(offset), kChunk);
    if (const size_t chunk = offset / kChunk; chunk < number_.size()) note(chunk, reading_number_);
  }
}

uint16_t TileReads::number_of(char operand, const TileLayout& layout) {
  auto at = std::ranges::find_if(tiles_, [&](const Tiles& t) { return t.operand == operand && t.layout == layout; });
  if (at == tiles_.end()) {
    if (tiles_.size() + 1 == kSeveral) return kSeveral;
    at = tiles_.insert(tiles_.end(), {operand, layout, 0, {}});
  }
  return static_cast<uint16_t>(at - tiles_.begin() + 1);
}

void TileReads::note(size_t chunk, uint16_t number) {
  uint16_t& known = number_[chunk];
  known = known == kNone || known == number ? number : kSeveral;
}

void TileReads::merge(const TileReads& other) {
  for (size_t site = 0; site < sites_.size(); ++site) merge_by(&OperandReads::layout, sites_[site], other.sites_[site]);
  std::vector<uint16_t> here(other.tiles_.size() + 1, kNone);
  for (size_t k = 0; k < other.tiles_.size(); ++k) {
    const Tiles& tiles = other.tiles_[k];
    here[k + 1] = number_of(tiles.operand, tiles.layout);
    if (here[k + 1] == kSeveral) continue;
    for (const uint32_t start : tiles.starts) tiles_[here[k + 1] - 1u].add(start, tiles.columns);
  }
  for (size_t chunk = 0; chunk < number_.size(); ++chunk) {
    const uint16_t number = other.number_[chunk];
    if (number != kNone) note(chunk, number == kSeveral ? kSeveral : here[number]);
  }
}

/// Where a chunk of a tile without a swizzle lies: in cores of eight rows of 16 bytes. Descriptors whose starts are a
/// few leading offsets apart read parts of one tile.
std::optional<TilePlace> TileReads::place_in_cores(const Tiles& tiles, uint32_t offset) {
  constexpr uint32_t kMostApart = 4;  // leading offsets: 8-bit elements that are MN-major have four groups of k
  const TileLayout& layout = tiles.layout;
  const uint32_t along = layout.mn_major ? layout.stride : layout.leading;  // to the next 16 bytes of the rows
  const uint32_t across = layout.mn_major ? layout.leading : layout.stride;
  if (along == 0 || layout.leading == 0 || layout.absolute) return std::nullopt;
  const auto is_next = [&](uint32_t a, uint32_t b) {
    return (b - a) % layout.leading == 0 && (b - a) / layout.leading <= kMostApart;
  };
  auto first = std::ranges::upper_bound(tiles.starts, offset);
  if (first == tiles.starts.begin()) return std::nullopt;
  auto last = --first;
  while (first != tiles.starts.begin() && is_next(*std::prev(first), *first)) --first;
  while (std::next(last) != tiles.starts.end() && is_next(*last, *std::next(last))) ++last;
  const bool columns_first = across > along;
  const uint32_t begin = offset - *first, within = columns_first ? begin % across : begin;
  const uint32_t inner = across == 0 || columns_first ? within % along : within % along % across;
  if (inner / kChunk >= kRows) return std::nullopt;                         // between the cores
  const uint32_t further = layout.mn_major ? 0 : (*last - *first) / along;  // the steps of k
  const uint32_t columns = columns_first ? across / along : further + tiles.columns;
  return TilePlace{layout.swizzle, inner / kChunk, within / along % kMostWidth,
                   std::bit_floor(std::min(columns, kMostWidth))};
}

std::optional<TilePlace> TileReads::place(uint32_t offset) const {
  const size_t chunk = offset / kChunk;
  if (chunk >= number_.size() || number_[chunk] == kNone || number_[chunk] == kSeveral) return std::nullopt;
  const Tiles& tiles = tiles_[number_[chunk] - 1u];
  const Swizzle swizzle = tiles.layout.swizzle;
  if (swizzle.span == 0) return place_in_cores(tiles, offset);
  // Atoms of eight rows are aligned, unless the descriptor says otherwise.
  if (tiles.layout.base_offset != 0 || swizzle.unit != kChunk) return std::nullopt;
  const unsigned width = swizzle.span / kChunk;
  return TilePlace{swizzle, offset / swizzle.span % kRows, (offset / kChunk ^ offset / kRow) % width, width};
}

}  // namespace bankshot::simt

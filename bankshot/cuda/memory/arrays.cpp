#include "bankshot/cuda/memory/arrays.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "bankshot/support/round_up.hpp"

namespace bankshot::cuda {
namespace {

using texture::Shape;

constexpr uint64_t kRowAlignment = 32;  // a sector of the cache
constexpr uint64_t kLevelAlignment = 512;

/// Numbers of cudaDeviceAttr with the largest extents; 0 ends the list. Source: CUDA C++ Programming Guide, "Technical
/// Specifications per Compute Capability"
struct Limits {
  std::array<int, 3> attributes;
};

Limits limits_of(const ArraySpec& spec, bool mipmapped) {
  const bool layered = spec.has(ArraySpec::kLayered), surface = spec.has(ArraySpec::kSurface);
  switch (spec.shape()) {
    case Shape::line:
      if (layered) return surface ? Limits{{61, 0, 62}} : Limits{{42, 0, 43}};
      return surface ? Limits{{55, 0, 0}} : mipmapped ? Limits{{77, 0, 0}} : Limits{{21, 0, 0}};
    case Shape::plane:
      if (layered) return surface ? Limits{{63, 64, 65}} : Limits{{27, 28, 29}};
      if (surface) return Limits{{56, 57, 0}};
      if (spec.has(ArraySpec::kGather)) return Limits{{45, 46, 0}};
      return mipmapped ? Limits{{73, 74, 0}} : Limits{{22, 23, 0}};
    case Shape::volume: return surface ? Limits{{58, 59, 60}} : Limits{{24, 25, 26}};
    case Shape::cube:
      if (layered) return surface ? Limits{{67, 67, 68}} : Limits{{53, 53, 54}};
      return surface ? Limits{{66, 66, 0}} : Limits{{52, 52, 0}};
  }
  return {};
}

bool within(const DeviceInfo& device, const ArraySpec& spec, bool mipmapped) {
  const Limits limits = limits_of(spec, mipmapped);
  const uint64_t extents[] = {spec.width, spec.height, spec.depth};
  for (size_t k = 0; k < 3; ++k) {
    if (limits.attributes[k] == 0) continue;
    if (extents[k] > static_cast<uint64_t>(attribute(device, limits.attributes[k]).value_or(0))) return false;
  }
  // Some devices have volumes of another shape, too, beyond the usual extents: CU_DEVICE_ATTRIBUTE_…3D_…_ALTERNATE.
  return true;
}

bool shape_is_right(const ArraySpec& spec) {
  if (spec.width == 0) return false;
  if (spec.has(ArraySpec::kCube)) {
    const bool right = spec.width == spec.height && spec.depth != 0 && spec.depth % 6 == 0;
    return right && (spec.has(ArraySpec::kLayered) || spec.depth == 6);
  }
  if (spec.has(ArraySpec::kLayered)) return spec.depth != 0;
  if (spec.has(ArraySpec::kGather) && (spec.height == 0 || spec.depth != 0)) return false;
  return spec.depth == 0 || spec.height != 0;
}

texture::Level level_of(const ArraySpec& spec) {
  texture::Level level;
  level.width = static_cast<uint32_t>(spec.width);
  level.height = static_cast<uint32_t>(spec.rows());
  level.depth = static_cast<uint32_t>(spec.slices());
  level.row_pitch = round_up(spec.row_bytes(), kRowAlignment);
  level.slice_pitch = level.row_pitch * level.height;
  return level;
}

uint64_t bytes_of(const texture::Level& level) { return round_up(level.slice_pitch * level.depth, kLevelAlignment); }

uint64_t halved(uint64_t extent, unsigned times) { return extent == 0 ? 0 : std::max<uint64_t>(extent >> times, 1); }

/// Layers stay, all else is halved from level to level.
ArraySpec spec_of_level(ArraySpec spec, unsigned level) {
  spec.width = halved(spec.width, level);
  spec.height = halved(spec.height, level);
  if (spec.shape() == Shape::volume) spec.depth = halved(spec.depth, level);
  return spec;
}

unsigned most_levels(const ArraySpec& spec) {
  uint64_t longest = std::max(spec.width, spec.height);
  if (spec.shape() == Shape::volume) longest = std::max(longest, spec.depth);
  return static_cast<unsigned>(std::bit_width(longest));
}

}  // namespace

Shape ArraySpec::shape() const {
  if (has(kCube)) return Shape::cube;
  if (height == 0) return Shape::line;
  return depth == 0 || has(kLayered) ? Shape::plane : Shape::volume;
}

Status check(const DeviceInfo& device, const ArraySpec& spec, bool mipmapped) {
  constexpr unsigned kKnown = ArraySpec::kLayered | ArraySpec::kSurface | ArraySpec::kCube | ArraySpec::kGather;
  if ((spec.flags & ~kKnown) != 0 || !shape_is_right(spec)) return Status::invalid_value;
  return within(device, spec, mipmapped) ? Status::success : Status::invalid_value;
}

Status ArrayTable::create(simt::Memory& memory, const ArraySpec& spec, Array*& out) {
  auto array = std::make_unique<Array>();
  array->spec = spec;
  array->level = level_of(spec);
  array->bytes = bytes_of(array->level);
  const Result<uint64_t> address =
      memory.allocate(array->bytes, simt::MemoryKind::device, kLevelAlignment, "a CUDA array");
  if (!address) return Status::out_of_memory;
  array->memory = array->level.address = *address;
  out = array.get();
  arrays_[out] = std::move(array);
  return Status::success;
}

Status ArrayTable::create(simt::Memory& memory, const ArraySpec& spec, unsigned levels, MipmappedArray*& out) {
  auto mipmapped = std::make_unique<MipmappedArray>();
  mipmapped->spec = spec;
  uint64_t bytes = 0;
  for (unsigned k = 0; k < std::clamp(levels, 1u, most_levels(spec)); ++k) {
    auto array = std::make_unique<Array>();
    array->spec = spec_of_level(spec, k);
    array->level = level_of(array->spec);
    array->level.address = bytes;
    array->is_level = true;
    bytes += bytes_of(array->level);
    mipmapped->levels.push_back(std::move(array));
  }
  const Result<uint64_t> address =
      memory.allocate(bytes, simt::MemoryKind::device, kLevelAlignment, "a mipmapped CUDA array");
  if (!address) return Status::out_of_memory;
  for (auto& level : mipmapped->levels) {
    level->level.address += *address;
    level->memory = *address;
    level->bytes = bytes;
    levels_[level.get()] = level.get();
  }
  out = mipmapped.get();
  mipmapped_[out] = std::move(mipmapped);
  return Status::success;
}

Status ArrayTable::destroy(simt::Memory& memory, const void* handle) {
  const auto at = arrays_.find(handle);
  if (at == arrays_.end()) return Status::invalid_handle;
  memory.free(at->second->memory);
  arrays_.erase(at);
  return Status::success;
}

Status ArrayTable::destroy_mipmapped(simt::Memory& memory, const void* handle) {
  const auto at = mipmapped_.find(handle);
  if (at == mipmapped_.end()) return Status::invalid_handle;
  memory.free(at->second->levels[0]->memory);
  for (const auto& level : at->second->levels) levels_.erase(level.get());
  mipmapped_.erase(at);
  return Status::success;
}

Array* ArrayTable::array(const void* handle) const {
  if (const auto at = arrays_.find(handle); at != arrays_.end()) return at->second.get();
  const auto level = levels_.find(handle);
  return level == levels_.end() ? nullptr : level->second;
}

MipmappedArray* ArrayTable::mipmapped(const void* handle) const {
  const auto at = mipmapped_.find(handle);
  return at == mipmapped_.end() ? nullptr : at->second.get();
}

size_t ArrayTable::common_texel(const void* to, const void* from) const {
  size_t common = 0;
  for (const void* handle : {to, from}) {
    if (!handle) continue;
    const Array* const found = array(handle);
    const size_t own = found ? texel_bytes(found->spec.format) : 0;
    if (own == 0 || (common != 0 && common != own)) return 0;
    common = own;
  }
  return common == 0 ? 1 : common;
}

void ArrayTable::clear() {
  arrays_.clear();
  mipmapped_.clear();
  levels_.clear();
}

Status region_of(const Array& array, uint64_t x, uint64_t y, uint64_t z, const Extent& extent, Region& out) {
  const auto fits = [](uint64_t at, uint64_t length, uint64_t size) { return at <= size && length <= size - at; };
  const ArraySpec& spec = array.spec;
  if (!fits(x, extent.width, spec.row_bytes()) || !fits(y, extent.height, spec.rows()) ||
      !fits(z, extent.depth, spec.slices())) {
    return Status::invalid_value;
  }
  const texture::Level& level = array.level;
  out = {level.address + z * level.slice_pitch + y * level.row_pitch + x, level.row_pitch, level.slice_pitch,
         Side::device};
  return Status::success;
}

Result<std::vector<RunPiece>, Status> pieces_of_run(const ArraySpec& spec, uint64_t x, uint64_t y, uint64_t bytes) {
  const uint64_t row = spec.row_bytes();
  if (x > row || y >= spec.rows() || bytes > (spec.rows() - y) * row - x) return Status::invalid_value;
  std::vector<RunPiece> pieces;
  for (uint64_t begin = 0; begin < bytes;) {
    const uint64_t rest = bytes - begin;
    const bool whole = x == 0 && rest >= row;
    const Extent extent{whole ? row : std::min(rest, row - x), whole ? rest / row : 1, 1};
    if (extent.width != 0) pieces.push_back({x, y, begin, extent});  // a run may begin at the end of a row
    begin += extent.width * extent.height;
    y += extent.height;
    x = 0;
  }
  return pieces;
}

Status copy_rows_of(const simt::Memory& memory, const Array& array, uint64_t x, uint64_t y, uint64_t bytes,
                    Region linear, bool to_array) {
  // All of it is checked before the first byte moves.
  const auto pieces = pieces_of_run(array.spec, x, y, bytes);
  if (!pieces) return pieces.error();
  if (const Status status = check_range(memory, linear.address, bytes, linear.side); status != Status::success)
    return status;
  for (const RunPiece& piece : *pieces) {
    Region place;
    if (const Status status = region_of(array, piece.x, piece.y, 0, piece.extent, place); status != Status::success)
      return status;
    const Region part{linear.address + piece.begin, piece.extent.width, 0, linear.side};
    const Status status = to_array ? copy(memory, place, part, piece.extent) : copy(memory, part, place, piece.extent);
    if (status != Status::success) return status;
  }
  return Status::success;
}

Status copy_rows_of(const simt::Memory& memory, const Array& to, uint64_t to_x, uint64_t to_y, const Array& from,
                    uint64_t from_x, uint64_t from_y, uint64_t bytes) {
  if (const auto pieces = pieces_of_run(to.spec, to_x, to_y, bytes); !pieces) return pieces.error();
  if (const auto pieces = pieces_of_run(from.spec, from_x, from_y, bytes); !pieces) return pieces.error();
  std::vector<std::byte> between(bytes);
  const Region linear{reinterpret_cast<uint64_t>(between.data()), bytes, 0, Side::host};
  const Status status = copy_rows_of(memory, from, from_x, from_y, bytes, linear, false);
  return status == Status::success ? copy_rows_of(memory, to, to_x, to_y, bytes, linear, true) : status;
}

}  // namespace bankshot::cuda

// CUDA arrays and mipmapped arrays: what cudaArray_t, CUarray and relatives point to.
// Texels lie in rows; where real arrays lay them out so that neighbours are near is not documented.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "bankshot/cuda/abi/errors.hpp"
#include "bankshot/cuda/device/device.hpp"
#include "bankshot/cuda/memory/transfer.hpp"
#include "bankshot/simt/memory/memory.hpp"
#include "bankshot/support/result.hpp"
#include "bankshot/texture/texture.hpp"

namespace bankshot::cuda {

/// What an array was asked to be. Extents that it does not have are 0.
struct ArraySpec {
  enum Flag : unsigned { kLayered = 1, kSurface = 2, kCube = 4, kGather = 8 };
  uint64_t width = 0, height = 0, depth = 0;  ///< elements; layers are a depth
  texture::Format format;
  unsigned flags = 0;

  bool has(Flag flag) const { return (flags & flag) != 0; }
  texture::Shape shape() const;
  uint64_t row_bytes() const { return width * texel_bytes(format); }
  uint64_t rows() const { return height == 0 ? 1 : height; }
  uint64_t slices() const { return depth == 0 ? 1 : depth; }
};

struct Array {
  ArraySpec spec;
  texture::Level level;
  uint64_t memory = 0, bytes = 0;  ///< its own allocation, or that of its mipmapped array
  bool is_level = false;
};

struct MipmappedArray {
  ArraySpec spec;
  std::vector<std::unique_ptr<Array>> levels;
};

/// @return success, or invalid_value if an extent is too large or contradicts the flags
/// Source: CUDA runtime API reference, cudaMalloc3DArray, and the device's limits
Status check(const DeviceInfo& device, const ArraySpec& spec, bool mipmapped);

/// By handle: the address of the structure.
class ArrayTable {
 public:
  Status create(simt::Memory& memory, const ArraySpec& spec, Array*& out);
  /// @param levels  at most; no more than make sense
  Status create(simt::Memory& memory, const ArraySpec& spec, unsigned levels, MipmappedArray*& out);
  /// @return success, or invalid_handle if it is not an array or is a level of a mipmapped one
  Status destroy(simt::Memory& memory, const void* handle);
  Status destroy_mipmapped(simt::Memory& memory, const void* handle);
  /// Null if the handle is invalid.
  Array* array(const void* handle) const;
  MipmappedArray* mipmapped(const void* handle) const;
  /// Bytes per texel of the arrays of a copy, of which either may be null. 1 if both are null, 0 if a handle is invalid
  /// or the two differ.
  size_t common_texel(const void* to, const void* from) const;
  /// Removes all arrays, with their memory.
  void clear();

 private:
  std::unordered_map<const void*, std::unique_ptr<Array>> arrays_;
  std::unordered_map<const void*, std::unique_ptr<MipmappedArray>> mipmapped_;
  std::unordered_map<const void*, Array*> levels_;
};

/// One end of a copy that is an array. @param x  bytes; @param y, z  rows and slices; extent in bytes, rows and slices
/// @return success, or invalid_value if the extent reaches beyond the array
Status region_of(const Array& array, uint64_t x, uint64_t y, uint64_t z, const Extent& extent, Region& out);

/// A rectangle of a run of bytes of an array. @param x  bytes; `begin` is what of the run comes before it
struct RunPiece {
  uint64_t x = 0, y = 0, begin = 0;
  Extent extent;
};
/// Bytes of an array from a place on, row after row: the rest of a row, whole rows, the begin of a row, as far as there
/// are such.
/// @return invalid_value if the array ends before
Result<std::vector<RunPiece>, Status> pieces_of_run(const ArraySpec& spec, uint64_t x, uint64_t y, uint64_t bytes);

/// Copies bytes between an array, from a place on row after row, and memory.
Status copy_rows_of(const simt::Memory& memory, const Array& array, uint64_t x, uint64_t y, uint64_t bytes,
                    Region linear, bool to_array);
/// … or from array to array.
Status copy_rows_of(const simt::Memory& memory, const Array& to, uint64_t to_x, uint64_t to_y, const Array& from,
                    uint64_t from_x, uint64_t from_y, uint64_t bytes);

}  // namespace bankshot::cuda

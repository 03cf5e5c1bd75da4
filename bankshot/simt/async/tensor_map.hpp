// The descriptor of a tensor in global memory: CUtensorMap, 128 bytes that programs do not look into. What lies in them
// is for an implementation to choose. Source: CUDA Driver API, tensor map object management; PTX ISA 9.0, section 5.5
// (tensors).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "bankshot/ptx/module.hpp"
#include "bankshot/simt/tiles/swizzle.hpp"

namespace bankshot::simt {

/// Alignment of addresses and strides, in bytes.
inline constexpr uint64_t kTensorUnit = 16;
/// The largest size; strides are smaller than kMostTensorStride.
inline constexpr uint64_t kMostTensorSize = uint64_t{1} << 32, kMostTensorStride = uint64_t{1} << 40;

/// Numbers of the fields are those of the driver's enumerations.
struct TensorMap {
  static constexpr uint64_t kMark = 0x31'706d'74'6b'4e'61'62;  ///< "baNktmp1", to recognise a tensor map
  static constexpr unsigned kMostDimensions = 5, kPaddedPack = 16;
  enum Element : uint8_t {
    u8,
    u16,
    u32,
    s32,
    u64,
    s64,
    f16,
    f32,
    f64,
    bf16,
    f32_ftz,
    tf32,
    tf32_ftz,
    u4,
    u4_padded,
    u6_padded
  };
  enum Mode : uint8_t { tiled, im2col, im2col_w, im2col_w128 };
  static constexpr uint32_t kWidePixels = 128, kWideSegment = 32;  ///< im2col_w128: of a column, and without halo
  enum SwizzleMode : uint8_t { no_swizzle, swizzle_32, swizzle_64, swizzle_128 };

  uint64_t address = 0;   ///< of the first element
  uint64_t mark = kMark;  ///< CuTe clears bit 21 of the second word (make_tma_copy_desc), which is not set in it
  Mode mode = tiled;
  uint8_t element = u8, dimensions = 1, swizzle = no_swizzle;
  uint8_t fills_with_nan = 0;  ///< reads outside the tensor give NaN; else zeros
  /// What the swizzle of 128 bytes moves together: 16 bytes, 32, or 64 (3).
  enum Atomicity : uint8_t { by_16, by_32, by_32_flipped, by_64 };
  Atomicity atomicity = by_16;
  uint8_t reserved[2] = {};
  std::array<uint32_t, 5> last{};     ///< of each dimension, innermost first: its size less 1
  uint32_t pixels = 0;                ///< modes im2col: of a column
  std::array<uint64_t, 4> strides{};  ///< bytes, of dimensions 1 and above
  std::array<uint16_t, 5> box{};      ///< tiled: elements, before strides. modes im2col: box[0] channels of a pixel
  std::array<uint8_t, 5> steps{};     ///< each n-th element is taken
  uint8_t reserved2 = 0;
  std::array<int16_t, 3> lower{}, upper{};  ///< modes im2col: corners of the bounding box, W first
  std::array<uint8_t, 20> reserved3{};

  bool wide() const { return mode >= im2col_w; }  ///< pixels lie along W only
  uint64_t size(unsigned dimension) const { return uint64_t{last[dimension]} + 1; }
  uint64_t stride(unsigned dimension) const;
  /// Bytes that elements have in global memory. Of those of 4 and 6 bits there are whole packs: pack().
  uint64_t bytes(uint64_t elements) const { return elements * element_bits() / 8; }
  unsigned element_bits() const;
  ptx::Type element_type() const;  ///< u8 for elements of 4 and 6 bits
  bool is_float() const { return element >= f16 && element <= tf32_ftz; }
  /// Whether elements of f32 change on their way to shared memory: convert_loaded().
  bool converts() const { return element >= f32_ftz && element <= tf32_ftz; }
  /// Whether 16 elements of 4 or 6 bits lie at the start of 16 bytes in shared memory.
  bool pads() const { return element >= u4_padded; }
  /// Elements of 4 and 6 bits come in so many.
  unsigned pack() const { return pads() ? kPaddedPack : element == u4 ? 2 : 1; }
  /// Coordinates in the first dimension are multiples of this.
  unsigned coordinate_step() const { return pads() ? 128 : pack(); }
  /// Bytes of a row of a box.
  unsigned row_bytes() const { return static_cast<unsigned>(bytes(box[0])); }
  unsigned row_bytes_in_shared() const { return pads() ? box[0] : row_bytes(); }
  /// Elements that a box has along a dimension.
  unsigned taken(unsigned dimension) const { return (box[dimension] + steps[dimension] - 1u) / steps[dimension]; }
  /// Bytes of a span of banks that the swizzle stays in: 32, 64, 128; 0 without.
  unsigned span() const { return swizzle == no_swizzle ? 0 : 16u << swizzle; }
  /// What a matrix descriptor has to read with.
  Swizzle swizzle_of_tile() const {
    const unsigned unit = span() == 0 || atomicity == by_16 ? 16 : atomicity == by_64 ? 64 : 32;
    return {static_cast<uint8_t>(span()), static_cast<uint8_t>(unit)};
  }
};
static_assert(sizeof(TensorMap) == 128);

/// Of a descriptor whose fields were replaced one by one: what its rows must not be, or "".
std::string what_is_wrong(const TensorMap& map);

/// Where a byte goes that would go to this one: chunks of 16, 32 or 64 bytes are exchanged. Address bits 4, 5 or 6 and
/// above, as many as the swizzle has, are xored with those from bit 7 on: CuTe's Swizzle<1..3,4,3> of bytes, <2,5,2>
/// and <1,6,1>.
inline uint64_t swizzled(const TensorMap& map, uint64_t address) {
  const unsigned unit = map.atomicity == TensorMap::by_16 ? 4 : map.atomicity == TensorMap::by_64 ? 6 : 5;
  const uint64_t mask = map.span() == 0 ? 0 : (map.span() >> unit) - 1;
  return address ^ (address >> 7 & mask) << unit;
}

/// What becomes of elements that are loaded, where the descriptor converts(). With ftz subnormal ones become zeros of
/// their sign; tf32 are rounded to 10 bits of fraction, to the nearest even, but infinities and NaN stay as they are.
/// No manual says how: Triton's descriptors with round_f32_to_tf32 are of type tf32, and its test (pull request 11751,
/// on sm_120) tells. Stores change nothing.
void convert_loaded(const TensorMap& map, std::byte* elements, unsigned count);

/// Moves the elements of a row of a box that pads() to where they are in shared memory, and zeros into the gaps.
/// @param row  row_bytes_in_shared() bytes
void spread_row(const TensorMap& map, std::byte* row);
/// Stores: the lower six bits of each byte. Source: PTX ISA 9.0, section 5.5.1.1 (.b6p2x16).
void pack_row(const TensorMap& map, std::byte* row);

/// What the functions of the driver are given.
struct TensorShape {
  int element = 0;
  unsigned dimensions = 0;
  uint64_t address = 0;
  const uint64_t* sizes = nullptr;    ///< `dimensions` of them
  const uint64_t* strides = nullptr;  ///< one fewer
  const uint32_t* steps = nullptr;
  int interleave = 0, swizzle = 0, promotion = 0, fill = 0;
};

/// @param box  `dimensions` numbers of elements @return "", or what is wrong in one line
std::string encode_tiled(const TensorShape& shape, const uint32_t* box, TensorMap& out);
/// @param lower, upper  corners of the bounding box: `dimensions` - 2 numbers
std::string encode_im2col(const TensorShape& shape, const int* lower, const int* upper, uint32_t channels,
                          uint32_t pixels, TensorMap& out);
/// @param lower, upper  of W   @param all_128  mode im2col::w::128, which ignores `pixels`
std::string encode_im2col_wide(const TensorShape& shape, int lower, int upper, uint32_t channels, uint32_t pixels,
                               bool all_128, TensorMap& out);
/// "" or what is wrong with a new address.
std::string replace_address(TensorMap& map, uint64_t address);

}  // namespace bankshot::simt

#include "bankshot/simt/async/tensor_map.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace bankshot::simt {
namespace {

constexpr unsigned kElementBits[] = {8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6};
constexpr uint32_t kMostBox = 256, kMostStep = 8, kMostPixels = 1024;
constexpr uint32_t kPaddedBox = 128, kPaddedUnit = 32;  // of elements that pads(): in elements, in bytes

constexpr const char* kNoFlip =
    "the swizzle in units of 32 bytes that exchanges 8 bytes (CU_TENSOR_MAP_SWIZZLE_128B_ATOM_32B_FLIP_8B) is not "
    "supported";
constexpr const char* kNanOfIntegers = "only floating-point elements can be filled with NaN";

std::string text(uint64_t value) { return std::to_string(value); }

/// What tiled and im2col have in common.
std::string encode(const TensorShape& shape, TensorMap& out) {
  if (shape.element < 0 || shape.element >= static_cast<int>(std::size(kElementBits)))
    return "there are no elements of type " + std::to_string(shape.element) + ", only of 0 to 15";
  if (shape.dimensions == 0 || shape.dimensions > TensorMap::kMostDimensions)
    return text(shape.dimensions) + " dimensions, 1 to 5 are possible";
  if (shape.interleave != 0)
    return "interleaved layouts (16 or 32 bytes of channels side by side) are not supported, since no manual says "
           "which stride leads to the next channels: only CU_TENSOR_MAP_INTERLEAVE_NONE is";
  constexpr int kBy32 = 4, kBy32Flipped = 5, kBy64 = 6;  // swizzles of 128 bytes, as the driver counts them
  if (shape.swizzle < 0 || shape.swizzle > kBy64) return "there is no swizzle " + std::to_string(shape.swizzle);
  if (shape.swizzle == kBy32Flipped) return kNoFlip;
  if (shape.promotion < 0 || shape.promotion > 3) return "there is no L2 promotion " + std::to_string(shape.promotion);
  if (shape.fill < 0 || shape.fill > 1) return "there is no filling " + std::to_string(shape.fill);
  if (shape.address % kTensorUnit != 0) return "the address is not a multiple of 16";
  out = {};
  // Of dimensions that tensormap.replace may add.
  out.box.fill(1);
  out.steps.fill(1);
  out.address = shape.address;
  out.element = static_cast<uint8_t>(shape.element);
  out.dimensions = static_cast<uint8_t>(shape.dimensions);
  out.swizzle = static_cast<uint8_t>(std::min<int>(shape.swizzle, TensorMap::swizzle_128));
  out.atomicity = shape.swizzle == kBy32   ? TensorMap::by_32
                  : shape.swizzle == kBy64 ? TensorMap::by_64
                                           : TensorMap::by_16;
  out.fills_with_nan = static_cast<uint8_t>(shape.fill);
  for (unsigned d = 0; d < shape.dimensions; ++d) {
    if (shape.sizes[d] == 0 || shape.sizes[d] > kMostTensorSize)
      return "size " + text(shape.sizes[d]) + " of dimension " + text(d) + ", 1 to 2^32 are possible";
    out.last[d] = static_cast<uint32_t>(shape.sizes[d] - 1);
    if (shape.steps[d] == 0 || shape.steps[d] > kMostStep)
      return "element stride " + text(shape.steps[d]) + " of dimension " + text(d) + ", 1 to 8 are possible";
    out.steps[d] =
        d == 0 ? 1 : static_cast<uint8_t>(shape.steps[d]);  // that of the first is ignored without interleaving
    if (d == 0) continue;
    const uint64_t stride = shape.strides[d - 1];
    if (stride % kTensorUnit != 0 || stride >= kMostTensorStride)
      return "stride " + text(stride) + " of dimension " + text(d) + ": a multiple of 16 below 2^40 is needed";
    out.strides[d - 1] = stride;
  }
  return {};
}

/// What the driver asks of elements of 4 and 6 bits. Source: cuda.h of CUDA 13.0, cuTensorMapEncodeTiled.
std::string check_packs(const TensorMap& map) {
  if (map.element == TensorMap::u4 && map.size(0) % map.pack() != 0)
    return "size " + text(map.size(0)) + " of dimension 0: elements of 4 bits need a multiple of 2";
  if (!map.pads()) return {};
  if (map.element == TensorMap::u4_padded && map.atomicity == TensorMap::by_64)
    return "padded elements of 4 bits allow no swizzle in units of 64 bytes";
  if (map.size(0) % kPaddedBox != 0)
    return "size " + text(map.size(0)) + " of dimension 0: elements that are padded to 16 bytes need a multiple of 128";
  if (map.box[0] != kPaddedBox)
    return "a row of the box has " + text(map.box[0]) + " elements: those that are padded to 16 bytes need 128";
  if (map.address % kPaddedUnit != 0) return "the address is not a multiple of 32: padded elements need that";
  for (unsigned d = 1; d < map.dimensions; ++d) {
    if (map.stride(d) % kPaddedUnit != 0)
      return "stride " + text(map.stride(d)) + " of dimension " + text(d) + ": padded elements need a multiple of 32";
  }
  if (map.swizzle != TensorMap::no_swizzle && map.swizzle != TensorMap::swizzle_128)
    return "padded elements allow no swizzle but that of 128 bytes";
  return {};
}

/// Of a descriptor that is complete: its rows, and what depends on the type of elements.
std::string check_box(const TensorMap& map) {
  if (map.atomicity == TensorMap::by_32_flipped) return kNoFlip;
  if (map.atomicity != TensorMap::by_16 && map.swizzle != TensorMap::swizzle_128)
    return "units of 32 and 64 bytes are for the swizzle of 128 bytes only";
  if (map.fills_with_nan != 0 && !map.is_float()) return kNanOfIntegers;
  if (std::string wrong = check_packs(map); !wrong.empty()) return wrong;
  const unsigned bytes = map.row_bytes_in_shared();
  if (bytes % kTensorUnit != 0) return "a row of the box has " + text(bytes) + " bytes, no multiple of 16";
  if (map.span() != 0 && bytes > map.span())
    return "a row of the box has " + text(bytes) + " bytes, the swizzle allows " + text(map.span());
  return {};
}

/// Whether the fields are such as an encoder or tensormap.replace leaves them.
bool is_possible(const TensorMap& map) {
  const bool columns = map.mode != TensorMap::tiled;
  if (map.element >= std::size(kElementBits) || map.dimensions == 0 || map.dimensions > TensorMap::kMostDimensions ||
      map.swizzle > TensorMap::swizzle_128 || map.atomicity > TensorMap::by_64 || map.mode > TensorMap::im2col_w128)
    return false;
  if (columns && (map.dimensions < 3 || map.pixels == 0 || map.pixels > kMostPixels)) return false;
  if (map.mode == TensorMap::im2col_w128 && map.pixels != TensorMap::kWidePixels) return false;
  for (unsigned d = 0; d < map.dimensions; ++d) {
    if (map.steps[d] == 0 || map.steps[d] > kMostStep) return false;
    if ((d == 0 || !columns) && (map.box[d] == 0 || map.box[d] > kMostBox)) return false;
  }
  return true;
}

}  // namespace

std::string what_is_wrong(const TensorMap& map) {
  if (!is_possible(map)) return "the bytes of the tensor map were changed by something other than tensormap.replace";
  return check_box(map);
}

uint64_t TensorMap::stride(unsigned dimension) const { return dimension == 0 ? bytes(1) : strides[dimension - 1]; }

unsigned TensorMap::element_bits() const { return kElementBits[element]; }

ptx::Type TensorMap::element_type() const {
  using T = ptx::Type;
  constexpr T kTypes[] = {T::u8,  T::u16,  T::u32, T::s32, T::u64, T::s64, T::f16, T::f32,
                          T::f64, T::bf16, T::f32, T::f32, T::f32, T::u8,  T::u8,  T::u8};
  return kTypes[element];
}

void convert_loaded(const TensorMap& map, std::byte* elements, unsigned count) {
  constexpr uint32_t kSign = 0x80000000, kExponent = 0x7f800000,
                     kDropped = 0x1fff;  // of f32; the bits that tf32 has not
  const bool flushes = map.element != TensorMap::tf32, rounds = map.element != TensorMap::f32_ftz;
  for (unsigned k = 0; k < count; ++k) {
    uint32_t bits;
    std::memcpy(&bits, elements + k * sizeof bits, sizeof bits);
    if (flushes && (bits & kExponent) == 0) bits &= kSign;
    if (rounds && (bits & kExponent) != kExponent) {
      const uint32_t odd = bits / (kDropped + 1) & 1;
      bits = (bits + kDropped / 2 + odd) & ~kDropped;
    }
    std::memcpy(elements + k * sizeof bits, &bits, sizeof bits);
  }
}

void spread_row(const TensorMap& map, std::byte* row) {
  const auto bytes = static_cast<unsigned>(map.bytes(TensorMap::kPaddedPack));
  for (unsigned pack = map.box[0] / TensorMap::kPaddedPack; pack-- > 0;) {
    std::byte* const to = row + pack * TensorMap::kPaddedPack;
    std::memmove(to, row + pack * bytes, bytes);
    std::memset(to + bytes, 0, TensorMap::kPaddedPack - bytes);
  }
}

void pack_row(const TensorMap& map, std::byte* row) {
  constexpr unsigned kBits = 6, kBytes = TensorMap::kPaddedPack * kBits / 8;
  for (unsigned pack = 0; pack < map.box[0] / TensorMap::kPaddedPack; ++pack) {
    std::array<std::byte, kBytes + 1> packed{};
    for (unsigned k = 0; k < TensorMap::kPaddedPack; ++k) {
      const auto code = std::to_integer<unsigned>(row[pack * TensorMap::kPaddedPack + k]) & ((1u << kBits) - 1);
      const unsigned bit = k * kBits, moved = code << bit % 8;
      packed[bit / 8] |= static_cast<std::byte>(moved);
      packed[bit / 8 + 1] |= static_cast<std::byte>(moved >> 8);
    }
    std::memcpy(row + pack * kBytes, packed.data(), kBytes);
  }
}

std::string encode_tiled(const TensorShape& shape, const uint32_t* box, TensorMap& out) {
  if (std::string wrong = encode(shape, out); !wrong.empty()) return wrong;
  for (unsigned d = 0; d < shape.dimensions; ++d) {
    if (box[d] == 0 || box[d] > kMostBox)
      return "a box of " + text(box[d]) + " elements along dimension " + text(d) + ", 1 to 256 are possible";
    out.box[d] = static_cast<uint16_t>(box[d]);
  }
  return check_box(out);
}

namespace {

/// What the modes im2col have in common. @param corners  dimensions that have corners
std::string encode_columns(const TensorShape& shape, unsigned corners, const int* lower, const int* upper,
                           uint32_t channels, uint32_t pixels, TensorMap& out) {
  if (shape.dimensions < 3 || shape.dimensions > 5) return text(shape.dimensions) + " dimensions, im2col takes 3 to 5";
  if (std::string wrong = encode(shape, out); !wrong.empty()) return wrong;
  const int most = corners == 1 ? 32767 : corners == 2 ? 127 : 15;
  for (unsigned k = 0; k < corners; ++k) {
    if (lower[k] < -most - 1 || lower[k] > most || upper[k] < -most - 1 || upper[k] > most)
      return "corners of the bounding box lie between " + std::to_string(-most - 1) + " and " + std::to_string(most);
    out.lower[k] = static_cast<int16_t>(lower[k]);
    out.upper[k] = static_cast<int16_t>(upper[k]);
    if (static_cast<int64_t>(out.size(k + 1)) - 1 + upper[k] < lower[k])
      return "the bounding box is empty along dimension " + text(k + 1);
  }
  if (channels == 0 || channels > kMostBox) return text(channels) + " channels of a pixel, 1 to 256 are possible";
  if (pixels == 0 || pixels > kMostPixels) return text(pixels) + " pixels of a column, 1 to 1024 are possible";
  out.box[0] = static_cast<uint16_t>(channels);
  out.pixels = pixels;
  return check_box(out);
}

}  // namespace

std::string encode_im2col(const TensorShape& shape, const int* lower, const int* upper, uint32_t channels,
                          uint32_t pixels, TensorMap& out) {
  std::string wrong = encode_columns(shape, shape.dimensions - 2, lower, upper, channels, pixels, out);
  out.mode = TensorMap::im2col;
  return wrong;
}

std::string encode_im2col_wide(const TensorShape& shape, int lower, int upper, uint32_t channels, uint32_t pixels,
                               bool all_128, TensorMap& out) {
  if (shape.interleave != 0) return "interleaved layouts do not exist for im2col::w";
  std::string wrong =
      encode_columns(shape, 1, &lower, &upper, channels, all_128 ? TensorMap::kWidePixels : pixels, out);
  if (!wrong.empty()) return wrong;
  out.mode = all_128 ? TensorMap::im2col_w128 : TensorMap::im2col_w;
  if (out.span() >= 64 && out.atomicity <= TensorMap::by_32) return {};
  return "im2col::w takes the swizzle of 64 bytes, or of 128 bytes in units of 16 or 32 bytes";
}

std::string replace_address(TensorMap& map, uint64_t address) {
  if (map.mark != TensorMap::kMark) return "the argument is not a tensor map";
  if (address % kTensorUnit != 0) return "the address is not a multiple of 16";
  map.address = address;
  return {};
}

}  // namespace bankshot::simt

// Texels in memory: how a channel is stored, and what a fetch makes of it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace bankshot::texture {

/// How a channel of a texel is stored. unorm and snorm are fractions of the largest integer whatever the read mode.
enum class Channel : uint8_t { u8, u16, u32, s8, s16, s32, f16, f32, unorm8, unorm16, snorm8, snorm16 };

struct Format {
  Channel channel = Channel::u8;
  uint8_t channels = 1;  ///< 1, 2 or 4
  bool operator==(const Format&) const = default;
};

unsigned channel_bytes(Channel channel);
inline unsigned texel_bytes(Format format) { return channel_bytes(format.channel) * format.channels; }
/// Integers of 8 and 16 bits: what the read mode "normalised float" applies to.
bool is_small_integer(Channel channel);
/// Signed integers, snorm and floats.
bool is_signed(Channel channel);

/// What a fetch gives: four words. Floats are f32 bits, integers are extended to 32 bits.
using Texel = std::array<uint32_t, 4>;

/// How texels are read.
struct Reading {
  bool normalised = false;  ///< integers of 8 and 16 bits become fractions: [0, 1], or [-1, 1] if they are signed
  bool srgb = false;        ///< the first three channels of unsigned 8-bit fractions are sRGB and become linear
};

/// Whether texels read so are floats: what can be filtered.
bool reads_floats(Format format, const Reading& reading);

/// A texel in memory as a fetch gives it. Channels that the format lacks are 0, a lacking fourth is 1: what OpenCL
/// says of formats R and RG; CUDA does not say.
Texel decode(Format format, const Reading& reading, const std::byte* from);

/// The inverse for formatted stores: words are f32 bits for float and normalised channels, integers else, of which the
/// low bits are stored. Source: PTX ISA, sust.p
void encode(Format format, const Texel& words, std::byte* to);

float half_to_float(uint16_t bits);
/// To the nearest, ties to even.
uint16_t float_to_half(float value);

}  // namespace bankshot::texture

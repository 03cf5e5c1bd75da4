#include "bankshot/texture/format.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

namespace bankshot::texture {
namespace {

/// The channel as it is read: 8- and 16-bit integers are fractions if the reading says so.
Channel as_read(Channel channel, const Reading& reading) {
  if (!reading.normalised) return channel;
  switch (channel) {
    case Channel::u8: return Channel::unorm8;
    case Channel::u16: return Channel::unorm16;
    case Channel::s8: return Channel::snorm8;
    case Channel::s16: return Channel::snorm16;
    default: return channel;
  }
}

template <class T>
T load(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T>
void store(std::byte* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

uint32_t bits(float value) { return std::bit_cast<uint32_t>(value); }

/// Both -max - 1 and -max are -1. Source: CUDA C++ Programming Guide, "Texture Memory": signed integers become [-1, 1]
uint32_t fraction(int value, int most) {
  return bits(std::max(static_cast<float>(value) / static_cast<float>(most), -1.0f));
}

/// Source: IEC 61966-2-1
float linear_of_srgb(float c) {
  const double x = c;
  return static_cast<float>(x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4));
}

uint32_t decode_channel(Channel channel, const std::byte* from) {
  switch (channel) {
    case Channel::u8: return load<uint8_t>(from);
    case Channel::u16: return load<uint16_t>(from);
    case Channel::s8: return static_cast<uint32_t>(static_cast<int32_t>(load<int8_t>(from)));
    case Channel::s16: return static_cast<uint32_t>(static_cast<int32_t>(load<int16_t>(from)));
    case Channel::u32:
    case Channel::s32:
    case Channel::f32: return load<uint32_t>(from);
    case Channel::f16: return bits(half_to_float(load<uint16_t>(from)));
    case Channel::unorm8: return fraction(load<uint8_t>(from), 255);
    case Channel::unorm16: return fraction(load<uint16_t>(from), 65535);
    case Channel::snorm8: return fraction(load<int8_t>(from), 127);
    case Channel::snorm16: return fraction(load<int16_t>(from), 32767);
  }
  return 0;
}

/// To the nearest integer, NaN to 0. Source: the rules of OpenGL and Direct3D for such formats; PTX does not say
int integer_of(uint32_t word, float least, int most) {
  const float value = std::bit_cast<float>(word);
  if (!(value == value)) return 0;
  return static_cast<int>(std::nearbyint(static_cast<double>(std::clamp(value, least, 1.0f)) * most));
}

void encode_channel(Channel channel, uint32_t word, std::byte* to) {
  switch (channel) {
    case Channel::u8:
    case Channel::s8: return store(to, static_cast<uint8_t>(word));
    case Channel::u16:
    case Channel::s16: return store(to, static_cast<uint16_t>(word));
    case Channel::u32:
    case Channel::s32:
    case Channel::f32: return store(to, word);
    case Channel::f16: return store(to, float_to_half(std::bit_cast<float>(word)));
    case Channel::unorm8: return store(to, static_cast<uint8_t>(integer_of(word, 0, 255)));
    case Channel::unorm16: return store(to, static_cast<uint16_t>(integer_of(word, 0, 65535)));
    case Channel::snorm8: return store(to, static_cast<int8_t>(integer_of(word, -1, 127)));
    case Channel::snorm16: return store(to, static_cast<int16_t>(integer_of(word, -1, 32767)));
  }
}

}  // namespace

unsigned channel_bytes(Channel channel) {
  switch (channel) {
    case Channel::u8:
    case Channel::s8:
    case Channel::unorm8:
    case Channel::snorm8: return 1;
    case Channel::u32:
    case Channel::s32:
    case Channel::f32: return 4;
    default: return 2;
  }
}

bool is_small_integer(Channel channel) {
  return channel == Channel::u8 || channel == Channel::u16 || channel == Channel::s8 || channel == Channel::s16;
}

bool is_signed(Channel channel) {
  switch (channel) {
    case Channel::u8:
    case Channel::u16:
    case Channel::u32:
    case Channel::unorm8:
    case Channel::unorm16: return false;
    default: return true;
  }
}

bool reads_floats(Format format, const Reading& reading) {
  switch (as_read(format.channel, reading)) {
    case Channel::u8:
    case Channel::u16:
    case Channel::u32:
    case Channel::s8:
    case Channel::s16:
    case Channel::s32: return false;
    default: return true;
  }
}

Texel decode(Format format, const Reading& reading, const std::byte* from) {
  if (format.channel == Channel::f32) {
    Texel floats{0, 0, 0, bits(1.0f)};
    std::memcpy(floats.data(), from, size_t{4} * format.channels);
    return floats;
  }
  const Channel channel = as_read(format.channel, reading);
  Texel texel{0, 0, 0, reads_floats(format, reading) ? bits(1.0f) : 1u};
  const unsigned bytes = channel_bytes(format.channel);
  for (unsigned k = 0; k < format.channels; ++k) texel[k] = decode_channel(channel, from + k * bytes);
  if (reading.srgb && channel == Channel::unorm8) {
    for (unsigned k = 0; k < 3 && k < format.channels; ++k)
      texel[k] = bits(linear_of_srgb(std::bit_cast<float>(texel[k])));
  }
  return texel;
}

void encode(Format format, const Texel& words, std::byte* to) {
  const unsigned bytes = channel_bytes(format.channel);
  for (unsigned k = 0; k < format.channels; ++k) encode_channel(format.channel, words[k], to + k * bytes);
}

float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16, exponent = half >> 10 & 31u,
                 fraction = half & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | fraction << 13);
  if (exponent != 0) return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
  const float tiny = static_cast<float>(fraction) * 0x1p-24f;
  return std::bit_cast<float>(sign | bits(tiny));
}

uint16_t float_to_half(float value) {
  const uint32_t word = bits(value), magnitude = word & 0x7fffffffu;
  const auto sign = static_cast<uint16_t>(word >> 16 & 0x8000u);
  if (magnitude > 0x7f800000u) return 0x7fff;
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // 65520 and above round to infinity
  if (magnitude < 0x38800000u) {                                               // below 2^-14: multiples of 2^-24
    const double units = std::nearbyint(static_cast<double>(std::bit_cast<float>(magnitude)) * 0x1p24);
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(units));
  }
  const uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<uint16_t>(sign | (magnitude - 0x38000000u + 0xfffu + odd) >> 13);
}

}  // namespace bankshot::texture

#include "bankshot/cuda/memory/array_format.hpp"

#include <algorithm>
#include <iterator>

namespace bankshot::cuda {
namespace {

using texture::Channel;
using texture::Format;

/// The kinds of cudaChannelFormatKind below those that say the size, too.
constexpr int kSigned = 0, kUnsigned = 1, kFloat = 2;

struct FormatRow {
  int driver;  ///< CUarray_format; of unorm and snorm that for one channel, followed by those for two and four
  Channel channel;
  int kind;  ///< cudaChannelFormatKind, likewise
};
constexpr FormatRow kFormats[] = {
    {0x01, Channel::u8, kUnsigned}, {0x02, Channel::u16, kUnsigned}, {0x03, Channel::u32, kUnsigned},
    {0x08, Channel::s8, kSigned},   {0x09, Channel::s16, kSigned},   {0x0a, Channel::s32, kSigned},
    {0x10, Channel::f16, kFloat},   {0x20, Channel::f32, kFloat},    {0xc0, Channel::unorm8, 5},
    {0xc3, Channel::unorm16, 8},    {0xc6, Channel::snorm8, 11},     {0xc9, Channel::snorm16, 14}};

const FormatRow& row_of(Channel channel) { return *std::ranges::find(kFormats, channel, &FormatRow::channel); }
/// Formats whose number says the channels.
bool is_fraction(const FormatRow& row) { return row.driver >= 0xc0; }
bool is_count(unsigned channels) { return channels == 1 || channels == 2 || channels == 4; }
int place_of(unsigned channels) { return channels == 4 ? 2 : static_cast<int>(channels) - 1; }

}  // namespace

std::optional<Format> format_of(int driver_format, unsigned channels) {
  if (!is_count(channels)) return std::nullopt;
  for (const FormatRow& row : kFormats) {
    if (row.driver + (is_fraction(row) ? place_of(channels) : 0) == driver_format) {
      return Format{row.channel, static_cast<uint8_t>(channels)};
    }
  }
  return std::nullopt;
}

int driver_format_of(Format format) {
  const FormatRow& row = row_of(format.channel);
  return row.driver + (is_fraction(row) ? place_of(format.channels) : 0);
}

std::optional<Format> format_of(const abi::ChannelFormatDesc& desc) {
  const int bits[] = {desc.x, desc.y, desc.z, desc.w};
  const auto end = std::find(std::begin(bits), std::end(bits), 0);
  const auto channels = static_cast<unsigned>(end - bits);
  if (!is_count(channels) || std::any_of(std::begin(bits), end, [&](int b) { return b != desc.x; }) ||
      std::any_of(end, std::end(bits), [](int b) { return b != 0; })) {
    return std::nullopt;
  }
  for (const FormatRow& row : kFormats) {
    const Format format{row.channel, static_cast<uint8_t>(channels)};
    const int kind = row.kind + (is_fraction(row) ? place_of(channels) : 0);
    if (kind == desc.kind && static_cast<int>(8 * channel_bytes(row.channel)) == desc.x) return format;
  }
  return std::nullopt;
}

abi::ChannelFormatDesc channel_desc_of(Format format) {
  const FormatRow& row = row_of(format.channel);
  const int bits = static_cast<int>(8 * channel_bytes(format.channel));
  const auto channel = [&](unsigned k) { return k < format.channels ? bits : 0; };
  return {channel(0), channel(1), channel(2), channel(3),
          row.kind + (is_fraction(row) ? place_of(format.channels) : 0)};
}

std::optional<Format> view_format(int number) {
  // By threes: one, two and four channels of each.
  static constexpr Channel kOrder[] = {Channel::u8,  Channel::s8,  Channel::u16, Channel::s16,
                                       Channel::u32, Channel::s32, Channel::f16, Channel::f32};
  if (number < 1 || number > static_cast<int>(3 * std::size(kOrder))) return std::nullopt;
  return Format{kOrder[(number - 1) / 3], static_cast<uint8_t>(1u << (number - 1) % 3)};
}

}  // namespace bankshot::cuda

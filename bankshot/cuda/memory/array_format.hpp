// The formats of array elements in the words of each interface.
#pragma once

#include <optional>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/texture/format.hpp"

namespace bankshot::cuda {

/// CUarray_format and a number of channels. Nothing if it is none, or one that is not supported: block-compressed and
/// planar formats. Source: CUDA driver API reference, CUarray_format
std::optional<texture::Format> format_of(int driver_format, unsigned channels);
int driver_format_of(texture::Format format);

/// cudaChannelFormatDesc. Source: CUDA runtime API reference, cudaChannelFormatKind
std::optional<texture::Format> format_of(const abi::ChannelFormatDesc& desc);
abi::ChannelFormatDesc channel_desc_of(texture::Format format);

/// The format of a resource view, which is cudaResourceViewFormat. Nothing for 0 and for block-compressed ones.
std::optional<texture::Format> view_format(int number);

}  // namespace bankshot::cuda

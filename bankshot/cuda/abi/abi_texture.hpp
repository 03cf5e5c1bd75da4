// The structures of arrays, textures and surfaces in both interfaces, in the layout of CUDA 12 and 13 headers.
// Source: CUDA runtime and driver API references, "Data Structures". tests/cuda/layout.cu compares them with the
// toolkit's.
#pragma once

#include "bankshot/cuda/abi/abi.hpp"

namespace bankshot::cuda::abi {

/// CUDA_ARRAY_DESCRIPTOR
struct ArrayDescriptor {
  size_t width, height;
  int format;
  unsigned channels;
};

/// CUDA_ARRAY3D_DESCRIPTOR
struct Array3DDescriptor {
  size_t width, height, depth;
  int format;
  unsigned channels;
  unsigned flags;
};

/// cudaResourceType and CUresourcetype
enum ResourceType : int { kArrayResource = 0, kMipmappedResource = 1, kLinearResource = 2, kPitch2DResource = 3 };

/// cudaResourceDesc
struct ResourceDesc {
  int type;
  union {
    void* array;
    void* mipmap;
    struct {
      void* pointer;
      ChannelFormatDesc desc;
      size_t bytes;
    } linear;
    struct {
      void* pointer;
      ChannelFormatDesc desc;
      size_t width, height, pitch;
    } pitch_2d;
    int reserved[32];
  };
  unsigned flags;
};

/// CUDA_RESOURCE_DESC
struct DriverResourceDesc {
  int type;
  union {
    void* array;
    void* mipmap;
    struct {
      uint64_t pointer;
      int format;
      unsigned channels;
      size_t bytes;
    } linear;
    struct {
      uint64_t pointer;
      int format;
      unsigned channels;
      size_t width, height, pitch;
    } pitch_2d;
    int reserved[32];
  };
  unsigned flags;
};

/// cudaTextureDesc
struct TextureDesc {
  int address_mode[3];
  int filter_mode;
  int read_mode;  ///< 0 element type, 1 normalised float
  int srgb;
  float border[4];
  int normalised_coordinates;
  unsigned anisotropy;
  int mip_filter;
  float level_bias, level_min, level_max;
  int no_trilinear_optimisation;
  int seamless_cube;
};

/// CUDA_TEXTURE_DESC
struct DriverTextureDesc {
  enum Flag : unsigned { kInteger = 1, kNormalised = 2, kSrgb = 0x10, kNoTrilinear = 0x20, kSeamless = 0x40 };
  int address_mode[3];
  int filter_mode;
  unsigned flags;
  unsigned anisotropy;
  int mip_filter;
  float level_bias, level_min, level_max;
  float border[4];
  int reserved[12];
};

/// cudaResourceViewDesc and CUDA_RESOURCE_VIEW_DESC, whose formats share their numbers
struct ResourceViewDesc {
  int format;
  size_t width, height, depth;
  unsigned first_level, last_level, first_layer, last_layer;
  unsigned reserved[16];
};

}  // namespace bankshot::cuda::abi

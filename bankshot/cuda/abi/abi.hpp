// The structures that programs pass to the CUDA interfaces, in the layout of CUDA 12 and 13 headers.
// Source: CUDA runtime and driver API references, "Data Structures". tests/cuda/layout.cu compares them with the
// toolkit's own where there is one.
#pragma once

#include <cstddef>
#include <cstdint>

#include "bankshot/simt/run/engine.hpp"

namespace bankshot::cuda::abi {

using simt::Dim3;

struct Pos {
  size_t x, y, z;
};
/// Width in bytes for pitched pointers, in elements for arrays.
struct Extent {
  size_t width, height, depth;
};
struct PitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};

struct Memcpy3DParms {
  void* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  void* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  Extent extent;
  int kind;
};

struct Memcpy3DPeerParms {
  void* src_array;
  Pos src_pos;
  PitchedPtr src_ptr;
  int src_device;
  void* dst_array;
  Pos dst_pos;
  PitchedPtr dst_ptr;
  int dst_device;
  Extent extent;
};

/// CUDA 13 adds eight reserved longs at the end; they are never written, so that CUDA 12's structure fits too.
struct PointerAttributes {
  int type;  ///< 0 unregistered, 1 host, 2 device, 3 managed
  int device;
  void* device_pointer;
  void* host_pointer;
};

struct FuncAttributes {
  size_t shared_size_bytes, const_size_bytes, local_size_bytes;
  int max_threads_per_block, num_regs, ptx_version, binary_version, cache_mode_ca, max_dynamic_shared_size_bytes,
      preferred_shmem_carveout, cluster_dim_must_be_set, required_cluster_width, required_cluster_height,
      required_cluster_depth, cluster_scheduling_policy_preference, non_portable_cluster_size_allowed;
  int reserved[16];
};

/// The same in both interfaces.
struct LaunchAttribute {
  enum Id : int {
    ignore = 0,
    access_policy_window = 1,
    cooperative = 2,
    synchronization_policy = 3,
    cluster_dimension = 4,
    cluster_scheduling_policy = 5,
    programmatic_stream_serialization = 6,
    programmatic_event = 7,
    priority = 8,
    mem_sync_domain_map = 9,
    mem_sync_domain = 10,
    preferred_cluster_dimension = 11,
    launch_completion_event = 12,
    device_updatable_kernel_node = 13,
    preferred_shared_memory_carveout = 14,
  };
  int id;
  char pad[4];
  union {
    char bytes[64];
    int cooperative_value;
    void* event;  ///< what a programmatic or a launch completion event begins with
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};

struct LaunchConfig {
  Dim3 grid, block;
  size_t dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct DriverLaunchConfig {
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

/// CUDA_MEMCPY2D. Memory types: 1 host, 2 device, 3 array, 4 unified.
struct DriverMemcpy2D {
  size_t src_x, src_y;
  int src_type;
  const void* src_host;
  uint64_t src_device;
  void* src_array;
  size_t src_pitch;
  size_t dst_x, dst_y;
  int dst_type;
  void* dst_host;
  uint64_t dst_device;
  void* dst_array;
  size_t dst_pitch;
  size_t width, height;
};

/// CUDA_MEMCPY3D.
struct DriverMemcpy3D {
  size_t src_x, src_y, src_z, src_lod;
  int src_type;
  const void* src_host;
  uint64_t src_device;
  void* src_array;
  void* reserved0;
  size_t src_pitch, src_height;
  size_t dst_x, dst_y, dst_z, dst_lod;
  int dst_type;
  void* dst_host;
  uint64_t dst_device;
  void* dst_array;
  void* reserved1;
  size_t dst_pitch, dst_height;
  size_t width, height, depth;
};

struct ChannelFormatDesc {
  int x, y, z, w, kind;
};

}  // namespace bankshot::cuda::abi

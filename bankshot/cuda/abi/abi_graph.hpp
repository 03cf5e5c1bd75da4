// The structures of graphs and of virtual memory that programs pass to the CUDA interfaces, in the layout of CUDA 12
// and 13. Source: CUDA runtime and driver API references, "Data Structures"; compared with the toolkit's own by
// tests/cuda/layout.cu.
#pragma once

#include "bankshot/cuda/abi/abi.hpp"

namespace bankshot::cuda::abi {

struct EdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};

/// cudaKernelNodeParams.
struct KernelNode {
  void* function;  ///< host stub or handle
  Dim3 grid, block;
  unsigned dynamic_shared;
  void** arguments;
  void** extra;
};
/// CUDA_KERNEL_NODE_PARAMS; its first version ends before `kernel`.
struct DriverKernelNode {
  void* function;
  Dim3 grid, block;
  unsigned dynamic_shared;
  void** arguments;
  void** extra;
  void* kernel;
  void* context;
};
/// cudaMemsetParams and CUDA_MEMSET_NODE_PARAMS. Width in elements.
struct MemsetNode {
  uint64_t to;
  size_t pitch;
  unsigned value, element;
  size_t width, height;
};
struct HostNode {
  void (*function)(void*);
  void* data;
};
/// cudaMemcpyNodeParams.
struct MemcpyNode {
  int flags, reserved[3];
  Memcpy3DParms copy;
};
struct DriverMemcpyNode {
  int flags, reserved;
  void* context;
  DriverMemcpy3D copy;
};
struct ChildNode {
  void* graph;
  int ownership;  ///< 0 the child is copied, 1 it moves into the graph
};
struct Location {
  int type;  ///< 1 device
  int id;
};
struct PoolProperties {
  int allocation_type, handle_types;
  Location location;
  void* security;
  size_t most_bytes;
  unsigned short usage;
  unsigned char reserved[54];
};
struct AccessDescription {
  Location location;
  int flags;  ///< 0 none, 1 read, 3 read and write
};
struct AllocateNode {
  PoolProperties pool;
  const AccessDescription* access;
  size_t access_count;
  size_t bytes;
  uint64_t address;
};
/// cudaConditionalNodeParams; the driver's has a context at the end.
struct ConditionalNode {
  unsigned long long handle;
  int type;
  unsigned size;
  void* bodies;  ///< Graph**
};

/// CUstreamBatchMemOpParams.
struct MemoryOperation {
  enum Type : int { wait_32 = 1, write_32 = 2, flush = 3, wait_64 = 4, write_64 = 5, barrier = 6 };
  static constexpr unsigned kFlush = 1u << 30;
  int type;
  unsigned barrier_flags;  ///< of a barrier or flush
  uint64_t address, value;
  unsigned flags;
  uint64_t alias, pad;
};
/// CUDA_BATCH_MEM_OP_NODE_PARAMS.
struct MemoryOperationsNode {
  void* context;
  unsigned count;
  MemoryOperation* operations;
  unsigned flags;
};

/// cudaGraphNodeParams and CUgraphNodeParams: kinds of nodes have different structures in the two.
struct NodeParameters {
  int type, reserved[3];
  union {
    long long bytes[29];
    KernelNode kernel;
    DriverKernelNode driver_kernel;
    MemcpyNode copy;
    DriverMemcpyNode driver_copy;
    MemsetNode fill;
    HostNode host;
    ChildNode child;
    void* event;
    AllocateNode allocate;
    uint64_t free;
    ConditionalNode conditional;
    MemoryOperationsNode memory_operations;
  };
  long long reserved2;
};

struct InstantiateParameters {
  unsigned long long flags;
  void* upload_stream;
  void* error_node;
  int result;
};
struct UpdateResult {
  int result;
  void* error_node;
  void* error_from;
};

/// CUmemAllocationProp.
struct AllocationProperties {
  int type, handle_types;
  Location location;
  void* meta_data;
  struct {
    unsigned char compression, rdma;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
};

/// CUmulticastObjectProp.
struct MulticastProperties {
  unsigned devices;
  size_t bytes;
  unsigned long long handle_types, flags;
};

}  // namespace bankshot::cuda::abi

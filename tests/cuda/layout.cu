// Our structures have the layout of the toolkit's.
#include <cuda.h>

#include <cstddef>

#include "bankshot/cuda/abi/abi.hpp"
#include "bankshot/cuda/abi/abi_batch.hpp"
#include "bankshot/cuda/abi/abi_texture.hpp"
#include "bankshot/cuda/abi/device_prop.hpp"
#include "check.hpp"

using namespace bankshot::cuda::abi;

#define SAME_SIZE(ours, theirs) EXPECT_EQ(sizeof(ours), sizeof(theirs))
#define SAME_PLACE(ours, our_field, theirs, their_field)               \
  EXPECT_EQ(offsetof(ours, our_field), offsetof(theirs, their_field)); \
  EXPECT_EQ(sizeof(ours::our_field), sizeof(theirs::their_field))

int main() {
#if CUDART_VERSION >= 13000
  SAME_SIZE(DeviceProp13, cudaDeviceProp);
#define BANKSHOT_FIELD(type, name) SAME_PLACE(DeviceProp13, name, cudaDeviceProp, name);
#define BANKSHOT_ARRAY(type, name, count) BANKSHOT_FIELD(type, name)
#define BANKSHOT_GONE(type, name)
#define BANKSHOT_SINCE12 BANKSHOT_FIELD
#define BANKSHOT_SINCE13 BANKSHOT_FIELD
#elif CUDART_VERSION >= 12000
  SAME_SIZE(DeviceProp12, cudaDeviceProp);
#define BANKSHOT_FIELD(type, name) SAME_PLACE(DeviceProp12, name, cudaDeviceProp, name);
#define BANKSHOT_ARRAY(type, name, count) BANKSHOT_FIELD(type, name)
#define BANKSHOT_GONE BANKSHOT_FIELD
#define BANKSHOT_SINCE12 BANKSHOT_FIELD
#define BANKSHOT_SINCE13(type, name)
#endif
#include "bankshot/cuda/abi/device_prop.def"

  SAME_SIZE(ArrayDescriptor, CUDA_ARRAY_DESCRIPTOR);
  SAME_SIZE(Array3DDescriptor, CUDA_ARRAY3D_DESCRIPTOR);
  SAME_PLACE(Array3DDescriptor, flags, CUDA_ARRAY3D_DESCRIPTOR, Flags);
  SAME_SIZE(TextureDesc, cudaTextureDesc);
  SAME_PLACE(TextureDesc, border, cudaTextureDesc, borderColor);
  SAME_PLACE(TextureDesc, level_max, cudaTextureDesc, maxMipmapLevelClamp);
  SAME_PLACE(TextureDesc, seamless_cube, cudaTextureDesc, seamlessCubemap);
  SAME_SIZE(DriverTextureDesc, CUDA_TEXTURE_DESC);
  SAME_PLACE(DriverTextureDesc, border, CUDA_TEXTURE_DESC, borderColor);
  SAME_SIZE(DriverResourceDesc, CUDA_RESOURCE_DESC);
  SAME_PLACE(DriverResourceDesc, pitch_2d.pitch, CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
  SAME_PLACE(DriverResourceDesc, linear.bytes, CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
  SAME_PLACE(ResourceDesc, pitch_2d.pitch, cudaResourceDesc, res.pitch2D.pitchInBytes);
  SAME_PLACE(ResourceDesc, linear.bytes, cudaResourceDesc, res.linear.sizeInBytes);
  SAME_SIZE(ResourceViewDesc, CUDA_RESOURCE_VIEW_DESC);
  SAME_PLACE(ResourceViewDesc, last_layer, cudaResourceViewDesc, lastLayer);
  SAME_SIZE(Memcpy3DParms, cudaMemcpy3DParms);
  SAME_PLACE(Memcpy3DParms, dst_pos, cudaMemcpy3DParms, dstPos);
  SAME_PLACE(Memcpy3DParms, extent, cudaMemcpy3DParms, extent);
  SAME_PLACE(Memcpy3DParms, kind, cudaMemcpy3DParms, kind);
  SAME_SIZE(Memcpy3DPeerParms, cudaMemcpy3DPeerParms);
  SAME_PLACE(Memcpy3DPeerParms, dst_ptr, cudaMemcpy3DPeerParms, dstPtr);
  SAME_PLACE(Memcpy3DPeerParms, extent, cudaMemcpy3DPeerParms, extent);
  SAME_SIZE(PitchedPtr, cudaPitchedPtr);
  EXPECT(sizeof(PointerAttributes) <= sizeof(cudaPointerAttributes));
  SAME_PLACE(PointerAttributes, device, cudaPointerAttributes, device);
  SAME_PLACE(PointerAttributes, device_pointer, cudaPointerAttributes, devicePointer);
  SAME_PLACE(PointerAttributes, host_pointer, cudaPointerAttributes, hostPointer);
  SAME_SIZE(FuncAttributes, cudaFuncAttributes);
  SAME_PLACE(FuncAttributes, local_size_bytes, cudaFuncAttributes, localSizeBytes);
  SAME_PLACE(FuncAttributes, num_regs, cudaFuncAttributes, numRegs);
  SAME_PLACE(FuncAttributes, max_dynamic_shared_size_bytes, cudaFuncAttributes, maxDynamicSharedSizeBytes);
  SAME_PLACE(FuncAttributes, non_portable_cluster_size_allowed, cudaFuncAttributes, nonPortableClusterSizeAllowed);
  SAME_SIZE(LaunchAttribute, cudaLaunchAttribute);
  SAME_PLACE(LaunchAttribute, value, cudaLaunchAttribute, val);
  SAME_SIZE(LaunchAttribute, CUlaunchAttribute);
  SAME_SIZE(LaunchConfig, cudaLaunchConfig_t);
  SAME_PLACE(LaunchConfig, dynamic_shared, cudaLaunchConfig_t, dynamicSmemBytes);
  SAME_PLACE(LaunchConfig, attributes, cudaLaunchConfig_t, attrs);
  SAME_PLACE(LaunchConfig, attribute_count, cudaLaunchConfig_t, numAttrs);
  SAME_SIZE(DriverLaunchConfig, CUlaunchConfig);
  SAME_PLACE(DriverLaunchConfig, dynamic_shared, CUlaunchConfig, sharedMemBytes);
  SAME_PLACE(DriverLaunchConfig, stream, CUlaunchConfig, hStream);
  SAME_PLACE(DriverLaunchConfig, attribute_count, CUlaunchConfig, numAttrs);
  SAME_SIZE(DriverMemcpy2D, CUDA_MEMCPY2D);
  SAME_PLACE(DriverMemcpy2D, src_pitch, CUDA_MEMCPY2D, srcPitch);
  SAME_PLACE(DriverMemcpy2D, dst_device, CUDA_MEMCPY2D, dstDevice);
  SAME_PLACE(DriverMemcpy2D, height, CUDA_MEMCPY2D, Height);
  SAME_SIZE(DriverMemcpy3D, CUDA_MEMCPY3D);
  SAME_PLACE(DriverMemcpy3D, src_height, CUDA_MEMCPY3D, srcHeight);
  SAME_PLACE(DriverMemcpy3D, dst_host, CUDA_MEMCPY3D, dstHost);
  SAME_PLACE(DriverMemcpy3D, depth, CUDA_MEMCPY3D, Depth);
  SAME_SIZE(ChannelFormatDesc, cudaChannelFormatDesc);
  SAME_SIZE(Dim3, dim3);
  SAME_SIZE(CopyAttributes, cudaMemcpyAttributes);
  SAME_SIZE(CopyAttributes, CUmemcpyAttributes);
  SAME_PLACE(CopyAttributes, flags, CUmemcpyAttributes, flags);
  SAME_SIZE(BatchCopy, cudaMemcpy3DBatchOp);
  SAME_SIZE(BatchCopy, CUDA_MEMCPY3D_BATCH_OP);
  SAME_PLACE(BatchCopy, to, CUDA_MEMCPY3D_BATCH_OP, dst);
  SAME_PLACE(BatchCopy, extent, CUDA_MEMCPY3D_BATCH_OP, extent);
  SAME_PLACE(BatchCopy, order, CUDA_MEMCPY3D_BATCH_OP, srcAccessOrder);
  SAME_PLACE(CopyOperand, pointer.layer_height, CUmemcpy3DOperand, op.ptr.layerHeight);
  SAME_PLACE(CopyOperand, array.z, CUmemcpy3DOperand, op.array.offset.z);
  SAME_SIZE(MemoryOperation, CUstreamBatchMemOpParams);
  SAME_PLACE(MemoryOperation, barrier_flags, CUstreamBatchMemOpParams, memoryBarrier.flags);
  SAME_PLACE(MemoryOperation, address, CUstreamBatchMemOpParams, waitValue.address);
  SAME_PLACE(MemoryOperation, value, CUstreamBatchMemOpParams, writeValue.value64);
  SAME_PLACE(MemoryOperation, flags, CUstreamBatchMemOpParams, waitValue.flags);
  SAME_SIZE(MemoryOperationsNode, CUDA_BATCH_MEM_OP_NODE_PARAMS);
  SAME_PLACE(MemoryOperationsNode, operations, CUDA_BATCH_MEM_OP_NODE_PARAMS, paramArray);
  return finish("layout");
}

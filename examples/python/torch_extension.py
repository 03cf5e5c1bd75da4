"""A transpose in CUDA C++ as an extension of PyTorch: a column of the tile lies in one bank.

    bankshot explain --gpu a100 python3 torch_extension.py            # 15,872 conflicts
    bankshot explain --gpu a100 python3 torch_extension.py --padded   # none

Needs nvcc, ninja and any build of PyTorch: under Bankshot, extensions of one without CUDA are built for tensors of the CPU.
"""
import sys

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>

__global__ void transpose(const float* in, float* out, int n) {
  __shared__ float tile[32][32 + PADDING];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

torch::Tensor transposed(torch::Tensor in) {
  TORCH_CHECK(in.is_cuda() && in.dim() == 2 && in.size(0) == in.size(1) && in.size(0) % 32 == 0, "a square of tiles");
  auto out = torch::empty_like(in);
  const int n = in.size(0);
  transpose<<<dim3(n / 32, n / 32), dim3(32, 32), 0, at::cuda::getCurrentCUDAStream()>>>(
      in.data_ptr<float>(), out.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

padding = 1 if "--padded" in sys.argv else 0
extension = load_inline(f"transpose_{padding}", "torch::Tensor transposed(torch::Tensor in);", SOURCE, functions=["transposed"],
                        extra_cuda_cflags=[f"-DPADDING={padding}"])
x = torch.arange(128 * 128.0, device="cuda").view(128, 128)
y = extension.transposed(x)
torch.cuda.synchronize()
print("equal" if y.is_cuda and torch.equal(y, x.t()) else "different")

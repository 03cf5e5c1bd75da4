"""A histogram of bytes in shared memory, as a kernel in CUDA C++ that CuPy compiles, and a sum that CuPy writes itself.

    bankshot explain python3 cupy_raw.py

Needs CuPy: pip install cupy-cuda13x[ctk].
"""
import cupy
import numpy

histogram = cupy.RawKernel(r'''
extern "C" __global__ void histogram(const unsigned char* values, int n, unsigned* counts) {
  __shared__ unsigned mine[256];
  mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[values[i]], 1);  // lanes with one value wait for each other, before sm_80
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], mine[threadIdx.x]);
}
''', "histogram")

values = cupy.arange(4096, dtype=cupy.uint8) // 16  # sixteen neighbours have one value
counts = cupy.zeros(256, dtype=cupy.uint32)
histogram((4,), (256,), (values, cupy.int32(values.size), counts))
numpy.testing.assert_array_equal(counts.get(), numpy.bincount(values.get(), minlength=256))
assert int(counts.sum()) == values.size
print("PASS histogram")

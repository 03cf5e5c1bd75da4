"""Each CTA reverses its numbers in shared memory with stride 2, as a kernel in CUDA C++ that PyCUDA gives to nvcc.

    bankshot explain python3 pycuda_raw.py

Needs nvcc and PyCUDA: pip install pycuda.
"""
import numpy
import pycuda.autoinit  # makes a context
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

module = SourceModule(r"""
__global__ void reverse(int* values) {
  __shared__ int mine[2 * 128];
  const int i = threadIdx.x, n = blockDim.x;
  values += blockIdx.x * n;
  mine[2 * i] = values[i];  // every second bank: two passes
  __syncthreads();
  values[i] = mine[2 * (n - 1 - i)];
}
""")

values = numpy.arange(512, dtype=numpy.int32)
expected = values.reshape(4, 128)[:, ::-1].ravel()
module.get_function("reverse")(cuda.InOut(values), block=(128, 1, 1), grid=(4, 1))
numpy.testing.assert_array_equal(values, expected)
print("PASS reverse")

"""Sums of the columns of a tile, as a kernel in CUDA C++ that cuda.core compiles, loads and launches.

    bankshot explain python3 cuda_core_raw.py

Needs cuda.core: pip install cuda-core[cu13] numpy. "ptx" and "cubin" are the same under Bankshot: NVRTC makes PTX.
"""
import ctypes

import numpy
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

CODE = r"""
extern "C" __global__ void sum_columns(const int* values, int* sums) {
  __shared__ int tile[32][32];
  for (int row = 0; row < 32; ++row) tile[row][threadIdx.x] = values[32 * row + threadIdx.x];
  __syncwarp();
  int sum = 0;
  for (int row = 0; row < 32; ++row) sum += tile[threadIdx.x][row];  // all lanes are in one bank
  sums[threadIdx.x] = sum;
}
"""

device = Device()
device.set_current()
stream = device.create_stream()
options = ProgramOptions(std="c++17", arch=f"sm_{device.arch}", lineinfo=True)
kernel = Program(CODE, "c++", options).compile("cubin").get_kernel("sum_columns")

pinned = LegacyPinnedMemoryResource()  # memory of the host that kernels can access
buffers = [pinned.allocate(4 * count) for count in (1024, 32)]
values, sums = (numpy.frombuffer((ctypes.c_char * b.size).from_address(int(b.handle)), numpy.int32) for b in buffers)
values[:] = numpy.arange(1024)
launch(stream, LaunchConfig(grid=1, block=32), kernel, *buffers)
stream.sync()
numpy.testing.assert_array_equal(sums, values.reshape(32, 32).sum(axis=1))
print("PASS sum_columns")

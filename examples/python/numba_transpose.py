"""Transpose of a matrix in tiles of shared memory, as a Numba kernel.

    bankshot explain python3 numba_transpose.py          columns of a tile of 32 words a row: 93.9 % of the wavefronts are wasted
    bankshot explain python3 numba_transpose.py --padded rows of 33 words: no conflicts

Needs Numba: pip install numba-cuda[cu13]. lineinfo=True makes the report show lines of this file.
"""
import sys

import numpy as np
from numba import cuda, float32

WIDTH = 33 if "--padded" in sys.argv else 32


@cuda.jit(lineinfo=True)
def transpose(source, target):
    tile = cuda.shared.array((32, WIDTH), float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = source[cuda.blockIdx.y * 32 + y, cuda.blockIdx.x * 32 + x]
    cuda.syncthreads()
    target[cuda.blockIdx.x * 32 + y, cuda.blockIdx.y * 32 + x] = tile[x, y]


source = np.arange(64 * 64, dtype=np.float32).reshape(64, 64)
target = cuda.device_array_like(source)
transpose[(2, 2), (32, 32)](cuda.to_device(source), target)
np.testing.assert_array_equal(target.copy_to_host(), source.T)
print("PASS transpose")

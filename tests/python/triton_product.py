"""A product of matrices, for the scripts beside it."""
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column = tl.program_id(1) * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32)
    for first in range(0, K, BK):
        x = tl.load(a + row[:, None] * K + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * N + column[None, :])
        total = tl.dot(x, y, total)  # the products
    tl.store(c + row[:, None] * N + column[None, :], total)

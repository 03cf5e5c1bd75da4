"""Scores of an attention layer, queries times keys, in full float32, as a Triton kernel.

    bankshot explain python3 triton_scores.py                  keys as rows: 74 % of the wavefronts are wasted
    bankshot explain python3 triton_scores.py --by-dimension   keys as columns: no conflicts

Needs Triton and any build of PyTorch: pip install triton torch
"""
import sys

import torch
import triton
import triton.language as tl


@triton.jit
def scores(queries, keys, out, N, D, key_stride, dim_stride, BLOCK: tl.constexpr, DIMS: tl.constexpr):
    row = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    column = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in range(0, D, DIMS):
        dim = first + tl.arange(0, DIMS)
        q = tl.load(queries + row[:, None] * D + dim[None, :])
        k = tl.load(keys + dim[:, None] * dim_stride + column[None, :] * key_stride)
        total = tl.dot(q, k, total, input_precision="ieee")
    tl.store(out + row[:, None] * N + column[None, :], total)


torch.manual_seed(0)
n, dims = 128, 64
queries = torch.randn(n, dims, device="cuda")
keys = torch.randn(n, dims, device="cuda")
if "--by-dimension" in sys.argv:
    keys = keys.T.contiguous().T  # the same matrix, kept column by column
out = torch.empty(n, n, device="cuda")
scores[(n // 64, n // 64)](queries, keys, out, n, dims, *keys.stride(), BLOCK=64, DIMS=32, num_stages=1)
torch.testing.assert_close(out, queries @ keys.T, atol=1e-4, rtol=1e-4)
print("PASS scores")

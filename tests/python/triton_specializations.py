"""One Triton kernel compiled for several configurations, which conflicts in shared memory: a row of 32 words for each lane."""
import torch
import triton
import triton.language as tl
from cases import case, failed


@triton.autotune([triton.Config({"BM": rows}, num_warps=warps) for rows, warps in ((32, 1), (64, 2))], key=["M"])
@triton.jit
def mm(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row = tl.program_id(0) * BM + tl.arange(0, BM)
    column, k = tl.arange(0, BN), tl.arange(0, BK)
    x = tl.load(a + row[:, None] * K + k[None, :])
    y = tl.load(b + column[None, :] * K + k[:, None])
    tl.store(c + row[:, None] * N + column[None, :], tl.dot(x, y, input_precision="ieee"))


@case
def a_kernel_in_two_configurations():
    torch.manual_seed(0)
    a, b, c = torch.rand(64, 32), torch.rand(32, 32), torch.empty(64, 32)
    mm[lambda meta: (64 // meta["BM"],)](a, b, c, 64, 32, 32, BN=32, BK=32)
    torch.testing.assert_close(c, a @ b.T)


raise SystemExit(1 if failed else 0)

"""Kernels of Triton for compute capability 10.0, whose products are in tensor memory. Prints PASS and a name for each case."""
import sys

import torch
import triton
import triton.language as tl
from cases import case, failed
from triton_product import multiply
from triton.tools.tensor_descriptor import TensorDescriptor

SIZE = 128


@triton.jit
def multiply_boxes(a, b, c, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPECIALIZED: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for first in tl.range(0, K, BK, warp_specialize=SPECIALIZED):
        total = tl.dot(a.load([row, first]), b.load([column, first]).T, total)
    c.store([row, column], total)


def product(rows, kind, stages):
    """Of the kernel `multiply`, in tiles of 128 columns."""
    torch.manual_seed(0)
    a, b, c = torch.randn(SIZE, SIZE).to(kind), torch.randn(SIZE, SIZE).to(kind), torch.empty(SIZE, SIZE)
    compiled = multiply[(SIZE // rows, 1)](a, b, c, SIZE, SIZE, SIZE, rows, SIZE, 64, num_stages=stages)
    assert "tcgen05.mma" in compiled.asm["ptx"]
    torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-3, rtol=1e-3)


@case
def products_in_tensor_memory():
    assert triton.runtime.driver.active.get_current_target().arch == 100
    product(128, torch.float16, 1)


if "one" not in sys.argv:

    @case
    def products_in_a_pipeline():
        product(128, torch.float16, 3)

    @case
    def products_of_64_rows():
        product(64, torch.bfloat16, 2)

    @case
    def products_of_8_bits():
        product(128, torch.float8_e4m3fn, 2)

    @case
    def products_of_boxes():
        a, b = torch.randn(SIZE, SIZE).half(), torch.randn(SIZE, SIZE).half()
        for specialized in (False, True):
            c = torch.empty(SIZE, SIZE)
            boxes = (TensorDescriptor.from_tensor(x, [128, width]) for x, width in ((a, 64), (b, 64), (c, 128)))
            multiply_boxes[(1, 1)](*boxes, SIZE, 128, 128, 64, specialized)
            torch.testing.assert_close(c, a.float() @ b.float().T, atol=1e-3, rtol=1e-3)


raise SystemExit(1 if failed else 0)

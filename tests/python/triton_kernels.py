"""Kernels of Triton under Bankshot, with tensors of a build of PyTorch without CUDA. Prints PASS and a name for each case;
the exit status is 1 if something differs."""
import os
import sys

import torch
import triton
import triton.language as tl
from cases import case, failed
from triton_product import multiply

SIMULATED = "BANKSHOT_SIMULATE" in os.environ


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, tl.load(x + i, mask=i < n) + tl.load(y + i, mask=i < n), mask=i < n)


@triton.jit
def softmax(x, out, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    row = tl.load(x + tl.program_id(0) * n + i, mask=i < n, other=-float("inf"))
    row = tl.exp(row - tl.max(row, 0))
    tl.store(out + tl.program_id(0) * n + i, row / tl.sum(row, 0), mask=i < n)


@triton.jit
def count(x, out, BINS: tl.constexpr, BLOCK: tl.constexpr):
    values = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.atomic_add(out + tl.arange(0, BINS), tl.histogram(values, BINS))


@triton.jit
def add_all(pointers, out, HOW_MANY: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for k in range(HOW_MANY):
        total += tl.load(tl.load(pointers + k).to(tl.pointer_type(tl.float32)) + i)
    tl.store(out + i, total)


@triton.autotune([triton.Config({"READS": times}) for times in (32, 1)], key=["n"])
@triton.jit
def twice(x, out, n, BLOCK: tl.constexpr, READS: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    for _ in range(READS):
        tl.store(out + i, 2 * tl.load(x + i, mask=i < n, volatile=True), mask=i < n)


@case
def tensors_of_the_cpu_and_of_cuda_are_arguments():
    x, y = torch.rand(1000), torch.rand(1000, device="cuda")
    out = torch.empty_like(x).cuda()
    add[(4,)](x, y, out, 1000, 256)
    assert torch.equal(out, x + y)
    add[(1,)](x[300:], y[300:], out[300:], 256, 256)  # a part of a storage


@case
def tensor_cores():
    a, b = torch.randn(128, 64).half(), torch.randn(64, 128).half()
    c = torch.empty(128, 128)
    multiply[(2, 2)](a, b, c, 128, 128, 64, 64, 64, 32)
    torch.testing.assert_close(c, a.float() @ b.float(), atol=1e-3, rtol=1e-3)


@case
def reductions():
    x = torch.randn(16, 100)
    out = torch.empty_like(x)
    softmax[(16,)](x, out, 100, 128)
    torch.testing.assert_close(out, torch.softmax(x, 1))


@case
def atomics_in_shared_memory():
    x = torch.randint(0, 64, (4096,), dtype=torch.int32)
    out = torch.zeros(64, dtype=torch.int32)
    count[(4,)](x, out, 64, 1024)
    assert torch.equal(out.long(), torch.bincount(x, minlength=64))


@case
def pointers_in_a_tensor():
    parts = [torch.rand(128) for _ in range(3)]
    out = torch.empty(128)
    add_all[(1,)](torch.tensor([part.data_ptr() for part in parts]), out, 3, 128)
    torch.testing.assert_close(out, parts[0] + parts[1] + parts[2])


@case
def the_autotuner_has_simulated_times_or_none():
    x = torch.rand(256)
    out = torch.empty(256)

    def launch():
        twice[(2,)](x, out, 256, 128)

    launch()
    assert torch.equal(out, 2 * x)
    assert twice.best_config.kwargs["READS"] == (1 if SIMULATED else 32)
    time, quantiles = triton.testing.do_bench(launch), triton.testing.do_bench(launch, quantiles=[0.5, 0.8])
    assert 1e-3 < time < 1 and 1e-3 < quantiles[1] < 1 if SIMULATED else time != time and quantiles[0] != quantiles[0]
    assert len(triton.testing.do_bench(launch, return_mode="all")) == 1
    assert time < float("inf")  # which Triton gives a configuration that cannot run


@case
def torch_cuda_answers_for_the_gpu():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    assert torch.cuda.get_device_capability() == (8, 0)
    assert torch.cuda.get_device_properties(0).multi_processor_count == 108
    assert triton.runtime.driver.active.get_current_target().arch == 80
    torch.cuda.set_stream(torch.cuda.Stream())
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    end.record()
    torch.cuda.synchronize()
    assert start.elapsed_time(end) != start.elapsed_time(end)  # nothing ran in between


@case
def storages_that_are_gone_make_room():
    for size in range(1000, 1050):
        x = torch.rand(size)
        out = torch.empty(size)
        add[(triton.cdiv(size, 256),)](x, x, out, size, 256)
        assert torch.equal(out, x + x)
        del x, out


@case
def two_storages_over_the_same_bytes():
    import numpy

    array = numpy.arange(512, dtype=numpy.float32)
    first, second = torch.from_numpy(array[:300]), torch.from_numpy(array[200:])
    out = torch.empty(100)
    add[(1,)](first[200:], second[:100], out, 100, 128)
    assert torch.equal(out, 2 * torch.arange(200, 300, dtype=torch.float32))


if "past-the-end" in sys.argv:
    x = torch.rand(1000, device="cuda")
    add[(4,)](x, x, torch.empty(1000), 1024, 256)
    for use in (torch.cuda.synchronize, x.cpu, x.sum, lambda: x + 1):
        try:
            use()
            print("FAIL no error after a kernel that failed")
        except RuntimeError as error:
            print("PASS", error)
sys.exit(1 if failed else 0)

"""The device "cuda" of a PyTorch without CUDA, under Bankshot. What a GPU would answer is from PyTorch's documentation. The exit
status is 1 if something differs."""
import copy
import sys
import threading

import numpy
import torch
from cases import case, failed


@case
def tensors_tell_their_device():
    x = torch.rand(4, device="cuda")
    assert x.is_cuda and not x.is_cpu and x.device == torch.device("cuda", 0) and x.get_device() == 0
    y = torch.rand(4)
    assert y.is_cpu and not y.is_cuda and y.device == torch.device("cpu") and y.get_device() == -1


@case
def moves_between_devices_copy():
    x = torch.rand(4)
    for moved in (x.cuda(), x.to("cuda"), x.to(torch.device("cuda", 0)), x.to(0), x.to(device="cuda"), x.to(torch.rand(1, device="cuda"))):
        assert moved.is_cuda and not x.is_cuda and torch.equal(moved, x)
        moved += 1
        assert not torch.equal(moved, x)
        back = moved.cpu()
        assert not back.is_cuda and torch.equal(back, moved) and back.data_ptr() != moved.data_ptr()


@case
def mistakes_are_errors():
    x = torch.rand(4, device="cuda")
    for mistake in (lambda: x.to("cuda:1"), lambda: torch.zeros(3, device="cuda:1"), lambda: torch.cuda.set_device(3), lambda: x.to(1)):
        try:
            mistake()
            raise AssertionError("no error")
        except RuntimeError as error:
            assert "invalid device ordinal" in str(error)
    for mistake in (x.numpy, lambda: numpy.asarray(x)):
        try:
            mistake()
            raise AssertionError("no error")
        except TypeError as error:
            assert "Tensor.cpu()" in str(error)
    assert x.cpu().numpy().shape == (4,) and x.tolist()[0] == x[0].item()


@case
def other_moves_do_not():
    x, y = torch.rand(4, device="cuda"), torch.rand(4)
    assert x.cuda() is x and x.to("cuda:0") is x and x.to(0) is x and x.to(x) is x
    assert y.cpu() is y and y.to("cpu") is y and y.to(y) is y
    assert x.to("cpu", torch.float16).dtype == torch.float16 and x.to(torch.float16).is_cuda and not y.half().is_cuda


@case
def results_are_where_their_arguments_are():
    x = torch.rand(4, device="cuda")
    assert all(one.is_cuda for one in (x + 1, x[1:], torch.empty_like(x), torch.cat([x, x]), x.new_zeros(3), *torch.sort(x)))
    y = torch.zeros(4)
    y.copy_(x)
    assert not y.is_cuda and not torch.zeros(3).is_cuda and torch.zeros(3, device=x.device).is_cuda
    assert copy.deepcopy(x).is_cuda and torch.nn.Parameter(x).is_cuda


@case
def modules_and_their_gradients():
    layer = torch.nn.Linear(2, 2).cuda()
    out = layer(torch.rand(3, 2, device="cuda"))
    out.sum().backward()
    assert out.is_cuda and layer.weight.is_cuda and layer.weight.grad.is_cuda and not layer.cpu().weight.is_cuda


@case
def the_default_device():
    with torch.device("cuda"):
        assert torch.zeros(3).is_cuda and not torch.zeros(3, device="cpu").is_cuda
    torch.set_default_device("cuda")
    assert torch.zeros(3).is_cuda and torch.get_default_device() == torch.device("cuda", 0)
    torch.set_default_device("cpu")
    assert not torch.zeros(3).is_cuda


@case
def other_threads():
    found = []
    thread = threading.Thread(target=lambda: found.append(torch.zeros(3, device="cuda").is_cuda))
    thread.start()
    thread.join()
    assert found == [True]


@case
def generators():
    made = torch.Generator(device="cuda")
    first, second = (torch.rand(3, device="cuda", generator=made.manual_seed(5)) for _ in range(2))
    assert torch.equal(first, second) and torch.cuda.get_rng_state().dtype == torch.uint8


@case
def tensors_without_a_storage():
    assert torch.eye(3).to_sparse().cuda().to_dense().shape == (3, 3)
    assert torch.vmap(lambda one: 2 * one)(torch.ones(3, device="cuda")).tolist() == [2, 2, 2]


sys.exit(1 if failed else 0)

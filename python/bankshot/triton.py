"""Triton kernels under Bankshot, with tensors of any build of PyTorch.

`bankshot run python3 script.py` (or explain, check, simulate, fix) puts this module in place when Triton loads its NVIDIA
driver; programs need not import it. Then

* tensors in the memory of the host are arguments of kernels. A kernel may access what belongs to the storage of a tensor
  whose address was asked for, and nothing else;
* with a build of PyTorch that has no CUDA, "cuda" means the CPU: torch.rand(8, device="cuda"), x.cuda() and the like
  give tensors of the CPU, and torch.cuda answers for Bankshot's GPU;
* kernels are compiled for compute capability 8.x at most, because wgmma and tcgen05 are not supported yet;
* the autotuner and triton.testing.do_bench have the times of the simulated GPU under `bankshot simulate`. Otherwise they
  have none, as times of the host would say nothing about a GPU: the first configuration that runs is taken.
"""

import ctypes
import functools
import inspect
import os
import sys

from bankshot import _gpu

_MOST_CAPABILITY = 89
_said = set()


def _say(sentence):
    """Once."""
    if sentence not in _said:
        _said.add(sentence)
        print(f"bankshot: {sentence}", file=sys.stderr)


def _driver():
    """Bankshot's driver library; an ImportError if the process does not run under Bankshot."""
    if "BANKSHOT_PROGRAM" not in os.environ:
        raise ImportError("bankshot.triton needs Bankshot's driver: bankshot explain python3 script.py")
    return ctypes.CDLL("libcuda.so.1")


class _Exposed:
    """The storages whose addresses kernels may have, registered with the driver for as long as they live."""

    def __init__(self, library):
        self._library = library
        self._ranges = {}  # first byte -> (byte past the end, weak references to storages)

    def add(self, storage):
        """Lets kernels access a torch.UntypedStorage, in whole words: atomics on 16 bits are compiled to such on 32."""
        begin, end = storage.data_ptr(), storage.data_ptr() + storage.nbytes()
        if begin != end:
            begin, end = begin // 4 * 4, (end + 3) // 4 * 4
        known = self._ranges.get(begin)
        if begin == end or (known is not None and known[0] == end and not all(one.expired() for one in known[1])):
            return
        from torch.multiprocessing.reductions import StorageWeakRef

        references = [StorageWeakRef(storage)]
        for first, (last, others) in list(self._ranges.items()):
            alive = [one for one in others if not one.expired()]
            overlaps = first < end and begin < last
            if alive and not overlaps:
                continue
            self._library.cuMemHostUnregister(ctypes.c_void_p(first))
            del self._ranges[first]
            if alive:  # two storages over the same bytes, such as two arrays of NumPy over one buffer
                begin, end, references = min(first, begin), max(last, end), references + alive
        status = self._library.cuMemHostRegister_v2(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), 0)
        if status != 0:
            raise RuntimeError(f"bankshot: a tensor of {end - begin} bytes cannot be made accessible to kernels: "
                               f"cuMemHostRegister answers {status}")
        self._ranges[begin] = (end, references)


def _expose_tensors(torch, library):
    """Whoever asks for the address of a tensor may hand it to a kernel."""
    exposed = _Exposed(library)
    address_of = torch._C.TensorBase.data_ptr

    def data_ptr(self):
        """The address of the first element."""
        if self.device.type == "cpu":
            exposed.add(self.untyped_storage())
        return address_of(self)

    torch.Tensor.data_ptr = data_ptr


def put_in_place(module):
    """Changes Triton's module triton.backends.nvidia.driver, just loaded, so that its driver works under Bankshot."""
    library = _driver()
    driver_class = module.CudaDriver

    def prepare_torch():
        torch = sys.modules.get("torch")
        if torch is None or "torch" in _prepared:
            return
        _prepared.add("torch")
        if torch.version.cuda is None and torch.version.hip is None:
            from bankshot import _torch_without_cuda

            _torch_without_cuda.put_in_place(torch, _gpu.Gpu(library))
        _expose_tensors(torch, library)

    _prepared = set()
    prepare_torch()

    def __init__(self):
        prepare_torch()
        gpu = _gpu.Gpu(library)
        gpu.make_current()
        self.utils = module.CudaUtils()
        self.launcher_cls = module.CudaLauncher
        self.get_device_capability = lambda device=0: gpu.capability()
        self.get_current_stream = lambda device=0: 0
        self.get_current_device = gpu.make_current  # asked before each launch, perhaps in a thread of its own
        self.set_current_device = lambda device: None

    target_of = driver_class.get_current_target

    def get_current_target(self):
        target = target_of(self)
        if target.arch <= _MOST_CAPABILITY:
            return target
        _say(f"Triton compiles for sm_80, not for sm_{target.arch}: wgmma and tcgen05 are not supported yet")
        return type(target)(target.backend, 80, target.warp_size)

    def get_active_torch_device(self):
        import torch

        prepare_torch()
        return torch.device("cpu" if torch.version.cuda is None else "cuda", 0)

    driver_class.__init__ = __init__
    driver_class.is_active = staticmethod(lambda: True)
    driver_class.get_current_target = get_current_target
    driver_class.get_active_torch_device = get_active_torch_device


def time_by_simulation(module):
    """Changes the benchmarks of Triton's module triton.testing, just loaded."""
    for name in [name for name in vars(module) if name.startswith("do_bench")]:
        setattr(module, name, _benchmark(getattr(module, name)))


def _benchmark(original):
    """The same function, which calls what it measures once; twice for a simulated time, as caches are warm then."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def benchmark(*arguments, **options):
        call = signature.bind(*arguments, **options)
        call.apply_defaults()
        function = call.arguments["fn"]
        gpu = _gpu.Gpu(_driver())
        begin, end = gpu.event(), gpu.event()
        if _gpu.SIMULATED:
            function()
        else:
            _say("nothing is timed, as times of the host would say nothing about a GPU, and the autotuner takes the first "
                 "configuration that runs; bankshot simulate gives simulated times")
        begin.record()
        function()
        end.record()
        time = begin.elapsed_time(end)
        quantiles = call.arguments["quantiles"]
        if quantiles:
            return [time] * len(quantiles) if len(quantiles) > 1 else time
        return [time] if call.arguments["return_mode"] == "all" else time

    return benchmark

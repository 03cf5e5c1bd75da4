"""The device "cuda" in a build of PyTorch without CUDA: tensors of the CPU that are marked as being there."""

import functools
import threading
import weakref

from bankshot import _gpu, _torch_memory


def put_in_place(torch):
    """Changes torch for the rest of the process, in all threads."""
    places = places_of(torch)
    mode = _mode(torch, places)
    _change_default_device(torch, places)
    _change_generator(torch)
    mode.__enter__()
    start = threading.Thread._bootstrap_inner

    def _bootstrap_inner(self):
        mode.__enter__()
        start(self)

    threading.Thread._bootstrap_inner = _bootstrap_inner


@functools.lru_cache(maxsize=None)
def places_of(torch):
    """The only Places of the process."""
    return Places(torch)


class Places:
    """Which storages are on "cuda". Views share a storage, and so its place."""

    def __init__(self, torch):
        self._torch = torch
        self._marked = set()  # addresses of the C++ objects

    def tensors(self, value):
        return _torch_memory.tensors_in(self._torch, value)

    def storage(self, tensor):
        """None if it has none, as a sparse tensor or one that only stands for others, below vmap."""
        try:
            return tensor.untyped_storage() if tensor.layout == self._torch.strided else None
        except (NotImplementedError, RuntimeError):
            return None

    def is_on_cuda(self, tensor):
        storage = self.storage(tensor)
        return storage is not None and storage._cdata in self._marked

    def share(self, tensor, others):
        """Whether the tensor has the storage of one of the others."""
        storage = self.storage(tensor)
        others = map(self.storage, others)
        return storage is not None and any(other is not None and other._cdata == storage._cdata for other in others)

    def any_on_cuda(self, tensors):
        return any(map(self.is_on_cuda, tensors))

    def put_new_on_cuda(self, result, given):
        """Marks the tensors of a result, apart from those that share memory with what was given."""
        for one in self.tensors(result):
            if not self.share(one, given):
                self.put_on_cuda(one)

    def put_on_cuda(self, tensor):
        """Marks the tensor and lets kernels access it."""
        storage = self.storage(tensor)
        if storage is not None and storage._cdata not in self._marked:
            self._marked.add(storage._cdata)
            weakref.finalize(storage, self._marked.discard, storage._cdata).atexit = False
            _torch_memory.expose(self._torch, tensor)


def _is_cuda(device):
    """Whether an argument names the GPU, as a text or a torch.device."""
    kind, _, number = str(device).partition(":")
    if type(device).__name__ not in ("str", "device") or kind != "cuda":
        return False
    need_number(int(number or 0))
    return True


def need_number(number):
    """There is one GPU, number 0."""
    if number not in (0, -1):  # -1: the current one
        raise RuntimeError(f"CUDA error: invalid device ordinal {number}; Bankshot has one GPU, cuda:0")


def _mode(torch, places):
    """All functions of torch: devices are exchanged on the way in, and results are where their arguments are."""
    from torch.overrides import TorchFunctionMode

    cpu = torch.device("cpu")
    told = {  # of a tensor on "cuda"
        torch.Tensor.device.__get__: torch.device("cuda", 0),
        torch.Tensor.is_cuda.__get__: True,
        torch.Tensor.is_cpu.__get__: False,
        torch.Tensor.get_device: 0,
        torch.Tensor.record_stream: None,
    }

    def place_of(device):
        """True: cuda, False: the CPU, None: the argument names no place."""
        if isinstance(device, torch.Tensor):
            return places.is_on_cuda(device)
        if type(device) is int:
            need_number(device)
            return True
        return _is_cuda(device) if type(device) in (str, torch.device) else None

    def change_place(function, arguments, options):
        """Where the result is wanted (None: nowhere in particular), and the same call for a build without CUDA."""
        if function is torch.Tensor.cuda:
            return True, torch.Tensor.to, arguments[:1] + (cpu,), {}
        if function is torch.Tensor.pin_memory:
            return False, torch.Tensor.to, arguments[:1] + (cpu,), {}
        if function is torch.Tensor.cpu:
            return False, function, arguments, options
        place = None
        if function is torch.Tensor.to and len(arguments) > 1:
            place = place_of(arguments[1])
            if place is not None and not isinstance(arguments[1], torch.Tensor):
                arguments = (arguments[0], cpu) + arguments[2:]
        if options.get("device") is not None:
            place = place_of(options["device"])
            options = {**options, "device": cpu} if place else options
        return place, function, arguments, options

    class CudaIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, arguments=(), options=None):
            options = {name: value for name, value in (options or {}).items() if name != "pin_memory"}
            given = list(places.tensors([arguments, options]))
            was_on_cuda = places.any_on_cuda(given)
            if was_on_cuda and function in told:
                return told[function]
            if was_on_cuda:
                _gpu.this().synchronize()  # a kernel may have failed, which later operations tell
                if function in (torch.Tensor.numpy, torch.Tensor.__array__):
                    raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to "
                                    "host memory first.")
            if isinstance(function, torch._ops.OpOverloadPacket):  # such as one of an extension, which asks in C++
                _torch_memory.expose(torch, given)
            place, function, arguments, options = change_place(function, arguments, options)
            result = function(*arguments, **options)
            if _gpu.RUNS_ARE_COMPARED and "empty" in getattr(function, "__name__", ""):  # what is in new memory must not differ
                result.zero_()
            if place is not None and isinstance(result, torch.Tensor) and places.is_on_cuda(result) != place:
                result = result.clone() if places.share(result, given) else result  # a move between devices copies
            if was_on_cuda if place is None else place:
                places.put_new_on_cuda(result, given)
            return result

    return CudaIsTheCpu()


def _change_default_device(torch, places):
    """torch.set_default_device and `with torch.device(…)` are modes below ours."""
    from torch.utils import _device

    def __torch_function__(self, function, kinds, arguments=(), options=None):
        options = dict(options or {})
        if function not in _device._device_constructors() or options.get("device") is not None:
            return function(*arguments, **options)
        on_cuda = _is_cuda(self.device)
        result = function(*arguments, **{**options, "device": torch.device("cpu") if on_cuda else self.device})
        for tensor in places.tensors(result) if on_cuda else ():
            places.put_on_cuda(tensor)
        return result

    _device.DeviceContext.__torch_function__ = __torch_function__


def _change_generator(torch):
    class Generator(torch.Generator):
        """One of the CPU in any case."""

        def __new__(cls, device="cpu"):
            return super().__new__(cls, "cpu" if _is_cuda(device) else device)

    torch.Generator = Generator

"""PyTorch under Bankshot.

`bankshot run python3 script.py` (or explain, check, simulate, fix) puts this module in place when PyTorch is imported;
programs need not import it. Then

* tensors in the memory of the host are arguments of kernels. A kernel may access what belongs to the storage of a tensor
  whose address was asked for, or which was made on "cuda", and nothing else;
* with a build of PyTorch that has no CUDA, "cuda" means the CPU: torch.rand(8, device="cuda"), x.cuda() and the like
  give tensors of the CPU, and torch.cuda answers for Bankshot's GPU.
"""

import contextlib

from bankshot import _gpu, _torch_memory


def _is_cuda(device):
    """Whether an argument is the name of a GPU, as a text or a torch.device."""
    return type(device).__name__ in ("str", "device") and str(device).split(":")[0] == "cuda"


def _mode(torch):
    """All functions of torch that take a device: it is exchanged on the way in."""
    from torch.overrides import TorchFunctionMode

    class CudaIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, arguments=(), options=None):
            options = dict(options or {})
            on_cuda = False
            if "device" in options:
                device = options["device"]
                on_cuda = type(device) is int or _is_cuda(device)
                options["device"] = torch.device("cpu") if on_cuda else device
            if function is torch.Tensor.to:
                on_cuda = on_cuda or any(map(_is_cuda, arguments[1:]))
                arguments = tuple(torch.device("cpu") if _is_cuda(one) else one for one in arguments)
            options.pop("pin_memory", None)
            if function is torch.Tensor.cuda or function is torch.Tensor.pin_memory:
                on_cuda, result = True, arguments[0]
            else:
                if isinstance(function, torch._ops.OpOverloadPacket):  # such as one of an extension, which asks in C++
                    _torch_memory.expose(torch, [arguments, options])
                result = function(*arguments, **options)
            if on_cuda:
                _torch_memory.expose(torch, result)
            return result

    return CudaIsTheCpu()


def _event_class():
    class Event:
        """Reached when it is recorded, as every launch has ended when it returns."""

        def __init__(self, *_, **__):
            self._event = _gpu.this().event()

        def record(self, stream=None):
            self._event.record()

        def wait(self, stream=None):
            pass

        def synchronize(self):
            pass

        def query(self):
            return True

        def elapsed_time(self, other):
            return self._event.elapsed_time(other._event)

    return Event


def _stream_class(Event):
    class Stream:
        """The default stream."""

        cuda_stream = 0
        device_index = 0

        def __init__(self, *_, **__):
            pass

        def synchronize(self):
            pass

        def wait_stream(self, other):
            pass

        def wait_event(self, event):
            pass

        def record_event(self, event=None):
            event = event or Event()
            event.record()
            return event

        def query(self):
            return True

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return None

    return Stream


def put_in_place(torch):
    """Changes torch, just imported, for the rest of the process."""
    _torch_memory.expose_addresses(torch)
    if torch.version.cuda is None and torch.version.hip is None:
        _cuda_is_the_cpu(torch)


def _cuda_is_the_cpu(torch):
    gpu = _gpu.this
    Event = _event_class()
    Stream = _stream_class(Event)
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "device": lambda device=None: contextlib.nullcontext(),
        "device_of": lambda tensor: contextlib.nullcontext(),
        "get_device_capability": lambda device=None: gpu().capability(),
        "get_device_name": lambda device=None: gpu().name(),
        "get_device_properties": lambda device=None: gpu().properties(),
        "mem_get_info": lambda device=None: gpu().memory(),
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "manual_seed": lambda seed: None,
        "manual_seed_all": lambda seed: None,
        "current_stream": lambda device=None: Stream(),
        "default_stream": lambda device=None: Stream(),
        "set_stream": lambda stream: None,
        "stream": lambda stream: stream or contextlib.nullcontext(),
        "Stream": Stream,
        "Event": Event,
        "memory_allocated": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0,
        "reset_peak_memory_stats": lambda device=None: None,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    _mode(torch).__enter__()

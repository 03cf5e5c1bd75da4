"""PyTorch under Bankshot.

`bankshot run python3 script.py` (or explain, check, simulate, fix) puts this module in place when PyTorch is imported;
programs need not import it. Then

* tensors in the memory of the host are arguments of kernels. A kernel may access what belongs to the storage of a tensor
  whose address was asked for, or which was made on "cuda", and nothing else;
* with a build of PyTorch that has no CUDA, tensors on "cuda" are such of the CPU that are marked: torch.rand(8,
  device="cuda"), x.cuda() and the like give them, x.device and x.is_cuda tell it, and torch.cuda answers for Bankshot's
  GPU.
"""

import contextlib

from bankshot import _gpu, _torch_devices, _torch_memory


class Event:
    """Reached when it is recorded, as every launch has ended when it returns."""

    def __init__(self, *_, **__):
        self._event = _gpu.this().event()

    def record(self, stream=None):
        self._event.record()

    def wait(self, stream=None):
        pass

    def synchronize(self):
        _gpu.this().synchronize()

    def query(self):
        return True

    def elapsed_time(self, other):
        return self._event.elapsed_time(other._event)


class Stream:
    """The default stream."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *_, **__):
        pass

    def synchronize(self):
        _gpu.this().synchronize()

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


def put_in_place(torch):
    """Changes torch, just imported, for the rest of the process."""
    _torch_memory.expose_addresses(torch)
    if torch.version.cuda is None and torch.version.hip is None:
        _cuda_is_the_cpu(torch)


def _cuda_is_the_cpu(torch):
    gpu = _gpu.this
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: _torch_devices.need_number(device) if type(device) is int else None,
        "device": lambda device=None: contextlib.nullcontext(),
        "device_of": lambda tensor: contextlib.nullcontext(),
        "get_device_capability": lambda device=None: gpu().capability(),
        "get_device_name": lambda device=None: gpu().name(),
        "get_device_properties": lambda device=None: gpu().properties(),
        "mem_get_info": lambda device=None: gpu().memory(),
        "synchronize": lambda device=None: gpu().synchronize(),
        "empty_cache": lambda: None,
        "manual_seed": lambda seed: None,
        "manual_seed_all": lambda seed: None,
        "current_stream": lambda device=None: Stream(),
        "default_stream": lambda device=None: Stream(),
        "set_stream": lambda stream: None,
        "stream": lambda stream: stream or contextlib.nullcontext(),
        "Stream": Stream,
        "Event": Event,
        "get_rng_state": lambda device=None: torch.get_rng_state(),
        "set_rng_state": lambda state, device=None: torch.set_rng_state(state),
        "memory_allocated": lambda device=None: 0,
        "max_memory_allocated": lambda device=None: 0,
        "reset_peak_memory_stats": lambda device=None: None,
    }
    for name, answer in answers.items():
        setattr(torch.cuda, name, answer)
    _torch_devices.put_in_place(torch)

"""A build of PyTorch without CUDA, under Bankshot: "cuda" means the CPU, and torch.cuda answers for Bankshot's GPU."""

import contextlib


def _is_cuda(device):
    return device is not None and not isinstance(device, (bool, int)) and str(device).split(":")[0] == "cuda"


def _on_cpu(torch, value):
    """The same argument, with the CPU in the place of the GPU."""
    is_device = isinstance(value, (str, torch.device))
    return torch.device("cpu") if is_device and _is_cuda(value) else value


def _mode(torch):
    """All functions of torch that take a device: it is exchanged on the way in."""
    from torch.overrides import TorchFunctionMode

    class CudaIsTheCpu(TorchFunctionMode):
        def __torch_function__(self, function, kinds, arguments=(), options=None):
            options = dict(options or {})
            if "device" in options:
                device = options["device"]
                options["device"] = torch.device("cpu") if type(device) is int else _on_cpu(torch, device)
            if function is torch.Tensor.cuda:
                return arguments[0]
            if function is torch.Tensor.to:
                arguments = tuple(_on_cpu(torch, one) for one in arguments)
            if function is torch.Tensor.pin_memory:
                return arguments[0]
            options.pop("pin_memory", None)
            return function(*arguments, **options)

    return CudaIsTheCpu()


def _event_class(gpu):
    class Event:
        """Reached when it is recorded, as every launch has ended when it returns."""

        def __init__(self, *_, **__):
            self._event = gpu.event()

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


def put_in_place(torch, gpu):
    """Changes torch and torch.cuda for the rest of the process. `gpu` is a _gpu.Gpu."""
    Event = _event_class(gpu)
    Stream = _stream_class(Event)
    answers = {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "init": lambda: None,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "set_device": lambda device: None,
        "device": lambda device=None: contextlib.nullcontext(),
        "get_device_capability": lambda device=None: gpu.capability(),
        "get_device_name": lambda device=None: gpu.name(),
        "get_device_properties": lambda device=None: gpu.properties(),
        "mem_get_info": lambda device=None: gpu.memory(),
        "synchronize": lambda device=None: None,
        "empty_cache": lambda: None,
        "manual_seed": lambda seed: None,
        "manual_seed_all": lambda seed: None,
        "current_stream": lambda device=None: Stream(),
        "default_stream": lambda device=None: Stream(),
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

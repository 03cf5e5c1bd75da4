"""Bankshot's GPU by the driver's interface."""

import ctypes
import functools
import math
import os
import types

RUNS_ARE_COMPARED = "BANKSHOT_REPEATED" in os.environ  # by `bankshot fix`: each run must do the same
# By `bankshot simulate`: launches take simulated time, events have it. Runs that are compared have none, like those of `explain`.
SIMULATED = "BANKSHOT_SIMULATE" in os.environ and not RUNS_ARE_COMPARED


class NoTime(float):
    """A time that was not taken: not a number, yet less than infinity, which stands for what cannot run at all."""

    def __new__(cls):
        return super().__new__(cls, math.nan)

    def __lt__(self, other):
        return other == math.inf


@functools.lru_cache(maxsize=None)
def this():
    """The only device of the process; an ImportError if that does not run under Bankshot."""
    if "BANKSHOT_PROGRAM" not in os.environ:
        raise ImportError("this needs Bankshot's driver: bankshot explain python3 script.py")
    return Gpu(ctypes.CDLL("libcuda.so.1"))


class Gpu:
    """@param library  libcuda.so.1 as ctypes has it"""

    def __init__(self, library):
        self.library = library
        self._context = ctypes.c_void_p()
        library.cuInit(0)
        library.cuDevicePrimaryCtxRetain(ctypes.byref(self._context), 0)

    def make_current(self):
        """Makes the primary context that of this thread, and returns the number of the device."""
        self.library.cuCtxSetCurrent(self._context)
        return 0

    def need_context(self):
        """Makes the primary context that of this thread if it has none."""
        current = ctypes.c_void_p()
        self.library.cuCtxGetCurrent(ctypes.byref(current))
        if not current:
            self.make_current()

    def check(self, status, what=""):
        """Raises what PyTorch would for an error of CUDA; `what` goes on with its text."""
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            raise RuntimeError(f"CUDA error: {(text.value or b'unknown error').decode()}{what}")

    def synchronize(self):
        """A RuntimeError if a kernel has failed."""
        self.need_context()
        self.check(self.library.cuCtxSynchronize())

    def attribute(self, number):
        """Numbers: CUDA driver API reference, enum CUdevice_attribute."""
        value = ctypes.c_int()
        self.library.cuDeviceGetAttribute(ctypes.byref(value), number, 0)
        return value.value

    def capability(self):
        return self.attribute(75), self.attribute(76)

    def name(self):
        text = ctypes.create_string_buffer(256)
        self.library.cuDeviceGetName(text, len(text), 0)
        return text.value.decode()

    def memory(self):
        """Free and total bytes."""
        self.make_current()
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.library.cuMemGetInfo_v2(ctypes.byref(free), ctypes.byref(total))
        return free.value, total.value

    def event(self):
        self.need_context()
        return Event(self.library)

    def properties(self):
        """What torch.cuda.get_device_properties has. Sizes in bytes."""
        major, minor = self.capability()
        return types.SimpleNamespace(
            name=self.name(), major=major, minor=minor, total_memory=self.memory()[1],
            multi_processor_count=self.attribute(16), warp_size=self.attribute(10),
            max_threads_per_multi_processor=self.attribute(39), regs_per_multiprocessor=self.attribute(82),
            shared_memory_per_block=self.attribute(8), shared_memory_per_block_optin=self.attribute(97),
            shared_memory_per_multiprocessor=self.attribute(81), L2_cache_size=self.attribute(38))


class Event:
    """A point in the time of the simulated GPU. Without one there are no times: those of the host are not a GPU's."""

    def __init__(self, library):
        self._library = library
        self._handle = ctypes.c_void_p()
        library.cuEventCreate(ctypes.byref(self._handle), 0)

    def __del__(self):
        self._library.cuEventDestroy_v2(self._handle)

    def record(self):
        self._library.cuEventRecord(self._handle, None)

    def elapsed_time(self, end):
        """Milliseconds from here to `end`. NoTime if nothing ran in between: what the CPU did has no simulated time."""
        if not SIMULATED:
            return NoTime()
        time = ctypes.c_float()
        status = self._library.cuEventElapsedTime_v2(ctypes.byref(time), self._handle, end._handle)
        if status != 0:
            raise RuntimeError(f"bankshot: no time between events that were not both recorded (status {status})")
        return time.value or NoTime()

"""Tensors in the memory of the host, which kernels may access under Bankshot: the bytes of their storages, and no others."""

import bisect
import ctypes
import functools
import weakref

from bankshot import _gpu

_ALREADY_REGISTERED = 712  # CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED


class Exposed:
    """The storages that kernels may access, registered with the driver for as long as they live."""

    def __init__(self, gpu):
        self._gpu = gpu
        self._storages = {}  # address of the C++ object -> (first byte, byte past the end)
        self._registered = {}  # first byte -> (byte past the end, how many storages); none overlap
        self._starts = []  # their first bytes, sorted

    def add(self, storage):
        """Lets kernels access a torch.UntypedStorage, in whole words: atomics on 16 bits are compiled to such on 32."""
        name = storage._cdata
        if name in self._storages or storage.nbytes() == 0:
            return
        begin, end = storage.data_ptr() // 4 * 4, (storage.data_ptr() + storage.nbytes() + 3) // 4 * 4
        self._storages[name] = begin, end
        weakref.finalize(storage, self._remove, name).atexit = False
        if not self._overlap(begin, end):
            self._register(begin, end, 1)
        else:
            self._register_again(begin, end)

    def _remove(self, name):
        begin, end = self._storages.pop(name)
        if self._registered.get(begin) == (end, 1):
            self._unregister(begin)
        else:
            self._register_again(begin, end)

    def _overlap(self, begin, end):
        """The first bytes of what is registered there."""
        at = bisect.bisect_right(self._starts, begin)
        if at > 0 and self._registered[self._starts[at - 1]][0] > begin:
            at -= 1
        return self._starts[at:bisect.bisect_left(self._starts, end)]

    def _register_again(self, begin, end):
        """For storages that share bytes, such as two arrays of NumPy over one buffer: the driver takes none twice."""
        for first in self._overlap(begin, end):
            begin, end = min(begin, first), max(end, self._registered[first][0])
            self._unregister(first)
        parts = []  # [first, last, how many]
        for first, last in sorted(one for one in self._storages.values() if one[0] < end and begin < one[1]):
            if parts and first < parts[-1][1]:
                parts[-1][1:] = max(parts[-1][1], last), parts[-1][2] + 1
            else:
                parts.append([first, last, 1])
        for part in parts:
            self._register(*part)

    def _register(self, begin, end, how_many):
        self._gpu.need_context()
        status = self._gpu.library.cuMemHostRegister_v2(ctypes.c_void_p(begin), ctypes.c_size_t(end - begin), 0)
        if status not in (0, _ALREADY_REGISTERED):  # already: by an extension, see cuda_is_the_cpu.h
            self._gpu.check(status, f"; bankshot: a tensor of {end - begin} bytes cannot be made accessible to kernels")
        if status == 0:
            self._registered[begin] = end, how_many
            bisect.insort(self._starts, begin)

    def _unregister(self, begin):
        del self._registered[begin]
        del self._starts[bisect.bisect_left(self._starts, begin)]
        self._gpu.need_context()
        self._gpu.library.cuMemHostUnregister(ctypes.c_void_p(begin))


@functools.lru_cache(maxsize=None)
def _exposed():
    return Exposed(_gpu.this())


def tensors_in(torch, value):
    """A tensor, or those in a list, tuple or dictionary."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from tensors_in(torch, one)
    elif isinstance(value, dict):
        yield from tensors_in(torch, list(value.values()))


def expose(torch, value):
    """Lets kernels access the tensors_in(value) that are of the CPU."""
    for tensor in tensors_in(torch, value):
        if tensor.device.type == "cpu" and tensor.layout == torch.strided:
            _exposed().add(tensor.untyped_storage())


def expose_addresses(torch):
    """Whoever asks for the address of a tensor may hand it to a kernel."""
    address_of = torch._C.TensorBase.data_ptr

    def data_ptr(self):
        """The address of the first element."""
        with torch._C.DisableTorchFunction():  # the tensor's own answers
            expose(torch, self)
            return address_of(self)

    torch.Tensor.data_ptr = data_ptr

"""Addresses as people give them: one warp or many, lists or NumPy arrays, lanes that are off."""

from __future__ import annotations

import ctypes
import operator
import sys
from typing import Any, Optional, Sequence

from ._errors import Error

MOST_LANES = 64
_REMEDY = "give whole numbers, and None (in arrays -1, or a mask) for a lane that is off"


def integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}, which is not a whole number") from None


def is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # who has an array has imported it
    return numpy is not None and isinstance(value, numpy.ndarray)


def like(value: Any, results: Sequence[Any]) -> Any:
    """`results` as an array, if `value` is one, else a list."""
    return sys.modules["numpy"].array(results) if is_array(value) else list(results)


def is_many(addresses: Any) -> bool:
    """Whether these are rows of several warps. Raises Error for more dimensions, or none."""
    if is_array(addresses):
        if addresses.ndim not in (1, 2):
            raise Error(f"the addresses have {addresses.ndim} dimensions", "give one row a warp")
        return bool(addresses.ndim == 2)
    if not hasattr(addresses, "__len__"):
        raise Error(f"{addresses!r} is not a list of addresses", _REMEDY)
    return len(addresses) > 0 and hasattr(addresses[0], "__len__")


def lanes_of(addresses: Any) -> tuple[Optional[int], ...]:
    """The addresses of one warp, None for lanes that are off."""
    values = addresses.tolist() if is_array(addresses) else addresses  # of a masked array tolist() gives None
    lanes = []
    for lane, value in enumerate(values):
        try:
            address = None if value is None else operator.index(value)
        except TypeError:
            raise Error(f"lane {lane}: {value!r} is not an address", _REMEDY) from None
        if address is not None and not -1 <= address < 1 << 32:
            raise Error(f"lane {lane}: {address} is not an address of shared memory", _REMEDY)
        lanes.append(None if address == -1 else address)
    if len(lanes) > MOST_LANES:
        raise Error(f"{len(lanes)} addresses, but a warp has at most {MOST_LANES} lanes", "give one row a warp")
    return tuple(lanes)


def as_c(lanes: Sequence[Optional[int]]) -> tuple[Any, int]:
    """The array and the mask that the library takes."""
    array = (ctypes.c_uint32 * MOST_LANES)(*[address or 0 for address in lanes])
    return array, sum(1 << lane for lane, address in enumerate(lanes) if address is not None)

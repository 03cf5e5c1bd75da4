"""Numbers and addresses as people give them: one warp or many, lists or arrays, lanes that are off."""

from __future__ import annotations

import ctypes
import operator
import sys
from collections.abc import Sequence
from typing import Any, Optional

from ._errors import Error

MOST_LANES = 64
_REMEDY = "give whole numbers, and None (in arrays -1, or a mask) for a lane that is off"


def integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}, which is not a whole number", "give an int") from None


def natural(value: Any, name: str, bits: int = 32) -> int:
    """A whole number that an unsigned integer of C holds. The library checks all narrower limits."""
    number = integer(value, name)
    if not 0 <= number < 1 << bits:
        raise Error(f"{name} is {number}", f"it must be 0 or more, and less than 2**{bits}")
    return number


def is_array(value: Any) -> bool:
    numpy = sys.modules.get("numpy")  # who has an array has imported it
    return numpy is not None and isinstance(value, numpy.ndarray)


def integers(array: Any, what: str) -> Any:
    """The array with 64-bit elements, as which the masks and shifts of all narrower ones are right. Raises Error if they are not
    whole numbers, or too large."""
    if array.dtype.kind not in "iu":
        raise Error(f"an array of {array.dtype} has no {what}", "convert it to integers")
    if array.size and int(array.max()) >= 1 << 63:
        raise Error(f"{array.max()} is too large", "numbers in arrays must be less than 2**63")
    return array.astype("int64")


def like(value: Any, results: Sequence[Any]) -> Any:
    """`results` as an array, if `value` is one, else a list."""
    return sys.modules["numpy"].array(results) if is_array(value) else list(results)


def is_many(addresses: Any) -> bool:
    """Whether these are rows of several warps. Raises Error for more dimensions, or none."""
    dimensions = getattr(addresses, "ndim", None)
    if dimensions not in (None, 1, 2):
        raise Error(f"the addresses have {dimensions} dimensions", "give one row a warp")
    values = listed(addresses, "addresses")
    return len(values) > 0 and isinstance(_plain(values[0]), Sequence)


def _plain(values: Any) -> Any:
    """Arrays of NumPy, PyTorch and others as lists; of a masked array tolist() gives None."""
    return values.tolist() if hasattr(values, "tolist") else values


def listed(values: Any, what: str) -> Sequence[Any]:
    plain = _plain(values)
    if not isinstance(plain, Sequence) or isinstance(plain, (str, bytes)):
        raise Error(f"{values!r} is not a list of {what}", f"give a list or an array of {what}")
    return plain


def lanes_of(addresses: Any) -> tuple[Optional[int], ...]:
    """The addresses of one warp, None for lanes that are off."""
    lanes = []
    for lane, value in enumerate(listed(addresses, "addresses")):
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

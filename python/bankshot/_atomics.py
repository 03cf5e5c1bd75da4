"""The closed model of atomics."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

from . import _lanes, _library
from ._errors import Error


@dataclass(frozen=True)
class AtomicsCost:
    """What a warp's atomic addition costs."""

    cycles: int  #: of the clock that programs can read
    rounds: int  #: passes of the loop over locks; 1 without such a loop
    lock_degree: int  #: most lanes on one lock or, without locks, on one word
    bank_degree: int  #: most different words in one bank


def _cost(lanes: Any, gpu: str) -> AtomicsCost:
    active = [address for address in lanes if address is not None]
    for address in active:
        if address % 4 != 0:
            raise Error(f"address {address} is not a multiple of 4 bytes", "atomics here are additions to words of 4 bytes")
    cost = _library.CAtomicsCost()
    words = (ctypes.c_uint32 * max(1, len(active)))(*[address // 4 for address in active])
    _library.checked("atomics", str(gpu).encode(), words, len(active), ctypes.byref(cost))
    return AtomicsCost(cost.cycles, cost.rounds, cost.lock_degree, cost.bank_degree)


def atomics(addresses: Any, *, gpu: str = "h100") -> Any:
    """The cost of an atomic addition of a warp to 4-byte words of shared memory, by a closed model.

    addresses  byte addresses, as conflicts() takes them; rows give a list of costs
    gpu        one that can be simulated"""
    if not _lanes.is_many(addresses):
        return _cost(_lanes.lanes_of(addresses), gpu)
    return [_cost(_lanes.lanes_of(row), gpu) for row in addresses]

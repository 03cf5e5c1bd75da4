"""What accesses of warps to shared memory cost."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional, Union

from . import _lanes, _library, _picture
from ._errors import Error
from ._hash import Hash
from ._text import counted


class Banks:
    """The rules of a GPU's shared memory."""

    def __init__(self, pointer: int | None):
        self._banks = _library.Owned(pointer, "banks_free")
        self.pointer = self._banks.pointer
        self.count: int = _library.call("banks_count", self.pointer)
        self.width: int = _library.call("banks_width", self.pointer)  # bytes of a word

    def set_hash(self, spec: str) -> None:
        hash_ = Hash(spec, self.count, 16)  # held until the library has copied it
        _library.checked("banks_set_hash", self.pointer, hash_._hash.pointer)


def banks_of(gpu: str, hash_spec: Optional[str] = None) -> Banks:
    """@param gpu  a name that `bankshot gpus` lists, or the path of a .toml file"""
    try:
        status = os.stat(gpu)
    except (OSError, ValueError):
        return _banks_of(gpu, hash_spec)
    # A file may change, and another be at a relative path after chdir().
    return _banks_of(gpu, hash_spec, status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)


@functools.lru_cache(maxsize=64)
def _banks_of(gpu: str, hash_spec: Optional[str], *_version_of_file: int) -> Banks:
    banks = Banks(_library.call("banks_of", str(gpu).encode()))
    if hash_spec is not None:
        banks.set_hash(hash_spec)
    return banks


@functools.lru_cache(maxsize=64)
def banks_read(rules: str, hash_spec: Optional[str] = None) -> Banks:
    """@param rules  `scratchpad` of a report, as JSON"""
    banks = Banks(_library.call("banks_read", rules.encode()))
    if hash_spec is not None:
        banks.set_hash(hash_spec)
    return banks


# The banks serve the lines of stmatrix as those of ldmatrix: docs/wavefronts.md.
_KINDS = {**{kind: number for number, kind in enumerate(_library.KINDS)}, "stmatrix": _library.KINDS.index("ldmatrix")}


def kind_number(kind: str) -> int:
    if kind not in _KINDS:
        raise Error(f"{kind!r} is not a kind of access", f"choose one of {', '.join(_KINDS)}")
    return _KINDS[kind]


@dataclass(frozen=True)
class Service:
    """A bank delivers a word to lanes, in one pass."""

    pass_: int  #: 0 to wavefronts - 1
    bank: int
    word: int  #: byte address / bytes of a word
    lanes: tuple[int, ...]
    phase: tuple[int, ...]  #: the lanes that are served together


def _lane_numbers(mask: int) -> tuple[int, ...]:
    return tuple(lane for lane in range(_lanes.MOST_LANES) if mask >> lane & 1)


@dataclass(frozen=True)
class Access:
    """One access of a warp, and what it costs."""

    addresses: tuple[Optional[int], ...]  #: in bytes, by lane; None: the lane is off
    width: int  #: bytes a lane
    kind: str
    wavefronts: int  #: passes over the banks
    ideal: int  #: wavefronts of an access of this width without conflicts
    position: int  #: of an atomic: the part of the wavefronts due to lanes on one word
    pattern: str  #: "linear", "stride", "block", "broadcast" or "random"
    stride_bytes: int  #: of a stride, else 0
    _of: Banks = field(repr=False, compare=False)

    @property
    def conflicts(self) -> int:
        return self.wavefronts - self.ideal

    @property
    def degree(self) -> int:
        """The conflict degree: the wavefronts that it needs."""
        return self.wavefronts

    @functools.cached_property
    def services(self) -> tuple[Service, ...]:
        """What the banks do in each pass, by pass, then by bank."""
        array, mask = _lanes.as_c(self.addresses)
        arguments = (self._of.pointer, kind_number(self.kind), self.width, array, mask)
        count = _library.call("access_services", *arguments, None, 0)
        if count < 0:
            raise _library.failure()
        found = (_library.CService * count)()
        _library.call("access_services", *arguments, found, count)
        return tuple(Service(one.pass_, one.bank, one.word, _lane_numbers(one.lanes), _lane_numbers(one.phase))
                     for one in found)

    @property
    def banks(self) -> tuple[Optional[int], ...]:
        """By lane, the bank of the first word that it accesses; None: the lane is off."""
        bank_of = {service.word: service.bank for service in self.services}
        return tuple(None if address is None else bank_of[address // self._of.width] for address in self.addresses)

    @property
    def bank_count(self) -> int:
        return self._of.count

    def svg(self) -> str:
        """The picture: lanes by banks, with the pass in which each is served."""
        return _picture.svg(self)

    def __repr__(self) -> str:
        shape = f"stride of {self.stride_bytes} bytes" if self.pattern == "stride" else self.pattern
        return f"<{self.kind} of {counted(self.width, 'byte')} per lane: {counted(self.wavefronts, 'wavefront')}, {self.ideal} ideal, {shape}>"

    def _repr_html_(self) -> str:
        return _picture.figure(self, repr(self)[1:-1])


class Accesses(Sequence):  # type: ignore[type-arg]
    """Accesses of several warps. The sums and columns are arrays if the addresses were one, else lists."""

    def __init__(self, addresses: Any, accesses: list[Access]):
        self._addresses = addresses
        self._accesses = accesses

    def __getitem__(self, index: Any) -> Any:
        return Accesses(self._addresses, self._accesses[index]) if isinstance(index, slice) else self._accesses[index]

    def __len__(self) -> int:
        return len(self._accesses)

    def __iter__(self) -> Iterator[Access]:
        return iter(self._accesses)

    def _column(self, name: str) -> Any:
        return _lanes.like(self._addresses, [getattr(access, name) for access in self._accesses])

    @property
    def wavefronts(self) -> Any:
        return self._column("wavefronts")

    @property
    def ideal(self) -> Any:
        return self._column("ideal")

    @property
    def conflicts(self) -> Any:
        return self._column("conflicts")

    @property
    def degree(self) -> Any:
        return self._column("degree")

    @property
    def banks(self) -> Any:
        """By warp and lane; -1: the lane is off."""
        return _lanes.like(self._addresses,
                           [[-1 if bank is None else bank for bank in access.banks] for access in self._accesses])

    def worst(self) -> Access:
        """The first of those with the most conflicts."""
        if not self._accesses:
            raise Error("there are no accesses", "give conflicts() at least one row of addresses")
        return max(self._accesses, key=lambda access: access.conflicts)

    def __repr__(self) -> str:
        wavefronts, ideal = (sum(getattr(one, name) for one in self) for name in ("wavefronts", "ideal"))
        return f"<{len(self)} accesses: {counted(wavefronts, 'wavefront')}, {ideal:,} ideal>"

    def _repr_html_(self) -> str:
        if not self._accesses:
            return "<p>no accesses</p>"
        worst = self.worst()
        return _picture.figure(worst, f"{repr(self)[1:-1]}; the worst is number {self._accesses.index(worst)}: {repr(worst)[1:-1]}")


def access_under(banks: Banks, lanes: tuple[Optional[int], ...], width: int, kind: str) -> Access:
    array, mask = _lanes.as_c(lanes)
    width = _lanes.natural(width, "width")
    cost = _library.Cost()
    _library.checked("access", banks.pointer, kind_number(kind), width, array, mask, ctypes.byref(cost))
    return Access(lanes, width, kind, cost.wavefronts, cost.ideal, cost.position, _library.PATTERNS[cost.pattern],
                  cost.stride_bytes, banks)


def conflicts(addresses: Any, width: int = 4, *, gpu: str = "h100", kind: str = "load",
              hash: Union[str, Hash, None] = None) -> Any:  # noqa: A002  the field's word
    """What accesses to shared memory cost, by the rules of a GPU.

    addresses  byte addresses, multiples of `width`: of one warp (a list or an array), or of several (rows). None, in
               arrays -1 or what is masked, is a lane that is off
    width      bytes a lane: 1, 2, 4, 8 or 16
    gpu        a name that `bankshot gpus` lists, or the path of a .toml file
    kind       "load", "store", "atomic", "increment", "cas", "copy" (cp.async), "ldmatrix" or "stmatrix"
    hash       the bank hash of the hardware: a Hash, or one as text; default: that of the GPU

    Gives an Access for one warp, Accesses for rows. Raises Error for addresses or names that do not exist."""
    banks = banks_of(str(gpu), None if hash is None else str(hash))
    if not _lanes.is_many(addresses):
        return access_under(banks, _lanes.lanes_of(addresses), width, kind)
    return Accesses(addresses, [access_under(banks, _lanes.lanes_of(row), width, kind) for row in addresses])

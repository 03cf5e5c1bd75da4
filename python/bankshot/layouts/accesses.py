"""The accesses of warps to shared memory that a load or store between a register and a shared layout makes.

    >>> from bankshot.layouts import BlockedLayout, SwizzledSharedLayout
    >>> registers = BlockedLayout([1, 4], [8, 4], [1, 1], [1, 0]).layout((8, 16))
    >>> rows = SwizzledSharedLayout(1, 1, 1, [1, 0]).layout((8, 16))
    >>> store = accesses(registers, rows, element_bytes=4, kind="store")
    >>> store.width, len(store.rows), store.rows[0][:6]
    (16, 1, (0, 16, 32, 48, 64, 80))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from .. import _access
from .._errors import Error
from .._hash import Hash
from .._lanes import integer
from .cute import ComposedLayout, Layout
from .linear import LinearLayout
from .matrices import matrix_rows
from .shared import PaddedLayout

KINDS = ("load", "store", "copy", "ldmatrix", "stmatrix")


@dataclass(frozen=True)
class AccessPattern:
    """What one load or store of a program does to shared memory.

    @param kind    load, store, copy (cp.async), ldmatrix or stmatrix
    @param width   bytes per lane: 1, 2, 4, 8 or 16; of ldmatrix and stmatrix 16
    @param rows    one access of a warp each: byte addresses from lane 0 on, multiples of the width; None, and lanes
                   beyond the row's end: the lane takes no part
    @param weight  how often the program does all of it
    """

    kind: str
    width: int
    rows: Sequence[Sequence[int | None]]
    name: str = ""
    weight: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise Error(f"kind '{self.kind}' is not known; there are {', '.join(KINDS)}")
        widths = {"copy": (4, 8, 16), "ldmatrix": (16,), "stmatrix": (16,)}.get(self.kind, (1, 2, 4, 8, 16))
        if self.width not in widths:
            raise Error(f"a {self.kind} has {_either(widths)} bytes per lane, not {self.width}")
        if integer(self.weight, "the weight") < 1:
            raise Error(f"weight {self.weight}: it must be at least 1")
        rows = tuple(tuple(None if a is None else integer(a, f"access {i}: an address") for a in row) for i, row in enumerate(self.rows))
        for i, row in enumerate(rows):
            for lane, address in enumerate(row):
                if address is not None and (address < 0 or address % self.width):
                    raise Error(f"access {i}, lane {lane}: byte address {address} is no multiple of the width, "
                                f"{self.width} bytes")
            if all(address is None for address in row):
                raise Error(f"access {i}: no lane takes part")
        if not rows:
            raise Error("there is no access")
        object.__setattr__(self, "rows", rows)

    def costs(self, gpu: str = "h100", hash: str | Hash | None = None) -> _access.Accesses:  # noqa: A002
        """The cost of each row, without weight, as `bankshot.conflicts` gives it. @param hash  the bank hash of the GPU"""
        costs = _access.conflicts(self.rows, self.width, gpu=gpu, kind=self.kind, hash=hash)
        assert isinstance(costs, _access.Accesses), "rows are of several warps"
        return costs

    def wavefronts(self, gpu: str = "h100") -> int:
        """Of all rows together, once."""
        return sum(self.costs(gpu).wavefronts)

    def conflicts(self, gpu: str = "h100") -> int:
        """Wavefronts beyond the ideal ones, of all rows together, once."""
        return sum(self.costs(gpu).conflicts)


def accesses(register_layout: LinearLayout | Layout, shared_layout: Any, element_bytes: int, kind: str = "load",
             vector: int | None = None, transposed: bool = False, matrices: int | None = None, name: str = "") -> AccessPattern:
    """The accesses of a load or store of all registers.

    @param register_layout  a LinearLayout of (register, lane, warp), or CuTe's layout (thread, value) -> index
    @param shared_layout    a LinearLayout offset -> coordinates, as `shared` makes them; a PaddedLayout; or a CuTe layout
                            of the coordinates (with a CuTe register layout: of the index)
    @param element_bytes    1, 2, 4, 8 or 16
    @param vector           elements that a lane moves at once; None: the most, up to 16 bytes. Registers that repeat
                            others are moved once
    @param transposed       of ldmatrix and stmatrix: .trans, elements of 2 bytes
    @param matrices         of ldmatrix and stmatrix: 1, 2 or 4 (.x1, .x2, .x4); None: the most
    Raises Error if the layouts do not fit, or if they do not have such vectors or matrices, and where.
    """
    if element_bytes not in (1, 2, 4, 8, 16):
        raise Error(f"elements have 1, 2, 4, 8 or 16 bytes, not {element_bytes}")
    offsets = _distinct(_offset_table(register_layout, shared_layout))
    lanes = min(32, len(offsets[0]))
    if kind in ("ldmatrix", "stmatrix"):
        if vector is not None:
            raise Error(f"{kind} has no vector; it moves lines of 16 bytes")
        return AccessPattern(kind, 16, matrix_rows(offsets, element_bytes, kind, transposed, matrices), name)
    if transposed or matrices is not None:
        raise Error(f"transposed and matrices are for ldmatrix and stmatrix, not for a {kind}")
    groups = _widest(offsets, 16 // element_bytes) if vector is None else _vectors(offsets, vector)
    rows = [[element_bytes * offsets[group[0]][warp + lane] for lane in range(lanes)]
            for group in groups for warp in range(0, len(offsets[0]), lanes)]
    return AccessPattern(kind, element_bytes * len(groups[0]), rows, name)


def _offset_table(registers: object, shared: Any) -> list[list[int]]:
    """Element offsets by register and thread."""
    if isinstance(registers, LinearLayout):
        return _linear_table(registers, shared)
    if not isinstance(registers, Layout) or registers.rank != 2:
        raise Error("a register layout is a LinearLayout, or a CuTe layout of two modes: (thread, value)")
    if not isinstance(shared, (Layout, ComposedLayout)):
        raise Error("with a CuTe register layout, the shared layout must be one of CuTe")
    if registers.cosize > shared.size:
        raise Error(f"the register layout reaches index {registers.cosize - 1}, the shared layout has "
                    f"{shared.size}")
    threads, values = registers.mode(0).size, registers.mode(1).size
    if threads > 32 and threads % 32:
        raise Error(f"{threads} threads are no whole number of warps")
    offset = shared.in_elements() if isinstance(shared, ComposedLayout) else shared
    return [[offset(registers(thread, value)) for thread in range(threads)] for value in range(values)]


def _linear_table(registers: LinearLayout, shared: Any) -> list[list[int]]:
    for name, n in registers.in_sizes.items():
        if name not in ("register", "lane", "warp") and n > 1:
            raise Error(f"the register layout has a dimension {name} of size {n}: only register, lane and warp are "
                        "supported")
    registers = registers.with_ins([name for name in ("register", "lane", "warp") if name in registers.in_sizes])
    sizes = registers.in_sizes
    n, threads = sizes.get("register", 1), sizes.get("lane", 1) * sizes.get("warp", 1)
    if sizes.get("lane", 1) > 32:
        raise Error(f"the register layout has {sizes['lane']} lanes: only warps of 32 are supported")
    linear = shared.linear if isinstance(shared, PaddedLayout) else shared
    if isinstance(linear, LinearLayout):
        if set(linear.out_sizes) != set(registers.out_sizes):
            raise Error(f"the register layout has the dimensions {', '.join(registers.out_sizes)}, the shared "
                        f"layout {', '.join(linear.out_sizes)}")
        place = registers.with_outs(list(linear.out_sizes)).compose(linear.invert())
        at = list(place.out_sizes).index("offset")
        flat = [place.at(i)[at] for i in range(n * threads)]
        if isinstance(shared, PaddedLayout):
            flat = [shared.padded(offset) for offset in flat]
    elif isinstance(shared, (Layout, ComposedLayout)):
        offset = shared.in_elements() if isinstance(shared, ComposedLayout) else shared
        flat = [offset(*registers.at(i)) for i in range(n * threads)]
    else:
        raise Error("a shared layout is a LinearLayout, a PaddedLayout or a CuTe layout: call layout(shape) first")
    return [[flat[register + n * thread] for thread in range(threads)] for register in range(n)]


def _distinct(offsets: list[list[int]]) -> list[list[int]]:
    """Without registers that hold what an earlier one holds, in all threads."""
    return [list(row) for row in dict.fromkeys(tuple(row) for row in offsets)]


def _widest(offsets: list[list[int]], most: int) -> list[list[int]]:
    while most > 1:
        try:
            return _vectors(offsets, most)
        except Error:
            most //= 2
    return _vectors(offsets, 1)


def _vectors(offsets: list[list[int]], vector: int) -> list[list[int]]:
    """Registers in groups of `vector`, each side by side and aligned in all threads."""
    if vector < 1 or vector & (vector - 1) or len(offsets) % vector:
        raise Error(f"vectors of {vector} elements: it must be a power of two that divides the {len(offsets)} "
                    "registers")
    order = sorted(range(len(offsets)), key=lambda register: offsets[register][0])
    groups = sorted(order[i : i + vector] for i in range(0, len(order), vector))
    for group in groups:
        group.sort(key=lambda register: offsets[register][0])
        for thread, first in enumerate(offsets[group[0]]):
            if first % vector:
                raise Error(f"no vectors of {vector} elements: register {group[0]} of thread {thread} is at offset "
                            f"{first}, which is not aligned")
            for i, register in enumerate(group):
                if offsets[register][thread] != first + i:
                    raise Error(f"no vectors of {vector} elements: in thread {thread}, register {group[0]} is at "
                                f"offset {first} and register {register} at {offsets[register][thread]}, not at "
                                f"{first + i}")
    return groups


def _either(values: Sequence[int]) -> str:
    return " or ".join(filter(None, [", ".join(map(str, values[:-1])), str(values[-1])]))

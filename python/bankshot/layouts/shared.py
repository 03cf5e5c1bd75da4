"""Triton's layouts of shared memory: from element offsets to tensor coordinates, as linear layouts, or with padding.

Names are those of Gluon. `layout(shape)` gives a LinearLayout (offset, block) -> (dim0, dim1, …), or a PaddedLayout.

    >>> tile = SwizzledSharedLayout(vec=2, per_phase=1, max_phase=2, order=[1, 0]).layout((2, 4))
    >>> offset_at(tile, (1, 0))  # row 1 is in phase 1: its two vectors are exchanged
    6

Definitions: Triton, include/triton/Dialect/TritonGPU/IR/TritonGPUAttrDefs.td; the modes of nvmma_shared: PTX ISA,
section "Tensor swizzling modes".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Sequence

from .._errors import Error
from .encodings import _check_order
from .linear import LinearLayout, _log2

SHARED = ("offset", "block")


@dataclass(frozen=True)
class SwizzledSharedLayout:
    """Rows along order[0]; in row r, vector v of `vec` elements lies where v ^ (r / per_phase % max_phase) would."""

    vec: int
    per_phase: int
    max_phase: int
    order: Sequence[int]

    def __post_init__(self) -> None:
        _check_order(self.order)
        for name in ("vec", "per_phase", "max_phase"):
            _log2(getattr(self, name), name)

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        _check_rank(shape, len(self.order))
        fast, rank = self.order[0], len(shape)
        bases = [_at(rank, {fast: 1 << bit}) for bit in range(_log2(shape[fast], f"dim{fast}"))]
        for place, d in enumerate(self.order[1:]):
            for bit in range(_log2(shape[d], f"dim{d}")):
                row = 1 << bit
                moved = self.vec * (row // self.per_phase % self.max_phase) % shape[fast] if place == 0 else 0
                bases.append(_at(rank, {d: row, fast: moved}))
        return _of_bases(bases, shape)

    def __str__(self) -> str:
        return (f"#ttg.swizzled_shared<{{vec = {self.vec}, perPhase = {self.per_phase}, maxPhase = {self.max_phase}, "
                f"order = {list(self.order)}}}>")


@dataclass(frozen=True)
class NVMMASharedLayout:
    """What tensor copies write and wgmma reads: tiles of 8 rows, each as wide as the swizzle (32, 64 or 128 bytes), one
    below the other and then side by side; without a swizzle (0), rows. `transposed`: rows run along dim0."""

    swizzle_byte_width: int
    element_bitwidth: int
    rank: int = 2
    transposed: bool = False

    def __post_init__(self) -> None:
        if self.swizzle_byte_width not in (0, 32, 64, 128):
            raise Error(f"nvmma_shared: swizzlingByteWidth is 0, 32, 64 or 128, not {self.swizzle_byte_width}")
        if self.element_bitwidth not in (8, 16, 32):
            raise Error(f"nvmma_shared: elements of {self.element_bitwidth} bits; 8, 16 and 32 are supported")
        if self.rank != 2:
            raise Error("nvmma_shared: only tensors of two dimensions are supported")

    def layout(self, shape: Sequence[int]) -> LinearLayout:
        _check_rank(shape, 2)
        row_dim, column_dim = (1, 0) if self.transposed else (0, 1)
        if self.swizzle_byte_width == 0:
            return SwizzledSharedLayout(1, 1, 1, (column_dim, row_dim)).layout(shape)
        rows, columns = shape[row_dim], shape[column_dim]
        width = self.swizzle_byte_width * 8 // self.element_bitwidth
        if rows < 8 or columns < width:
            raise Error(f"{self} needs at least 8 rows of {width} elements, the tensor has {rows} of {columns}")
        vec = 128 // self.element_bitwidth
        per_phase = 128 // self.swizzle_byte_width
        max_phase = self.swizzle_byte_width // 16
        bases = [{column_dim: 1 << bit} for bit in range(_log2(width, "tile"))]
        for row in (1, 2, 4):
            bases.append({row_dim: row, column_dim: vec * (row // per_phase % max_phase)})
        bases += [{row_dim: 1 << bit} for bit in range(3, _log2(rows, f"dim{row_dim}"))]
        bases += [{column_dim: 1 << bit} for bit in range(_log2(width, "tile"), _log2(columns, f"dim{column_dim}"))]
        return _of_bases([_at(2, basis) for basis in bases], shape)

    def __str__(self) -> str:
        return (f"#ttg.nvmma_shared<{{swizzlingByteWidth = {self.swizzle_byte_width}, transposed = "
                f"{str(self.transposed).lower()}, elementBitWidth = {self.element_bitwidth}}}>")


@dataclass(frozen=True)
class PaddedSharedLayout:
    """After every `interval` elements, `padding` elements stay free; several intervals add up.

    @param interval_padding_pairs  [interval, padding], in elements, powers of two
    @param offset_bases            the tensor coordinates of offset bits, before padding
    """

    interval_padding_pairs: Sequence[Sequence[int]]
    offset_bases: Sequence[Sequence[int]]
    shape: Sequence[int]

    def __post_init__(self) -> None:
        for interval, padding in self.interval_padding_pairs:
            _log2(interval, "interval")
            _log2(padding, "padding")

    @staticmethod
    def with_identity_for(interval_padding_pairs: Sequence[Sequence[int]], shape: Sequence[int],
                          order: Sequence[int]) -> PaddedSharedLayout:
        """Without a reordering: dimension order[0] is the fastest."""
        _check_order(order)
        _check_rank(shape, len(order))
        bases = [list(_at(len(shape), {d: 1 << bit})) for d in order for bit in range(_log2(shape[d], f"dim{d}"))]
        return PaddedSharedLayout(interval_padding_pairs, bases, shape)

    def layout(self, shape: Sequence[int] | None = None) -> PaddedLayout:
        if shape is not None and tuple(shape) != tuple(self.shape):
            raise Error(f"the layout is for the shape {tuple(self.shape)}, not {tuple(shape)}")
        return PaddedLayout(_of_bases([tuple(b) for b in self.offset_bases], self.shape),
                            tuple((i, p) for i, p in self.interval_padding_pairs))

    def __str__(self) -> str:
        pairs = ", ".join(f"{interval}:+{padding}" for interval, padding in self.interval_padding_pairs)
        return f"#ttg.padded_shared<[{pairs}] {{offset = {[list(b) for b in self.offset_bases]}, block = []}}>"


@dataclass(frozen=True)
class PaddedLayout:
    """A linear layout from offsets before padding to coordinates, and the padding as (interval, padding) in elements.

    >>> PaddedLayout(LinearLayout.identity(8, "offset", "dim0"), ((2, 1), (4, 2))).padded(4)
    8
    """

    linear: LinearLayout
    intervals: tuple[tuple[int, int], ...]

    def padded(self, offset: int) -> int:
        """Where the element is that would be at `offset` without padding."""
        return offset + sum(offset // interval * padding for interval, padding in self.intervals)


def offset_at(layout: LinearLayout | PaddedLayout, coordinates: Sequence[int]) -> int:
    """The element offset of a tensor coordinate. Raises Error if the layout is no bijection."""
    if isinstance(layout, PaddedLayout):
        return layout.padded(offset_at(layout.linear, coordinates))
    inverse = _inverse(layout)
    return inverse(**dict(zip(inverse.in_sizes, coordinates)))["offset"]


@lru_cache(maxsize=64)
def _inverse(layout: LinearLayout) -> LinearLayout:
    return layout.invert()


def _of_bases(bases: Sequence[Sequence[int]], shape: Sequence[int]) -> LinearLayout:
    return LinearLayout({"offset": bases, "block": []}, {f"dim{d}": n for d, n in enumerate(shape)})


def _at(rank: int, coordinates: dict[int, int]) -> tuple[int, ...]:
    return tuple(coordinates.get(d, 0) for d in range(rank))


def _check_rank(shape: Sequence[int], rank: int) -> None:
    if len(shape) != rank:
        raise Error(f"the shape {tuple(shape)} has {len(shape)} dimensions, the layout {rank}")

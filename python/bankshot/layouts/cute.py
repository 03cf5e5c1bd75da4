"""CuTe layouts: functions from coordinates to offsets, given by a shape and strides.

    >>> tile = Layout((64, 32), (32, 1))
    >>> tile(2, 3), tile.size, tile.cosize
    (67, 2048, 2048)

Definitions: CUTLASS, media/docs/cpp/cute/01_layout.md and 02_layout_algebra.md. As in CuTe, coordinates are not
checked against the shape: the last mode goes on with its stride.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Tuple, Union

from .._errors import Error
from .._swizzle import Swizzle

IntTuple = Union[int, Tuple["IntTuple", ...]]


@dataclass(frozen=True)
class Layout:
    """(shape):(stride). Both are integers or tuples, nested alike; the strides' unit is one element."""

    shape: IntTuple
    stride: IntTuple

    def __post_init__(self) -> None:
        object.__setattr__(self, "shape", _tuples(self.shape))
        object.__setattr__(self, "stride", _tuples(self.stride))
        if not _congruent(self.shape, self.stride):
            raise Error(f"{self}: shape and stride must be nested alike")
        if any(extent < 1 for extent in flatten(self.shape)):
            raise Error(f"{self}: every extent must be at least 1")

    def __call__(self, *coordinate: Any) -> int:
        """The offset at an index (one integer), or at a coordinate that is nested like the shape.

        An integer where the shape has a tuple is an index into that part, its first mode the fastest.
        """
        return _offset(_given(coordinate), self.shape, self.stride, self)

    def __str__(self) -> str:
        return f"{_text(self.shape)}:{_text(self.stride)}"

    @property
    def size(self) -> int:
        """The number of coordinates."""
        return size(self.shape)

    @property
    def cosize(self) -> int:
        """One more than the greatest offset."""
        return 1 + sum((n - 1) * abs(d) for n, d in self.flat())

    @property
    def rank(self) -> int:
        return len(self.shape) if isinstance(self.shape, tuple) else 1

    def mode(self, i: int) -> Layout:
        """The layout of top-level mode i."""
        if isinstance(self.shape, int) or isinstance(self.stride, int):
            return self
        return Layout(self.shape[i], self.stride[i])

    def flat(self) -> list[tuple[int, int]]:
        """Extents with strides, in order, without nesting."""
        return list(zip(flatten(self.shape), flatten(self.stride)))

    def table(self) -> list[int]:
        """The offsets at all indices."""
        return [self(i) for i in range(self.size)]


@dataclass(frozen=True)
class SmemPtr:
    """Stands between a swizzle and a layout of elements of so many bits: the swizzle then acts on byte addresses."""

    bits: int | None = None

    def __str__(self) -> str:
        return "smem_ptr" if self.bits is None else f"smem_ptr[{self.bits}b](unset)"


@dataclass(frozen=True)
class ComposedLayout:
    """Swizzle o offset o Layout: the swizzle of offset + layout(coordinate).

    With an integer offset, the swizzle acts on elements; with a SmemPtr, on bytes, and the result is still in elements.

    >>> from bankshot.layouts import parse
    >>> half = parse("Sw<3,4,3> o smem_ptr[16b](unset) o (8,64):(64,1)")
    >>> half(1, 0), str(half.in_elements())
    (72, 'Sw<3,3,3> o 0 o (8,64):(64,1)')
    """

    swizzle: Swizzle
    offset: int | SmemPtr
    layout: Layout

    def __call__(self, *coordinate: Any) -> int:
        if isinstance(self.offset, SmemPtr):
            return self.in_elements()(*coordinate)
        return int(self.swizzle(self.offset + self.layout(*coordinate)))

    def __str__(self) -> str:
        s = self.swizzle
        return f"Sw<{s.b},{s.m},{s.s}> o {self.offset} o {self.layout}"

    def in_elements(self, element_bits: int | None = None) -> ComposedLayout:
        """The same layout with its swizzle of elements. @param element_bits  needed where smem_ptr has no size"""
        if not isinstance(self.offset, SmemPtr):
            return self
        bits = self.offset.bits or element_bits
        if bits is None:
            raise Error(f"{self}: the size of an element is not known",
                        "write smem_ptr[16b] for 16 bits, or call in_elements(16)")
        return ComposedLayout(self.swizzle.scaled(bits), 0, self.layout)

    @property
    def shape(self) -> IntTuple:
        return self.layout.shape

    @property
    def size(self) -> int:
        return self.layout.size

    @property
    def cosize(self) -> int:
        """One more than the greatest offset that any coordinate has, after the swizzle."""
        return 1 + max(self.table())

    def table(self) -> list[int]:
        own = self.in_elements()
        return [own(i) for i in range(own.size)]


def of_modes(modes: list[tuple[int, int]]) -> Layout:
    """A flat layout of extents with strides; one mode has no parentheses, none is 1:0."""
    if len(modes) == 0:
        return Layout(1, 0)
    if len(modes) == 1:
        return Layout(*modes[0])
    return Layout(tuple(n for n, _ in modes), tuple(d for _, d in modes))


def size(shape: IntTuple) -> int:
    result = 1
    for extent in flatten(shape):
        result *= extent
    return result


def flatten(tree: IntTuple) -> list[int]:
    if isinstance(tree, int):
        return [tree]
    return [leaf for part in tree for leaf in flatten(part)]


def coordinate_at(index: int, shape: IntTuple) -> IntTuple:
    """The coordinate, nested like the shape, of an index: the first mode is the fastest."""
    if isinstance(shape, int):
        return index % shape
    parts = []
    for part in shape:
        parts.append(coordinate_at(index, part))
        index //= size(part)
    return tuple(parts)


def _offset(coordinate: IntTuple, shape: Any, stride: Any, whole: Layout) -> int:
    if isinstance(shape, int):
        if not isinstance(coordinate, int):
            raise Error(f"{whole}: the coordinate {coordinate} is nested deeper than the shape")
        return int(coordinate * stride)
    if isinstance(coordinate, int):
        total = 0
        for part, step in list(zip(shape, stride))[:-1]:
            n = size(part)
            total += _offset(coordinate % n, part, step, whole)
            coordinate //= n
        return total + (_offset(coordinate, shape[-1], stride[-1], whole) if shape else 0)
    if len(coordinate) != len(shape):
        raise Error(f"{whole}: the coordinate {_text(coordinate)} has {len(coordinate)} parts, the shape "
                    f"{_text(shape)} has {len(shape)}")
    return sum(_offset(c, n, d, whole) for c, n, d in zip(coordinate, shape, stride))


def _given(coordinate: tuple[Any, ...]) -> IntTuple:
    parts = tuple(_tuples(part) for part in coordinate)
    return parts[0] if len(parts) == 1 else parts


def _tuples(tree: Any) -> IntTuple:
    """Integers and tuples only, whatever sequences and integer types the caller has."""
    if isinstance(tree, (tuple, list)):
        return tuple(_tuples(part) for part in tree)
    return int(tree)


def _congruent(a: IntTuple, b: IntTuple) -> bool:
    if isinstance(a, int) or isinstance(b, int):
        return isinstance(a, int) and isinstance(b, int)
    return len(a) == len(b) and all(_congruent(x, y) for x, y in zip(a, b))


def _text(tree: IntTuple) -> str:
    return str(tree) if isinstance(tree, int) else "(" + ",".join(_text(part) for part in tree) + ")"


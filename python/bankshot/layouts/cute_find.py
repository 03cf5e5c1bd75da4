"""From addresses back to the CuTe layout that has them."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Sequence

from .._errors import Error
from .._swizzle import Swizzle
from .cute import ComposedLayout, IntTuple, Layout, coordinate_at, flatten, of_modes, size


class Departure(Exception):
    """Where a table departs from the layout that its earlier entries have."""

    def __init__(self, index: int, expected: int, found: int, layout: Layout):
        super().__init__()
        self.index, self.expected, self.found, self.layout = index, expected, found, layout


def cute_layout_of(table: Sequence[Any] | Callable[..., int], shape: IntTuple | None = None) -> Layout | ComposedLayout:
    """The layout that has these addresses: shape, strides and, if there is one, the swizzle of fewest bits.

    @param table  addresses by index, the first mode the fastest, in any unit (the result has it too); or nested lists,
                  table[i][j] the address at (i, j); or a function of the coordinate, which needs `shape`
    @param shape  the shape of the result, whose modes are split where one stride does not do; without it, the result of
                  a flat table is coalesced
    Raises Error with the first index at which no layout fits.

    >>> print(cute_layout_of([0, 1, 8, 9, 16, 17]))
    (2,3):(1,8)
    >>> print(cute_layout_of(lambda row, column: 32 * row + (column ^ row), (32, 32)))
    Sw<5,0,5> o 0 o (32,32):(32,1)
    >>> cute_layout_of([0, 1, 2, 3, 8, 9, 10, 12])
    Traceback (most recent call last):
    bankshot.Error: index 7 has address 12, but (4,2):(1,8), which fits before it, has 11; no swizzle explains the difference
    """
    addresses, shape = _flat_table(table, shape)
    if not addresses:
        raise Error("the table has no addresses")
    try:
        return _based(addresses, shape)
    except Departure as departure:
        first = departure
    if min(addresses) >= 0:
        for swizzle in _swizzles(max(addresses).bit_length()):
            try:
                return ComposedLayout(swizzle, swizzle(addresses[0]), _fit(_Moved(addresses, swizzle), shape))
            except Departure:
                continue
    raise _error(first, shape, "; no swizzle explains the difference")


class _Moved(Sequence[int]):
    """Addresses without their swizzle, which is its own inverse; computed when asked, as most swizzles fail early."""

    def __init__(self, addresses: Sequence[int], swizzle: Swizzle):
        self._addresses, self._swizzle = addresses, swizzle

    def __len__(self) -> int:
        return len(self._addresses)

    def __getitem__(self, i: Any) -> Any:
        return self._swizzle(self._addresses[i])


def plain_layout(addresses: Sequence[int], shape: IntTuple) -> Layout:
    """The layout of this shape without a swizzle. Raises Error where it departs."""
    try:
        return _fit(addresses, shape)
    except Departure as departure:
        raise _error(departure, shape, "") from None


def _error(departure: Departure, shape: IntTuple | None, end: str) -> Error:
    where = f"index {departure.index}"
    if isinstance(shape, tuple):
        where += f", coordinate {coordinate_at(departure.index, shape)},"
    return Error(f"{where} has address {departure.found}, but {departure.layout}, which fits before it, has "
                 f"{departure.expected}{end}")


def _based(addresses: Sequence[int], shape: IntTuple | None) -> Layout | ComposedLayout:
    """A layout; with an offset if the first address is not 0, which CuTe writes behind the swizzle that does nothing."""
    layout = _fit(addresses, shape)
    return layout if addresses[0] == 0 else ComposedLayout(Swizzle(0, 0, 0), addresses[0], layout)


def _swizzles(bits: int) -> Iterator[Swizzle]:
    """Swizzles of that many address bits, those of fewest bits first."""
    for b in range(1, bits // 2 + 1):
        for sign in (1, -1):
            for m in range(bits):
                for s in range(b, bits - m - b + 1):
                    yield Swizzle(b, m, sign * s)


def _fit(addresses: Sequence[int], shape: IntTuple | None) -> Layout:
    if shape is None:
        return _run_lengths(addresses, 1)
    leaves, step = [], 1
    for extent in flatten(shape):
        leaves.append(_run_lengths([addresses[step * i] for i in range(extent)], step))
        step *= extent
    layout = Layout(_nested(shape, iter(leaf.shape for leaf in leaves)),
                    _nested(shape, iter(leaf.stride for leaf in leaves)))
    for i, address in enumerate(addresses):
        expected = addresses[0] + layout(i)
        if address != expected:
            raise Departure(i, expected, address, layout)
    return layout


def _run_lengths(addresses: Sequence[int], step: int) -> Layout:
    """The coalesced layout of a table, relative to its first entry. Its modes are unique: a mode ends where the address
    is no longer the next multiple of its stride. @param step  the index of an entry in the whole table, for errors"""
    n, base = len(addresses), addresses[0]
    modes: list[tuple[int, int]] = []
    period = 1
    while period < n:
        stride, extent = addresses[period] - base, 1
        while period * extent < n and addresses[period * extent] - base == extent * stride:
            extent += 1
        for i in range(period, min(period * extent, n)):
            expected = addresses[i % period] + (i // period) * stride
            if addresses[i] != expected:
                raise Departure(i * step, expected, addresses[i], of_modes(modes + [(extent, stride)]))
        if n % (period * extent):
            # The next mode, had it this stride, would not fill the table.
            at = period * extent if period * extent < n else n - 1
            raise Departure(at * step, base + extent * stride, addresses[at], of_modes(modes + [(extent, stride)]))
        modes.append((extent, stride))
        period *= extent
    return of_modes(modes)


def _nested(shape: IntTuple, leaves: Iterator[IntTuple]) -> IntTuple:
    return next(leaves) if isinstance(shape, int) else tuple(_nested(part, leaves) for part in shape)


def _flat_table(table: Any, shape: IntTuple | None) -> tuple[list[int], IntTuple | None]:
    if callable(table):
        if shape is None:
            raise Error("a function needs a shape: cute_layout_of(f, (32, 32))")
        coordinates = (coordinate_at(i, shape) for i in range(size(shape)))
        return [int(table(*c) if isinstance(c, tuple) else table(c)) for c in coordinates], shape
    table = table.tolist() if hasattr(table, "tolist") else list(table)
    if table and isinstance(table[0], (list, tuple)):
        own, rest = [], table
        while isinstance(rest, (list, tuple)):
            own.append(len(rest))
            rest = rest[0] if rest else None
        addresses = []
        for i in range(size(tuple(own))):
            entry = table
            for c in flatten(coordinate_at(i, tuple(own))):
                if not isinstance(entry, (list, tuple)) or c >= len(entry):
                    raise Error("the rows of the table are not equally long")
                entry = entry[c]
            addresses.append(int(entry))
        if sum(1 for _ in _leaves(table)) != len(addresses):
            raise Error("the rows of the table are not equally long")
        shape = tuple(own) if shape is None else shape
    else:
        addresses = [int(a) for a in table]
    if shape is not None and size(shape) != len(addresses):
        raise Error(f"the table has {len(addresses)} addresses, the shape {size(shape)}")
    return addresses, shape


def _leaves(table: Sequence[Any]) -> Iterator[Any]:
    for entry in table:
        if isinstance(entry, (list, tuple)):
            yield from _leaves(entry)
        else:
            yield entry

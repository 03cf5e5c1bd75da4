"""Operations on CuTe layouts. Definitions: CUTLASS, media/docs/cpp/cute/02_layout_algebra.md."""

from __future__ import annotations

from typing import Any

from .._swizzle import Swizzle
from .cute import ComposedLayout, Layout, of_modes
from .cute_find import plain_layout


def coalesce(layout: Layout) -> Layout:
    """The flat layout with the fewest modes that has the same offsets at the same indices.

    >>> print(coalesce(Layout((2, (1, 6)), (1, (6, 2)))))
    12:1
    """
    modes: list[tuple[int, int]] = []
    for extent, stride in layout.flat():
        if extent == 1:
            continue
        if modes and modes[-1][0] * modes[-1][1] == stride:
            modes[-1] = (modes[-1][0] * extent, modes[-1][1])
        else:
            modes.append((extent, stride))
    return of_modes(modes)


def composition(outer: Any, inner: Layout) -> Any:
    """outer o inner: the layout with outer(inner(c)) at each coordinate c. Its shape is that of `inner`, with modes
    split where the strides of `outer` change.

    @param outer  a Swizzle, a Layout or a ComposedLayout
    Raises Error if the function is no layout; the message says at which coordinate it departs.

    >>> print(composition(Layout((6, 2), (8, 2)), Layout((4, 3), (3, 1))))
    ((2,2),3):((24,2),8)
    """
    if isinstance(outer, Swizzle):
        return ComposedLayout(outer, 0, inner)
    if isinstance(outer, ComposedLayout):
        return ComposedLayout(outer.swizzle, outer.offset, composition(outer.layout, inner))
    return plain_layout([outer(inner(i)) for i in range(inner.size)], inner.shape)

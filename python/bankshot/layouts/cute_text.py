"""Reads CuTe layouts from text; str() writes them."""

from __future__ import annotations

from .._errors import Error
from .._swizzle import Swizzle
from ._scanner import Scanner
from .cute import ComposedLayout, IntTuple, Layout, SmemPtr

_SWIZZLE = r"(?:Swizzle|Sw|S)\s*<\s*(\d+)\s*,\s*(\d+)\s*,\s*(-?\d+)\s*>"


def parse(text: str) -> Layout | ComposedLayout | Swizzle:
    """Reads what CuTe prints, in C++ or in its Python DSL: static integers may have an underscore, and a shape alone has
    the compact strides of its first mode first.

    >>> print(parse("Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_8),(_64,_1)):((_64,_512),(_1,_0))"))
    Sw<3,4,3> o smem_ptr[16b](unset) o ((8,8),(64,1)):((64,512),(1,0))
    >>> print(parse("(4,8)"))
    (4,8):(1,4)
    >>> parse("(4,8):(1,)")
    Traceback (most recent call last):
    bankshot.Error: column 10: expected an integer or a tuple
      (4,8):(1,)
               ^
    """
    scanner = Scanner(text)
    swizzle_at = scanner.at
    found = scanner.accept(_SWIZZLE)
    if not found:
        layout = _layout(scanner)
        scanner.end()
        return layout
    try:
        swizzle = Swizzle(*(int(part) for part in found.groups()))
    except Error as wrong:
        scanner.fail(str(wrong), swizzle_at)
    if not scanner.accept(r"o\b|∘"):
        scanner.end()
        return swizzle
    offset: int | SmemPtr = 0
    pointer = scanner.accept(r"smem_ptr(?:\[(\d+)b\])?(?:\(\w*\))?")
    if pointer:
        offset = SmemPtr(int(pointer.group(1)) if pointer.group(1) else None)
        scanner.expect(r"o\b|∘", "'o' and the layout")
    else:
        integer = scanner.accept(r"_?(-?\d+)\s*(?:o\b|∘)")
        if integer:
            offset = int(integer.group(1))
    layout = _layout(scanner)
    scanner.end()
    return ComposedLayout(swizzle, offset, layout)


def _layout(scanner: Scanner) -> Layout:
    start = scanner.at
    shape = _tree(scanner)
    if not scanner.accept(":"):
        return Layout(shape, _compact(shape, 1)[0])
    stride = _tree(scanner)
    try:
        return Layout(shape, stride)
    except Error as wrong:
        scanner.fail(str(wrong), start)


def _tree(scanner: Scanner) -> IntTuple:
    if not scanner.accept(r"\("):
        return scanner.integer("an integer or a tuple")
    parts = [_tree(scanner)]
    while scanner.accept(","):
        parts.append(_tree(scanner))
    scanner.expect(r"\)", "',' or ')'")
    return tuple(parts)


def _compact(shape: IntTuple, step: int) -> tuple[IntTuple, int]:
    """Strides of a shape without gaps, its first mode the fastest, and the step after it."""
    if isinstance(shape, int):
        return step, step * shape
    strides = []
    for part in shape:
        stride, step = _compact(part, step)
        strides.append(stride)
    return tuple(strides), step

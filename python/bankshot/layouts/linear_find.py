"""From a table of outputs back to the linear layout that has them, by Gaussian elimination over GF(2)."""

from __future__ import annotations

from typing import Any, Callable, Mapping, Sequence

from .._errors import Error
from . import _gf2
from .linear import LinearLayout, _log2, _split


def linear_layout_of(table: Sequence[Any] | Mapping[int, Any] | Callable[..., Any], in_dims: Mapping[str, int],
                     out_dims: Mapping[str, int] | Sequence[str] = ("offset",)) -> LinearLayout:
    """The linear layout with these outputs.

    @param table     outputs by flat index, the first input dimension the fastest: integers, or tuples with one
                     coordinate per output dimension. None: not known; a few entries can determine the rest. Or a dict
                     from flat indices to outputs, or a function of the input dimensions by name
    @param in_dims   names and sizes of the inputs, powers of two
    @param out_dims  names and sizes of the outputs, or names alone
    Raises Error with the first entry that departs, or the first bit that the entries do not determine.

    >>> print(linear_layout_of([0, 4, 1, 5], {"register": 2, "lane": 2}))
    - register=1 -> (4)
    - lane=1 -> (1)
    where out dims are: [offset (size 8)]
    >>> linear_layout_of([0, 1, 2, 4], {"lane": 4})
    Traceback (most recent call last):
    bankshot.Error: lane=3 has output (4), but the entries before it, by XOR, give (3)
    """
    ins = [(name, n) for name, n in in_dims.items()]
    bits = sum(_log2(n, name) for name, n in ins)
    names = list(out_dims)
    entries = _entries(table, ins, bits, len(names))
    if entries.get(0, None) is not None and any(entries[0]):
        raise Error(f"the entry of all zeros has output {entries[0]}, but linear layouts map 0 to 0: subtract the "
                    "base address, or XOR with this output")
    widths = [max((value[i].bit_length() for value in entries.values()), default=0) for i in range(len(names))]
    shifts = [sum(widths[:i]) for i in range(len(names))]

    def packed(value: tuple[int, ...]) -> int:
        return sum(c << shift for c, shift in zip(value, shifts))

    def unpacked(value: int) -> tuple[int, ...]:
        return tuple(value >> shift & (1 << width) - 1 for shift, width in zip(shifts, widths))

    known = _gf2.Map()
    for index, value in entries.items():
        told = known.add(index, packed(value))
        if told is not None and told != packed(value):
            raise Error(f"{_name(index, ins)} has output {_text(value)}, but the entries before it, by XOR, give "
                        f"{_text(unpacked(told))}")
    bases: dict[str, list[tuple[int, ...]]] = {}
    place = 0
    for name, n in ins:
        bases[name] = []
        for bit in range(n.bit_length() - 1):
            image = known.image(1 << place)
            if image is None:
                raise Error(f"the entries do not determine {name}={1 << bit}: add one with this bit")
            bases[name].append(unpacked(image))
            place += 1
    return LinearLayout(bases, out_dims)


def _entries(table: Any, ins: list[tuple[str, int]], bits: int, rank: int) -> dict[int, tuple[int, ...]]:
    if callable(table):
        pairs = [(i, table(**dict(zip([name for name, _ in ins], _split(i, ins))))) for i in range(1 << bits)]
    elif isinstance(table, Mapping):
        pairs = sorted(table.items())
    else:
        pairs = list(enumerate(table))
        if len(pairs) != 1 << bits:
            raise Error(f"the table has {len(pairs)} entries, the input dimensions have {1 << bits}; use None for "
                        "entries that are not known")
    entries = {}
    for index, value in pairs:
        if value is None:
            continue
        if isinstance(value, Mapping):
            value = tuple(value.values())
        value = tuple(int(c) for c in value) if isinstance(value, (tuple, list)) else (int(value),)
        if not 0 <= index < 1 << bits:
            raise Error(f"the entry {index} is outside of the input dimensions, which have {1 << bits}")
        if len(value) != rank or any(c < 0 for c in value):
            raise Error(f"{_name(index, ins)} has output {value}: it needs {rank} coordinates of at least 0")
        entries[index] = value
    return entries


def _name(index: int, ins: list[tuple[str, int]]) -> str:
    return ", ".join(f"{name}={i}" for (name, _), i in zip(ins, _split(index, ins)))


def _text(value: tuple[int, ...]) -> str:
    return f"({', '.join(map(str, value))})"

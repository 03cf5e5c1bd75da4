"""Triton's linear layouts: maps over GF(2) between named dimensions, each of a power of two.

A layout has, for each bit of each input dimension, a basis: what that bit adds (by XOR) to the output coordinates.

    >>> tile = LinearLayout({"register": [(0, 1)], "lane": [(0, 2), (1, 0), (2, 0)]}, ["dim0", "dim1"])
    >>> tile(register=1, lane=5)
    {'dim0': 2, 'dim1': 3}
    >>> print(tile)
    - register=1 -> (0, 1)
    - lane=1 -> (0, 2)
      lane=2 -> (1, 0)
      lane=4 -> (2, 0)
    where out dims are: [dim0 (size 4), dim1 (size 4)]

Definitions: Triton, include/triton/Tools/LinearLayout.h, and "Linear Layouts: Robust Code Generation of Efficient
Tensor Computation Using F2", arXiv 2505.23819, section 4.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping, Sequence

from .._errors import Error
from . import _gf2


@dataclass(frozen=True, init=False)
class LinearLayout:
    """Bases by input dimension, and the sizes of the output dimensions.

    @param bases  for each input dimension, its bases from bit 0 up; a basis has one coordinate per output dimension
    @param out_dims  names with sizes, or names alone: each size is then the least power of two above all bases
    """

    ins: tuple[tuple[str, tuple[tuple[int, ...], ...]], ...]
    outs: tuple[tuple[str, int], ...]

    def __init__(self, bases: Mapping[str, Sequence[Sequence[int]]], out_dims: Mapping[str, int] | Sequence[str]):
        ins = tuple((name, tuple(tuple(int(c) for c in basis) for basis in of)) for name, of in bases.items())
        names = list(out_dims)
        for name, of in ins:
            for bit, basis in enumerate(of):
                if len(basis) != len(names):
                    raise Error(f"{name}={1 << bit} -> {basis} has {len(basis)} coordinates, but there are "
                                f"{len(names)} output dimensions")
        if not isinstance(out_dims, Mapping):
            most = {name: max([b[i] for _, of in ins for b in of], default=0) for i, name in enumerate(names)}
            out_dims = {name: 1 << value.bit_length() for name, value in most.items()}
        outs = tuple((name, int(n)) for name, n in out_dims.items())
        for name, n in outs:
            if n < 1 or n & (n - 1):
                raise Error(f"output dimension {name} has size {n}: linear layouts have powers of two")
        for name, of in ins:
            for bit, basis in enumerate(of):
                for c, (out, n) in zip(basis, outs):
                    if not 0 <= c < n:
                        raise Error(f"{name}={1 << bit} -> {basis} is outside of {out}, which has size {n}")
        object.__setattr__(self, "ins", ins)
        object.__setattr__(self, "outs", outs)

    @staticmethod
    def identity(n: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Maps in_dim to out_dim unchanged, both of size n. In Triton: identity1D."""
        return LinearLayout({in_dim: [(1 << bit,) for bit in range(_log2(n, in_dim))]}, {out_dim: n})

    @staticmethod
    def zeros(n: int, in_dim: str, out_dim: str) -> LinearLayout:
        """Maps all of in_dim, of size n, to 0 in out_dim: a broadcast. In Triton: zeros1D."""
        return LinearLayout({in_dim: [(0,)] * _log2(n, in_dim)}, {out_dim: 1})

    def __call__(self, **indices: int) -> dict[str, int]:
        """Output coordinates by name. Input dimensions that are not named are 0."""
        return dict(zip(self.out_sizes, self.at(self._packed_input(indices))))

    def at(self, index: int) -> tuple[int, ...]:
        """Output coordinates of a flat index: the first input dimension is the fastest."""
        return self._unpacked(_gf2.apply(self._columns, index))

    @property
    def in_sizes(self) -> dict[str, int]:
        return {name: 1 << len(of) for name, of in self.ins}

    @property
    def out_sizes(self) -> dict[str, int]:
        return dict(self.outs)

    @property
    def bases(self) -> dict[str, list[tuple[int, ...]]]:
        return {name: list(of) for name, of in self.ins}

    @property
    def is_injective(self) -> bool:
        """No two inputs have the same output."""
        return _gf2.rank(self._columns) == len(self._columns)

    @property
    def is_surjective(self) -> bool:
        """Every output occurs."""
        return _gf2.rank(self._columns) == self._out_bits

    def compose(self, outer: LinearLayout) -> LinearLayout:
        """First this layout, then `outer`, whose input dimensions are this one's outputs."""
        sizes = outer.in_sizes
        for name, n in self.outs:
            if name not in sizes:
                raise Error(f"cannot compose: output dimension {name} is no input of the second layout, which has "
                            f"{', '.join(sizes) or 'none'}")
            if n > sizes[name]:
                raise Error(f"cannot compose: {name} has size {n} here, but {sizes[name]} in the second layout")
        names = list(self.out_sizes)
        return LinearLayout({name: [tuple(outer(**dict(zip(names, basis))).values()) for basis in of]
                             for name, of in self.ins}, outer.out_sizes)

    def invert(self) -> LinearLayout:
        """From outputs to inputs. Raises Error if the layout is no bijection, and says why."""
        known = _gf2.Map()
        for bit, column in enumerate(self._columns):
            others = known.add(column, 1 << bit)
            if others is not None:
                raise Error(f"cannot invert: {self._input_name(1 << bit)} and {self._input_name(others)} have the "
                            "same output")
        names, ins = list(self.out_sizes), list(self.in_sizes.items())
        bases: dict[str, list[tuple[int, ...]]] = {}
        place = 0
        for name, n in self.outs:
            bases[name] = []
            for bit in range(n.bit_length() - 1):
                source = known.image(1 << place)
                if source is None:
                    raise Error(f"cannot invert: no input has the output {name}={1 << bit}, other dimensions of "
                                f"{', '.join(names)} 0")
                bases[name].append(_split(source, ins))
                place += 1
        return LinearLayout(bases, dict(ins))

    def __mul__(self, other: LinearLayout) -> LinearLayout:
        """The product: `other` repeats this layout. Its bits come after this one's bits, in inputs and in outputs."""
        sizes, more = self.out_sizes, other.out_sizes
        outs = {name: sizes.get(name, 1) * more.get(name, 1) for name in list(sizes) + list(more)}
        bases: dict[str, list[tuple[int, ...]]] = {}
        for layout, names, scale in ((self, list(sizes), {}), (other, list(more), sizes)):
            for name, of in layout.ins:
                bases.setdefault(name, []).extend(
                    tuple(dict(zip(names, basis)).get(out, 0) * scale.get(out, 1) for out in outs) for basis in of)
        return LinearLayout(bases, outs)

    def with_outs(self, order: Sequence[str]) -> LinearLayout:
        """The same layout with its output dimensions in this order. In Triton: transposeOuts."""
        sizes = self.out_sizes
        if sorted(order) != sorted(sizes):
            raise Error(f"the output dimensions are {', '.join(sizes)}, not {', '.join(order)}")
        place = [list(sizes).index(name) for name in order]
        return LinearLayout({name: [tuple(b[i] for i in place) for b in of] for name, of in self.ins},
                            {name: sizes[name] for name in order})

    def with_ins(self, order: Sequence[str]) -> LinearLayout:
        """The same layout with its input dimensions in this order; new ones have size 1. In Triton: transposeIns."""
        bases = self.bases
        for name in bases:
            if name not in order and bases[name]:
                raise Error(f"the input dimension {name} is missing in {', '.join(order)}")
        return LinearLayout({name: bases.get(name, []) for name in order}, self.out_sizes)

    def __str__(self) -> str:
        """As Triton prints it."""
        lines = []
        for name, of in self.ins:
            if not of:
                lines.append(f"- {name} is a size 1 dimension")
            for bit, basis in enumerate(of):
                lines.append(f"{'  ' if bit else '- '}{name}={1 << bit} -> ({', '.join(map(str, basis))})")
        lines.append(f"where out dims are: [{', '.join(f'{name} (size {n})' for name, n in self.outs)}]")
        return "\n".join(lines)

    @property
    def _columns(self) -> list[int]:
        """Bases as bit vectors, the first output dimension lowest."""
        return [self._packed(basis) for _, of in self.ins for basis in of]

    @property
    def _out_bits(self) -> int:
        return sum(n.bit_length() - 1 for _, n in self.outs)

    def _packed(self, coordinates: Sequence[int]) -> int:
        value, shift = 0, 0
        for c, (_, n) in zip(coordinates, self.outs):
            value |= c << shift
            shift += n.bit_length() - 1
        return value

    def _unpacked(self, value: int) -> tuple[int, ...]:
        return _split(value, self.outs)

    def _packed_input(self, indices: Mapping[str, int]) -> int:
        sizes = self.in_sizes
        for name, index in indices.items():
            if name not in sizes:
                raise Error(f"there is no input dimension {name}; there are {', '.join(sizes) or 'none'}")
            if not 0 <= index < sizes[name]:
                raise Error(f"{name}={index} is outside of the dimension, which has size {sizes[name]}")
        value, shift = 0, 0
        for name, n in sizes.items():
            value |= indices.get(name, 0) << shift
            shift += n.bit_length() - 1
        return value

    def _input_name(self, index: int) -> str:
        parts = [f"{name}={i}" for (name, _), i in zip(self.ins, _split(index, list(self.in_sizes.items()))) if i]
        return ", ".join(parts) or "0"


def _split(value: int, sizes: Sequence[tuple[str, int]]) -> tuple[int, ...]:
    parts = []
    for _, n in sizes:
        parts.append(value & (n - 1))
        value >>= n.bit_length() - 1
    return tuple(parts)


def _log2(n: int, name: str) -> int:
    if n < 1 or n & (n - 1):
        raise Error(f"dimension {name} has size {n}: linear layouts have powers of two")
    return n.bit_length() - 1

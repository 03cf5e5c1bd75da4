"""Bank hashes: which bank holds a word; and CuTe's Swizzle, which moves elements."""

from __future__ import annotations

import functools
import operator
from dataclasses import dataclass
from typing import Any, Optional

from . import _library
from ._errors import Error
from ._lanes import is_array, like

_MOST_ADDRESS_BITS = 16


def _integer(value: Any, name: str) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise Error(f"{name} is {value!r}, which is not a whole number") from None


@dataclass(frozen=True)
class Swizzle:
    """CuTe's Swizzle<B,M,S>: XORs bits M+S to M+S+B-1 of an index into bits M to M+B-1 (S < 0: the other way round).

    It maps indices, or byte offsets, to where they are stored: ints and integer arrays alike."""

    b: int
    m: int
    s: int

    def __post_init__(self) -> None:
        for name in "bms":
            _integer(getattr(self, name), name)
        if self.b < 0 or self.m < 0 or abs(self.s) < self.b:
            raise Error(f"{self} does not exist", "b and m must be 0 or more, and s at least b or at most -b")

    def __call__(self, index: Any) -> Any:
        if is_array(index):
            if index.dtype.kind not in "iu":
                raise Error(f"an array of {index.dtype} has no bits to swizzle", "convert it to integers")
        elif isinstance(index, (list, tuple)):
            return [self(one) for one in index]
        else:
            index = _integer(index, "the index")
        chosen = index & (((1 << self.b) - 1) << (self.m + max(0, self.s)))
        return index ^ (chosen >> self.s if self.s >= 0 else chosen << -self.s)

    def __str__(self) -> str:
        return f"Swizzle<{self.b},{self.m},{self.s}>"


class Hash:
    """Which bank holds a word. Called with word addresses (byte address / 4), it gives their banks.

    spec is one word as the command line takes it: "xor", "swizzle:3,0,5", "rows:33,66,..." (docs/json.md). address_bits: so
    many low bits of an address are read."""

    def __init__(self, spec: str, banks: int = 32, address_bits: int = 14):
        self._hash = _library.Owned(_library.call("hash_parse", str(spec).encode(), banks, address_bits), "hash_free")

    @classmethod
    def _of(cls, pointer: int) -> Hash:
        self = cls.__new__(cls)
        self._hash = _library.Owned(pointer, "hash_free")
        return self

    @property
    def spec(self) -> str:
        return _library.text(_library.call("hash_spec", self._hash.pointer))

    @property
    def source(self) -> str:
        """C++ source of bank(a) and, if it is in place, of place(a)."""
        return _library.text(_library.call("hash_source", self._hash.pointer))

    @property
    def in_place(self) -> bool:
        """Whether software can apply it without extra memory."""
        return bool(_library.call("hash_is_in_place", self._hash.pointer))

    @functools.cached_property
    def _banks(self) -> list[int]:
        """By the address bits that a hash can read."""
        return [_library.call("hash_bank", self._hash.pointer, word) for word in range(1 << _MOST_ADDRESS_BITS)]

    @functools.cached_property
    def banks(self) -> int:
        return max(self._banks) + 1

    @functools.cached_property
    def swizzle(self) -> Optional[Swizzle]:
        """CuTe's Swizzle of word addresses that stores words where place() does; None if there is none."""
        if not self.in_place:
            return None
        bits = self.banks.bit_length() - 1
        # Bits of a bank from outside the row: their number is b, the lowest of them m, and s is how far they came.
        moved = [(bit, to) for bit in range(bits, _MOST_ADDRESS_BITS) for to in range(bits) if self(1 << bit) >> to & 1]
        bit, to = moved[0] if moved else (bits, 0)
        one = Swizzle(len(moved), to, bit - to) if bit - to >= len(moved) else None
        fits = one is not None and all(one(word) == self.place(word) for word in range(1 << _MOST_ADDRESS_BITS))
        return one if fits else None

    def place(self, words: Any) -> Any:
        """Where software stores the words, so that plain banks hold them as this hash would. Raises Error unless in_place."""
        if not self.in_place:
            raise Error(f"{self} cannot be applied by software without extra memory", "search with in_place=True")
        if isinstance(words, (list, tuple)):
            return [self.place(word) for word in words]
        return words & ~(self.banks - 1) | self(words)

    def __call__(self, words: Any) -> Any:
        if is_array(words):
            if words.dtype.kind not in "iu":
                raise Error(f"an array of {words.dtype} has no word addresses", "convert it to integers")
            return like(words, self._banks)[words & ((1 << _MOST_ADDRESS_BITS) - 1)]
        if isinstance(words, (list, tuple)):
            return [self(word) for word in words]
        word = _integer(words, "the word")
        if not 0 <= word < 1 << 32:
            raise Error(f"{word} is not a word address")
        return _library.call("hash_bank", self._hash.pointer, word)

    def __repr__(self) -> str:
        return f"Hash({self.spec!r})"

    def __str__(self) -> str:
        return self.spec

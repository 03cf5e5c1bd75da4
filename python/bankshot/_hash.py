"""Bank hashes: which bank holds a word."""

from __future__ import annotations

import functools
from typing import Any, Optional, Sequence

from . import _library
from ._errors import Error
from ._lanes import integer, integers, is_array, like, natural
from ._swizzle import Swizzle

_MOST_ADDRESS_BITS = 16


class Hash:
    """Which bank holds a word. Called with word addresses (byte address / 4), it gives their banks.

    spec is one word as the command line takes it: "xor", "swizzle:3,0,5", "rows:33,66,..." (docs/json.md). address_bits: so
    many low bits of an address are read."""

    def __init__(self, spec: str, banks: int = 32, address_bits: int = 14):
        self._hash = _library.Owned(_library.call("hash_parse", str(spec).encode(), natural(banks, "banks"),
                                                 natural(address_bits, "address_bits")), "hash_free")

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
    def rows(self) -> Optional[tuple[int, ...]]:
        """For each bank bit, the lowest first, the mask of word-address bits whose parity it is; None for hashes that are
        not of this form."""
        banks = self._banks
        if banks[0] != 0 or any(banks[word] != banks[word & word - 1] ^ banks[word & -word] for word in range(1, len(banks))):
            return None
        return tuple(sum(1 << bit for bit in range(_MOST_ADDRESS_BITS) if banks[1 << bit] >> row & 1)
                     for row in range(self.banks.bit_length() - 1))

    @functools.cached_property
    def swizzle(self) -> Optional[Swizzle]:
        """CuTe's Swizzle of word addresses that stores words where place() does; None if there is none."""
        return None if self.rows is None else swizzle_of(self.rows)

    def place(self, words: Any) -> Any:
        """Where software stores the words, so that plain banks hold them as this hash would. Raises Error unless in_place."""
        if not self.in_place:
            raise Error(f"{self} cannot be applied by software without extra memory", "search with in_place=True")
        if isinstance(words, (list, tuple)):
            return [self.place(word) for word in words]
        words = _words(words)
        return words & ~(self.banks - 1) | self(words)

    def __call__(self, words: Any) -> Any:
        if isinstance(words, (list, tuple)):
            return [self(word) for word in words]
        words = _words(words)
        if is_array(words):
            return like(words, self._banks)[words & ((1 << _MOST_ADDRESS_BITS) - 1)]
        return _library.call("hash_bank", self._hash.pointer, words)

    def __repr__(self) -> str:
        return f"Hash({self.spec!r})"

    def __str__(self) -> str:
        return self.spec


def _words(words: Any) -> Any:
    """Word addresses: a whole number, or an array of 64-bit integers."""
    if is_array(words):
        words = integers(words, "word addresses")
        limits = [int(words.min()), int(words.max())] if words.size else []
    else:
        words = integer(words, "the word")
        limits = [words]
    for word in limits:
        if not 0 <= word < 1 << 32:
            raise Error(f"{word} is not a word address", "it must be 0 or more, and less than 2**32")
    return words


def swizzle_of(rows: Sequence[int]) -> Optional[Swizzle]:
    """CuTe's Swizzle of word addresses that puts each word into the bank that a hash with these rows says; None if there is
    none."""
    moved = {to: row ^ 1 << to for to, row in enumerate(rows) if row != 1 << to}
    if not moved:
        return Swizzle(0, 0, len(rows))
    m, b = min(moved), len(moved)
    s = moved[m].bit_length() - 1 - m
    return Swizzle(b, m, s) if s >= b and all(moved.get(to) == 1 << to + s for to in range(m, m + b)) else None

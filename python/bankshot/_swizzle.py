"""CuTe's Swizzle<B,M,S>, which moves elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._errors import Error
from ._lanes import integer, integers, is_array


@dataclass(frozen=True)
class Swizzle:
    """XORs B bits of an index into B others. With S > 0:

        index    x x y y y x x z z z m m m     B bits y from M + S up, B bits z from M up
        result   x x y y y x x w w w m m m     w = z ^ y

    With S < 0 the places of y and z are exchanged. The unit of the index (bytes, elements, words) is the caller's.
    Applied twice it is the identity. Takes whole numbers, lists of them, and integer arrays. Source: CUTLASS,
    cute/swizzle.hpp.

    >>> Swizzle(3, 4, 3)(0b10010000000)
    1168
    >>> str(Swizzle(3, 4, 3).scaled(16))
    'Swizzle<3,3,3>'
    """

    b: int
    m: int
    s: int

    def __post_init__(self) -> None:
        for name in "bms":
            object.__setattr__(self, name, integer(getattr(self, name), name))
        if self.b < 0 or self.m < 0 or abs(self.s) < self.b:
            raise Error(f"{self} does not exist", "B and M must be 0 or more, and |S| at least B")

    def __call__(self, index: Any) -> Any:
        if is_array(index):
            index = integers(index, "bits to swizzle")
        elif isinstance(index, (list, tuple)):
            return [self(one) for one in index]
        else:
            index = integer(index, "the index")
        chosen = index & (((1 << self.b) - 1) << (self.m + max(0, self.s)))
        return index ^ (chosen >> self.s if self.s >= 0 else chosen << -self.s)

    def __str__(self) -> str:
        return f"Swizzle<{self.b},{self.m},{self.s}>"

    def scaled(self, element_bits: int) -> Swizzle:
        """The same swizzle of elements, given this one of bytes. Raises Error if it moves parts of an element."""
        return self._moved(-_log2_bytes(element_bits), f"{self} of bytes moves parts of an element of {element_bits} bits")

    def of_bytes(self, element_bits: int) -> Swizzle:
        """The same swizzle of bytes, given this one of elements. Raises Error if it moves parts of a byte."""
        return self._moved(_log2_bytes(element_bits), f"{self} of elements of {element_bits} bits moves parts of a byte")

    def _moved(self, by: int, why_not: str) -> Swizzle:
        if self.b and self.m + by < 0:
            raise Error(why_not, "choose a swizzle with a larger base, m")
        return Swizzle(self.b, max(self.m + by, 0), self.s)


def _log2_bytes(element_bits: int) -> int:
    """log2 of the bytes of an element; negative for elements of less than a byte."""
    if element_bits <= 0 or element_bits & (element_bits - 1):
        raise Error(f"a swizzle of bytes is none of elements of {element_bits} bits", "their number must be a power of two")
    return element_bits.bit_length() - 4

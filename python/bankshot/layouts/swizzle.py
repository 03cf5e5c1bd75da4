"""CuTe's Swizzle<B,M,S>."""

from __future__ import annotations

from dataclasses import dataclass

from ._errors import LayoutError


@dataclass(frozen=True)
class Swizzle:
    """XORs B bits of an offset into B others. With S > 0:

        offset   x x y y y x x z z z m m m     B bits y from M + S up, B bits z from M up
        result   x x y y y x x w w w m m m     w = z ^ y

    With S < 0 the places of y and z are exchanged. The unit of the offset (bytes, elements, words) is the caller's.
    Applied twice it is the identity. Works on integers and on numpy arrays. Source: CUTLASS, cute/swizzle.hpp.

    >>> Swizzle(3, 4, 3)(0b10010000000)
    1168
    >>> str(Swizzle(3, 4, 3).scaled(16))
    'Swizzle<3,3,3>'
    """

    b: int
    m: int
    s: int

    def __post_init__(self):
        if self.b < 0 or self.m < 0:
            raise LayoutError(f"{self}: B and M are numbers of bits and must not be negative")
        if abs(self.s) < self.b:
            raise LayoutError(f"{self}: |S| must be at least B, or the swizzle mixes bits with themselves")

    def __call__(self, offset):
        ones = (1 << self.b) - 1
        if self.s >= 0:
            return offset ^ ((offset & (ones << (self.m + self.s))) >> self.s)
        return offset ^ ((offset & (ones << self.m)) << -self.s)

    def __str__(self) -> str:
        return f"Swizzle<{self.b},{self.m},{self.s}>"

    def scaled(self, element_bits: int) -> Swizzle:
        """The same swizzle of elements, given this one of bytes.

        Raises LayoutError if it moves parts of an element.
        """
        why_not = f"{self} of bytes moves parts of an element of {element_bits} bits"
        return self._moved(-_log2_bytes(element_bits), why_not)

    def of_bytes(self, element_bits: int) -> Swizzle:
        """The same swizzle of bytes, given this one of elements."""
        why_not = f"{self} of elements of {element_bits} bits moves parts of a byte"
        return self._moved(_log2_bytes(element_bits), why_not)

    def _moved(self, by: int, why_not: str) -> Swizzle:
        if self.b and self.m + by < 0:
            raise LayoutError(why_not)
        return Swizzle(self.b, max(self.m + by, 0), self.s)


def _log2_bytes(element_bits: int) -> int:
    """log2 of the bytes of an element; negative for elements of less than a byte."""
    if element_bits <= 0 or element_bits & (element_bits - 1):
        raise LayoutError(f"elements of {element_bits} bits: a swizzle of bytes needs elements of a power of two")
    return element_bits.bit_length() - 4

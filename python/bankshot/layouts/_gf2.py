"""Gaussian elimination over GF(2). A vector is an integer; bit i is its component i."""

from __future__ import annotations

from typing import Iterable


class Map:
    """A linear map that is learned from samples: each independent vector with its image."""

    def __init__(self) -> None:
        self._pivots: dict[int, tuple[int, int]] = {}  # highest bit -> vector, image

    def add(self, vector: int, image: int) -> int | None:
        """Learns that `vector` maps to `image`.

        @return  None if the vector was independent of those before; else what they say its image is
        """
        rest, told = self._reduce(vector)
        if rest == 0:
            return told
        self._pivots[rest.bit_length()] = (rest, image ^ told)
        return None

    def image(self, vector: int) -> int | None:
        """The image of a vector, or None if the samples do not determine it."""
        rest, image = self._reduce(vector)
        return image if rest == 0 else None

    @property
    def rank(self) -> int:
        return len(self._pivots)

    def _reduce(self, vector: int) -> tuple[int, int]:
        image = 0
        while vector.bit_length() in self._pivots:
            pivot, of_pivot = self._pivots[vector.bit_length()]
            vector ^= pivot
            image ^= of_pivot
        return vector, image


def apply(columns: list[int], vector: int) -> int:
    """The XOR of the columns at the bits of the vector."""
    result = 0
    for bit, column in enumerate(columns):
        if vector >> bit & 1:
            result ^= column
    return result


def rank(vectors: Iterable[int]) -> int:
    known = Map()
    for vector in vectors:
        known.add(vector, 0)
    return known.rank


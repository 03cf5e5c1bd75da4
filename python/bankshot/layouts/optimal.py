"""The swizzle of a buffer under which several accesses together need the fewest wavefronts.

Write the rows of a 32 x 32 tile of floats, read its columns:

    >>> rows = AccessPattern("store", 4, [[4 * (32 * r + lane) for lane in range(32)] for r in range(32)], "write rows")
    >>> columns = AccessPattern("load", 4, [[4 * (32 * lane + c) for lane in range(32)] for c in range(32)], "read columns")
    >>> best = optimal_swizzle([rows, columns], 4 * 32 * 32)
    >>> print(best)
    Swizzle<5,2,5> of bytes: 0 conflicts, 992 without; proved: no XOR hash has fewer
    access        kind   wavefronts  without  ideal
    write rows    store          32       32     32
    read columns  load           32     1024     32
    >>> str(best.swizzle.scaled(32)), best(4 * 33)
    ('Swizzle<5,0,5>', 128)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

from .. import _access
from .._errors import Error
from .._hash import swizzle_of
from .._search import Found, search
from .._swizzle import Swizzle
from . import _gf2
from .accesses import AccessPattern
from .linear import LinearLayout

_WORD = 4  # bytes of a bank's word
_MOST_WORDS = 1 << 16  # that bank hashes cover


@dataclass(frozen=True)
class Outcome:
    """Wavefronts of all rows of one of the accesses, once: with the swizzle, without one, without conflicts, and with
    the best hash for this access alone."""

    name: str
    kind: str
    wavefronts: int
    without: int
    ideal: int
    alone: int

    @property
    def missed(self) -> int:
        """Wavefronts beyond the least that any hash gives this access."""
        return self.wavefronts - self.alone


@dataclass(frozen=True)
class Optimal(Found):
    """Where the bytes of a buffer should lie: `optimal(byte)`, on integers.

    swizzle   CuTe's name of it, of bytes; None if it is not one. `swizzle.scaled(16)` is that of elements of 16 bits
    linear    the same as a linear layout offset -> offset, of bytes. Vectors of the accesses' widths stay contiguous
    outcomes  what it does to each of the accesses
    hashes    those that were compared: "XOR hash", and what it has to keep

    The rest is what a search found. `hash` has the banks of the words, up to their names; `conflicts` and `without` are
    weighted sums over all accesses; none of the `hashes` has fewer than `lower_bound`.
    """

    swizzle: Swizzle | None
    linear: LinearLayout
    outcomes: tuple[Outcome, ...]
    hashes: str

    def __call__(self, byte: int) -> int:
        return self.linear.at(byte)[0]

    def __str__(self) -> str:
        name = f"{self.swizzle} of bytes" if self.swizzle else "linear layout of bytes"
        bound = f"not proved: no {self.hashes} has fewer than {self.lower_bound}"
        proof = f"proved: no {self.hashes} has fewer" if self.proved else bound
        lines = [f"{name}: {self.conflicts} conflicts, {self.without} without; {proof}"]
        width = max([len("access")] + [len(o.name) for o in self.outcomes])
        kind = max([len("kind")] + [len(o.kind) for o in self.outcomes])
        lines.append(f"{'access':<{width}}  {'kind':<{kind}}  wavefronts  without  ideal")
        for o in self.outcomes:
            lines.append(f"{o.name:<{width}}  {o.kind:<{kind}}  {o.wavefronts:>10}  {o.without:>7}  {o.ideal:>5}")
        for o in self.outcomes:
            if o.missed:
                lines.append(f"{o.name}: {o.missed} more than the {o.alone} that it needs with a hash for it alone")
        if self.swizzle is None:
            lines.append(str(self.linear))
        return "\n".join(lines)


def optimal_swizzle(accesses: Sequence[AccessPattern], buffer: int, gpu: str = "h100", seconds: float = 10) -> Optimal:
    """Finds the XOR hash of addresses with the fewest conflicts over all accesses, and proves that none has fewer. Only hashes
    that keep vectors as wide as the widest access contiguous are compared.

    Of equally good hashes, it prefers a CuTe swizzle, then one that permutes each row of banks in itself.

    @param accesses  of one buffer, with byte addresses from its start, as they are without a swizzle
    @param buffer    bytes of the buffer, which the swizzle does not leave: a multiple of a row of banks (128 bytes on
                     most GPUs). Only in a buffer of a power of two may a hash move words to other rows
    @param gpu       a name that `bankshot gpus` lists, or a .toml file; its banks must be 4 bytes wide
    @param seconds   the time limit of each search; after it, the best hash so far and the bound
    """
    accesses = list(accesses)
    _check(accesses, buffer)
    banks = _access.banks_of(str(gpu))
    if banks.width != _WORD:
        raise Error(f"the banks of {gpu} are not {_WORD} bytes wide, so a word does not lie in one of them")
    row = _WORD * banks.count
    if buffer % row:
        raise Error(f"the buffer has {buffer} bytes, no multiple of the {row} bytes of a row of banks", "pad it")
    words = buffer // _WORD
    plain = max(max(access.width for access in accesses) // _WORD, 1).bit_length() - 1
    in_place = words & (words - 1) != 0
    kept = [f"keeps vectors of {_WORD << plain} bytes together"] * (plain > 0) + ["is in place"] * in_place
    hashes = " that ".join(["XOR hash"] + [" and ".join(kept)] * bool(kept))
    without = [access.costs(gpu, "none") for access in accesses]
    patterns = [cost for costs in without for cost in costs]
    weights = [access.weight for access in accesses for _ in access.rows]

    def best_of(**options: Any) -> Found:
        return search(**{"patterns": patterns, "weights": weights, "gpu": gpu, "in_place": in_place, "plain_low_bits": plain,
                         "seconds": seconds, **options})

    best = best_of()
    simpler = (best_of(hash_class="swizzle", in_place=True), best if in_place else best_of(in_place=True))
    chosen = next((other for other in simpler if other.conflicts <= best.conflicts), best)
    outcomes = []
    for access, plain_costs in zip(accesses, without):
        costs = access.costs(gpu, chosen.hash)
        wavefronts, ideal = sum(costs.wavefronts), sum(costs.ideal)
        alone = wavefronts
        if wavefronts > ideal and len(accesses) > 1:
            alone = ideal + best_of(patterns=plain_costs, weights=None).conflicts
        outcomes.append(Outcome(access.name or access.kind, access.kind, wavefronts, sum(plain_costs.wavefronts), ideal,
                                alone))
    assert chosen.hash.rows is not None, "both classes have only XOR hashes"
    used = (1 << (words - 1).bit_length()) - 1  # no address has other bits
    rows = _reduced([mask & used for mask in chosen.hash.rows])
    return Optimal(chosen.hash, chosen.conflicts, best.without, best.lower_bound, chosen.conflicts == best.lower_bound,
                   best.certificate, _as_swizzle(rows), _layout_of(rows, len(chosen.hash.rows), words), tuple(outcomes), hashes)


def _check(accesses: list[AccessPattern], buffer: int) -> None:
    if not accesses:
        raise Error("there are no accesses")
    if buffer < _WORD or buffer % _WORD or buffer // _WORD > _MOST_WORDS:
        raise Error(f"a buffer has 4 to {_MOST_WORDS * _WORD} bytes, a multiple of 4; this one has {buffer}")
    for number, access in enumerate(accesses):
        last = max(a for row in access.rows for a in row if a is not None)
        if last + access.width > buffer:
            raise Error(f"access {access.name or number} reaches byte {last + access.width - 1}, but the buffer "
                        f"has {buffer} bytes")


def _reduced(rows: Sequence[int]) -> list[int]:
    """The same hash up to a renaming of banks, which changes no conflicts, in reduced echelon form from the lowest bit:
    bank bit i is address bit i, XOR others, wherever that is possible. Then words that differ only in low bits that
    the hash must keep stay side by side."""
    rest, reduced = list(rows), list[int]()
    for bit in range(max(rows).bit_length()):
        pivot = next((row for row in rest if row >> bit & 1), None)
        if pivot is None:
            continue
        rest = [row ^ pivot if row >> bit & 1 else row for row in rest if row is not pivot]
        reduced = [row ^ pivot if row >> bit & 1 else row for row in reduced] + [pivot]
    return reduced


def _as_swizzle(rows: Sequence[int]) -> Swizzle | None:
    """Swizzle<B,M,S> of bytes with this reduced hash, if there is one."""
    of_words = swizzle_of(rows)
    if of_words is None:
        return None
    return of_words.of_bytes(8 * _WORD) if of_words.b else Swizzle(0, 4, 3)  # CuTe's name of no swizzle


def _layout_of(rows: Sequence[int], bank_bits: int, words: int) -> LinearLayout:
    """A permutation of the buffer's bytes that puts each word into the bank of its hash. Word bits that no pivot of the
    reduced rows takes stay in their places where these are free."""
    bits = max((words - 1).bit_length(), bank_bits)
    places: dict[int, int] = {}
    pivots = [(row & -row).bit_length() - 1 for row in rows]
    for pivot, row in sorted(zip(pivots, rows)):
        free = next(i for i in range(bank_bits) if i not in places)
        places[pivot if pivot < bank_bits else free] = row
    others = [bit for bit in range(bits) if bit not in pivots]
    for bit in [bit for bit in others if bit >= bank_bits]:
        places[bit] = 1 << bit
    for bit in [bit for bit in others if bit < bank_bits]:
        places[next(i for i in range(bits) if i not in places)] = 1 << bit
    columns = [sum(1 << place for place, row in places.items() if row >> bit & 1) for bit in range(bits)]
    bases = [(1,), (2,)] + [(4 * column,) for column in columns]
    assert _gf2.rank(column for column, in bases) == len(bases), "reduced rows and unit rows are a basis"
    return LinearLayout({"offset": bases}, {"offset": _WORD << bits})

"""Reads linear layouts from text; str() writes them."""

from __future__ import annotations

from .._errors import Error
from ._scanner import Scanner
from .linear import LinearLayout


def parse(text: str) -> LinearLayout:
    """Reads what Triton prints, "register=1 -> (0, 1)" and so on.

    Without the last line, "where out dims are", the output dimensions are dim0, dim1, … of the least sizes.

    >>> parse("- register=1 -> (0, 1)\\n  register=2 -> (1, 0)\\n- lane is a size 1 dimension").in_sizes
    {'register': 4, 'lane': 1}
    """
    scanner = Scanner(text)
    bases: dict[str, list[tuple[int, ...]]] = {}
    rank = None
    while not scanner.accept(r"where out dims are\s*:?"):
        at = scanner.at
        if at == len(text):
            break
        scanner.accept("-")
        name = scanner.expect(r"[A-Za-z_]\w*", "the name of an input dimension").group()
        of = bases.setdefault(name, [])
        if scanner.accept("is a size 1 dimension"):
            continue
        scanner.expect("=", "'=' or 'is a size 1 dimension'")
        value_at = scanner.at
        if scanner.integer() != 1 << len(of):
            scanner.fail(f"expected {name}={1 << len(of)}, the next bit of the dimension", value_at)
        scanner.expect("->|→", "'->'")
        basis_at = scanner.at
        basis = _coordinates(scanner)
        if rank is not None and len(basis) != rank:
            scanner.fail(f"this basis has {len(basis)} coordinates, those before it have {rank}", basis_at)
        rank = len(basis)
        of.append(basis)
    else:
        return _checked(scanner, bases, _outs(scanner))
    return LinearLayout(bases, [f"dim{i}" for i in range(rank or 0)])


def _coordinates(scanner: Scanner) -> tuple[int, ...]:
    scanner.expect(r"\(", "'(' and the coordinates of a basis")
    values = []
    while not scanner.accept(r"\)"):
        values.append(scanner.integer())
        scanner.accept(",")
    return tuple(values)


def _outs(scanner: Scanner) -> dict[str, int]:
    outs = {}
    scanner.expect(r"\[", "'['")
    while not scanner.accept(r"\]"):
        name = scanner.expect(r"[A-Za-z_]\w*", "the name of an output dimension").group()
        outs[name] = int(scanner.expect(r"\(size (\d+)\)", "'(size N)'").group(1))
        scanner.accept(",")
    scanner.end()
    return outs


def _checked(scanner: Scanner, bases: dict[str, list[tuple[int, ...]]], outs: dict[str, int]) -> LinearLayout:
    try:
        return LinearLayout(bases, outs)
    except Error as wrong:
        scanner.fail(str(wrong), 0)

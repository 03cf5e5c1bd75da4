"""The lines that ldmatrix and stmatrix move: 8 of 16 bytes per matrix.

Of a matrix, lane l holds 4 bytes of line l / 4, the bytes 4 (l % 4) and on. With .trans, of elements of 2 bytes, it holds
element l / 4 of the lines 2 (l % 4) and 2 (l % 4) + 1. Lane 8 j + i gives the address of line i of matrix j.
Source: PTX ISA, ldmatrix.
"""

from __future__ import annotations

from .._errors import Error


def matrix_rows(offsets: list[list[int]], element_bytes: int, kind: str, transposed: bool,
                matrices: int | None) -> list[list[int | None]]:
    """Byte addresses of the lines, one list per instruction and warp.

    @param offsets  element offsets by register and thread; registers of a matrix follow each other
    """
    if element_bytes > 4 or (transposed and element_bytes != 2):
        raise Error(f"{kind}{'.trans' if transposed else ''} does not move elements of {element_bytes} bytes")
    threads = len(offsets[0])
    if threads % 32:
        raise Error(f"{kind} needs whole warps of 32 lanes, the register layout has {threads} threads")
    per_matrix = 4 // element_bytes
    if len(offsets) % per_matrix:
        raise Error(f"{kind} needs {per_matrix} registers per matrix, the register layout has {len(offsets)}")
    count = len(offsets) // per_matrix
    at_once = matrices or next(n for n in (4, 2, 1) if count % n == 0)
    if at_once not in (1, 2, 4) or count % at_once:
        raise Error(f"{kind} moves 1, 2 or 4 matrices at once; {at_once} does not divide the {count} here")
    rows = []
    for first in range(0, count, at_once):
        for warp in range(0, threads, 32):
            row: list[int | None] = []
            for matrix in range(first, first + at_once):
                registers = range(per_matrix * matrix, per_matrix * (matrix + 1))
                row += _lines(offsets, registers, warp, element_bytes, kind, transposed)
            rows.append(row + [None] * (32 - len(row)))
    return rows


def _lines(offsets: list[list[int]], registers: range, warp: int, element_bytes: int, kind: str,
           transposed: bool) -> list[int]:
    n = len(registers)

    def line_and_element(i: int, lane: int) -> tuple[int, int]:
        return (2 * (lane % 4) + i, lane // 4) if transposed else (lane // 4, n * (lane % 4) + i)

    starts: dict[int, int] = {}
    for lane in range(32):
        for i, register in enumerate(registers):
            line, element = line_and_element(i, lane)
            if element == 0:
                starts[line] = offsets[register][warp + lane]
    for lane in range(32):
        for i, register in enumerate(registers):
            line, element = line_and_element(i, lane)
            found, expected = offsets[register][warp + lane], starts[line] + element
            if found != expected:
                raise Error(f"no {kind}{'.trans' if transposed else ''}: register {register} of thread "
                            f"{warp + lane} is at offset {found}, but element {element} of line {line}, which "
                            f"begins at {starts[line]}, is at {expected}")
    addresses = [element_bytes * starts[line] for line in range(8)]
    for line, address in enumerate(addresses):
        if address % 16:
            raise Error(f"no {kind}: line {line} of the matrix of register {registers[0]} begins at byte "
                        f"{address}, which is no multiple of 16")
    return addresses

#!/usr/bin/env python3
"""What cp.reduce.async.bulk and cp.reduce.async.bulk.tensor compute on sm_90.

    model/reductions.py FILE     reductions.txt or tensor_reductions.txt as `reductions` writes them, or
                                 hardware/h100_reductions.txt.xz

Exit status 1 if a case differs or there is none.

Integers are as the names say; inc is 0 if memory >= operand, else memory + 1; dec is operand if memory is 0 or > operand,
else memory - 1. Additions of floating-point numbers are rounded to nearest even; subnormal numbers count, also with
add.f32. NaN is all bits but the sign. min and max prefer a number to a NaN, and -0 is less than +0.
"""

import collections
import sys

from cases import lines
from floats import FORMATS, add, decode


def reduce(name, memory, operand):
    operation, kind = name.split(".")[0], name.split(".")[-1]
    if kind in FORMATS:
        f = FORMATS[kind]
        if operation == "add":
            return add(f, memory, operand)
        numbers = [code for code in (memory, operand) if decode(f, code).kind != "nan"]
        order = lambda code: ~(code & (f.sign_bit - 1)) if code & f.sign_bit else code
        return (min if operation == "min" else max)(numbers, key=order) if numbers else f.nan
    width = int("".join(c for c in kind if c.isdigit()))
    signed = lambda code: code - (1 << width) if kind[0] == "s" and code >> (width - 1) else code
    return {
        "add": lambda: (memory + operand) & ((1 << width) - 1),
        "min": lambda: min(memory, operand, key=signed),
        "max": lambda: max(memory, operand, key=signed),
        "inc": lambda: 0 if memory >= operand else memory + 1,
        "dec": lambda: operand if memory == 0 or memory > operand else memory - 1,
        "and": lambda: memory & operand,
        "or": lambda: memory | operand,
        "xor": lambda: memory ^ operand,
    }[operation]()


def main(path):
    counts, differ = collections.Counter(), collections.Counter()
    for line in lines(path):
        where, name, *codes = line.split()
        if len(codes) != 3:  # the driver refused it, or it faulted
            print(line.strip())
            continue
        memory, operand, after = (int(code, 16) for code in codes)
        counts[where, name] += 1
        want = reduce(name, memory, operand)
        if want != after:
            differ[where, name] += 1
            if differ[where, name] <= 3:
                print(f"{where} {name}: {memory:x}, {operand:x} give {after:x}, model {want:x}")
    print(f"{differ.total()} of {counts.total()} cases differ")
    return differ.total() != 0 or not counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

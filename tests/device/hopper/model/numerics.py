#!/usr/bin/env python3
"""The sums of wgmma and mma.sync on sm_90, bit for bit.

    model/numerics.py FILE     numerics.txt as `numerics` writes it, or hardware/h100_numerics.txt.xz

Exit status 1 if a case differs or there is none.

All products of an instruction, 32 bytes of A times 32 bytes of B, and the accumulator are added in one step:

1. Products are exact. The largest exponent of the non-zero products and of the accumulator is found, that of a product
   being the sum of its factors' exponents, whether the product's mantissa is 1 or 3, and that of a subnormal number the
   least of its format.
2. Each addend is cut off (toward zero) below 2^(largest - 25); with e4m3 and e5m2 below 2^(largest - 13).
3. The exact sum of what is left is rounded: toward zero to f32, to nearest even to f16 (the cases do not tell whether
   it is truncated to f32 first). With e4m3 and e5m2, an f32 result has only 13 bits of fraction, its low ten bits are 0.

A sum too large is infinity. A zero is +0, even that of a small negative sum. Any NaN, infinity times zero, and infinities
of both signs give 0x7fffffff (f16: 0x7fff). mma.sync does the same, but for e4m3 and e5m2: the compiler converts them to
f16, adds the first and second of each four k with one f16 instruction that starts from zero, then the third and fourth
with another on its result, and adds the accumulator by itself, to nearest even. Integers are exact modulo 2^32, or
saturated with .satfinite; and b1 counts the bits of the conjunction.
"""

import collections
import sys

from cases import lines
from floats import FORMATS, add, decode, encode


def dot(d_name, a_name, b_name, a, b, c, cut):
    """One step; a and b are codes, c and the result codes of the accumulator."""
    d, fa, fb = FORMATS[d_name], FORMATS[a_name], FORMATS[b_name]
    accumulator = decode(d, c)
    nan, infinities = accumulator.kind == "nan", set()
    if accumulator.kind == "infinity":
        infinities.add(accumulator.negative)
    addends = [(accumulator.negative, accumulator.mantissa, accumulator.exponent, d.fraction_bits)]
    for x, y in zip((decode(fa, code) for code in a), (decode(fb, code) for code in b)):
        negative = x.negative ^ y.negative
        if "nan" in (x.kind, y.kind):
            nan = True
        elif "infinity" in (x.kind, y.kind):
            other = y if x.kind == "infinity" else x
            if other.kind == "finite" and other.mantissa == 0:
                nan = True
            infinities.add(negative)
        else:
            addends.append((negative, x.mantissa * y.mantissa, x.exponent + y.exponent, fa.fraction_bits + fb.fraction_bits))
    if nan or len(infinities) == 2:
        return d.nan
    if infinities:
        return d.infinity | (d.sign_bit if 1 in infinities else 0)
    addends = [addend for addend in addends if addend[1]]
    if not addends:
        return 0
    scale = max(exponent for _, _, exponent, _ in addends) - cut
    total = 0
    for negative, mantissa, exponent, fraction_bits in addends:
        shift = exponent - fraction_bits - scale
        mantissa = mantissa << shift if shift >= 0 else mantissa >> -shift
        total += -mantissa if negative else mantissa
    result = encode(d, total, scale, nearest=d_name == "f16")
    if cut == 13 and d_name == "f32" and result & d.infinity != d.infinity:
        result &= ~0x3FF
    return 0 if result == d.sign_bit else result


def wgmma(d, a_name, b_name, a, b, c):
    return dot(d, a_name, b_name, a, b, c, 13 if a_name in ("e4m3", "e5m2") else 25)


def mma(d, a_name, b_name, a, b, c):
    if a_name not in ("e4m3", "e5m2"):
        return wgmma(d, a_name, b_name, a, b, c)

    def f16(name, codes):
        result = []
        for value in (decode(FORMATS[name], code) for code in codes):
            sign = 0x8000 if value.negative else 0
            scale = value.exponent - FORMATS[name].fraction_bits
            special = {"nan": 0x7FFF, "infinity": 0x7C00 | sign}
            result.append(special.get(value.kind, sign | encode(FORMATS["f16"], value.mantissa, scale, False)))
        return result

    total = 0
    for half in (0, 2):
        places = [k for k in range(32) if k % 4 // 2 * 2 == half]
        total = dot(d, "f16", "f16", f16(a_name, [a[k] for k in places]), f16(b_name, [b[k] for k in places]), total, 25)
    return add(FORMATS[d], total, c)


def integer(d, a_name, b_name, a, b, c):
    def value(name, code):
        return code - 256 if name == "s8" and code > 127 else code

    total = c - (1 << 32) if c >> 31 else c
    for x, y in zip(a, b):
        total += (x & y).bit_count() if a_name == "b1" else value(a_name, x) * value(b_name, y)
    if d == "s32sat":
        total = max(-(1 << 31), min((1 << 31) - 1, total))
    return total & 0xFFFFFFFF


def read(path):
    """Yields the names of the types, the group, the codes of a and b, c, and the results by column."""

    def codes(name, text):
        data, width = bytes.fromhex(text), FORMATS[name].bytes if name in FORMATS else 1
        return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]

    for line in lines(path):
        names, group, a, b, c, *results = line.split()
        types = tuple(names.split("."))
        yield types, group, codes(types[1], a), codes(types[2], b), int(c, 16), results


COLUMNS = ["wgmma", "wgmma, A in registers", "mma.sync", "A negated", "B negated", "without accumulator", "four in a group"]


def expected(types, a, b, c, column):
    d, a_name, b_name = types
    step = wgmma if d in FORMATS else integer
    if column == "mma.sync":
        return (mma if d in FORMATS else integer)(*types, a, b, c)
    if column == "A negated":
        return step(*types, [code ^ FORMATS[a_name].sign_bit << FORMATS[a_name].unused_bits for code in a], b, c)
    if column == "B negated":
        return step(*types, a, [code ^ FORMATS[b_name].sign_bit << FORMATS[b_name].unused_bits for code in b], c)
    if column == "without accumulator":
        return step(*types, a, b, 0)
    for _ in range(4 if column == "four in a group" else 1):
        c = step(*types, a, b, c)
    return c


def main(path):
    counts, differ = collections.Counter(), collections.Counter()
    for types, group, a, b, c, results in read(path):
        for column, result in zip(COLUMNS, results):
            if result == "-":
                continue
            counts[types, column] += 1
            want = expected(types, a, b, c, column)
            if want != int(result, 16):
                differ[types, column] += 1
                if differ[types, column] <= 3:
                    print(f"{'.'.join(types)}, {column}, {group}: c {c:x} gives {result}, model {want:x}")
    for types, column in counts:
        print(f"{'.'.join(types)}, {column}: {differ[types, column]} of {counts[types, column]} differ")
    return differ.total() != 0 or not counts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

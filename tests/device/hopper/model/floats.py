"""Floating-point codes as exact integers. A value is (kind, negative, mantissa, exponent) and means
mantissa * 2**(exponent - fraction_bits); kind is "finite", "infinity" or "nan"."""

from typing import NamedTuple


class Format(NamedTuple):
    exponent_bits: int
    fraction_bits: int
    bytes: int
    finite_only: bool = False  # e4m3: no infinities; the largest code is NaN
    unused_bits: int = 0  # tf32: low bits that are not part of the number

    @property
    def bias(self):
        return (1 << (self.exponent_bits - 1)) - 1

    @property
    def sign_bit(self):
        return 1 << (self.exponent_bits + self.fraction_bits)

    @property
    def infinity(self):
        return ((1 << self.exponent_bits) - 1) << self.fraction_bits

    @property
    def nan(self):
        """What the hardware makes: all bits but the sign."""
        return self.sign_bit - 1


FORMATS = {
    "f16": Format(5, 10, 2),
    "bf16": Format(8, 7, 2),
    "tf32": Format(8, 10, 4, unused_bits=13),
    "e4m3": Format(4, 3, 1, finite_only=True),
    "e5m2": Format(5, 2, 1),
    "f32": Format(8, 23, 4),
    "f64": Format(11, 52, 8),
}


class Value(NamedTuple):
    kind: str
    negative: int
    mantissa: int
    exponent: int


def decode(f, code):
    code >>= f.unused_bits
    negative = code >> (f.exponent_bits + f.fraction_bits) & 1
    exponent = code >> f.fraction_bits & ((1 << f.exponent_bits) - 1)
    fraction = code & ((1 << f.fraction_bits) - 1)
    largest = exponent == (1 << f.exponent_bits) - 1
    if f.finite_only:
        if largest and fraction == (1 << f.fraction_bits) - 1:
            return Value("nan", negative, 0, 0)
    elif largest:
        return Value("nan" if fraction else "infinity", negative, 0, 0)
    if exponent == 0:
        return Value("finite", negative, fraction, 1 - f.bias)
    return Value("finite", negative, fraction | 1 << f.fraction_bits, exponent - f.bias)


def encode(f, number, scale, nearest):
    """The code of number * 2**scale, rounded to nearest even or toward zero. Too large a number is infinity either way."""
    negative, magnitude = number < 0, abs(number)
    sign = f.sign_bit if negative else 0
    if magnitude == 0:
        return 0
    exponent = max(magnitude.bit_length() - 1 + scale, 1 - f.bias)
    shift = exponent - f.fraction_bits - scale
    if shift > 0:
        mantissa, rest = magnitude >> shift, magnitude & ((1 << shift) - 1)
        half = 1 << (shift - 1)
        if nearest and (rest > half or (rest == half and mantissa & 1)):
            mantissa += 1
    else:
        mantissa = magnitude << -shift
    if mantissa >> (f.fraction_bits + 1):
        mantissa, exponent = mantissa >> 1, exponent + 1
    if exponent > f.bias:
        return sign | f.infinity
    if mantissa >> f.fraction_bits == 0:
        return sign | mantissa
    return sign | ((exponent + f.bias) << f.fraction_bits) | (mantissa - (1 << f.fraction_bits))


def add(f, x, y):
    """IEEE 754 addition of two codes, to nearest even."""
    a, b = decode(f, x), decode(f, y)
    if "nan" in (a.kind, b.kind):
        return f.nan
    if "infinity" in (a.kind, b.kind):
        if a.kind == b.kind and a.negative != b.negative:
            return f.nan
        return f.infinity | (f.sign_bit if (a if a.kind == "infinity" else b).negative else 0)
    scale = min(a.exponent, b.exponent) - f.fraction_bits
    total = sum((-v.mantissa if v.negative else v.mantissa) << (v.exponent - f.fraction_bits - scale) for v in (a, b))
    if total == 0:
        return f.sign_bit if a.negative and b.negative else 0
    return encode(f, total, scale, nearest=True)

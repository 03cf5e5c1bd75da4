#!/usr/bin/env python3
"""Which k the metadata of mma.sp and wgmma…sp select on sm_90.

    model/sparse.py FILE     sparse.txt as `sparse` writes it, or hardware/h100_sparse.txt.xz

Exit status 1 if a place differs or there is none.

Row r of a warp's 16 is that of lanes 4 (r mod 8) to 4 (r mod 8) + 3. Place c is the c-th of the row's elements that are
kept. A form is short if one lane holds the metadata of a row: mma.m16n8k16 (16 bits), m16n8k8 (tf32), m16n8k32 (8 bits).

- 8 bits: lane 2 s + h (short) or 2 (c / 16) + h, of these four, where s is the selector and h = r / 8; two bits at
  2 (c mod 16) say which of k = 4 (c / 2) … + 3.
- 16 bits: lane s or 2 s + c / 8; two bits at 16 h + 2 (c mod 8), the same.
- tf32: lane s or 2 s + c / 4; four bits at 16 h + 4 (c mod 4): 0b0100 says k = 2 c, 0b1110 says 2 c + 1.

Metadata that the PTX ISA forbids: each two bits select by themselves, in any order or the same twice; of the four bits of
tf32 the highest selects, and without the second highest the element counts as 0.
"""

import sys

from cases import lines

SHORT = ("mma.m16n8k16.f16", "mma.m16n8k8.tf32", "mma.m16n8k32.u8")


def selected(form, selector, metadata, row, c):
    """1 + k, or 0 if none; `metadata` by lane."""
    lane, half = 32 * (row // 16) + 4 * (row % 8), row % 16 // 8
    short = form in SHORT
    if "u8" in form:
        lane += half + 2 * (selector if short else c // 16)
        return 4 * (c // 2) + (metadata[lane] >> 2 * (c % 16) & 3) + 1
    if "tf32" in form:
        lane += selector if short else 2 * selector + c // 4
        bits = metadata[lane] >> (16 * half + 4 * (c % 4)) & 15
        return 2 * c + (bits >> 3) + 1 if bits & 4 else 0
    lane += selector if short else 2 * selector + c // 8
    return 4 * (c // 2) + (metadata[lane] >> (16 * half + 2 * (c % 8)) & 3) + 1


def main(path):
    places = differ = c = 0
    for line in lines(path):
        words = line.split()
        if not words[0].isdigit():
            form, selector, metadata, c = words[0], int(words[1]), [int(word, 16) for word in words[3:]], 0
            continue
        for row, k in enumerate(words):
            places += 1
            differ += selected(form, selector, metadata, row, c) != int(k)
        c += 1
    print(f"{differ} of {places} places differ")
    return differ != 0 or not places


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))

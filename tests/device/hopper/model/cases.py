"""Lines of a file of cases, which may be compressed by xz."""

import lzma


def lines(path):
    with lzma.open(path, "rt") if path.endswith(".xz") else open(path) as file:
        yield from file

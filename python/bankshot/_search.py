"""The bank hash with the fewest conflicts, and the proof that it is that."""

from __future__ import annotations

import ctypes
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional, Union

from . import _lanes, _library
from ._access import Access, Accesses, banks_of, kind_number
from ._errors import Error
from ._hash import Hash
from ._text import counted


@dataclass(frozen=True)
class Found:
    """The result of search()."""

    hash: Hash
    conflicts: int  #: under `hash`
    without: int  #: under no hash: the word modulo the number of banks
    lower_bound: int  #: no hash of the class has fewer
    proved: bool  #: `hash` is the best of its class
    certificate: Optional[str] = field(repr=False)  #: of class gf2 the proof, as JSON

    def verify(self) -> str:
        """What the certificate proves, as code says that shares nothing with the search."""
        return verify(self)


def _patterns_of(patterns: Any, width: int, gpu: str, kind: str, weights: Any) -> _library.Owned:
    if isinstance(patterns, (str, os.PathLike)):
        try:
            with open(patterns, encoding="utf-8") as file:
                patterns = json.load(file)
        except (OSError, ValueError) as error:
            raise Error(f"{os.fspath(patterns)} cannot be read: {error}", "bankshot trace writes such files") from None
    if isinstance(patterns, dict):
        if weights is not None:
            raise Error("patterns of this form have weights of their own", "leave out weights")
        return _library.Owned(_library.call("patterns_read", json.dumps(patterns).encode()), "patterns_free")
    if isinstance(patterns, Access):
        rows: Any = [patterns]
    elif isinstance(patterns, Accesses) or isinstance(patterns, (list, tuple)) and patterns and isinstance(patterns[0], Access):
        rows = patterns
    else:
        rows = patterns if _lanes.is_many(patterns) else [patterns]
    times = [1] * len(rows) if weights is None else _lanes.listed(weights, "weights")
    if len(times) != len(rows):
        raise Error(f"{len(times)} weights for {len(rows)} accesses", "give one weight an access")
    banks = banks_of(str(gpu))
    added = _library.Owned(_library.call("patterns_new", banks.pointer), "patterns_free")
    for row, weight in zip(rows, times):
        same = (row.addresses, row.width, row.kind) if isinstance(row, Access) else (_lanes.lanes_of(row), width, kind)
        array, mask = _lanes.as_c(same[0])
        _library.checked("patterns_add", added.pointer, kind_number(same[2]), _lanes.natural(same[1], "width"), array, mask,
                         _lanes.natural(weight, "the weight", 64))
    return added


def search(patterns: Any, width: int = 4, *, gpu: str = "h100", kind: str = "load", weights: Any = None,
           hash_class: str = "gf2", in_place: bool = False, plain_low_bits: int = 0, threads: int = 0,
           seconds: float = 10) -> Found:
    """The bank hash under which accesses have the fewest conflicts.

    patterns        addresses as conflicts() takes them, of one warp or several; or accesses that conflicts() gave; or
                    what bankshot trace wrote: the path of the file, or its JSON as a dict
    weights         how often each access occurs; default: once
    hash_class      "gf2" (all XOR hashes), "bitvector-xor", "bitwise-xor", "swizzle", ...
    in_place        only hashes that software can apply without extra memory
    plain_low_bits  only hashes with a form in which bank bits 0 to plain_low_bits - 1 are address bits; with in_place,
                    vectors of 2**plain_low_bits words stay contiguous
    threads         of the host; 0: as many as it has cores
    seconds         a limit; then the best hash so far is returned, and `proved` is false"""
    with_weights = _patterns_of(patterns, width, gpu, kind, weights)
    options = _library.CSearchOptions(ctypes.sizeof(_library.CSearchOptions), str(hash_class).encode(), in_place,
                                     _lanes.natural(threads, "threads") or os.cpu_count() or 1, seconds,
                                     _lanes.natural(plain_low_bits, "plain_low_bits"))
    found = _library.CFound(size=ctypes.sizeof(_library.CFound))
    _library.checked("search", with_weights.pointer, ctypes.byref(options), ctypes.byref(found))
    return Found(Hash._of(found.hash), found.conflicts, found.without, found.lower_bound, found.is_proved != 0,
                 _library.text(found.certificate) if found.certificate else None)


def _certificate_of(certificate: Union[str, os.PathLike[str], Found]) -> str:
    if isinstance(certificate, Found):
        if not certificate.proved:
            raise Error(f"nothing is proved: the hash has {counted(certificate.conflicts, 'conflict')}, the bound is "
                        f"{certificate.lower_bound:,}", "search longer, with more seconds")
        if certificate.certificate is None:
            raise Error("the search gave no certificate",
                        'only class "gf2" has one, unless it is too long or the time ran out')
        return certificate.certificate
    if isinstance(certificate, str) and certificate.lstrip().startswith("{"):
        return certificate
    remedy = "give what search() found, its certificate, or the path of a file with one"
    if not isinstance(certificate, (str, os.PathLike)):
        raise Error(f"{certificate!r} is not a certificate", remedy)
    try:
        return Path(certificate).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Error(f"{os.fspath(certificate)} cannot be read: {error}", remedy) from None


def verify(certificate: Union[str, os.PathLike[str], Found]) -> str:
    """Checks a proof with code that shares nothing with the search. Gives what is proved; raises Error if nothing is.

    certificate  what search() found; its certificate, as JSON; or the path of a file with one, such as
                 bankshot search --certificate writes"""
    return _library.text(_library.call("verify", _certificate_of(certificate).encode()))

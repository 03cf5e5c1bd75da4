"""What this package asks Bankshot: the cost of accesses, the best hash, the check of a proof.

All calls of Bankshot are here. They run the program; `bankshot.conflicts`, `bankshot.search` and `bankshot.verify` can
take their place when `search` has `plain_low_bits`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Sequence

from ._errors import LayoutError

Row = Sequence["int | None"]  # byte addresses by lane; None takes no part


@dataclass(frozen=True)
class Pattern:
    """One access of a warp, `weight` times."""

    kind: str
    width: int
    row: Row
    weight: int = 1


@dataclass(frozen=True)
class Found:
    """A hash: rows[i] is the mask of word-address bits whose parity is bank bit i. Conflicts are weighted sums."""

    rows: tuple[int, ...]
    conflicts: int
    without: int
    lower_bound: int
    certificate: str | None


def costs(patterns: Sequence[Pattern], gpu: str, rows: Sequence[int] | None = None) -> list[tuple[int, int]]:
    """Wavefronts and ideal wavefronts of each access. @param rows  those of a hash; None: the GPU's own banks"""
    hash_spec = "none" if rows is None else "rows:" + ",".join(map(str, rows))
    said = _run("conflicts", "--gpu", gpu, "--hash", hash_spec, "--json", "-", "-", stdin=_json(patterns))
    return [(one["degree"], one["ideal"]) for one in json.loads(said)["patterns"]]


def search(patterns: Sequence[Pattern], gpu: str, hash_class: str = "gf2", in_place: bool = False,
           plain_low_bits: int = 0, seconds: float = 10) -> Found:
    """The hash of the class with the fewest conflicts, with a proof for class gf2 unless the time ran out."""
    with tempfile.TemporaryDirectory() as folder:
        proof = Path(folder, "proof.json")
        options = ["--class", hash_class, "--plain-low-bits", str(plain_low_bits), "--time-limit", str(seconds)]
        options += ["--in-place"] if in_place else []
        options += ["--certificate", str(proof)] if hash_class == "gf2" else []
        said = json.loads(_run("search", "--gpu", gpu, *options, "--json", "-", "-", stdin=_json(patterns)))
        certificate = proof.read_text() if proof.exists() else None
    return Found(tuple(said["hash"]["rows"]), said["excess"], said["baseline_excess"], said["lower_bound"], certificate)


def bank_bytes(gpu: str) -> int:
    """The width of the GPU's banks, from its description."""
    found = re.search(r"^\s*bank_bytes\s*=\s*(\d+)", _run("gpus", gpu), re.MULTILINE)
    return int(found.group(1)) if found else 4


def verify(certificate: str) -> str:
    """What a proof proves, checked by code that shares nothing with the search. Raises LayoutError if it is wrong."""
    with tempfile.TemporaryDirectory() as folder:
        proof = Path(folder, "proof.json")
        proof.write_text(certificate)
        return _run("verify", str(proof)).strip()


def _json(patterns: Sequence[Pattern]) -> str:
    most = max((a for p in patterns for a in p.row if a is not None), default=0) // 4
    return json.dumps({
        "schema": "bankshot/patterns/1",
        "address_bits": max(most.bit_length(), 14),
        "patterns": [{
            "weight": p.weight, "width": p.width, "kind": "ldmatrix" if p.kind == "stmatrix" else p.kind,
            "addresses": [None if a is None else a // 4 for a in p.row],
        } for p in patterns],
    })


def _run(*arguments: str, stdin: str = "") -> str:
    program = os.environ.get("BANKSHOT") or shutil.which("bankshot")
    if program is None:
        raise LayoutError("the program bankshot is not on PATH: install it, or set BANKSHOT to its path")
    done = subprocess.run([program, *arguments], input=stdin, capture_output=True, text=True)
    if done.returncode != 0:
        raise LayoutError(f"bankshot {arguments[0]} failed: {done.stderr.strip()}")
    return done.stdout

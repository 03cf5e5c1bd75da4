"""Where the program and the library are: inside a wheel, below a prefix, or in a built tree."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ._errors import Error

_PACKAGE = Path(__file__).resolve().parent
_REMEDY = "set BANKSHOT_PROGRAM to the program, or put its folder on PATH"


def program() -> str:
    """The program `bankshot`. Below a running Bankshot it is the same program, as BANKSHOT_PROGRAM says."""
    chosen = os.environ.get("BANKSHOT_PROGRAM")
    if chosen:
        if not os.access(chosen, os.X_OK):
            raise Error(f"BANKSHOT_PROGRAM is {chosen}, which is not a program", _REMEDY)
        return chosen
    # In a wheel; in PREFIX/share/bankshot/python/bankshot; in python/bankshot of a tree.
    for relative in ("_installed/bin/bankshot", "../../../../bin/bankshot", "../../build/release/bin/bankshot"):
        path = (_PACKAGE / relative).resolve()
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    found = shutil.which("bankshot")
    if found is None:
        raise Error("the program bankshot is not installed", _REMEDY)
    return os.path.realpath(found)


def library() -> str:
    """libbankshot-api.so.0 of the same installation."""
    prefix = Path(program()).resolve().parent.parent
    for pattern in ("lib*/libbankshot-api.so.0", "lib/*/libbankshot-api.so.0"):
        for path in sorted(prefix.glob(pattern)):
            return str(path)
    raise Error(f"{prefix} has no libbankshot-api.so.0", "install Bankshot as a whole")

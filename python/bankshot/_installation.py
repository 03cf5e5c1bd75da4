"""Where the program and the library are: inside a wheel, below a prefix, or in a built tree."""

from __future__ import annotations

import os
from pathlib import Path

from ._errors import Error

_PACKAGE = Path(__file__).resolve().parent
_REMEDY = "set BANKSHOT_PROGRAM to the program, or put its folder on PATH"


def _is_program(path: str | Path) -> bool:
    """Whether it is the program itself; the script of that name in an environment's bin starts this package again."""
    try:
        with open(path, "rb") as file:
            return file.read(4) == b"\x7fELF" and os.access(path, os.X_OK)
    except OSError:
        return False


def program() -> str:
    """The program `bankshot`. Below a running Bankshot it is the same program, as BANKSHOT_PROGRAM says."""
    chosen = os.environ.get("BANKSHOT_PROGRAM")
    if chosen:
        if not _is_program(chosen):
            raise Error(f"BANKSHOT_PROGRAM is {chosen}, which is not a program", _REMEDY)
        return chosen
    # In a wheel; in PREFIX/share/bankshot/python/bankshot; in python/bankshot of a tree.
    for relative in ("_installed/bin/bankshot", "../../../../bin/bankshot", "../../build/release/bin/bankshot"):
        path = (_PACKAGE / relative).resolve()
        if _is_program(path):
            return str(path)
    for folder in os.get_exec_path():
        if _is_program(os.path.join(folder, "bankshot")):
            return os.path.realpath(os.path.join(folder, "bankshot"))
    raise Error("the program bankshot is not installed", _REMEDY)


def library() -> str:
    """libbankshot-api.so.0 of the same installation."""
    prefix = Path(program()).resolve().parent.parent
    for pattern in ("lib*/libbankshot-api.so.0", "lib/*/libbankshot-api.so.0"):
        for path in sorted(prefix.glob(pattern)):
            return str(path)
    raise Error(f"{prefix} has no libbankshot-api.so.0", "install Bankshot as a whole")

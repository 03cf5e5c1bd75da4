"""The program `bankshot`: the entry point of the wheel, and `python3 -m bankshot`."""

from __future__ import annotations

import os
import sys

from . import Error, _installation


def main() -> None:
    try:
        program = _installation.program()
    except Error as error:
        sys.exit(f"bankshot: {error}")
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()

"""Where the package finds the program."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bankshot

PACKAGE = Path(bankshot.__file__).parent
WITHOUT_PROGRAM = shutil.ignore_patterns("_installed", "__pycache__")


def test_a_wheel_without_the_program_does_not_start_itself(tmp_path):
    packages = tmp_path / "lib/python3/site-packages"
    shutil.copytree(PACKAGE, packages / "bankshot", ignore=WITHOUT_PROGRAM)
    script = tmp_path / "bin/bankshot"  # as pip writes it
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(packages)!r})\n"
                      "from bankshot.__main__ import main\nmain()\n")
    script.chmod(0o755)
    done = subprocess.run([script, "--version"], env={"PATH": str(script.parent)}, capture_output=True, text=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (
        1, "bankshot: the program bankshot is not installed; set BANKSHOT_PROGRAM to the program, or put its folder on PATH\n")


def test_rejects_what_is_not_a_program(monkeypatch):
    monkeypatch.setenv("BANKSHOT_PROGRAM", __file__)
    with pytest.raises(bankshot.Error, match="BANKSHOT_PROGRAM is .*test_installation.py, which is not a program"):
        bankshot.explain("true")

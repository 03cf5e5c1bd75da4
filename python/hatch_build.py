"""Puts an installation of Bankshot into the wheel, if BANKSHOT_INSTALLED names one, and tags the wheel for what it needs.

Without one the wheel is the Python code alone, for an installed Bankshot or a built tree.
"""

import os
import platform
import re
import subprocess
from pathlib import Path

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# What only an installation below a prefix can use; and our CUDA programs, which link a CUDA runtime, as manylinux wheels must not.
LEFT_OUT = ("lib/bankshot/kernels/", "share/doc/", "share/man/", "share/bash-completion/", "share/zsh/",
            "share/fish/", "lib/cmake/", "lib/pkgconfig/")


def files_of(prefix):
    """Of the installation: the file by its path in it. Wheels have no links; what is linked is there by its other name."""
    for path in sorted(prefix.rglob("*")):
        name = path.relative_to(prefix).as_posix()
        if path.name == "libbankshot-api.so.0":  # the name by which the library is loaded
            yield name, path.resolve()
        elif path.is_file() and not path.is_symlink() and not name.startswith(LEFT_OUT) and "libbankshot-api" not in name:
            yield name, path


def glibc_of(files):
    """The newest version of glibc that a symbol of the programs and libraries needs."""
    programs = [path for path in files if path.read_bytes()[:4] == b"\x7fELF"]
    said = subprocess.run(["objdump", "-T", *programs], capture_output=True, text=True, check=True).stdout
    return max(tuple(map(int, version.split("."))) for version in re.findall(r"\bGLIBC_(\d+\.\d+)", said))


class Hook(BuildHookInterface):
    def initialize(self, version, build_data):
        prefix = os.environ.get("BANKSHOT_INSTALLED")
        if prefix is None:
            return
        files = dict(files_of(Path(prefix).resolve()))
        if "bin/bankshot" not in files:
            raise RuntimeError(f"BANKSHOT_INSTALLED: {prefix} has no bin/bankshot; cmake --install writes such a folder")
        for name, path in files.items():
            build_data["force_include"][str(path)] = "bankshot/_installed/" + name
        major, minor = glibc_of(files.values())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"

"""Runs at the start of every Python process below Bankshot, which puts this folder on PYTHONPATH.

A package that gives kernels to the driver has to give PTX. When a module of _PARTS has been imported, the function beside
it changes that module. Nothing else is touched, and a sitecustomize of the user's own runs as it would without this one.
"""

import importlib
import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
_PARTS = {
    "torch": ("bankshot.torch", "put_in_place"),
    "torch.utils.cpp_extension": ("bankshot.torch_extensions", "build_for_the_cpu"),
    "triton.backends.nvidia.driver": ("bankshot.triton", "put_in_place"),
    "triton.compiler.compiler": ("bankshot.triton", "note_specializations"),
    "triton.testing": ("bankshot.triton", "time_by_simulation"),
    "cuda.pathfinder": ("bankshot.cuda_packages", "hide_nvjitlink"),
    "cuda.core._linker": ("bankshot.cuda_packages", "silence_missing_nvjitlink"),
    "cuda.bindings._internal.runtime": ("bankshot.cuda_packages", "replace_runtime"),
    "cupy": ("bankshot.cuda_packages", "check_each_allocation_of_cupy"),
    "cupy.cuda.compiler": ("bankshot.cuda_packages", "let_cupy_make_ptx"),
    "numba.cuda.codegen": ("bankshot.cuda_packages", "separate_numba_cache"),
    "pycuda.compiler": ("bankshot.cuda_packages", "let_pycuda_make_ptx"),
}


class _AfterImport:
    """A finder that leaves the finding to the others and changes modules of _PARTS once they have been executed."""

    def find_spec(self, name, path=None, target=None):
        if name not in _PARTS:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is None or spec.loader is None:
            return spec
        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            _change(name, module)

        spec.loader.exec_module = exec_module
        return spec


def _change(name, module):
    part, function = _PARTS[name]
    try:
        getattr(importlib.import_module(part), function)(module)
    except Exception as error:  # a release of the package that has other names inside
        sys.stderr.write("bankshot: {} is left as it is, and its kernels may be refused: {}: {}. The releases that were "
                         "tried are in docs/compatibility.md\n".format(name, type(error).__name__, error))


if sys.version_info >= (3, 9):  # what Bankshot's modules need
    sys.meta_path.insert(0, _AfterImport())


def _run_next_sitecustomize():
    others = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is None or spec.loader is None:
        return
    module = importlib.util.module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


_run_next_sitecustomize()

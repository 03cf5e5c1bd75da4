"""C++ extensions with CUDA kernels for a PyTorch without CUDA: they are built for tensors of the CPU."""

import contextlib
import functools
import inspect
import os
import re
import subprocess

from bankshot import _gpu, _lines, _torch_devices, _torch_memory

_INCLUDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "torch_include")
# The macro: headers of c10/cuda come without the file that CMake writes for a build with CUDA.
_FLAGS = ["-I" + _INCLUDE, "-include", "cuda_is_the_cpu.h", "-DC10_CUDA_NO_CMAKE_CONFIGURE_FILE"]
_MISSING = ("c10_cuda", "torch_cuda")  # libraries


def build_for_the_cpu(module):
    """Changes torch.utils.cpp_extension, just loaded, if PyTorch was built without CUDA."""
    import torch

    if torch.version.cuda is not None or torch.version.hip is not None:
        return
    module.CUDA_HOME = module._find_cuda_home()
    module._get_cuda_arch_flags = _for_this_gpu(module._get_cuda_arch_flags)
    module._jit_compile = _with_flags(torch, module, module._jit_compile)
    module.load_inline = _with_lines(module.load_inline)
    module._prepare_ldflags = _without_missing(module._prepare_ldflags)
    module._import_module_from_library = _following_devices(torch, module._import_module_from_library)
    module.CUDAExtension = _changed_extension(module.CUDAExtension)


def _for_this_gpu(original):
    @functools.wraps(original)
    def _get_cuda_arch_flags(cflags=None):
        if "TORCH_CUDA_ARCH_LIST" not in os.environ and not any("arch" in flag for flag in cflags or ()):
            os.environ["TORCH_CUDA_ARCH_LIST"] = "{}.{}+PTX".format(*_gpu.this().capability())
        return original(cflags)

    return _get_cuda_arch_flags


@contextlib.contextmanager
def _as_built_with_cuda(torch, module):
    """What PyTorch asks while it writes the rules of a build: without CUDA they leave out which headers a file includes."""
    said = subprocess.run([module._join_cuda_home("bin", "nvcc"), "--version"], capture_output=True, text=True, check=True)
    release = re.search(r"release (\d+\.\d+)", said.stdout)
    torch.version.cuda = release.group(1) if release else "13.0"
    try:
        yield
    finally:
        torch.version.cuda = None


def _with_flags(torch, module, original):
    signature = inspect.signature(original)

    @functools.wraps(original)
    def _jit_compile(*arguments, **options):
        call = signature.bind(*arguments, **options)
        given = call.arguments
        if not (any(map(module._is_cuda_file, given["sources"])) if given["with_cuda"] is None else given["with_cuda"]):
            return original(*arguments, **options)
        given["extra_cflags"] = [*(given["extra_cflags"] or ()), *_FLAGS]
        given["extra_cuda_cflags"] = [*(given["extra_cuda_cflags"] or ()), *_FLAGS, "-lineinfo"]
        with _as_built_with_cuda(torch, module):
            return original(*call.args, **call.kwargs)

    return _jit_compile


def _with_lines(original):
    signature = inspect.signature(original)

    @functools.wraps(original)
    def load_inline(*arguments, **options):
        call = signature.bind(*arguments, **options)
        sources = call.arguments.get("cuda_sources")
        if sources:
            sources = [sources] if isinstance(sources, str) else sources
            call.arguments["cuda_sources"] = [_lines.at_its_line(source) for source in sources]
        return original(*call.args, **call.kwargs)

    return load_inline


def _without_missing(original):
    @functools.wraps(original)
    def _prepare_ldflags(*arguments, **options):
        return [flag for flag in original(*arguments, **options) if flag not in ["-l" + name for name in _MISSING]]

    return _prepare_ldflags


def _following_devices(torch, original):
    """Functions of the extension: tensors made before its allocator was in place are arguments, too, and results are where
    the arguments are."""
    places = _torch_devices.places_of(torch)

    def follow(function):
        @functools.wraps(function)
        def call(*arguments, **options):
            with torch._C.DisableTorchFunction():
                given = list(places.tensors([arguments, options]))
                was_on_cuda = places.any_on_cuda(given)
                _torch_memory.expose(torch, given)
            result = function(*arguments, **options)
            with torch._C.DisableTorchFunction():
                places.put_new_on_cuda(result if was_on_cuda else None, given)
            return result

        return call

    @functools.wraps(original)
    def _import_module_from_library(*arguments, **options):
        extension = original(*arguments, **options)
        for name, one in list(vars(extension).items()) if inspect.ismodule(extension) else ():
            if inspect.isbuiltin(one):
                setattr(extension, name, follow(one))
        return extension

    return _import_module_from_library


def _changed_extension(original):
    @functools.wraps(original)
    def CUDAExtension(*arguments, **options):
        extension = original(*arguments, **options)
        extension.libraries = [name for name in extension.libraries if name not in _MISSING]
        given = extension.extra_compile_args
        given = given if isinstance(given, dict) else {"cxx": given or [], "nvcc": given or []}
        extension.extra_compile_args = {**given, "cxx": [*given.get("cxx", ()), *_FLAGS],
                                        "nvcc": [*given.get("nvcc", ()), *_FLAGS, "-lineinfo"]}
        return extension

    return CUDAExtension

"""Numba, CuPy, PyCUDA, cuda.bindings and cuda.core under Bankshot.

`bankshot run python3 script.py` (or explain, check, simulate, fix) calls a function of this module when the package that it
names is imported; programs need not import it. The packages compile kernels to machine code, which needs a GPU; each has a
way to make PTX instead, which Bankshot's driver takes in the same place.
"""

import ctypes
import os
import warnings

from bankshot import _lines


def hide_nvjitlink(module):
    """Lets cuda.core and Numba link with the driver, whose linker makes PTX: nvJitLink makes machine code.

    They do so without being asked where nvJitLink is not installed.

    @param module  cuda.pathfinder
    """
    load = module.load_nvidia_dynamic_lib

    def load_nvidia_dynamic_lib(libname):
        if libname == "nvJitLink":
            raise module.DynamicLibNotFoundError(
                "Bankshot does without nvJitLink, which makes machine code: the driver links PTX; LTO IR is not supported"
            )
        return load(libname)

    module.load_nvidia_dynamic_lib = load_nvidia_dynamic_lib
    warnings.filterwarnings("ignore", message="The CUDA driver version is older than the backend version")  # any PTX runs


def silence_missing_nvjitlink(module):
    """Takes back the advice to install nvJitLink, which programs that make errors of warnings would stop at.

    @param module  cuda.core._linker
    """
    warn = module.warn

    def warn_of_others(message, *arguments, **options):
        if "nvjitlink is not available" not in str(message):
            warn(message, *arguments, **options)

    module.warn = warn_of_others


def replace_runtime(module):
    """Gives cuda.bindings Bankshot's runtime library in place of NVIDIA's, which is linked into it without symbols.

    @param module  cuda.bindings._internal.runtime, from which Cython's modules take the addresses of the functions
    """
    runtime = ctypes.CDLL("libcudart.so.13")
    capsule = ctypes.pythonapi
    capsule.PyCapsule_GetName.restype = ctypes.c_void_p
    capsule.PyCapsule_GetName.argtypes = [ctypes.py_object]
    capsule.PyCapsule_New.restype = ctypes.py_object
    capsule.PyCapsule_New.argtypes = [ctypes.c_void_p] * 3
    for name, theirs in module.__pyx_capi__.items():
        ours = getattr(runtime, name[1:], None) if name.startswith("_cuda") else None
        if ours is not None:
            signature = capsule.PyCapsule_GetName(theirs)
            module.__pyx_capi__[name] = capsule.PyCapsule_New(ctypes.cast(ours, ctypes.c_void_p), signature, None)


def check_each_allocation_of_cupy(module):
    """Under `bankshot check` CuPy takes each array from the driver: its pool rounds sizes up, and never gives back.

    @param module  cupy
    """
    if "BANKSHOT_CHECK" in os.environ:
        module.cuda.set_allocator(None)


def let_cupy_make_ptx(module):
    """Its own switch for NVRTC, CUPY_COMPILE_WITH_PTX=1, which also keeps the files of its cache apart; and nvcc.

    @param module  cupy.cuda.compiler
    """
    module._use_ptx = True
    compile_using_nvcc = module.compile_using_nvcc

    def compile_to_ptx(source, options=(), arch=None, filename="kern.cu", code_type="cubin", separate_compilation=False,
                       log_stream=None):
        if not separate_compilation:
            code_type = "ptx"
        return compile_using_nvcc(source, options, arch, filename, code_type, separate_compilation, log_stream)

    module.compile_using_nvcc = compile_to_ptx
    compile_module = module._compile_module_with_cache

    def compile_with_lines(source, options=(), **others):
        located = _lines.at_its_line(source)
        return compile_module(located, options if located == source else (*options, "-lineinfo"), **others)

    module._compile_module_with_cache = compile_with_lines


def separate_numba_cache(module):
    """Functions that @cuda.jit(cache=True) keeps as PTX are not for a GPU's processes, nor theirs for ours.

    @param module  numba.cuda.codegen
    """
    magic_tuple = module.JITCUDACodegen.magic_tuple
    module.JITCUDACodegen.magic_tuple = lambda self: (*magic_tuple(self), "PTX for Bankshot")


def let_pycuda_make_ptx(module):
    """It takes PTX everywhere it takes a cubin, but asks nvcc for it only if told so.

    @param module  pycuda.compiler
    """
    compile_plain = module.compile_plain

    def compile_to_ptx(source, options, keep, nvcc, cache_dir, target="cubin"):
        return compile_plain(source, options, keep, nvcc, cache_dir, "ptx" if target == "cubin" else target)

    module.compile_plain = compile_to_ptx
    compile_source = module.compile

    def compile_with_lines(source, nvcc="nvcc", options=None, *others, **named):
        located = _lines.at_its_line(source)
        if located != source:
            options = [*(module.DEFAULT_NVCC_FLAGS if options is None else options), "-lineinfo"]
        return compile_source(located, nvcc, options, *others, **named)

    module.compile = compile_with_lines

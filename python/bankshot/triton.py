"""Triton kernels under Bankshot, with tensors of any build of PyTorch (bankshot.torch).

`bankshot run python3 script.py` (or explain, check, simulate, fix) puts this module in place when Triton loads its NVIDIA
driver; programs need not import it. Then

* the autotuner and triton.testing.do_bench have the times of the simulated GPU under `bankshot simulate`. Otherwise they
  have none, as times of the host would say nothing about a GPU: the first configuration that runs is taken. So it is under
  `bankshot fix`, whose runs must all launch the same;
* reports tell the specializations of a kernel apart.
"""

import functools
import inspect
import sys

from bankshot import _gpu

_said = set()


def _say(sentence):
    """Once."""
    if sentence not in _said:
        _said.add(sentence)
        print(f"bankshot: {sentence}", file=sys.stderr)


def put_in_place(module):
    """Changes Triton's module triton.backends.nvidia.driver, just loaded, so that its driver works under Bankshot."""
    driver_class = module.CudaDriver

    def __init__(self):
        gpu = _gpu.this()
        gpu.make_current()
        self.utils = module.CudaUtils()
        self.launcher_cls = module.CudaLauncher
        self.get_device_capability = lambda device=0: gpu.capability()
        self.get_current_stream = lambda device=0: 0
        self.get_current_device = gpu.make_current  # asked before each launch, perhaps in a thread of its own
        self.set_current_device = lambda device: None

    driver_class.__init__ = __init__
    driver_class.is_active = staticmethod(lambda: True)


def note_specializations(module):
    """Changes Triton's module triton.compiler.compiler, just loaded: the PTX of a kernel ends with what it was compiled for."""
    kernel_class = module.CompiledKernel
    make = kernel_class.__init__

    @functools.wraps(make)
    def __init__(self, src, *arguments, **options):
        make(self, src, *arguments, **options)
        if isinstance(self.kernel, bytes):
            notes = "".join(f"\n// Specialization: {part}" for part in specialization(src, self.metadata))
            self.kernel = self.kernel.rstrip(b"\0") + notes.encode() + b"\n"

    kernel_class.__init__ = __init__


_OPTIONS = ("num_warps", "num_stages", "num_ctas", "maxnreg", "default_dot_input_precision", "enable_fp_fusion")


def specialization(source, options):
    """What a kernel is compiled for: constants, options, types of arguments; "BM=64", "num_warps=4", "x: *fp16", "x divisible by 16".
    It depends on nothing that changes from run to run, such as addresses.

    @param source   triton.compiler.ASTSource; other sources have no arguments
    @param options  has the options as attributes
    """
    names = getattr(getattr(source, "fn", None), "arg_names", [])
    constants, attributes = getattr(source, "constants", {}), getattr(source, "attrs", {})
    parts = []
    for path in sorted(constants):  # (2,): the third argument; (2, 0): the first of a tuple
        if path[0] < len(names):
            parts.append(names[path[0]] + "".join(f"[{k}]" for k in path[1:]) + "=" + _text(constants[path]))
    parts += [f"{name}={getattr(options, name)}" for name in _OPTIONS if hasattr(options, name)]
    aligned = {path: value for path, known in attributes.items() for key, value in known if key == "tt.divisibility"}
    for k, name in enumerate(names):
        kind = source.signature.get(name, "constexpr")
        if kind != "constexpr":
            parts.append(f"{name}: {kind if isinstance(kind, str) else _text(kind)}")
    return parts + [f"{names[k]} divisible by {aligned[k,]}" for k in range(len(names)) if (k,) in aligned]


def _text(value):
    """Of a constant; one line."""
    value = getattr(value, "value", value)  # of a constexpr
    if value is None or isinstance(value, (bool, int, float, str)):
        return repr(value)
    if isinstance(value, (tuple, list)):
        return "(" + ", ".join(map(_text, value)) + ")"
    if type(value).__name__ == "dtype":
        return str(value)
    return getattr(value, "__name__", type(value).__name__)


def time_by_simulation(module):
    """Changes the benchmarks of Triton's module triton.testing, just loaded."""
    for name in [name for name in vars(module) if name.startswith("do_bench")]:
        setattr(module, name, _benchmark(getattr(module, name)))


def _benchmark(original):
    """The same function, which calls what it measures once; twice for a simulated time, as caches are warm then."""
    signature = inspect.signature(original)

    @functools.wraps(original)
    def benchmark(*arguments, **options):
        call = signature.bind(*arguments, **options)
        call.apply_defaults()
        function = call.arguments["fn"]
        gpu = _gpu.this()
        begin, end = gpu.event(), gpu.event()
        if _gpu.SIMULATED:
            function()
        else:
            _say("nothing is timed, as times of the host would say nothing about a GPU, and the autotuner takes the first "
                 "configuration that runs; bankshot simulate gives simulated times")
        begin.record()
        function()
        end.record()
        time = begin.elapsed_time(end)
        if _gpu.SIMULATED and time != time:
            _say("what launches no kernel has no simulated time (nan), such as functions of PyTorch, which run on the CPU")
        quantiles = call.arguments["quantiles"]
        if quantiles:
            return [time] * len(quantiles) if len(quantiles) > 1 else time
        return [time] if call.arguments["return_mode"] == "all" else time

    return benchmark

"""Runs of programs and of Python functions under Bankshot: explain, check, simulate."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, Union

from . import _call, _installation
from ._errors import Error
from ._report import Failed, Finding, Kernel, exceeded_limits, failed_of, findings_of, kernels_of, place_text
from ._text import counted

AnyPath = Union[str, "os.PathLike[str]"]
Command = Union[AnyPath, Sequence[AnyPath], Callable[..., Any]]

_LIMIT = 3  # statuses of the program, as `bankshot help explain` has them
_INTERRUPTED = 130
_SECONDS_TO_END = 2  # for a program that is asked to end, before it is killed


@dataclass(frozen=True)
class Run:
    """What a run measured. `gaps` lists what it did not measure; a run with gaps is never clean."""

    mode: str  #: "explain", "check" or "simulate"
    gpu: str
    kernels: list[Kernel]
    findings: list[Finding]  #: of check
    failed_launches: list[Failed]
    gaps: list[str]
    status: int  #: exit status of bankshot
    text: str = field(repr=False)  #: what the program, then Bankshot wrote to standard output
    errors: str = field(repr=False)  #: the same of standard error
    raw: dict[str, Any] = field(repr=False, compare=False)  #: the report as docs/json.md has it
    _page: str = field(repr=False, compare=False)
    _outcome: Optional[tuple[bool, Any]] = field(repr=False, compare=False)
    _shown: bool = field(default=False, repr=False, compare=False)  #: `text` is shown elsewhere

    @property
    def complete(self) -> bool:
        """Whether everything that the program did was measured, and that is something."""
        return not self.gaps

    @property
    def conflicts(self) -> int:
        return sum(kernel.conflicts for kernel in self.kernels)

    @property
    def wavefronts(self) -> int:
        return sum(kernel.wavefronts for kernel in self.kernels)

    @property
    def cycles(self) -> Optional[int]:
        """Of simulate: of all launches."""
        return self.raw.get("cycles")

    @property
    def value(self) -> Any:
        """What the function returned. Raises Error if it did not return, or if a command was run."""
        if self._outcome is None:
            raise Error("a command has no value", "give a function")
        returned, value = self._outcome
        if not returned:
            raise Error(f"the function has no value: {value}", "text and errors of the run are what it wrote")
        return value

    def to_dict(self) -> dict[str, Any]:
        """The report as docs/json.md has it."""
        return self.raw

    def html(self, path: Optional[AnyPath] = None) -> str:
        """The report as one page for a browser; written to `path`, if that is given."""
        if path is not None:
            try:
                Path(path).write_text(self._page, encoding="utf-8")
            except OSError as error:
                raise Error(f"{os.fspath(path)} cannot be written: {error.strerror}", "name another file") from None
        return self._page

    def problems(self, *, max_conflicts: Optional[int] = None, max_wavefronts: Optional[int] = None,
                 races: Optional[bool] = None, errors: Optional[bool] = None) -> list[str]:
        """What is against these limits, a sentence each; first what was not measured, then the limits of options and of
        bankshot.toml that are exceeded.

        max_conflicts, max_wavefronts  of each kernel, without those that bankshot.toml accepts
        races=False                    no race in shared memory, but for those of the baseline
        errors=False                   nothing that the check fails for: no error; if strict, no warning"""
        found = [*self.gaps, *(_limit_text(limit) for limit in exceeded_limits(self.raw) if "findings" not in limit)]
        for kernel in self.kernels:
            for counter, most in (("conflict", max_conflicts), ("wavefront", max_wavefronts)):
                count = getattr(kernel, counter + "s") - kernel.suppressed
                if most is not None and count > most:
                    found.append(f"{kernel.demangled} has {counted(count, counter)}, more than {most:,}{_worst(kernel)}")
        if (races is False or errors is False) and self.mode != "check":
            found.append(f"{self.mode} does not look for races and other errors: use check")
        found += [str(one) for one in self.findings
                  if one.counts and (errors is False or races is False and one.check == "race")]
        if races is False and self.mode == "check" and "race" not in self.raw["checks"]:
            found.append("check did not look for races: leave out its option checks, or name race")
        return found

    def assert_clean(self, **limits: Any) -> None:
        """Raises AssertionError, with the report, if the run has gaps or exceeds a limit of problems().

        Without limits: no conflicts for explain and simulate, no errors for check."""
        limits = limits or ({"errors": False} if self.mode == "check" else {"max_conflicts": 0})
        problems = self.problems(**limits)
        if problems:
            raise AssertionError("\n".join(problems if self._shown else [*problems, "", self.text, self.errors]))

    def __repr__(self) -> str:
        counts = [(len(self.kernels), "kernel")]
        counts += [(len(self.findings), "finding")] if self.mode == "check" else [(self.conflicts, "conflict")]
        counts += [(self.cycles, "cycle")] if self.cycles is not None else []
        what = ", ".join(counted(count, noun) for count, noun in counts)
        return f"<{self.mode} on {self.gpu}: {what}{', incomplete' if self.gaps else ''}>"

    def _repr_html_(self) -> str:
        parts = [f"<p>{escape(repr(self)[1:-1])}</p>"]
        parts += [f"<p><b>incomplete:</b> {escape(gap)}</p>" for gap in self.gaps]
        parts += [f"<p>{escape(str(finding))}</p>" for finding in self.findings]
        rows = [(kernel, line) for kernel in self.kernels for line in kernel.lines if line.conflicts][:_MOST_LINES]
        for kernel, line in rows:
            place = place_text(line.file, line.line, line.sites[0].ptx_line)
            says = f"{counted(line.conflicts, 'conflict')}, {place}, {kernel.demangled}"
            worst = line.sites[0].worst
            parts.append(f"<details><summary>{escape(says)} <code>{escape(line.text)}</code></summary>"
                         f"{'' if worst is None else worst._repr_html_()}</details>")
        return "".join(parts)


_MOST_LINES = 20


def _worst(kernel: Kernel) -> str:
    """The line that causes the most, as an end of a sentence."""
    for line in kernel.lines:
        if line.conflicts > line.suppressed:
            return f", most of them at {place_text(line.file, line.line, line.sites[0].ptx_line)} {line.text}".rstrip()
    return ""


def _limit_text(limit: dict[str, Any]) -> str:
    """How a limit of the verdict is exceeded, and where."""
    places = [place_text(line["file"], line["line"]) for line in limit.get("lines", []) if line["file"]]
    return f"{limit['says']} ({limit['limit']})" + (f", at {', '.join(places)}" if places else "")


def _said(errors: str) -> list[str]:
    """What Bankshot said on standard error, without warnings and notes."""
    lines = [line[len("bankshot: "):] for line in errors.splitlines() if line.startswith("bankshot: ")]
    return [line for line in lines if not line.startswith(("warning: ", "note: "))]


def _gaps(report: dict[str, Any], status: int, errors: str) -> list[str]:
    """Those of the report. A command that failed for a reason that is not in it, such as a baseline that cannot be written,
    has a gap, too."""
    gaps = list(report["verdict"]["gaps"])
    if gaps or status == 0 or status == _LIMIT and exceeded_limits(report):
        return gaps
    return _said(errors) or [f"bankshot ended with status {status}"]


def _words(command: Command, args: tuple[Any, ...]) -> list[str]:
    remedy = "give a program with its arguments, or a function"
    try:
        words: list[Any] = shlex.split(command) if isinstance(command, str) else (
            [command] if isinstance(command, os.PathLike) else list(command))  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise Error(f"{command!r} is not a command: {error}", remedy) from None
    if not words:
        raise Error("there is no command", remedy)
    return [os.fspath(word) if isinstance(word, (str, os.PathLike)) else str(word) for word in [*words, *args]]


def _options(gpu: Optional[str], threads: Optional[int], kernel: Union[str, Sequence[str], None],
             bank_hash: Any, options: Sequence[str]) -> list[str]:
    words: list[str] = []
    if gpu is not None:
        if "," in str(gpu):
            raise Error(f"{gpu} names several GPUs", "run the program once for each")
        words += ["--gpu", str(gpu)]
    if threads is not None:
        words += ["--threads", str(threads)]
    if bank_hash is not None:
        words += ["--bank-hash", str(bank_hash)]
    for name in [kernel] if isinstance(kernel, str) else kernel or ():
        words += ["--kernel", name]
    return words + [str(option) for option in options]


def _stop(process: subprocess.Popen[str]) -> None:
    """Ends Bankshot and all that it started, which is a process group."""
    for how, seconds in ((signal.SIGTERM, _SECONDS_TO_END), (signal.SIGKILL, None)):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, how)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(seconds)


def _finished(words: list[str], timeout: Optional[float], **how: Any) -> tuple[int, str, str]:
    try:
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                                   errors="replace", start_new_session=True, **how)
    except (OSError, TypeError, ValueError) as error:
        raise Error(f"{words[0]} {words[1]} cannot be started: {error}",
                    "bankshot doctor says what this machine lacks") from None
    with process:
        try:
            output, errors = process.communicate(timeout=timeout)
        except BaseException as error:
            _stop(process)
            if isinstance(error, subprocess.TimeoutExpired):
                raise Error(f"{words[0]} {words[1]} did not end within {timeout} s", "give more time, or a smaller problem") from None
            raise
    return process.returncode, output, errors


def _run(mode: str, command: Command, args: tuple[Any, ...], options: list[str], kwargs: Optional[Mapping[str, Any]],
         env: Optional[Mapping[str, str]], cwd: Optional[AnyPath], timeout: Optional[float]) -> Run:
    with tempfile.TemporaryDirectory(prefix="bankshot-") as name:
        folder = Path(name)
        is_function = callable(command)
        if kwargs and not is_function:
            raise Error("kwargs are of a function, and this is a command", "put its options into the command")
        words = _call.command_of(command, args, dict(kwargs or {}), folder) if is_function else _words(command, args)  # type: ignore[arg-type]
        report, page = folder / "report.json", folder / "report.html"
        status, text, errors = _finished(
            [_installation.program(), mode, "--json", str(report), "--html", str(page), "--quiet", *options, "--", *words],
            timeout, cwd=cwd, env=None if env is None else {**os.environ, **env})
        if status == _INTERRUPTED:
            raise KeyboardInterrupt
        if not report.exists() or not page.exists():
            raise Error.told("\n".join(_said(errors)) or errors.strip() or f"bankshot {mode} ended with status {status}")
        raw = json.loads(report.read_text(encoding="utf-8"))
        if "gpu" not in raw:
            raise Error("the options name several GPUs", "run the program once for each")
        if "verdict" not in raw:
            raise Error("the report has no verdict", "run the bankshot of this package: BANKSHOT_PROGRAM may name another")
        outcome = _call.outcome_of(folder) if is_function else None
        gaps = _gaps(raw, status, errors)
        if outcome is _call.NOT_RETURNED:
            gaps.append(_call.NOT_RETURNED[1])
        elif outcome is not None and not outcome[0] and gaps:
            gaps.insert(0, f"the function has no value: {outcome[1]}")
        return Run(mode, raw["gpu"], kernels_of(raw), findings_of(raw), failed_of(raw), gaps, status, text, errors, raw,
                   page.read_text(encoding="utf-8"), outcome)


def explain(command: Command, *args: Any, gpu: Optional[str] = None, kernel: Union[str, Sequence[str], None] = None,
            bank_hash: Any = None, threads: Optional[int] = None, options: Sequence[str] = (),
            kwargs: Optional[Mapping[str, Any]] = None, env: Optional[Mapping[str, str]] = None,
            cwd: Optional[AnyPath] = None, timeout: Optional[float] = None) -> Run:
    """Runs a CUDA program, or a function, and counts its accesses to shared memory: bankshot explain.

    command    a program with its arguments: a list, or a string that is split at blanks as a shell would, without a shell.
               `args` are more arguments. Or a function, which is called as function(*args, **kwargs) in a process of its
               own; `value` of the run is what it returned
    gpu        a name that `bankshot gpus` lists, or the path of a .toml file; default: that of bankshot.toml, or h100
    kernel     only kernels with this, or one of these, in their name
    bank_hash  count as if the hardware chose banks with this hash: a Hash, or one as text
    threads    of the host; default: all
    options    more options of `bankshot explain`, word by word
    env        variables of the environment, besides those that are there
    timeout    in seconds

    A program that fails gives a Run with gaps. Raises Error if it cannot be run, or if nothing could be written about it."""
    return _run("explain", command, args, _options(gpu, threads, kernel, bank_hash, options), kwargs, env, cwd, timeout)


def check(command: Command, *args: Any, gpu: Optional[str] = None, checks: Union[str, Sequence[str]] = (), strict: bool = False,
          kernel: Union[str, Sequence[str], None] = None, options: Sequence[str] = (),
          kwargs: Optional[Mapping[str, Any]] = None, env: Optional[Mapping[str, str]] = None,
          cwd: Optional[AnyPath] = None, timeout: Optional[float] = None) -> Run:
    """Runs a program or a function and looks for races, misused memory and barriers: bankshot check.

    checks  one or several of "memory", "race" and "sync"; default: all
    strict  warnings count, too
    The others are those of explain()."""
    checks = [checks] if isinstance(checks, str) else checks
    unknown = [one for one in checks if one not in ("memory", "race", "sync")]
    if unknown:
        raise Error(f"there is no check {unknown[0]!r}", "choose memory, race or sync")
    words = _options(gpu, None, kernel, None, [*(f"--{one}" for one in checks), *["--strict"] * strict, *options])
    return _run("check", command, args, words, kwargs, env, cwd, timeout)


def simulate(command: Command, *args: Any, gpu: Optional[str] = None, kernel: Union[str, Sequence[str], None] = None,
             bank_hash: Any = None, threads: Optional[int] = None, options: Sequence[str] = (),
             kwargs: Optional[Mapping[str, Any]] = None, env: Optional[Mapping[str, str]] = None,
             cwd: Optional[AnyPath] = None, timeout: Optional[float] = None) -> Run:
    """Runs a program or a function cycle by cycle on a simulated GPU: bankshot simulate. Arguments as of explain()."""
    return _run("simulate", command, args, _options(gpu, threads, kernel, bank_hash, options), kwargs, env, cwd, timeout)

"""Runs of commands and of functions. A warp that stores with a stride of 32 words needs 32 wavefronts, 31 of them conflicts."""
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import kernel
import pytest

import bankshot

HERE = Path(__file__).resolve().parent


def raises():
    raise ValueError("no such luck")


def dies():
    os._exit(0)


def launches_and_exits():
    kernel.launch(32)
    sys.exit(0)


def package():
    return bankshot.__file__


def refused():
    kernel.launch(1, threads=2000)


def test_explain_of_a_function():
    run = bankshot.explain(kernel.launch, 32, gpu="a100", threads=1)
    assert (run.conflicts, run.wavefronts, run.value, run.gaps, run.status) == (31, 32, 32, [], 0)
    (the_kernel,) = run.kernels
    assert (the_kernel.name, the_kernel.launches, the_kernel.block) == ("column", 1, [32, 1, 1])
    (site,) = the_kernel.sites
    assert (site.op, site.kind, site.degree_max, site.pattern) == ("st.shared.u32", "store", 32, "stride")
    assert the_kernel.lines[0].sites == [site] and site.worst.wavefronts == 32
    assert run.to_dict()["schema"] == "bankshot/explain/1" and "<!doctype html" in run.html().lower()
    assert "lane 31: word 992, bank 0, pass 32 of 32" in run._repr_html_()
    with pytest.raises(AssertionError, match="column has 31 conflicts, more than 0"):
        run.assert_clean()
    run.assert_clean(max_conflicts=31)
    run.assert_clean(max_wavefronts=32)
    assert [text.partition(", most")[0] for text in run.problems(max_conflicts=30, max_wavefronts=31)] == [
        "column has 31 conflicts, more than 30", "column has 32 wavefronts, more than 31"]


def test_keywords_and_partials_reach_the_function():
    assert bankshot.explain(kernel.launch, 32, kwargs={"threads": 16}).conflicts == 15
    assert bankshot.explain(functools.partial(kernel.launch, 32)).conflicts == 31


def test_local_functions_go_by_cloudpickle():
    pytest.importorskip("cloudpickle")
    stride = 2
    assert bankshot.explain(lambda: kernel.launch(stride)).conflicts == 1


def test_rejects_local_functions_without_cloudpickle(monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(bankshot.Error, match="install cloudpickle"):
        bankshot.explain(lambda: 1)


def test_scripts_are_imported_again(tmp_path):
    script = tmp_path / "script.py"
    body = """
        import sys
        sys.path.insert(0, {!r})
        import bankshot, kernel
        def step(): return kernel.launch(32)
    """.format(str(HERE))
    call = "print(bankshot.explain(step).conflicts)"
    script.write_text(textwrap.dedent(body) + f"if __name__ == '__main__':\n    {call}\n")
    assert subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout == "31\n"
    script.write_text(textwrap.dedent(body) + "run = bankshot.explain(step)\nprint(run.gaps, run.errors)\n")
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True).stdout
    assert "no kernel was launched" in said and "if __name__ == '__main__':" in said


def test_functions_run_in_the_folder_of_the_run(tmp_path):
    assert bankshot.explain(os.getcwd, cwd=tmp_path).value == str(tmp_path)
    assert bankshot.explain(os.getcwd).value == os.getcwd()


def test_functions_import_the_package_of_the_caller(tmp_path):
    shutil.copytree(Path(bankshot.__file__).parent, tmp_path / "bankshot", ignore=shutil.ignore_patterns("_installed", "__pycache__"))
    script = tmp_path / "script.py"
    script.write_text(f"import sys\nsys.path.append({str(HERE)!r})\nimport bankshot, test_run\n"
                      "if __name__ == '__main__': print(bankshot.explain(test_run.package).value)\n")
    env = {**os.environ, "PYTHONPATH": str(tmp_path), "BANKSHOT_PROGRAM": bankshot._installation.program()}
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True, env=env).stdout
    assert said == f"{tmp_path}/bankshot/__init__.py\n"


@pytest.mark.parametrize("function, gap, value", [
    (raises, "no kernel was launched", "ValueError: no such luck"),
    (dies, "no kernel was launched", "ended before the function returned"),
    (launches_and_exits, "the process ended before the function returned", "ended before the function returned"),
    (refused, "2000 threads per block", "RuntimeError: CUDA error"),
])
def test_a_run_with_gaps_is_never_clean(function, gap, value):
    run = bankshot.explain(function)
    assert not run.complete and gap in " ".join(run.gaps)
    with pytest.raises(AssertionError):
        run.assert_clean(max_conflicts=10**9)
    with pytest.raises(bankshot.Error, match=value):
        run.value
    if "Error" in value:
        assert value in run.gaps[0]  # the cause comes first


def ends(file):
    """Whether the process, whose number is in the file, is gone or goes."""
    number = int(file.read_text())
    for _ in range(1000):
        try:
            state = Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.01)
    return False


@pytest.mark.parametrize("script", ["trap '' TERM; echo $$ >pid; sleep 600; :", "sleep 600 & echo $! >pid; wait"])
def test_nothing_is_left_after_the_time(tmp_path, script):
    with pytest.raises(bankshot.Error, match="did not end within 2 s"):
        bankshot.explain(["sh", "-c", script], timeout=2, cwd=tmp_path)
    assert ends(tmp_path / "pid")


def test_nothing_is_left_after_an_interrupt(tmp_path):
    script = ("import signal, bankshot; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
              "bankshot.explain(['sh', '-c', 'echo $$ >number; mv number pid; exec sleep 600'])")
    with subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "pid").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate()[1].endswith("KeyboardInterrupt\n")
    assert ends(tmp_path / "pid")


def test_check_has_both_sides_of_a_race():
    run = bankshot.check("./mistakes", "--no-barrier")
    (race,) = run.findings
    assert (race.check, race.kind, race.severity, race.count) == ("race", "read-after-write", "error", 1020)
    assert (race.access.line, race.access.op, race.earlier.line, race.earlier.op) == (27, "ld.shared.u32", 24, "st.shared.u32")
    assert run.problems(races=False) == run.problems(errors=False) == [str(race)]
    with pytest.raises(AssertionError, match="read-after-write"):
        run.assert_clean()
    assert "did not look for races" in bankshot.check("./mistakes --no-barrier", checks="sync").problems(races=False)[0]
    assert "use check" in bankshot.explain("./mistakes --no-barrier").problems(races=False)[0]


def test_simulate_counts_cycles():
    run = bankshot.simulate(["./transpose", 64], gpu="gtx580")
    assert run.cycles == run.kernels[0].cycles > 0 and run.kernels[0].stalls["issued"] > 0
    assert json.loads(json.dumps(run.to_dict()))["schema"] == "bankshot/simulate/1"


def test_conflicts_that_the_project_accepts(tmp_path):
    (tmp_path / "bankshot.toml").write_text(
        '[[suppress]]\nkind = "bank-conflict"\nkernel = "transpose_tile"\nreason = "measured: it does not matter"\n')
    run = bankshot.explain(HERE / "transpose", 64, cwd=tmp_path)
    assert run.conflicts == run.kernels[0].suppressed == 3968
    run.assert_clean()


def test_accepts_conflicts_of_one_file_only(tmp_path):
    """Two kernels of one name, each with 31 conflicts."""
    (tmp_path / "bankshot.toml").write_text('[[suppress]]\nkind = "bank-conflict"\nfile = "a.cu"\nreason = "known"\n')
    run = bankshot.explain(kernel.launch_in_files, "/x/a.cu", "/x/b.cu", options=["--config", str(tmp_path / "bankshot.toml")])
    assert [(one.name, one.conflicts, one.suppressed, one.lines[0].suppressed) for one in run.kernels] == [
        ("column", 31, 31, 31), ("column", 31, 0, 0)]
    (problem,) = run.problems(max_conflicts=0)
    assert problem.startswith("column has 31 conflicts, more than 0, most of them at /x/b.cu:8")


def test_limits_of_the_options_are_problems():
    run = bankshot.explain(kernel.launch, 32, options=["--fail-on", "conflicts>30", "--fail-on", "wavefronts>32"])
    assert run.status == 3 and run.gaps == []
    assert run.problems() == ["column has 31 conflicts, more than 30 (conflicts>30)"]


def test_unused_suppressions_are_problems(tmp_path):
    project = tmp_path / "bankshot.toml"
    project.write_text('unused_suppressions = "error"\n[[suppress]]\nkind = "race"\nkernel = "none"\nreason = "known"\n')
    run = bankshot.check("./transpose", 64, options=["--config", str(project)])
    assert (run.status, run.findings) == (3, [])
    assert run.problems() == [f"this suppression matches nothing: remove it (unused_suppressions), at {project}:2"]


def test_warnings_count_if_strict():
    run = bankshot.check("./mistakes", "--leak", checks=["memory"])
    assert run.status == 0 and [(one.kind, one.severity, one.counts) for one in run.findings] == [("leak", "warning", False)]
    assert run.problems(errors=False) == []
    run = bankshot.check("./mistakes", "--leak", checks=["memory"], strict=True)
    assert run.status == 3 and run.findings[0].counts and run.problems(errors=False) == [str(run.findings[0])]
    assert run.problems() == []


def test_findings_of_the_baseline_do_not_count(tmp_path):
    baseline = str(tmp_path / "races.json")
    check = functools.partial(bankshot.check, "./mistakes", "--no-barrier")
    assert check(options=["--baseline", baseline, "--update-baseline"]).status == 0
    run = check(options=["--baseline", baseline])
    assert run.status == 0 and [(one.check, one.counts) for one in run.findings] == [("race", False)]
    assert run.problems(races=False, errors=False) == []


def test_a_baseline_of_other_conditions_is_a_gap(tmp_path):
    baseline = str(tmp_path / "conflicts.json")
    bankshot.explain("./transpose 64", options=["--baseline", baseline, "--update-baseline"])
    run = bankshot.explain("./transpose 64", gpu="v100", options=["--baseline", baseline])
    assert run.status == 2
    (gap,) = run.problems(max_conflicts=10**6)
    assert gap == f"the baseline {baseline} was made under other conditions, so there is no verdict"


def test_gaps_are_those_of_the_report():
    run = bankshot.explain(["sh", "-c", "./transpose 64 > /dev/null; exit 7"])
    assert run.gaps == run.to_dict()["verdict"]["gaps"] and "ended with status 7" in run.gaps[0]


@pytest.mark.parametrize("call, reason", [
    (lambda: bankshot.explain("./none"), "./none: no such file"),
    (lambda: bankshot.explain(""), "there is no command"),
    (lambda: bankshot.explain("true", kwargs={"a": 1}), "kwargs are of a function"),
    (lambda: bankshot.explain("true", gpu="a100,h100"), "several GPUs"),
    (lambda: bankshot.explain("true", gpu="nothing"), "nothing"),
    (lambda: bankshot.explain("true", options=["--none"]), "--none"),
    (lambda: bankshot.explain('a "b'), "'a \"b' is not a command: No closing quotation"),
    (lambda: bankshot.explain(5), "5 is not a command"),
    (lambda: bankshot.explain("true", cwd="/nonexistent"), "explain cannot be started: .*'/nonexistent'"),
    (lambda: bankshot.explain("true", env={"A": 1}), "explain cannot be started"),
    (lambda: bankshot.simulate("./transpose 64", options=["--gpu", "v100,h100"]), "the options name several GPUs"),
    (lambda: bankshot.check("true", checks=["luck"]), "no check 'luck'"),
    (lambda: bankshot.explain("sleep 10", timeout=0.2), "did not end within 0.2 s"),
    (lambda: bankshot.explain("true").value, "a command has no value"),
    (lambda: bankshot.explain("true").html("/nonexistent/page.html"), "page.html cannot be written"),
])
def test_rejects_what_cannot_be_run(call, reason):
    with pytest.raises(bankshot.Error, match=reason):
        call()

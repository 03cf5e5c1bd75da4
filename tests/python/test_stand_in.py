"""The program in place of ptxas, which programs below Bankshot find."""
import os
import subprocess

import kernel
import pytest

import bankshot


def path_below_bankshot():
    return os.environ["TRITON_PTXAS_PATH"]


@pytest.fixture(scope="module")
def ptxas():
    return bankshot.explain(path_below_bankshot).value


@pytest.fixture
def run(ptxas, tmp_path):
    (tmp_path / "k.ptx").write_bytes(kernel.PTX)
    env = {**os.environ, "BANKSHOT_PROGRAM": bankshot._installation.program()}

    def call(*words):
        done = subprocess.run([ptxas, *words], cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
        return done.returncode, done.stderr, sorted(path.name for path in tmp_path.iterdir())

    return call


@pytest.mark.parametrize("words, output", [
    ("k.ptx", "elf.o"),
    ("-O 3 -arch sm_80 k.ptx -o o.cubin", "o.cubin"),
    ("-O3 --gpu-name=sm_80 -lineinfo -split-compile 2 -o=o.cubin k.ptx", "o.cubin"),
    ("-v -regUsageLevel 5 --output-file o.cubin k.ptx", "o.cubin"),
])
def test_options_are_those_of_ptxas(run, words, output):
    assert run(*words.split()) == (0, "", sorted(["k.ptx", output]))


@pytest.mark.parametrize("words, reason", [
    ("k.ptx -o", "option -o needs a value"),
    ("k.ptx -O", "option -O needs a value"),
    ("k.ptx k.ptx", "one file of PTX at a time: k.ptx"),
    ("-O 3", "no file of PTX is named"),
    ("-ias=x", "option -ias is not supported: name a file of PTX"),
])
def test_rejects(run, words, reason):
    assert run(*words.split()) == (1, f"ptxas fatal   : {reason}\n", ["k.ptx"])

"""Fits that are killed and go on."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import mercer

MPI = shutil.which("mpirun") and importlib.util.find_spec("mpi4py") and (Path(mercer.__file__).parent / "libmercer_mpi.so").exists()

FITS = {
    "ridge": "mercer.NystroemRidge(n_centres=400, alpha=1e-9, gamma=3, tol=1e-17, max_iter=100).fit(X, y)",
    "logistic": "mercer.KernelLogisticRegression(C=1e3, gamma=3).fit(X[:900], label[:900])",
    "kmeans": "mercer.NystroemKMeans(12, n_centres=80, n_init=1, tol=0, gamma=1).fit(X)",
    "pca": "mercer.KernelPCA(20, kernel='rbf', eigen_solver='arpack', tol=1e-13, gamma=1).fit(X[:3000])",
}
PROGRAM = """
    import numpy as np
    import mercer

    random = np.random.default_rng(0)
    X = random.normal(size=(20000, 3))
    y = np.sin(3 * X[:, 0]) * X[:, 1]
    label = y > 0
    with mercer.checkpoint({state!r}, seconds=0):
        model = {fit}
    model.save({out!r})
"""


def start(tmp_path, fit, out):
    program = textwrap.dedent(PROGRAM.format(fit=fit, state=str(tmp_path / "state"), out=str(tmp_path / out)))
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", program])


@pytest.mark.parametrize("which", FITS)
def test_a_killed_fit_goes_on_to_the_same_bytes(tmp_path, which):
    assert start(tmp_path, FITS[which], "whole").wait(120) == 0
    state = tmp_path / "state"
    assert not state.exists()
    killed = 0
    for pause in (0, 0.05):
        at_start = state.stat().st_mtime_ns if state.exists() else 0
        child = start(tmp_path, FITS[which], "rest")
        while child.poll() is None and not (state.exists() and state.stat().st_mtime_ns != at_start):
            time.sleep(0.002)
        time.sleep(pause)
        child.kill()
        killed += child.wait(60) != 0
    assert killed and state.exists()
    assert start(tmp_path, FITS[which], "rest").wait(120) == 0
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not state.exists()


SHARED = """
    import numpy as np
    import mercer
    from mpi4py import MPI

    everyone = MPI.COMM_WORLD
    random = np.random.default_rng(0)
    X = random.normal(size=(20000, 3))
    y = np.sin(3 * X[:, 0]) * X[:, 1]
    mine = np.array_split(np.arange(len(X)), everyone.size)[everyone.rank]
    with mercer.checkpoint({state!r}, seconds=0):
        model = mercer.NystroemRidge(n_centres=150, alpha=1e-9, gamma=3, tol=1e-17, max_iter=400).fit(X[mine], y[mine], comm=everyone)
    if everyone.rank == 0:
        model.save({out!r})
"""


@pytest.mark.skipif(not MPI, reason="mpirun, mpi4py or the library for them is not there")
def test_processes_that_were_killed_go_on_in_another_number(tmp_path):
    state = tmp_path / "state"
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", MERCER_THREADS="1")

    def shared(processes, out):
        program = textwrap.dedent(SHARED.format(state=str(state), out=str(tmp_path / out)))
        command = ["mpirun", "--oversubscribe", "-n", str(processes), sys.executable, "-W", "ignore", "-c", program]
        return subprocess.Popen(command, env=environment, start_new_session=True, stderr=subprocess.DEVNULL)

    assert shared(1, "whole").wait(120) == 0
    job = shared(2, "rest")
    while job.poll() is None and not state.exists():
        time.sleep(0.002)
    ranks = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    for each in [job.pid, *map(int, ranks)]:
        os.kill(each, signal.SIGKILL)
    assert job.wait(60) != 0 and state.exists()
    assert shared(3, "rest").wait(300) == 0
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not state.exists()


def test_what_has_none_says_so(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    with mercer.checkpoint(tmp_path / "state"):
        with pytest.raises(ValueError, match="does not support checkpoints.*nystroem_ridge"):
            mercer.SVC().fit(X, X[:, 0] > 0)
    mercer.SVC().fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="seconds must be >= 0"):
        with mercer.checkpoint("state", seconds=-1):
            pass

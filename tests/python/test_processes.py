"""Fits shared by processes of mpi4py: the model of one process, an error for all, never a wait without end."""

import functools
import importlib.util
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import shared_fits
from shared_fits import ENDED, REFUSED, SAME, TOGETHER, Rows, X, Y, found, halves, values

import mercer

PACKAGE = Path(mercer.__file__).parent

if not shutil.which("mpirun") or importlib.util.find_spec("mpi4py") is None:
    pytest.skip("mpirun or mpi4py is not installed (openmpi-bin, python3-mpi4py)", allow_module_level=True)
if not (PACKAGE / "libmercer_mpi.so").exists():
    pytest.skip("OpenMPI was not there when mercer was built (libopenmpi-dev)", allow_module_level=True)


def started(processes, names, out, ends=0):
    """What each process has got of every case, and what was said; a job that hangs is ended."""
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", MERCER_THREADS="1")
    command = ["mpirun", "--oversubscribe", "-n", str(processes), sys.executable, shared_fits.__file__, *names, str(out)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400)
    assert (done.returncode == 0) == (ends == 0), done.stdout + done.stderr
    if ends:
        return done.stdout + done.stderr
    return [pickle.loads((out / str(rank)).read_bytes()) for rank in range(processes)]


def same(a, b):
    assert not isinstance(a, str), a
    assert a["state"] == b["state"]
    assert a["model"] == b["model"]
    np.testing.assert_array_equal(a["coefficients"], b["coefficients"])


# Cases by number of processes: one job for each number, because starting the processes takes most of the time.
CASES = {2: [*REFUSED, *SAME, "matrices"], 3: [*ENDED, "matrices"], 4: [*SAME, "halves", "matrices"]}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """What each of so many processes has got of every case."""
    return functools.cache(lambda processes: started(processes, CASES[processes], tmp_path_factory.mktemp("job")))


@pytest.fixture(scope="module")
def alone():
    return {name: found(case(Rows())) for name, case in SAME.items()}


@pytest.mark.parametrize("processes", [2, 4])
def test_the_same_bytes_for_any_number_of_processes(processes, alone, results):
    for got in results(processes):
        for name in SAME:
            same(got[name], alone[name])


def test_all_processes_are_told_and_can_go_on(alone, results):
    for rank, got in enumerate(results(2)):
        for name, (_, said) in REFUSED.items():
            assert isinstance(got[name], str), name
            assert said in got[name], (name, rank)
        same(got["ridge"], alone["ridge"])  # which came after all of them
        assert got["stopped"].startswith("LookupError: this" if rank == 1 else "RuntimeError: process 1: LookupError: this")


def test_a_fit_that_one_process_ends_ends_for_all(results):
    first = results(3)[0]
    for got in results(3):
        for name in ENDED:
            same(got[name], first[name])
    assert first["callback"]["state"]["status_"] == "cancelled"
    assert first["time"]["state"]["status_"] == "time_limit"


def test_communicators_of_some_processes(results):
    want = [found(each) for each in halves(Rows())]
    for rank, got in enumerate(results(4)):
        same(got["halves"], want[rank % 2])


@pytest.mark.parametrize("processes", [2, 3, 4])
def test_matrices_that_all_factor_together(processes, results):
    factors = [got["matrices"] for got in results(processes)]
    answers = [answer for answer, *_ in factors[0]["factored"]]
    if None in answers:
        pytest.skip("ScaLAPACK was not there when mercer was built (libscalapack-openmpi-dev)")
    assert answers == 6 * [True] + 3 * [False]
    for got in factors:
        for (answer, A, R), (first, _, F) in zip(got["factored"], factors[0]["factored"]):
            assert answer == first
            want = np.linalg.cholesky(A).T if answer else np.triu(A)
            np.testing.assert_allclose(np.triu(R), want, rtol=0, atol=answer * 1e-13 * len(A) * np.abs(want).max())
            if answer:
                np.testing.assert_array_equal(np.triu(R), np.triu(F))
    for name, case in TOGETHER.items():
        want = values(case(Rows()))
        for got in factors:
            np.testing.assert_allclose(got["values"][name], want, rtol=0, atol=1e-8 * np.abs(want).max())


def test_a_process_that_fails_alone_ends_the_job(tmp_path):
    said = started(3, ["kernel"], tmp_path, ends=1)
    assert said.count("mercer: process") == 1
    assert "mercer: process 1: " in said and "the kernel of one process is wrong" in said


def test_one_process_without_mpirun(tmp_path):
    code = "import shared_fits as s; from mpi4py import MPI; s.ridge(s.Rows(MPI.COMM_WORLD)).save('shared'); s.ridge(s.Rows()).save('alone')"
    environment = dict(os.environ, PYTHONPATH=f"{PACKAGE.absolute().parent}:{Path(shared_fits.__file__).parent}")
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True, timeout=200)
    assert (tmp_path / "shared").read_bytes() == (tmp_path / "alone").read_bytes()


def test_what_is_missing_is_said(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="factorisation='distributed' has no effect without comm"):
        mercer.NystroemRidge().fit(X, Y, factorisation="distributed")
    with pytest.raises(TypeError, match="comm must be a communicator of mpi4py such as MPI.COMM_WORLD, got 'world'"):
        mercer.NystroemRidge().fit(X, Y, comm="world")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(ImportError, match="comm needs mpi4py"):
        mercer.NystroemRidge().fit(X, Y, comm="world")
    # The package without the MPI library.
    (tmp_path / "mercer").mkdir()
    for file in PACKAGE.iterdir():
        if file.name != "libmercer_mpi.so" and file.is_file():
            (tmp_path / "mercer" / file.name).symlink_to(file.resolve())
    code = "import mercer, numpy as np; from mpi4py import MPI; mercer.NystroemRidge().fit(np.eye(3), np.arange(3), comm=MPI.COMM_WORLD)"
    environment = dict(os.environ, PYTHONPATH=str(tmp_path))
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 1
    assert "libmercer_mpi.so, which cannot be loaded" in done.stderr and "build with OpenMPI" in done.stderr

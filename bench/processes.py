#!/usr/bin/python3
"""Several processes of one thread on this machine beside one: bench/processes.py [--rows 400000] [--m 1000] [--factor 4000] [--repeats 3]

Weak scaling: `mpirun -n 1|2 mercer fit nystroem_ridge --stream` on so many random rows of 9 numbers a process, as many passes
each. Factor: Cholesky of a matrix of so many rows by LAPACK in each process, and by all of them together (ScaLAPACK). Best of
the repeats. Skipped with a word where mpirun, mpi4py or ScaLAPACK is missing.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
os.environ["OPENBLAS_NUM_THREADS"] = "1"
sys.path.insert(0, str(ROOT / "build/python"))
MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]


def weak_scaling(rows, m, repeats):
    import numpy as np

    random = np.random.default_rng(0)
    x = random.normal(size=(2 * rows, 9))
    y = np.sin(x[:, 0]) + x[:, 1] * x[:, 2] + 0.3 * random.normal(size=len(x))
    with tempfile.TemporaryDirectory() as folder:
        for n in (1, 2):
            file = Path(folder) / f"{n}.csv"
            np.savetxt(file, np.column_stack([x, y])[: n * rows], delimiter=",", fmt="%.6g")
            command = [*MPIRUN, str(n), ROOT / "build/bin/mercer", "fit", "nystroem_ridge", file, "--stream", "--label", "-1", "--threads", "1", "--memory", "2GB",
                       "--kernel", "rbf(gamma=0.1)", "--set", f"alpha={1e-6 * n * rows}", f"n_centres={m}", "max_iter=14", "tol=1e-15", "--json", "-o", Path(folder) / "m"]  # fmt: skip
            told = [json.loads(subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True).stdout) for _ in range(repeats)]
            print(f"{n} process{'es' if n > 1 else ''}, {n * rows:,} rows, M = {m}: {min(each['seconds'] for each in told):.2f} s, {told[0]['passes']} passes", flush=True)


def factor(size, repeats):
    """In each process that mpirun has started."""
    import numpy as np
    import scipy.linalg
    from mpi4py import MPI

    from mercer._processes import Processes

    comm = MPI.COMM_WORLD
    group = Processes(comm).open()
    random = np.random.default_rng(0)
    g = random.normal(size=(size, size))
    a = g @ g.T / size + np.eye(size)

    def best(work):
        took = []
        for _ in range(repeats):
            mine = a.copy()
            comm.Barrier()
            start, busy = time.perf_counter(), time.process_time()
            done = work(mine)
            took.append((time.perf_counter() - start, time.process_time() - busy, done))
        return min(took, key=lambda each: each[0])

    alone = best(lambda mine: scipy.linalg.cholesky(mine, overwrite_a=True, check_finite=False) is not None)
    together = best(lambda mine: group.factor(mine))
    if comm.rank == 0 and together[2] is None:
        print("together: skipped, ScaLAPACK was not there when mercer was built")
    elif comm.rank == 0:
        print(f"{comm.size} process{'es' if comm.size > 1 else ''}, factor of {size}: each alone {alone[0]:.2f} s ({alone[1]:.2f} of processor time), together {together[0]:.2f} s ({together[1]:.2f})")


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--rows", type=int, default=400_000)
    parse.add_argument("--m", type=int, default=1000)
    parse.add_argument("--factor", type=int, default=4000)
    parse.add_argument("--repeats", type=int, default=3)
    parse.add_argument("--started", action="store_true", help=argparse.SUPPRESS)
    o = parse.parse_args()
    if o.started:
        return factor(o.factor, o.repeats)
    if not shutil.which("mpirun"):
        return print("mpirun is not installed (openmpi-bin), skipped", file=sys.stderr)
    weak_scaling(o.rows, o.m, o.repeats)
    try:
        import mpi4py  # noqa: F401
    except ImportError:
        return print("mpi4py is not installed (python3-mpi4py), the factor is skipped", file=sys.stderr)
    for n in (1, 2):
        subprocess.run([*MPIRUN, str(n), sys.executable, __file__, "--started", "--factor", str(o.factor), "--repeats", str(o.repeats)], check=True)


if __name__ == "__main__":
    main()

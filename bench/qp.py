#!/usr/bin/python3
"""The interior-point method beside python3-cvxopt's solvers.qp: the dual of a support vector machine, the same matrices.

    bench/qp.py [--n 2000] [--repeats 3]

cvxopt takes G = [I; -I] as a dense matrix, as everybody's example has it, and as a sparse one, which it can exploit.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "2")
import numpy as np
from cvxopt import matrix, solvers, sparse, spmatrix

ROOT = Path(__file__).resolve().parent.parent
solvers.options["show_progress"] = False


def problem(n, seed=1, dims=20):
    random = np.random.RandomState(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    x = random.randn(n, dims)
    x[:, 0] += 0.7 * y
    norm = (x * x).sum(1)
    return np.exp(-np.maximum(norm[:, None] + norm - 2 * x @ x.T, 0) / dims) * np.outer(y, y), y


def cvxopt(Q, y, C, G, repeats):
    n = len(y)
    h = matrix(np.r_[C * np.ones(n), np.zeros(n)])
    best = None
    for _ in range(repeats):
        start = time.perf_counter()
        s = solvers.qp(matrix(Q), matrix(-np.ones(n)), G, h, matrix(y[None, :]), matrix(0.0))
        took = time.perf_counter() - start
        if best is None or took < best["seconds"]:
            best = {"seconds": took, "status": s["status"], "steps": s["iterations"], "primal": s["primal objective"], "gap": s["relative gap"]}
    return best


def main():
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--n", type=int, default=2000)
    parse.add_argument("--repeats", type=int, default=3)
    options = parse.parse_args()
    n = options.n
    Q, y = problem(n)
    eye = spmatrix(1.0, range(n), range(n))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "qp.npy"
        np.save(file, np.vstack([y, Q]))
        print("| n | C | ours s | steps | objective | cvxopt, dense G, s | × | cvxopt, sparse G, s | × | steps | objective |\n|" + "---|" * 11)
        for C in (0.1, 1.0, 100.0):
            ours = json.loads(subprocess.run([ROOT / "build/bench/qp", file, str(C), str(options.repeats)], capture_output=True, text=True, check=True).stdout)
            thin = cvxopt(Q, y, C, sparse([eye, -eye]), options.repeats)
            full = cvxopt(Q, y, C, matrix(np.vstack([np.eye(n), -np.eye(n)])), 1)
            for each in (ours, thin, full):
                if each["status"] != "optimal":
                    print(f"not solved: {each}", file=sys.stderr)
            print(f"| {n} | {C} | {ours['seconds']:.3f} | {ours['steps']} | {ours['primal']:.6f} | {full['seconds']:.3f} | {full['seconds'] / ours['seconds']:.1f} | {thin['seconds']:.3f} | "
                  f"{thin['seconds'] / ours['seconds']:.1f} | {thin['steps']} | {thin['primal']:.6f} |", flush=True)


if __name__ == "__main__":
    main()

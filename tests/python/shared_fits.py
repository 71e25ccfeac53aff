"""Fits that processes share, for test_processes.py: python3 shared_fits.py CASE... OUT, started by mpirun.

Each process writes what it has got of every case to OUT/RANK; a case without processes is the same fit of all rows.
"""

import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse

import mercer
from mercer._processes import Processes

N = 1500
RNG = np.random.default_rng(5)
X = RNG.normal(size=(N, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1]
W = RNG.uniform(0.05, 0.6, N)
W[RNG.random(N) < 0.1] = 0
W[:7] = 0
LABELS = np.array(["none", "some", "very much"])[np.digitize(Y, [-0.5, 0.7])]
LABELS[-3:] = "rare"  # a label that only the last rank has


class Rows:
    """The rows of one process of some; of all of them where there is no communicator."""

    def __init__(self, comm=None, rank=0, size=1):
        self.comm, self.rank, self.size = comm, rank, size
        self.together = {"comm": comm, "factorisation": "distributed"} if comm is not None else {}

    def __call__(self, all):
        # No rows for the second rank if there are many, more for the first than for the others, at arbitrary positions.
        size = all.shape[0] if hasattr(all, "shape") else len(all)
        cut = [0, *[int(size * (0.37 + 0.6 * (r - 1) / self.size)) for r in range(1, self.size)], size]
        if self.size > 2:
            cut[2] = cut[1]
        return all[cut[self.rank] : cut[self.rank + 1]]


def one_kernel(a, b):
    return np.exp(-0.3 * ((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2))


def frame(columns="abc"):
    import pandas

    return pandas.DataFrame(X, columns=list(columns))


def fails_in_one_process(rows):
    def kernel(a, b):
        if rows.rank == 1:
            raise ArithmeticError("the kernel of one process is wrong")
        return one_kernel(a, b)

    return mercer.NystroemRidge(kernel=kernel, n_centres=20).fit(rows(X), rows(Y), comm=rows.comm)


def callback_of_one_process(answer):
    def case(rows):
        def callback(now):
            if rows.rank == rows.size - 1 and now.phase == "passes" and now.done >= 3:
                return answer()
            return True

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = mercer.NystroemRidge(n_centres=40, tol=1e-13, callback=callback).fit(rows(X), rows(Y), comm=rows.comm)
        assert model.status_ == "cancelled"
        return model

    return case


def stop():
    raise LookupError("this callback stops")


def halves(rows):
    """Two groups of processes at the same time, one with half the rows, the other with all."""
    if rows.comm is None:
        return halves_alone(slice(0, N // 2), 0), halves_alone(slice(0, N), 1)
    side = rows.rank % 2
    part = rows.comm.Split(side, rows.rank)
    mine = Rows(part, part.rank, part.size)
    some = slice(0, N // 2) if side == 0 else slice(0, N)
    return mercer.NystroemRidge(n_centres=20 + side).fit(mine(X[some]), mine(Y[some]), comm=part)


def halves_alone(some, side):
    return mercer.NystroemRidge(n_centres=20 + side).fit(X[some], Y[some])


def ridge(rows, X=X, y=Y, w=None, factorisation="auto", **more):
    shared = {} if rows.comm is None else {"comm": rows.comm, "factorisation": factorisation}
    return mercer.NystroemRidge(**{"n_centres": 40, "alpha": 0.01, **more}).fit(rows(X), rows(y), None if w is None else rows(w), **shared)


def wrong(rank, **what):
    """A ridge fit of which one process has other arguments."""

    def case(rows):
        given = {"X": X, "y": Y, **(what if rows.rank == rank else {})}
        return ridge(rows, **given)

    return case


SAME = {
    "ridge": ridge,
    "ridge with weights and two targets": lambda rows: ridge(rows, y=np.column_stack([Y, Y**2]), w=W, fit_intercept=True),
    "ridge, float": lambda rows: ridge(rows, X.astype(np.float32)),
    "ridge, sparse": lambda rows: ridge(rows, scipy.sparse.csr_matrix(np.where(X > 0, X, 0))),
    "ridge, a data frame": lambda rows: ridge(rows, frame()),
    "ridge, a function": lambda rows: ridge(rows, kernel=one_kernel, random_state=3),
    "ridge, chosen rows": lambda rows: ridge(rows, centres="given", centre_rows=np.arange(0, N, 31)),
    "ridge, strings": lambda rows: ridge(rows, [f"{'ab' * (i % 5)}{i % 11}" for i in range(N)], kernel="spectrum(k=2)"),
    "ridge, sets": lambda rows: ridge(rows, [{f"item {i % 9}", f"item {i % 13}"} for i in range(N)], kernel="jaccard()"),
    "ridge, few": lambda rows: ridge(rows, X[:30], Y[:30], n_centres=10),
    "ridge, as many centres as tell": lambda rows: mercer.NystroemRidge(trace_tol=1e-3, doubling=True).fit(rows(X), rows(Y), comm=rows.comm),
    "logistic": lambda rows: mercer.NystroemLogistic(n_centres=30, C=5.0).fit(rows(X), rows(LABELS), comm=rows.comm),
    "logistic, balanced": lambda rows: mercer.NystroemLogistic(n_centres=30, class_weight="balanced").fit(rows(X), rows(LABELS), rows(W), comm=rows.comm),
    "svc": lambda rows: mercer.NystroemSVC(n_centres=30, class_weight={"none": 0.2, "rare": 3.0}).fit(rows(X), rows(LABELS), comm=rows.comm),
    "svc, two classes": lambda rows: mercer.NystroemSVC(n_centres=30, centres="kmeans++").fit(rows(X), rows((Y > 0).astype(int)), rows(W), comm=rows.comm),
}  # fmt: skip

# The message of each error, and the rank that raises its own exception.
REFUSED = {
    "columns": (wrong(1, X=X[:, :2]), "process 0 has X of 3 features (dense, float64), but process 1 has 2 features (dense, float64)"),
    "digits": (wrong(1, X=X.astype(np.float32)), "process 1 has 3 features (dense, float32)"),
    "names": (lambda rows: ridge(rows, frame("abc" if rows.rank != 1 else "abd")), "features named ['a', 'b', 'c'], but process 1 has ['a', 'b', 'd']"),
    "numbers": (wrong(1, y=np.where(np.arange(N) > N // 2, np.nan, Y)), "Input y contains NaN"),
    "shape": (wrong(1, y=np.column_stack([Y, Y])), "process 1 has 2 columns"),
    "parameters": (wrong(1, n_centres=41), "process 0 has n_centres = 40, but process 1 has 41"),
    "factorisation": (wrong(1, factorisation="distributed"), "process 0 has factorisation = 'auto', but process 1 has 'distributed'"),
    "wrong factorisation": (wrong(1, factorisation="all"), "factorisation must be 'auto', 'local' or 'distributed', got 'all'"),
    "wrong parameters": (wrong(1, alpha=-1.0), "The 'alpha' parameter of NystroemRidge must be"),
    "negative weights": (lambda rows: ridge(rows, w=-W), "must satisfy 0 <= weight"),
    "no weight": (lambda rows: ridge(rows, w=0 * W), "all sample weights are zero"),
    "no rows": (lambda rows: ridge(rows, X[:0], Y[:0]), "NystroemRidge: no process has examples"),
    "one class": (lambda rows: mercer.NystroemSVC(n_centres=5).fit(rows(X), rows(np.zeros(N, int)), comm=rows.comm), "The number of classes has to be greater than one"),
    "no class": (lambda rows: mercer.NystroemSVC(n_centres=5).fit(rows(X), rows(LABELS), rows(0 * W), comm=rows.comm), "all samples have zero or negative weights"),
    "labels of two kinds": (lambda rows: mercer.NystroemSVC(n_centres=5).fit(rows(X), rows(LABELS if rows.rank == 0 else (Y > 0).astype(int)), comm=rows.comm), "some processes have strings"),
    "hinge": (lambda rows: mercer.NystroemSVC(n_centres=5, loss="hinge").fit(rows(X), rows(LABELS), comm=rows.comm), "loss=hinge runs in one process"),
    "precomputed": (lambda rows: mercer.NystroemRidge(kernel="precomputed").fit(rows(X), rows(Y), comm=rows.comm), "'precomputed' does not work with comm"),
    "objects": (lambda rows: ridge(rows, [object() for _ in range(N)], kernel=lambda a, b: 1.0), "do not work with comm"),
    "stopped": (callback_of_one_process(stop), "this callback stops"),
}  # fmt: skip
ENDED = {
    "callback": callback_of_one_process(lambda: False),
    "time": lambda rows: ridge(rows, max_seconds=1e-9),
}
TOGETHER = {
    "ridge": lambda rows: ridge(rows, tol=1e-12, n_centres=200, factorisation="distributed"),
    "logistic": lambda rows: mercer.NystroemLogistic(n_centres=150, tol=1e-12).fit(rows(X), rows(LABELS), **rows.together),
    "svc": lambda rows: mercer.NystroemSVC(n_centres=150, tol=1e-12, class_weight="balanced").fit(rows(X), rows(LABELS), rows(W), **rows.together),
}  # fmt: skip
DEADLY = {"kernel": fails_in_one_process, "halves": halves}


def found(model):
    """What two models have in common when they are the same."""
    state = dict(model.__getstate__())
    state = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in state.items()}
    functions = bool(model.kernel_.functions())  # of this rank
    state["kernel_"] = "a function" if functions else str(state["kernel_"])
    for name in ("callback", "_model", *(["kernel"] if functions else [])):
        del state[name]
    return {"model": None if functions else model._model.to_bytes(), "state": state, "coefficients": model.dual_coef_}


def factored(rows):
    """[(answer, matrix, what is in its place afterwards)] of matrices that all processes factor together, and of some that they cannot."""
    processes = Processes(rows.comm).open()
    out = []
    for n, sign in [(1, 1), (5, 1), (127, 1), (129, 1), (300, 1), (700, 1), (1, -1), (300, -1), (700, -1)]:
        A = np.random.default_rng(n).normal(size=(n, 2 * n))
        A = A @ A.T
        A[-1, -1] *= sign  # the last pivot
        before = A.copy()
        out.append((processes.factor(A), before, A))
    return out


def values(model):
    return model.predict(X) if isinstance(model, mercer.NystroemRidge) else model.decision_function(X)


def got(case, rows):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return found(case(rows))
    except Exception as problem:
        return f"{type(problem).__name__}: {problem}"


if __name__ == "__main__":
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
    cases = {**SAME, **{name: case for name, (case, _) in REFUSED.items()}, **ENDED, **DEADLY}
    *names, out = sys.argv[1:]
    rows = Rows(comm, comm.rank, comm.size)
    results = {name: got(cases[name], rows) for name in names if name != "matrices"}
    if "matrices" in names:
        matrices = factored(rows)
        able = all(answer is not None for answer, *_ in matrices)
        results["matrices"] = {"factored": matrices, "values": {name: values(case(rows)) for name, case in TOGETHER.items() if able}}
    Path(out, str(comm.rank)).write_bytes(pickle.dumps(results))

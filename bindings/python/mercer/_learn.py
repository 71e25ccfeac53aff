"""Kernels learnt from data: weights of a sum of kernels, or a width for each column."""

import json

import numpy as np
from sklearn.base import clone

from . import _core, kernels
from ._base import Progress, warn
from ._tune import _targets


class Learning:
    """What was learnt.

    Attributes
    ----------
    kernel : the learnt kernel, an ordinary one: `str(kernel)` is its text form
    estimator : the estimator with it, fitted to all the data
    parts : the text forms of the kernels, or the numbers of the columns (from 0)
    weights : array, one for each part: weights of kernels, gamma of a Gaussian's columns, else their factors
    status, gap : how the search ended, in double; by relevance there is no gap, but `about["gradient"]`
    about : dict of all that is known: objective, bound, alignment, criterion_at_start, noise, seconds, ...

    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> found = mercer.learn_kernel(mercer.SVC(), *load_iris(return_X_y=True), kernel="rbf(gamma=0.5) + linear()")
    >>> len(found.weights)
    2
    """

    def __init__(self, estimator, found):
        self.estimator = estimator
        self.kernel = kernels.parse(found["kernel"])
        self.parts = [each.get("kernel", i) for i, each in enumerate(found["parts"])]
        self.weights = np.array([next(v for k, v in each.items() if k not in ("kernel", "column")) for each in found["parts"]])
        self.about = {name: value for name, value in found.items() if name not in ("parts", "kernel", "spec")}
        self.status, self.gap = found["status"], found.get("gap")

    def __repr__(self):
        return f"Learning(kernel={str(self.kernel)!r}, status={self.status!r})"


def learn_kernel(
    estimator, X, y=None, *, kernel=None, by="mkl", norm=1.0, balance=True, criterion="evidence", tol=None,
    max_iter=None, max_seconds=None, most_rows=1000, random_state=1,
):  # fmt: skip
    """Learns a kernel for an estimator of this package, and fits the estimator with it.

    Parameters
    ----------
    estimator : SVC, SVR or OneClassSVM with by="mkl"; else any that learns from targets with a kernel
    kernel : the kernels to choose among: a list of kernels or text forms, or a sum, "rbf(gamma=0.1) + linear()". Default
        Gaussians of several widths and a linear kernel. by="relevance": one kernel on vectors, by default a Gaussian
    by : "mkl", weights found together with the machine, to a duality gap; "alignment", weights by centred alignment with
        the targets; "relevance", a factor for each column by the gradient of `criterion`
    norm : of the weights (mkl): 1 leaves a few kernels, 2 and more keep all
    balance : divide each kernel by its variance in feature space first (mkl, alignment)
    criterion : "evidence" of a Gaussian process, or "loo", the leave-one-out error of a ridge
    most_rows : by="relevance" looks at so many examples at most, drawn at random

    Returns
    -------
    Learning

    >>> import mercer
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> X = (X - X.mean(axis=0)) / X.std(axis=0)
    >>> found = mercer.learn_kernel(mercer.SVC(), X, y, kernel=["rbf(gamma=0.1)", "linear()"])
    >>> found.status, round(float(found.weights.sum()), 6), found.estimator.score(X, y) > 0.98
    ('converged', 1.0, True)
    """
    made = clone(estimator)
    if kernel is None:
        text = ""
    elif isinstance(kernel, (list, tuple)):
        text = " + ".join(str(each) for each in kernel)
    else:
        text = str(kernel)
    data = made._fit_data(X)
    targets = np.empty(0) if y is None else _targets(made, data, y)
    given = [(option, str(getattr(made, name))) for name, option in made._shared.items()
             if option in ("C", "epsilon", "nu", "multiclass") and isinstance(getattr(made, name), (int, float, str))]  # fmt: skip
    how = {
        "by": by, "norm": norm, "balance": balance, "criterion": criterion, "tol": tol, "max_iter": max_iter,
        "max_seconds": max_seconds, "most_rows": most_rows, "seed": random_state,
    }  # fmt: skip
    found, _ = _core.learn(
        made._method, text, given, data, targets, {name: value for name, value in how.items() if value is not None},
        made.n_jobs, Progress(made).callback(),
    )  # fmt: skip
    found = json.loads(found)
    if found["status"] not in ("converged", "stationary"):
        warn(f"learn_kernel: {found['status']}: the weights of the kernel have not converged")
    best = {"kernel": kernels.parse(found["kernel"])}
    if "alpha" in found["spec"] and "alpha" in made._shared and by == "relevance":
        best["alpha"] = float(found["spec"]["alpha"])
    made.set_params(**best)
    return Learning(made.fit(X) if y is None else made.fit(X, y), found)

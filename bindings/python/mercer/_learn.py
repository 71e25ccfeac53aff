"""Kernels learnt from data: weights of a sum of kernels, or a width for each feature."""

import json

import numpy as np
from sklearn.base import clone

from . import _core, kernels
from ._base import Progress, takes_former_names, warn
from ._tune import _targets


class Learning:
    """Result of :func:`learn_kernel`.

    Attributes
    ----------
    kernel : Kernel
        Learnt kernel; ``str(kernel)`` is its expression.
    estimator : object
        Estimator with this kernel, fitted to all data.
    parts : list
        Expressions of the summed kernels, or indices of the features.
    weights : ndarray of shape (n_parts,)
        Weight of each kernel; with ``by='relevance'`` the gamma of each feature of a Gaussian kernel, or the factor of
        each feature.
    status : str
        How the optimisation ended: ``'converged'`` or ``'stationary'`` if the stopping rule holds.
    gap : float or None
        Duality gap in float64. None with ``by='relevance'``, for which ``about["gradient"]`` is reported.
    about : dict
        All results: objective, bound, alignment, criterion_at_start, noise, seconds, ...

    Examples
    --------
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


@takes_former_names("learn_kernel", {"most_rows": "max_rows"})
def learn_kernel(
    estimator, X, y=None, *, kernel=None, by="mkl", norm=1.0, balance=True, criterion="evidence", tol=None,
    max_iter=None, max_seconds=None, max_rows=1000, random_state=1,
):  # fmt: skip
    """Learns a kernel from data, and fits an estimator with it.

    Parameters
    ----------
    estimator : object
        :class:`SVC`, :class:`SVR` or :class:`OneClassSVM` with ``by='mkl'``; else any estimator of this package that
        learns from targets with a kernel.
    X : array-like, sparse matrix, data frame or list of objects, n_samples examples
        Training examples.
    y : array-like of shape (n_samples,), default=None
        Targets: class labels or values; None for :class:`OneClassSVM`.
    kernel : str, Kernel or list of them, default=None
        Kernels to combine: a list of kernels or expressions, or a sum such as ``"rbf(gamma=0.1) + linear()"``. None:
        Gaussian kernels of several widths and a linear kernel. With ``by='relevance'`` one kernel on vectors. None: a
        Gaussian kernel.
    by : {'mkl', 'alignment', 'relevance'}, default='mkl'
        Weights of kernels found together with the support vector machine (multiple kernel learning); weights by centred
        alignment with the targets; or a factor for each feature, by the gradient of `criterion`.
    norm : float, default=1.0
        With ``by='mkl'``, norm of the weights: 1 leaves few kernels with a positive weight, 2 and more keep all.
    balance : bool, default=True
        Divide each kernel by its variance in feature space first; not with ``by='relevance'``.
    criterion : {'evidence', 'loo'}, default='evidence'
        With ``by='relevance'``: evidence of a Gaussian process, or leave-one-out error of ridge regression.
    tol : float, default=None
        Tolerance of the stopping rule. None: the default of the method `by`.
    max_iter : int, default=None
        Largest number of iterations. None: the default of the method `by`.
    max_seconds : float, default=None
        Time limit in seconds. None: no limit.
    max_rows : int, default=1000
        With ``by='relevance'``, largest number of examples to use; more are sampled.
    random_state : int, default=1
        Seed of the sample.

    Returns
    -------
    found : Learning
        Learnt kernel, its weights and the fitted estimator.

    See Also
    --------
    tune : Selects parameters by cross-validation.

    References
    ----------
    .. [1] M. Kloft, U. Brefeld, S. Sonnenburg, A. Zien, "lp-norm multiple kernel learning", JMLR 12, 2011.
    .. [2] C. Cortes, M. Mohri, A. Rostamizadeh, "Algorithms for learning kernels based on centered alignment", JMLR 13,
       2012.
    .. [3] C. E. Rasmussen, C. K. I. Williams, "Gaussian Processes for Machine Learning", chapter 5, MIT Press, 2006.

    Examples
    --------
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
        "max_seconds": max_seconds, "max_rows": max_rows, "seed": random_state,
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

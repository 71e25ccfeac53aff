"""Selection of the parameters of an estimator and its kernel by cross-validation."""

import json

import numpy as np
from sklearn.base import clone

from . import _core, _data
from ._base import KernelClassifier, Progress, takes_former_names
from ._parameters import METHODS


class Tuning:
    """Result of :func:`tune`.

    Attributes
    ----------
    estimator : object
        Estimator with the best parameters, fitted to all data.
    best_params : dict
        Best parameters, with the kernel as an expression.
    best_score : float
        Mean of the metric over the folds with the best parameters.
    trials : list of dict
        One entry per setting: at, scores, mean, standard_error, dropped.
    nested : dict or None
        Estimate of the error of the whole search by nested cross-validation: mean, low and high end of a 95 % interval,
        folds. None unless it was asked for.
    metric : str
        Name of the metric.
    cross_validation : str
        Description of the folds.
    seconds : float
        Duration of the search in seconds.
    complete : bool
        False if the search was stopped before its end.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> found = mercer.tune(mercer.SVC(), (X - X.mean(axis=0)) / X.std(axis=0), y)
    >>> found.metric, found.cross_validation, found.best_score > 0.97
    ('accuracy', '5 folds, stratified', True)
    """

    def __init__(self, estimator, best_params, found):
        self.estimator = estimator
        self.best_params = best_params
        self.best_score = found["chosen"]["mean"]
        for name in ("trials", "metric", "cross_validation", "seconds", "complete", "nested"):
            setattr(self, name, found[name])

    def __repr__(self):
        return f"Tuning(best_score={self.best_score:.6g}, metric={self.metric!r}, best_params={self.best_params!r})"


@takes_former_names("tune", {"most_rows": "max_rows"}, {"search": {"model": "bayes"}})
def tune(
    estimator, X, y, *, kernel=None, search="grid", points=None, trials=None, folds=5, repeats=1, metric=None,
    groups=None, by_time=False, one_standard_error=False, race=True, nested=None, max_rows=10000, log=None,
    random_state=1,
    **open,
):  # fmt: skip
    """Selects the parameters of an estimator that are written as "?" by cross-validation, and fits it with the best ones.

    One kernel matrix serves all folds and all values of C, one decomposition many values of alpha of a ridge regression,
    and settings that are significantly worse than the best one after the first folds are dropped. This makes the search
    much faster than :class:`sklearn.model_selection.GridSearchCV`.

    Parameters
    ----------
    estimator : object
        Estimator of this package that learns from targets.
    X : array-like, sparse matrix, data frame or list of objects, n_samples examples
        Training examples.
    y : array-like of shape (n_samples,)
        Targets: class labels or values.
    kernel : str, default=None
        Kernel expression with "?" for the parameters to select, such as ``"rbf(gamma=?) + ?*linear()"`` or
        ``"wl(h=?{1, 3})"``. None: the estimator's expression, or ``"rbf(gamma=?)"`` for ``kernel='rbf'``.
    search : {'grid', 'random', 'halving', 'bayes'}, default='grid'
        Search strategy: all points of a grid, random points, random points with more examples for the best ones, or
        Bayesian optimisation with a Gaussian process.
    points : int, default=None
        Number of points per parameter of a grid. None: 10, fewer with more than two parameters.
    trials : int, default=None
        Number of settings of the other strategies. None: 60.
    folds : int, default=5
        Number of folds; as many as examples is leave-one-out, which ridge regression has in closed form.
    repeats : int, default=1
        Number of repetitions of the cross-validation with new folds.
    metric : str, default=None
        ``'accuracy'``, ``'balanced_accuracy'``, ``'f1'``, ``'auc'``, ``'log_loss'`` for classes; ``'rmse'``,
        ``'mse'``, ``'mae'``, ``'r2'``, ``'pinball'`` for values. None: accuracy or rmse.
    groups : array-like of shape (n_samples,), default=None
        Group of each example: all examples of a group are in the same fold.
    by_time : bool, default=False
        The examples are in order of time: each fold is predicted from the examples before it.
    one_standard_error : bool, default=False
        Select the simplest setting whose mean is within one standard error of the best.
    race : bool, default=True
        Drop settings that are significantly worse than the best one after the first folds.
    nested : int, default=None
        Number of outer folds of a nested cross-validation, which estimates the error of the whole search on examples
        that no search has used. None: no estimate.
    max_rows : int, default=10000
        Largest number of examples to use in the search; more are sampled.
    log : str or path-like, default=None
        File in which results are stored and from which a later search resumes.
    random_state : int, default=1
        Seed of the folds and of the random strategies.
    **open : str
        Parameters of the estimator as ``"?"``, ``"?[low, high]"`` or ``"?{a, b, c}"``. By default C, alpha, nu or
        n_neighbors.

    Returns
    -------
    found : Tuning
        The fitted estimator, the best parameters and all trials.

    See Also
    --------
    learn_kernel : Learns a sum of kernels, or one width per feature.
    sklearn.model_selection.GridSearchCV : Grid search for any estimator in scikit-learn.

    Examples
    --------
    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> found = mercer.tune(mercer.SVC(), *load_iris(return_X_y=True))
    >>> found.best_score > 0.95, sorted(found.best_params)
    (True, ['C', 'kernel'])
    """
    made = clone(estimator)
    open = made._renamed(open)
    options = {option: name for name, option in made._shared.items()}
    if kernel is None:
        own = made.kernel
        kernel = own if isinstance(own, str) and "(" in own else f"{own}(gamma=?)" if own == "rbf" else own
    if not isinstance(kernel, str) or kernel == "precomputed":
        raise ValueError(f"kernel must be an expression such as 'rbf(gamma=?)', got {kernel!r}")
    if kernel in ("linear", "poly", "sigmoid", "cosine", "laplacian"):
        kernel += "()" if kernel in ("linear", "cosine") else "(gamma=?)"
    for name in open:
        if name not in made._shared:
            raise ValueError(f"{type(made).__name__} has no number {name!r} to be tuned: one of {sorted(made._shared)}")
    if not open and "?" not in kernel.replace("gamma=?", ""):
        open = next(({name: "?"} for name in ("C", "alpha", "nu", "n_neighbors") if name in made._shared), {})
    data = made._fit_data(X)
    targets = _targets(made, data, y)
    how = {
        "search": search, "points": points, "trials": trials, "folds": folds, "repeats": repeats, "metric": metric,
        "by_time": by_time, "nested": nested, "one_standard_error": one_standard_error, "race": race, "max_rows": max_rows,
        "log": None if log is None else str(log), "seed": random_state,
        "groups": None if groups is None else np.unique(groups, return_inverse=True)[1].tolist(),
    }  # fmt: skip
    found, estimate, _ = _core.tune(
        made._method, kernel,
        [(made._shared[name], str(value)) for name, value in open.items()], data, targets,
        {name: value for name, value in how.items() if value is not None}, made.n_jobs, Progress(made).callback(),
    )  # fmt: skip
    found = json.loads(found)
    found["nested"] = json.loads(estimate) if estimate else None
    spec = found["chosen"]["spec"]
    best = {"kernel": spec["kernel"]}
    for option, name in options.items():
        if name in open:
            whole, value = METHODS[made._method][option]["kind"] == "whole", spec[option]
            best[name] = int(value) if whole else float(value)
    return Tuning(made.set_params(**best).fit(X, y), best, found)


def _targets(estimator, data, y):
    if isinstance(estimator, KernelClassifier):
        return _data.as_classes(y, len(data), type(estimator).__name__, None)[1].astype(float)
    return _data.as_targets(y, len(data), type(estimator).__name__)

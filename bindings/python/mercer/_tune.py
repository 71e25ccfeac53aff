"""The numbers of an estimator and its kernel, chosen by cross-validation."""

import json

import numpy as np
from sklearn.base import clone

from . import _core, _data
from ._base import KernelClassifier, Progress


class Tuning:
    """What a search has found.

    Attributes
    ----------
    estimator : the estimator with the best numbers, fitted to all the data
    best_params : dict of them, the kernel as its text
    best_score : mean of the metric over the folds
    trials : list of dict, one for each setting: at, scores, mean, standard_error, dropped
    nested : dict of the honest estimate: mean, low and high of a 95 % interval, folds; None unless it was asked for
    metric, cross_validation, seconds, complete

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


def tune(
    estimator, X, y, *, kernel=None, search="grid", points=None, trials=None, folds=5, repeats=1, metric=None,
    groups=None, by_time=False, one_standard_error=False, race=True, nested=None, most_rows=10000, log=None,
    random_state=1,
    **open,
):  # fmt: skip
    """Chooses the numbers of an estimator written as "?" by cross-validation, and fits it with the best of them.

    One kernel matrix serves all folds and all C, one decomposition many alpha of a ridge, and settings that are
    significantly worse than the best after the first folds are dropped: much quicker than GridSearchCV. As many folds
    as examples is leaving one out, which a ridge has in closed form.

    Parameters
    ----------
    estimator : an estimator of this package that learns from targets
    kernel : text with "?" for numbers to be chosen, such as "rbf(gamma=?) + ?*linear()", "wl(h=?{1, 3})";
        default "rbf(gamma=?)", or the estimator's where that is another text form
    open : parameters of the estimator as "?", "?[low, high]" or "?{a, b, c}"; C (or alpha) where none is given
    search : "grid", "random", "halving" or "model"; points of each axis of a grid, trials of the others
    metric : "accuracy", "balanced_accuracy", "f1", "auc", "log_loss"; "rmse", "mse", "mae", "r2", "pinball"
    groups : numbers, one for each example: a group is never on both sides of a fold
    by_time : examples are in order of time, each part is judged by what came before
    one_standard_error : the simplest setting within a standard error of the best
    nested : so many outer folds for an honest estimate: a search in each, judged by examples that no search has seen
    log : file to keep what was found in, and to go on from

    Returns
    -------
    Tuning

    >>> import mercer
    >>> from sklearn.datasets import load_iris
    >>> found = mercer.tune(mercer.SVC(), *load_iris(return_X_y=True))
    >>> found.best_score > 0.95, sorted(found.best_params)
    (True, ['C', 'kernel'])
    """
    made = clone(estimator)
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
        "by_time": by_time, "nested": nested, "one_standard_error": one_standard_error, "race": race, "most_rows": most_rows,
        "log": None if log is None else str(log), "seed": random_state,
        "groups": None if groups is None else np.unique(groups, return_inverse=True)[1].tolist(),
    }  # fmt: skip
    found, estimate, _ = _core.tune(
        made._method, kernel, [(made._shared[name], str(value)) for name, value in open.items()], data, targets,
        {name: value for name, value in how.items() if value is not None}, made.n_jobs, Progress(made).callback(),
    )  # fmt: skip
    found = json.loads(found)
    found["nested"] = json.loads(estimate) if estimate else None
    spec = found["chosen"]["spec"]
    best = {"kernel": spec["kernel"]}
    for option, name in options.items():
        if name in open:
            whole = _core.methods()[made._method][option]["kind"] == "whole"
            best[name] = int(spec[option]) if whole else float(spec[option])
    return Tuning(made.set_params(**best).fit(X, y), best, found)


def _targets(estimator, data, y):
    if isinstance(estimator, KernelClassifier):
        return _data.as_classes(y, len(data), type(estimator).__name__, None)[1].astype(float)
    return _data.as_targets(y, len(data), type(estimator).__name__)

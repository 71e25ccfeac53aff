"""Margin reports: a classifier checked on its training data."""

import html
from pathlib import Path

from . import _core, _data
from ._base import warn


class MarginReport:
    """What a soft-margin classifier is on its training data, computed anew from its coefficients in double. Made by SVC.margin_report().

    Of the whole: kernel, proven, n, accuracy, support, loo_bound (the leave-one-out error is at most this; None, with
    the reason in no_bounds, where the model is not an optimum), error (method, rate, fits, where it
    was asked for), optimal, problems: one MarginProblem for each pair of classes.

    Of a problem, and for two classes of the report itself: rows, y, alpha, beta, slack, f, case, side (one entry for each example); counts;
    margin, norm, w, b, interval, margin_vectors; primal, dual, gap, solver_gap; kkt (the conditions of optimality by name), violations; n_support,
    loo_bound, radius, dimension, vc_bound. The sign of f and b is that of decision_function().

    str() is the report as text, to_json() has everything, save_html() writes a page with pictures, which notebooks show.

    >>> from mercer import SVC
    >>> X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    >>> report = SVC(kernel="linear", C=10.0).fit(X, y).margin_report(X, y)
    >>> report.alpha.round(3)
    array([0. , 0.5, 0.5, 0. ])
    >>> round(report.margin, 3), round(report.b, 3), round(report.radius, 3)
    (1.0, -2.0, 2.0)
    >>> print(report.case, report.side)
    ['zero' 'free' 'free' 'zero'] ['outside' 'on' 'on' 'outside']
    >>> bool(report.kkt["complementary slackness of α"])
    True
    """

    def __init__(self, told):
        self._told = told
        self.problems = told.problems

    @classmethod
    def _of(cls, estimator, data, y, sample_weight, error, ball, pictures):
        n = len(data)
        weight = _data.as_weights(sample_weight, n)
        if error is None or error == "loo":
            folds = -1 if error is None else 0
        elif isinstance(error, int) and not isinstance(error, bool) and error >= 2:
            folds = error
        else:
            raise ValueError(f"error must be None, 'loo' or a number of folds >= 2, got {error!r}")
        matrix = not isinstance(data, _core.Data)
        about = f"a precomputed matrix of {n} examples" if matrix else f"{n} vectors of {data.dims} coordinates" if data.kind == "vectors" else f"{n} {data.kind}"
        options = {
            "tol": estimator.tol,
            "sample_weight": weight,
            "class_weight": estimator.class_weight_,
            "ball": bool(ball),
            "folds": folds,
            "pictures": bool(pictures) and not matrix,
            "seed": 1,
            "feature_names": [str(name) for name in getattr(estimator, "feature_names_in_", ())],
            "class_names": [str(label) for label in estimator.classes_],
            "about": about,
            "n_jobs": estimator.n_jobs,
        }
        told = _core.margin_report(estimator._model, data, _data.as_codes(y, n, estimator.classes_, type(estimator).__name__, weight), options)
        if told.error_trouble:
            warn(f"Behind the estimate of the error, {told.error_trouble}.")
        return cls(told)

    kernel = property(lambda self: self._told.kernel, doc="The kernel as text.")
    proven = property(lambda self: self._told.proven, doc="Whether it is proven to be a kernel.")
    n = property(lambda self: self._told.n, doc="Training examples that have weight.")
    accuracy = property(lambda self: self._told.accuracy, doc="The share of them that is classified right.")
    support = property(lambda self: self._told.support, doc="Examples that are a support vector of some problem.")
    loo_bound = property(lambda self: self._told.loo_bound, doc="The share of support vectors: the leave-one-out error is at most this. None: see no_bounds.")
    no_bounds = property(lambda self: self._told.no_bounds, doc="Why no bound follows from the model; empty where one does.")
    error = property(lambda self: self._told.error, doc="(method, rate, fits) of the error on examples not seen, or None where it was not asked for.")
    optimal = property(lambda self: all(each.optimal for each in self.problems), doc="Whether all conditions of optimality hold.")

    @property
    def violations(self):
        """The largest violation of each condition of optimality, by name, over all problems."""
        names = dict.fromkeys(name for each in self.problems for name in each.kkt)
        return {name: max(each.kkt[name].violation for each in self.problems if name in each.kkt) for name in names}

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(_core.MarginProblem, name):
            raise AttributeError(f"a margin report has no {name!r}")
        if len(self.problems) != 1:
            raise AttributeError(f"{name!r} belongs to one binary problem, there are {len(self.problems)}: ask problems[i]")
        return getattr(self.problems[0], name)

    def __dir__(self):
        return sorted({*super().__dir__(), *(name for name in dir(_core.MarginProblem) if not name.startswith("_") and len(self.problems) == 1)})

    def __str__(self):
        return self._told.text()

    def __repr__(self):
        return f"<MarginReport: {self.kernel}, {self.n} examples, {len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}, {'optimal' if self.optimal else 'not optimal'}>"

    def to_json(self):
        """Everything as JSON text."""
        return self._told.json()

    def to_html(self):
        """The report as one page that needs nothing else."""
        return self._told.html()

    def save_html(self, path):
        """Writes the page to a file."""
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def _repr_html_(self):
        # In a frame of its own: the page brings its own style.
        return f'<iframe srcdoc="{html.escape(self.to_html())}" width="100%" height="640" style="border:0"></iframe>'

"""A fitted estimator judged: by targets, and a classifier on its own training data."""

import html
import json
import types
from pathlib import Path

import numpy as np
from sklearn.base import is_classifier

from . import _core, _data
from ._base import seed_of, warn


def _number(value):
    """JSON has null where a number is infinite."""
    return np.inf if value is None else value


class KKTCondition(types.SimpleNamespace):
    """The largest violation of one condition of optimality (formula, violation), the row where it is, None for all
    together, and what rounding and
    tol allow (allowed, holds)."""

    def __init__(self, told):
        super().__init__(**{**told, "violation": _number(told["violation"]), "allowed": _number(told["allowed"])})

    def __bool__(self):
        return self.holds

    def __repr__(self):
        return f"KKTCondition({self.formula}: {self.violation!r} {'<=' if self else '>'} {self.allowed!r})"


class MarginProblem(types.SimpleNamespace):
    """One binary problem of a classifier. Of each example, in the order of rows, their numbers among the training
    examples:

    y: its side, 1 or -1; penalty: C, weights included; alpha: its multiplier; beta: C - alpha; slack: max(0, 1 - y f);
    f: the decision; case: 'zero' (alpha = 0), 'free' or 'bound' (alpha = C); side: 'outside' the margin, 'on' it,
    'inside' or 'misclassified'.

    Of the problem: positive, negative: the classes that f > 0 and f < 0 stand for; C: the price of slack before
    weights; counts: of cases and sides; margin: 1/||w||; norm: ||w||; w and feature_names, None where the features of
    the kernel are too many to write down; b: the offset of f; interval: the offsets that are equally optimal;
    margin_vectors: how many b is the mean of; primal, dual: the objectives; gap: their difference; solver_gap: of the
    most violating pair, measured here; kkt: the conditions of optimality by name; optimal: whether all of them hold;
    n_support: how many examples have alpha > 0; loo_bound: their share, which bounds the leave-one-out error, None,
    with the reason in no_bounds, where the model is not an optimum; radius: of the smallest ball in feature space that
    holds the examples, where it was asked for; dimension: of the feature space, where it is finite; vc_bound:
    min(ceil(radius^2/margin^2), dimension) + 1.
    """

    def __init__(self, told):
        same = (
            "positive", "negative", "norm", "b", "dual", "solver_gap", "optimal", "loo_bound", "dimension", "vc_bound"
        )
        super().__init__(
            **{name: told[name] for name in same}, **{name: _number(told[name]) for name in ("C", "margin", "primal")}
        )
        columns = {"row": "rows", "C": "penalty"}
        for name in told["examples"][0]:
            setattr(self, columns.get(name, name), np.array([_number(each[name]) for each in told["examples"]]))
        self.counts = {**told["cases"], **told["sides"]}
        self.gap, self.n_support = _number(told["duality_gap"]), told["support"]
        self.interval, self.margin_vectors = tuple(told["b_interval"]), told["b_margin_vectors"]
        self.no_bounds, w = told["no_bounds"] or "", told["w"]
        self.w, self.feature_names = (None, None) if w is None else (np.array(w["w"]), w["names"])
        self.radius = None if told["ball"] is None else told["ball"]["squared_radius"] ** 0.5
        self.kkt = {each["condition"]: KKTCondition(each) for each in told["kkt"]}


class MarginReport:
    """What a soft-margin classifier is on its training data, computed anew from its coefficients in double. Made by
    SVC.margin_report().

    Of the whole: kernel, proven, n, accuracy, support, loo_bound (the leave-one-out error is at most this; None, with
    the reason in no_bounds, where the model is not an optimum), error (method, rate, fits, where it
    was asked for), optimal, problems: one MarginProblem for each pair of classes.

    What a problem has (MarginProblem), the report itself has for two classes; violations has the largest of each
    condition. The sign of f and b is that of decision_function().

    str() is the report as text, to_json() has everything, save_html() writes a page with pictures, which notebooks
    show.

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
        self._told, found = told, json.loads(told.json())
        self.problems = [MarginProblem(each) for each in found["problems"]]
        for name in ("kernel", "proven", "n", "accuracy", "support", "loo_bound"):
            setattr(self, name, found[name])
        self.no_bounds = found["no_bounds"] or ""
        self.error = found["estimate"] and tuple(found["estimate"][name] for name in ("method", "error", "fits"))
        self.optimal = all(each.optimal for each in self.problems)

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
        if matrix:
            about = f"a precomputed matrix of {n} examples"
        else:
            about = f"{n} {data.kind}" + (f" of {data.dims} coordinates" if data.kind == "vectors" else "")
        codes = _data.as_codes(y, n, estimator.classes_, type(estimator).__name__, weight)
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
        told = _core.margin_report(estimator._model, data, codes, options)
        if told.error_trouble:
            warn(f"In the estimate of the error, {told.error_trouble}.")
        return cls(told)

    @property
    def violations(self):
        """The largest violation of each condition of optimality, by name, over all problems."""
        names = dict.fromkeys(name for each in self.problems for name in each.kkt)
        return {name: max(each.kkt[name].violation for each in self.problems if name in each.kkt) for name in names}

    def __getattr__(self, name):
        if name.startswith("_") or not hasattr(self.problems[0], name):
            raise AttributeError(f"a margin report has no {name!r}")
        if len(self.problems) != 1:
            raise AttributeError(
                f"{name!r} belongs to one binary problem, there are {len(self.problems)}: ask problems[i]"
            )
        return getattr(self.problems[0], name)

    def __dir__(self):
        return sorted({*super().__dir__(), *(vars(self.problems[0]) if len(self.problems) == 1 else ())})

    def __str__(self):
        return self._told.text()

    def __repr__(self):
        problems = f"{len(self.problems)} problem{'s' if len(self.problems) > 1 else ''}"
        ended = "optimal" if self.optimal else "not optimal"
        return f"<MarginReport: {self.kernel}, {self.n} examples, {problems}, {ended}>"

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
        # An iframe, because the page has its own style.
        return f'<iframe srcdoc="{html.escape(self.to_html())}" width="100%" height="640" style="border:0"></iframe>'


def _scores(estimator, X, k):
    """A column for each class: decision values, else probabilities; None without either."""
    if hasattr(estimator, "decision_function"):
        f = np.asarray(estimator.decision_function(X))
        if f.ndim == 1 and k == 2:
            return np.column_stack([-f, f])
        if f.ndim == 2 and f.shape[1] == k:
            return f
    return np.asarray(estimator.predict_proba(X)) if hasattr(estimator, "predict_proba") else None


def evaluate(estimator, X, y, *, n_resamples=None, n_bins=10, random_state=None):
    """How good a fitted classifier or regressor is on examples that it has not seen, as a dict.

    Metrics with intervals of 95 % (Wilson's for the accuracy, else bootstrap of n_resamples draws, by default 1000 and
    fewer of many examples); of classes also the confusion matrix, precision, recall and F1 of each, ROC and
    precision-recall curves of each against the rest, calibration curves of n_bins bins where there are probabilities;
    of values figures of the residuals. The keys are those of `mercer evaluate --json`.

    >>> from sklearn.datasets import load_iris
    >>> import mercer
    >>> X, y = load_iris(return_X_y=True)
    >>> found = mercer.evaluate(mercer.SVC().fit(X[::2], y[::2]), X[1::2], y[1::2])
    >>> found["metrics"]["accuracy"]["value"] > 0.9
    True
    """
    more = (0 if n_resamples is None else n_resamples, n_bins, seed_of(random_state))
    predicted, y = np.asarray(estimator.predict(X)), np.asarray(y)
    if predicted.ndim != 1 or y.shape != predicted.shape:
        raise ValueError(f"one target for each example is needed: y has shape {y.shape}, predictions {predicted.shape}")
    if not is_classifier(estimator):
        return json.loads(_core.evaluate(True, y, predicted, [], None, None, [], *more))
    classes = np.asarray(estimator.classes_)
    labels = np.unique(np.concatenate([classes, y, predicted]))
    places = [np.searchsorted(labels, each) for each in (y, predicted, classes)]
    scores = _scores(estimator, X, len(classes))
    chances = np.asarray(estimator.predict_proba(X)) if hasattr(estimator, "predict_proba") else None
    return json.loads(_core.evaluate(False, *places, scores, chances, [str(each) for each in labels], *more))

"""Evaluation of a fitted estimator on new data, and the report on a classifier and its training data."""

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
    """Largest violation of one optimality condition of Karush, Kuhn and Tucker; true if the condition holds.

    Attributes
    ----------
    condition : str
        Name of the condition.
    formula : str
        Formula of the condition.
    violation : float
        Largest violation.
    row : int or None
        Row of the training example with the largest violation; None if the condition is about all examples together.
    allowed : float
        Violation that the tolerance of the fit and rounding errors allow.
    holds : bool
        True if the violation is at most the allowed one.
    """

    def __init__(self, told):
        super().__init__(**{**told, "violation": _number(told["violation"]), "allowed": _number(told["allowed"])})

    def __bool__(self):
        return self.holds

    def __repr__(self):
        return f"KKTCondition({self.formula}: {self.violation!r} {'<=' if self else '>'} {self.allowed!r})"


class MarginProblem(types.SimpleNamespace):
    """One binary problem of a classifier in a :class:`MarginReport`.

    Attributes
    ----------
    rows : ndarray of shape (n_examples,)
        Indices of the examples of this problem among the training examples; the order of the arrays below.
    y : ndarray of shape (n_examples,)
        Side of each example: 1 or -1.
    f : ndarray of shape (n_examples,)
        Decision value of each example.
    alpha : ndarray of shape (n_examples,)
        Multiplier of each example.
    beta : ndarray of shape (n_examples,)
        Multiplier of the slack, ``penalty - alpha``.
    slack : ndarray of shape (n_examples,)
        Slack of each example, max(0, 1 - y f).
    penalty : ndarray of shape (n_examples,)
        Penalty parameter C of each example, with its weights.
    case : ndarray of str
        ``'zero'`` (alpha = 0), ``'free'`` or ``'bound'`` (alpha = penalty).
    side : ndarray of str
        Position of each example: ``'outside'`` the margin, ``'on'`` the margin, ``'inside'`` or ``'misclassified'``.
    positive, negative : str
        Class labels for f > 0 and f < 0.
    C : float
        Penalty parameter before weights.
    counts : dict
        Number of examples for each value of `case` and `side`.
    margin : float
        Margin 1/‖w‖: distance in feature space between the decision boundary and an example with y f = 1.
    norm : float
        Norm ‖w‖ of the weights in feature space.
    w : ndarray or None
        Weights of the features of the kernel. None if the kernel has too many features.
    feature_names : list of str or None
        Names of the features of `w`.
    b : float
        Offset of the decision function.
    interval : tuple of float
        Smallest and largest optimal offset.
    margin_vectors : int
        Number of examples on the margin, from whose mean `b` is computed.
    primal, dual : float
        Primal and dual objective.
    gap : float
        Duality gap, their difference.
    solver_gap : float
        Violation of the optimality conditions by the most violating pair of examples.
    kkt : dict of KKTCondition
        Optimality conditions by name.
    optimal : bool
        True if all optimality conditions hold.
    n_support : int
        Number of support vectors.
    loo_bound : float or None
        Upper bound on the leave-one-out error: the share of support vectors. None if the model is not optimal.
    no_bounds : str
        Reason why there are no bounds; empty otherwise.
    radius : float or None
        Radius of the smallest ball in feature space that contains the examples, if it was computed.
    dimension : int or None
        Dimension of the feature space, if it is finite.
    vc_bound : float or None
        Bound on the VC dimension: min(ceil(radius²/margin²), dimension) + 1.
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
    """Report on a support vector classifier and its training data; the result of ``SVC.margin_report``.

    All numbers are computed anew in float64 from the coefficients of the model. With two classes the report also has
    the attributes of its only problem (:class:`MarginProblem`). The sign of f and b is that of ``decision_function``.
    ``str()`` returns the report as text; notebooks show the HTML report.

    Attributes
    ----------
    kernel : str
        Expression of the kernel.
    proven : bool
        True if the kernel is proven to be positive semidefinite on all data.
    n : int
        Number of training examples.
    accuracy : float
        Share of the training examples that are classified correctly.
    support : int
        Number of support vectors.
    loo_bound : float or None
        Upper bound on the leave-one-out error. None if the model is not optimal.
    no_bounds : str
        Reason why there is no bound; empty otherwise.
    error : tuple or None
        Estimate of the error on new examples, (method, rate, number of fits), if it was asked for.
    optimal : bool
        True if the optimality conditions of all problems hold.
    problems : list of MarginProblem
        One entry for each pair of classes.
    violations : dict
        Largest violation of each optimality condition over all problems, by name.

    See Also
    --------
    evaluate : Metrics on data that the classifier has not seen.

    Examples
    --------
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
        """Largest violation of each optimality condition over all problems, by name."""
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
        """Converts the report to JSON.

        Returns
        -------
        text : str
            JSON document with all numbers of the report.
        """
        return self._told.json()

    def to_html(self):
        """Converts the report to HTML.

        Returns
        -------
        text : str
            HTML document with pictures, which needs no other file.
        """
        return self._told.html()

    def save_html(self, path):
        """Writes the HTML report to a file.

        Parameters
        ----------
        path : str or path-like
            File to write.
        """
        Path(path).write_text(self.to_html(), encoding="utf-8")

    def _repr_html_(self):
        # An iframe, because the page has its own style.
        return f'<iframe srcdoc="{html.escape(self.to_html())}" width="100%" height="640" style="border:0"></iframe>'


def _scores(estimator, X, k):
    """Scores with one column per class: decision values, else probabilities; None if the estimator has neither."""
    if hasattr(estimator, "decision_function"):
        f = np.asarray(estimator.decision_function(X))
        if f.ndim == 1 and k == 2:
            return np.column_stack([-f, f])
        if f.ndim == 2 and f.shape[1] == k:
            return f
    return np.asarray(estimator.predict_proba(X)) if hasattr(estimator, "predict_proba") else None


def evaluate(estimator, X, y, *, n_resamples=None, n_bins=10, random_state=None):
    """Evaluates a fitted classifier or regressor on examples that it has not seen.

    Parameters
    ----------
    estimator : object
        Fitted classifier or regressor of this package or of scikit-learn.
    X : array-like, sparse matrix, data frame or list of objects, n_samples examples
        Examples.
    y : array-like of shape (n_samples,)
        True class labels or values of the examples.
    n_resamples : int, default=None
        Number of bootstrap samples for the intervals. None: 1000, and fewer with many examples.
    n_bins : int, default=10
        Number of bins of the calibration curves.
    random_state : int, RandomState instance or None, default=None
        Seed of the bootstrap. None: a fixed seed.

    Returns
    -------
    found : dict
        Metrics with 95 % intervals (Wilson's for the accuracy, else by the bootstrap). For classes also the confusion
        matrix, precision, recall and F1 of each class, ROC and precision-recall curves of each class against the rest,
        and calibration curves if there are probabilities; for values statistics of the residuals. The keys are those of
        ``mercer evaluate --json``.

    See Also
    --------
    MarginReport : Report on a classifier and its training data.

    Examples
    --------
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

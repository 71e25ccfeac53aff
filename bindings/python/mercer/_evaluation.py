"""A fitted estimator judged by targets."""

import json

import numpy as np
from sklearn.base import is_classifier

from . import _core
from ._base import seed_of


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

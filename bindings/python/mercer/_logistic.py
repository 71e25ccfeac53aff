"""Kernel logistic regression."""

import numpy as np

from ._base import DecidingClassifier, of_model, of_objects


class KernelLogisticRegression(DecidingClassifier):
    """Logistic regression in the space of a kernel: classes with probabilities that come from the model itself.

    The objective is that of sklearn.linear_model.LogisticRegression, which this is with kernel='linear': a penalty on
    the norm of the function, softmax for more than two classes, an intercept without penalty. C is the inverse of the
    penalty; alpha, where given, is the penalty itself, in place of C.

    Attributes: classes_, intercept_, dual_coef_ (one row for two classes, else one for each), X_fit_, n_iter_ (Newton
    steps), dual_gap_ (how far the objective is from its minimum at most), objective_, status_, kernel_.

    >>> from mercer import KernelLogisticRegression
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"]
    >>> model = KernelLogisticRegression(C=10.0, gamma=0.5).fit(X, y)
    >>> model.predict([[-1.5], [1.5]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.predict_proba([[0.0]]).round(3)
    array([[0.5, 0.5]])
    """

    _method = "kernel_logistic"
    _own = {"alpha": None, "class_weight": None}

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y; X and sample_weight as for SVC."""
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        if self.alpha is not None and self.C != 1:
            raise ValueError(f"C={self.C!r} has no effect beside alpha: leave one of them out")
        return self._run(data, codes, weight, class_weight, C=self.C if self.alpha is None else 1 / self.alpha)

    def _reached(self):
        return f"its duality gap is {self._model.gap:.3g} with an objective of {self._model.objective:.3g}"

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of classes_."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))

    @property
    def dual_coef_(self):
        """Coefficients of the examples X_fit_."""
        return self._fitted().coef.T

    X_fit_ = of_objects("The training examples that have weight; empty for a precomputed kernel.")
    intercept_ = of_model("offset", "The constant of each decision function.")
    n_iter_ = of_model("rounds", "Newton steps.")
    dual_gap_ = of_model("gap", "The objective is above its minimum by at most this.")
    objective_ = of_model("objective", "Losses and half the squared norm over C, as a minimum.")

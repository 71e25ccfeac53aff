"""Kernel logistic regression."""

import numpy as np

from ._base import KernelClassifier, keep, of_model, of_objects


class KernelLogisticRegression(KernelClassifier):
    """Logistic regression in the space of a kernel: classes with probabilities that come from the model itself.

    The objective is that of sklearn.linear_model.LogisticRegression, which this is with kernel='linear': a penalty on the norm of the
    function, softmax for more than two classes, an intercept without penalty. C is the inverse of the penalty; alpha, where given, is the
    penalty itself, in place of C. kernel, gamma, degree, coef0 as for SVC; max_memory: bytes, or "2GB"; n_jobs: threads; verbose, time_limit,
    callback as for KernelPCA.

    Attributes: classes_, intercept_, dual_coef_ (one row for two classes, else one for each), X_fit_, n_iter_ (Newton steps), dual_gap_ (how
    far the objective is from its minimum at most), objective_, status_, kernel_.

    >>> from mercer import KernelLogisticRegression
    >>> model = KernelLogisticRegression(C=10.0, gamma=0.5).fit([[-2.0], [-1.0], [1.0], [2.0]], ["no", "no", "yes", "yes"])
    >>> model.predict([[-1.5], [1.5]])
    array(['no', 'yes'], dtype='<U3')
    >>> model.predict_proba([[0.0]]).round(3)
    array([[0.5, 0.5]])
    """

    _method = "kernel_logistic"

    def __init__(
        self, *, C=1.0, alpha=None, kernel="rbf", degree=3, gamma="scale", coef0=0.0, fit_intercept=True, tol=1e-6, class_weight=None,
        max_iter=500, max_memory=None, n_jobs=None, verbose=False, time_limit=None, callback=None,
    ):
        keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y; X and sample_weight as for SVC."""
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        if self.alpha is not None and self.C != 1:
            raise ValueError(f"C={self.C!r} has no effect beside alpha: leave one of them out")
        self.kernel_ = self._resolve_kernel(data, weight)
        return self._run(data, codes, weight, class_weight, C=self.C if self.alpha is None else 1 / self.alpha)

    def _reached(self):
        return f"its gap is {self._model.gap:.3g} with an objective of {self._model.objective:.3g}"

    def decision_function(self, X):
        """f(x): (n_samples,) for two classes, positive for the second; else one column for each class."""
        data = self._new_data(X)
        values = self._model.decide(data, self.n_jobs)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """The most probable class of every example."""
        data = self._new_data(X)
        return self.classes_[self._model.predict(data, self.n_jobs)]

    def predict_proba(self, X):
        """Probabilities of the classes, in the order of classes_."""
        data = self._new_data(X)
        return self._model.probabilities(data, self.n_jobs)

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

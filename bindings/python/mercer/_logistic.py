"""Kernel logistic regression."""

import numpy as np

from ._base import DecidingClassifier, of_model, of_objects
from ._docstrings import fitted


class KernelLogisticRegression(DecidingClassifier):
    """Kernel logistic regression: classification with probabilities that are part of the model.

    Minimises ½‖f‖² + C Σ loss, the logistic loss with two classes and the softmax loss with more; the intercept is not
    penalised. With ``kernel='linear'`` this is the problem of :class:`sklearn.linear_model.LogisticRegression`.

    See Also
    --------
    SVC : Hinge loss; a sparse model, with probabilities by calibration.
    NystroemLogistic : Approximation by a few centres, for millions of examples.
    CellsLogistic : One model per cell of the feature space, for millions of examples.
    sklearn.linear_model.LogisticRegression : Linear logistic regression in scikit-learn.

    References
    ----------
    .. [1] J. Zhu, T. Hastie, "Kernel logistic regression and the import vector machine", Journal of Computational and
       Graphical Statistics 14, 2005.

    Examples
    --------
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
        """Fits the model to examples and their class labels."""
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        if self.alpha is not None and self.C != 1:
            raise ValueError(f"C={self.C!r} has no effect beside alpha: leave one of them out")
        return self._run(data, codes, weight, class_weight, C=self.C if self.alpha is None else 1 / self.alpha)

    def _reached(self):
        return f"its duality gap is {self._model.gap:.3g} with an objective of {self._model.objective:.3g}"

    def predict_proba(self, X):
        """Computes class probabilities."""
        return self._ask("probabilities", X)

    def predict_log_proba(self, X):
        """Computes the logarithms of the class probabilities."""
        return np.log(self.predict_proba(X))

    @fitted("ndarray of shape (n_functions, n_samples)")
    def dual_coef_(self):
        """Coefficients of the examples `X_fit_`, one row with two classes, else one per class."""
        return self._fitted().coef.T

    X_fit_ = of_objects("Training examples with a weight other than 0; empty for a precomputed kernel.")
    intercept_ = of_model("offset", "ndarray of shape (n_functions,)", "Constant term of each decision function.")
    n_iter_ = of_model("rounds", "int", "Number of Newton steps.")
    dual_gap_ = of_model("gap", "float", "Duality gap: the objective exceeds its minimum by at most this.")
    objective_ = of_model("objective", "float", "Sum of the losses and of half the squared norm divided by C.")

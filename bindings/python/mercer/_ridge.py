"""Kernel ridge regression."""

from typing import NamedTuple

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from . import _data
from ._base import KernelEstimator, of_objects
from ._parameters import NOT_NEGATIVE


def each_target(model, name, of_all):
    """A figure of each target: one target has that of the model."""
    return getattr(model, name) if model.coef.shape[1] > 1 else [getattr(model, of_all)]


def of_targets(name, of_all, text):
    """The property of an estimator that is an array with a figure of each target."""
    return property(lambda self: np.asarray(each_target(self._fitted(), name, of_all)), doc=text)


class TargetColumns(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Regression with one target or several: answers and coefficients have columns where y had."""

    def _fit_targets(self, X, y, sample_weight):
        """Examples, targets as columns, and weights."""
        data = self._fit_data(X)
        targets, self._one_column = _data.as_target_columns(y, len(data), type(self).__name__)
        return data, targets, _data.as_weights(sample_weight, len(data))

    def _shaped(self, values):
        return values[:, 0] if self._one_column else values

    def predict(self, X):
        """The value for every example; one column for each target where y had columns."""
        return self._shaped(self._ask("decide", X))

    @property
    def dual_coef_(self):
        """Coefficients of the examples that are kept, one column for each target where y had columns."""
        return self._shaped(self._fitted().coef)


class KernelRidge(TargetColumns):
    """Kernel ridge regression: least squares with a penalty alpha on the norm of the function.

    Parameters are those of sklearn.kernel_ridge.KernelRidge; beside its names, `kernel` takes a text form or an object
    of mercer.kernels. As there, a kernel that is a function gets two examples. alpha may be a list with one value for
    each column of y. Further:

    loo: find the errors of leaving out each example too, which doubles the time of the fit. alphas: values of alpha of
    which the best is taken, by alpha_score: 'gcv' (generalised cross-validation) or 'loo' (leaving one out); one
    decomposition serves all of them.

    Attributes are those of scikit-learn (dual_coef_, X_fit_); further alpha_, the penalty of the model; status_, how
    the fit ended ('converged' where every target is), and target_status_, the same for each target; residual_, how far
    the equations of each target are from being met (solver='cg'); loo_errors_, y - f(x) with f fitted without the example; after a fit with alphas: gcv_values_, loo_values_, df_values_,
    dual_coef_path_. Examples without weight have no coefficients and are not in X_fit_.

    >>> from mercer import KernelRidge
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]
    >>> KernelRidge(alpha=0.01, kernel="poly", degree=1).fit(X, y).predict([[4.0]]).round(1)
    array([4.])
    >>> model = KernelRidge(kernel="rbf", gamma=0.1, alphas=[1e-4, 1e-2, 1.0]).fit(X, y)
    >>> model.alpha_
    0.01
    """

    _method = "kernel_ridge"
    _option_names = {"alpha_score": "score"}
    _not_taken = ("variance", "output_alphas")
    _function_of_pairs = True
    _limit = "max_products"
    _positional = ("alpha",)
    _own = {
        "alpha": (1, [*NOT_NEGATIVE, "array-like"]), "kernel": "linear", "gamma": None, "coef0": 1,
        "kernel_params": None, "max_memory": None,
    }  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and numbers y, (n_samples,) or (n_samples, n_targets).

        X: array or sparse matrix (n_samples, n_features), data frame, list of str, of sets or of graphs; (n_samples,
        n_samples) for kernel='precomputed'.
        """
        if self.alphas is None and self.alpha_score != "gcv":
            raise ValueError(
                f"alpha_score={self.alpha_score!r} has no effect without alphas: set alphas, or leave it out"
            )
        if self.alphas is not None and not np.array_equal(self.alpha, 1):
            raise ValueError(f"alpha={self.alpha!r} has no effect beside alphas: leave one of them out")
        data, targets, weight = self._fit_targets(X, y, sample_weight)
        alpha = np.ravel(np.asarray(self.alpha, dtype=np.float64))
        if self.alphas is None and alpha.size not in (1, targets.shape[1]):
            raise ValueError(
                f"Number of targets and number of penalties do not correspond: {alpha.size} != {targets.shape[1]}"
            )
        one = alpha.size == 1
        self._run(
            data, targets, weight, alpha=alpha[0], output_alphas=None if one else alpha,
            alphas=None if self.alphas is None else np.ravel(self.alphas),
        )
        self.alpha_ = self._model.alpha if one else alpha
        if self.alphas is not None:
            figures = ("path_gcv", "path_loo", "path_df")
            self.gcv_values_, self.loo_values_, self.df_values_ = (
                getattr(self._model, name, np.empty(0)) for name in figures
            )
            self.dual_coef_path_ = self._model.path_coef
        return self

    X_fit_ = of_objects("The training examples; empty for a precomputed kernel.")

    def _reached(self):
        ends = self.target_status_
        if len(ends) == 1:
            return f"its residual is {np.max(self.residual_):.3g}, and tol is {self.tol:g}"
        left = ", ".join(str(column) for column, end in enumerate(ends) if end != "converged")
        said = f"the largest residual is {np.max(self.residual_):.3g}, and tol is {self.tol:g}"
        return f"{said}, columns {left} of y are not solved" if left else said

    @property
    def target_status_(self):
        """How the fit of each column of y ended: a list of words as in status_."""
        model = self._fitted()
        ends = getattr(model, "output_status", None) or [getattr(model, "status", "converged")] * model.coef.shape[1]
        return [self.status_ if end != "converged" else end for end in ends]

    @property
    def residual_(self):
        """‖y - (K + alpha)a‖/‖y‖, measured: a number, or one for each target where y had columns."""
        model = self._fitted()
        if not hasattr(model, "residual"):
            raise AttributeError("residual_ is only available after a fit by conjugate gradients (solver='cg')")
        each = np.asarray(model.residuals)
        if not each.size:  # pickled by an earlier version, which stored the largest
            return model.residual
        return each[0] if self._one_column else each

    @property
    def loo_errors_(self):
        """y - f(x) of every example, with f fitted without it; of examples without weight with f itself."""
        if not self._fitted().loo.size:
            raise AttributeError("loo_errors_ is only available after a fit with loo=True")
        return self._shaped(self._model.loo)


class RidgePath(NamedTuple):
    """Kernel ridge regression for many penalties: alphas, ascending; of each the mean squared error by generalised
    cross-validation (gcv) and, where score is 'loo', by leaving one out (loo, else empty), the degrees of freedom df
    and the coefficients coef; best, the place of the chosen one; score, what it
    was chosen by; model, a KernelRidge with it."""

    alphas: np.ndarray
    gcv: np.ndarray
    loo: np.ndarray
    df: np.ndarray
    coef: list
    best: int
    score: str
    model: KernelRidge

    @property
    def alpha(self):
        """The penalty that was chosen."""
        return float(self.alphas[self.best])


def kernel_ridge_path(
    X, y, alphas=None, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, score="gcv",
    sample_weight=None, max_memory=None, n_jobs=None,
):
    """Kernel ridge regression for all penalties `alphas` from one decomposition, and the best of them: a RidgePath.

    alphas: None for 41 from 1e-6 to 1e2. score: 'gcv' (generalised cross-validation) or 'loo' (leaving one out,
    exactly). The rest as for KernelRidge. mercer.plot.path() draws it.

    >>> import numpy as np
    >>> from mercer import kernel_ridge_path
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=40)
    >>> path = kernel_ridge_path(X, y, [1e-6, 1e-3, 1.0, 1e3], kernel="rbf", gamma=1.0, score="loo")
    >>> path.alpha, path.best, path.loo.argmin() == path.best
    (0.001, 1, True)
    >>> bool(np.all(np.diff(path.df) < 0))  # the larger the penalty, the stiffer the function
    True
    """
    alphas = np.sort(np.logspace(-6, 2, 41) if alphas is None else np.asarray(alphas, dtype=np.float64).ravel())
    model = KernelRidge(
        kernel=kernel, gamma=gamma, degree=degree, coef0=coef0, kernel_params=kernel_params, alphas=alphas,
        alpha_score=score, max_memory=max_memory, n_jobs=n_jobs,
    )
    model.fit(X, y, sample_weight)
    best = int(np.flatnonzero(alphas == model.alpha_)[0])
    return RidgePath(
        alphas, model.gcv_values_, model.loo_values_, model.df_values_, model.dual_coef_path_, best, score, model
    )

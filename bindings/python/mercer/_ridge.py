"""Kernel ridge regression."""

from typing import NamedTuple

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from . import _data
from ._base import KernelEstimator, of_objects
from ._docstrings import COLUMNS, REPEATED, document_fields, fitted, fitted_attribute
from ._parameters import NOT_NEGATIVE


def each_target(model, name, of_all):
    """A value for each target; with one target the value of the model."""
    return getattr(model, name) if model.coef.shape[1] > 1 else [getattr(model, of_all)]


def of_targets(name, of_all, text):
    """An attribute of an estimator that is an array with a value for each target."""
    kind = "ndarray of shape (n_targets,)"
    return fitted_attribute(kind, text, lambda self: np.asarray(each_target(self._fitted(), name, of_all)))


class TargetColumns(MultiOutputMixin, RegressorMixin, KernelEstimator):
    """Regression with one target or several: predictions and coefficients have columns if y has columns."""

    _argument_docs = {"y": COLUMNS, "sample_weight": REPEATED}
    _returned_docs = {
        "predict": (
            "y : ndarray of shape (n_samples,) or (n_samples, n_targets)",
            "Predicted values, with one column per target if the `y` of `fit` had columns.",
        )
    }  # fmt: skip

    def _fit_targets(self, X, y, sample_weight):
        """Examples, targets as columns, and weights."""
        data = self._fit_data(X)
        targets, self._one_column = _data.as_target_columns(y, len(data), type(self).__name__)
        return data, targets, _data.as_weights(sample_weight, len(data))

    def _shaped(self, values):
        return values[:, 0] if self._one_column else values

    def predict(self, X):
        """Predicts the target values of the examples."""
        return self._shaped(self._ask("decide", X))

    @fitted("ndarray of shape (n_examples,) or (n_examples, n_targets)")
    def dual_coef_(self):
        """Coefficients of the examples or centres of the model, with one column per target if y had columns."""
        return self._shaped(self._fitted().coef)


class KernelRidge(TargetColumns):
    """Kernel ridge regression: least squares with a penalty on the norm of the function.

    Minimises Σ wᵢ(yᵢ - f(xᵢ))² + alpha ‖f‖². `alphas` compares several penalties with one decomposition of the kernel
    matrix and selects the best. The parameters of :class:`sklearn.kernel_ridge.KernelRidge` have the same names, order
    and defaults.

    See Also
    --------
    kernel_ridge_path : All penalties of a path, with their errors.
    NystroemRidge : Approximation by a few centres, for millions of examples.
    CellsRidge : One model per cell of the feature space, for millions of examples.
    SVR : Epsilon-insensitive loss; a sparse model.
    sklearn.kernel_ridge.KernelRidge : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.kernel_ridge.KernelRidge`: `kernel` also takes expressions and objects of
    :mod:`mercer.kernels`, and examples may be strings, sets, graphs and other objects. A kernel matrix that is not
    positive definite with its `alpha` is refused. Examples of weight 0 have no coefficients and are not in `X_fit_`.

    References
    ----------
    .. [1] C. Saunders, A. Gammerman, V. Vovk, "Ridge regression learning algorithm in dual variables", ICML 1998.

    Examples
    --------
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
    _takes_steps = False
    _former_names = {"max_products": "max_iter"}
    _former_values = {"solver": {"automatic": "auto"}}
    _positional = ("alpha",)
    _order = ("alpha", "kernel", "gamma", "degree", "coef0", "kernel_params")
    _meanings = {
        "alpha": "Penalty α; an array has one value per target.",
        "alphas": "Penalties to compare; the best one by `alpha_score` is selected. None: `alpha` counts.",
        "alpha_score": "How to select from `alphas`: generalised cross-validation (``'gcv'``) or leave-one-out error "
        "(``'loo'``).",
        "loo": "Compute the leave-one-out errors `loo_errors_` as well, which doubles the time of a fit.",
    }
    _attribute_docs = {
        "alpha_": ("float or ndarray of shape (n_targets,)", "Penalty of the model: `alpha`, or the best of `alphas`."),
        "gcv_values_": (
            "ndarray of shape (n_alphas,)", "Error by generalised cross-validation for each of `alphas`."
        ),
        "loo_values_": (
            "ndarray of shape (n_alphas,)",
            "Leave-one-out error for each of `alphas`; only with ``alpha_score='loo'``, else empty.",
        ),
        "df_values_": ("ndarray of shape (n_alphas,)", "Degrees of freedom for each of `alphas`."),
        "dual_coef_path_": ("list of ndarray", "Coefficients for each of `alphas`."),
    }  # fmt: skip
    _own = {
        "alpha": (1, [*NOT_NEGATIVE, "array-like"]), "kernel": "linear", "gamma": None, "coef0": 1,
        "kernel_params": None, "max_memory": None,
    }  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples and their target values."""
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

    X_fit_ = of_objects("Training examples; empty for a precomputed kernel.")

    def _reached(self):
        ends = self.target_status_
        if len(ends) == 1:
            return f"its residual is {np.max(self.residual_):.3g}, and tol is {self.tol:g}"
        left = ", ".join(str(column) for column, end in enumerate(ends) if end != "converged")
        said = f"the largest residual is {np.max(self.residual_):.3g}, and tol is {self.tol:g}"
        return f"{said}, columns {left} of y are not solved" if left else said

    @fitted("list of str")
    def target_status_(self):
        """How the fit of each target ended, with the words of `status_`."""
        model = self._fitted()
        ends = getattr(model, "output_status", None) or [getattr(model, "status", "converged")] * model.coef.shape[1]
        return [self.status_ if end != "converged" else end for end in ends]

    @fitted("int")
    def n_iter_(self):
        """Number of products with the kernel matrix by conjugate gradients; 1 for a decomposition."""
        return max(1, getattr(self._fitted(), "products", 1))

    @fitted("float or ndarray of shape (n_targets,)")
    def residual_(self):
        """Residual ‖y - (K + alpha I)a‖/‖y‖ of the equations, for each target; only with ``solver='cg'``."""
        model = self._fitted()
        if not hasattr(model, "residual"):
            raise AttributeError("residual_ is only available after a fit by conjugate gradients (solver='cg')")
        each = np.asarray(model.residuals)
        if not each.size:  # pickled by an earlier version, which stored the largest
            return model.residual
        return each[0] if self._one_column else each

    @fitted("ndarray of shape (n_samples,) or (n_samples, n_targets)")
    def loo_errors_(self):
        """Error y - f(x) of every example with f fitted without the example; only with ``loo=True``. For examples of
        weight 0 f is the model itself."""
        if not self._fitted().loo.size:
            raise AttributeError("loo_errors_ is only available after a fit with loo=True")
        return self._shaped(self._model.loo)


class RidgePath(NamedTuple):
    """Kernel ridge regression for several penalties, as returned by :func:`kernel_ridge_path`.

    Attributes
    ----------
    alphas : ndarray of shape (n_alphas,)
        Penalties in ascending order.
    gcv : ndarray of shape (n_alphas,)
        Mean squared error by generalised cross-validation for each penalty.
    loo : ndarray of shape (n_alphas,)
        Mean squared leave-one-out error for each penalty; empty unless `score` is ``'loo'``.
    df : ndarray of shape (n_alphas,)
        Degrees of freedom for each penalty.
    coef : list of ndarray
        Coefficients for each penalty.
    best : int
        Index of the selected penalty.
    score : str
        Criterion of the selection: ``'gcv'`` or ``'loo'``.
    model : KernelRidge
        Estimator fitted with the selected penalty.
    alpha : float
        Selected penalty.

    See Also
    --------
    mercer.plot.path : Plots the errors and the degrees of freedom.

    Examples
    --------
    >>> from mercer import kernel_ridge_path
    >>> path = kernel_ridge_path([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0], [0.1, 10.0])
    >>> path.alpha, path.model.alpha_
    (0.1, 0.1)
    """

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
        """Selected penalty."""
        return float(self.alphas[self.best])


document_fields(RidgePath)


def kernel_ridge_path(
    X, y, alphas=None, *, kernel="linear", gamma=None, degree=3, coef0=1, kernel_params=None, score="gcv",
    sample_weight=None, max_memory=None, n_jobs=None,
):
    """Fits kernel ridge regression for several penalties with one decomposition, and selects the best one.

    Parameters
    ----------
    X : array-like, sparse matrix, data frame or list of objects, n_samples examples
        Training examples. With ``kernel='precomputed'``, the kernel matrix.
    y : array-like of shape (n_samples,) or (n_samples, n_targets)
        Target values.
    alphas : array-like, default=None
        Penalties. None: 41 values from 1e-6 to 1e2.
    kernel : str, Kernel or callable, default='linear'
        Kernel, as for :class:`KernelRidge`.
    gamma : float, {'scale', 'auto'} or None, default=None
        Value of the kernel's parameter gamma, as for :class:`KernelRidge`.
    degree : float, default=3
        Value of the kernel's parameter degree.
    coef0 : float, default=1
        Value of the kernel's parameter coef0.
    kernel_params : dict, default=None
        Further keyword arguments of a kernel that is a function.
    score : {'gcv', 'loo'}, default='gcv'
        Criterion of the selection: generalised cross-validation or the exact leave-one-out error.
    sample_weight : array-like of shape (n_samples,), default=None
        Weight of each example.
    max_memory : float or str, default=None
        Memory limit in bytes, or a text such as ``'2GB'``. None: the library chooses a limit.
    n_jobs : int, default=None
        Number of threads. None: all.

    Returns
    -------
    path : RidgePath
        Errors, degrees of freedom and coefficients for each penalty, and the model of the best one.

    See Also
    --------
    KernelRidge : The estimator.
    mercer.plot.path : Plots the result.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import kernel_ridge_path
    >>> X = np.linspace(0, 6, 40)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=40)
    >>> path = kernel_ridge_path(X, y, [1e-6, 1e-3, 1.0, 1e3], kernel="rbf", gamma=1.0, score="loo")
    >>> path.alpha, path.best, path.loo.argmin() == path.best
    (0.001, 1, True)
    >>> bool(np.all(np.diff(path.df) < 0))  # the larger the penalty, the fewer degrees of freedom
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

"""Kernel principal components."""

from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval

from . import _core, _data
from ._base import KernelEstimator, of_objects
from ._docstrings import fitted, fitted_attribute
from ._parameters import BOOLEAN, COUNT, NOT_NEGATIVE, one_of
from ._ridge import KernelRidge

_SOLVERS = {
    "auto": "auto", "dense": "full", "arpack": "iterative", "randomized": "iterative", "iterative": "iterative"
}
_PRE_IMAGES = ("pre_image", "fixed_point", "neighbors")


def _symmetric_when_centred(K):
    """K, or where only its centred form is symmetric, as of k(x, z) + g(x) with any g, the symmetric matrix with that
    centred form."""
    largest = max((np.abs(K[i : i + 256] - K.T[i : i + 256]).max() for i in range(0, len(K), 256)), default=0.0)
    if largest <= 1e-9 * np.abs(K).max():
        return K
    uneven = K - K.T
    uneven -= uneven.mean(axis=0) + uneven.mean(axis=1)[:, None]
    if np.abs(uneven).max() > 1e-9 * np.abs(K).max():
        raise ValueError(
            "a precomputed matrix must be symmetric, at least when centred: K[i, j] and K[j, i] differ by up to "
            f"{largest:g}"
        )
    return (K + K.T) / 2


def _of_components(name, kind, about):
    """An attribute with one entry or column for each component."""
    return fitted_attribute(kind, about, lambda self: self._padded(getattr(self._fitted(), name)))


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Kernel principal component analysis.

    Finds the directions of largest variance in feature space and projects the examples onto them. The parameters of
    :class:`sklearn.decomposition.KernelPCA` have the same names, order and defaults.

    See Also
    --------
    Nystroem : Explicit features that approximate a kernel.
    KernelKMeans : Clusters in feature space.
    sklearn.decomposition.KernelPCA : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.decomposition.KernelPCA`: `kernel` also takes expressions and objects of
    :mod:`mercer.kernels`. ``'arpack'``, ``'randomized'`` and ``'iterative'`` of `eigen_solver` are the same method,
    block Lanczos iteration to full precision, and `iterated_power` has no effect. Components without variance that
    `n_components` asks for are zero. `explained_variance_ratio_` is NaN if the kernel matrix has negative eigenvalues.

    References
    ----------
    .. [1] B. Schölkopf, A. Smola, K.-R. Müller, "Nonlinear component analysis as a kernel eigenvalue problem", Neural
       Computation 10, 1998.
    .. [2] S. Mika, B. Schölkopf, A. Smola, K.-R. Müller, M. Scholz, G. Rätsch, "Kernel PCA and de-noising in feature
       spaces", NIPS 1999.
    .. [3] J. T.-Y. Kwok, I. W.-H. Tsang, "The pre-image problem in kernel methods", IEEE Transactions on Neural Networks
       15, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelPCA
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [15.0, 20.0]])
    >>> KernelPCA(n_components=1).fit_transform(X).round(6)[:, 0] + 10  # positions along the line, from the mean
    array([ 0.,  5., 10., 25.])
    """

    _method = "kernel_pca"
    _function_of_pairs = True
    _positional = ("n_components",)
    _not_taken = ("solver",)
    _own = {
        "n_components": (None, [*COUNT, None], "Number of components. None: all with a variance above rounding error."),
        "kernel": "linear",
        "gamma": None,
        "coef0": 1,
        "kernel_params": None,
        "alpha": (1.0, NOT_NEGATIVE, "Penalty α of the ridge regression of ``fit_inverse_transform=True``."),
        "tol": (
            0, NOT_NEGATIVE,
            "Tolerance of the iterative solver: residual of an eigenpair relative to the largest eigenvalue. 0: 1e-11.",
        ),
        "max_iter": (
            None, [*COUNT, None],
            "Largest number of passes over the kernel matrix in the iterative solver. None: 200.",
        ),
        "eigen_solver": (
            "auto", [one_of(*_SOLVERS)],
            "``'dense'``: full decomposition; ``'arpack'``, ``'randomized'``, ``'iterative'``: block Lanczos iteration; "
            "``'auto'``: chosen by the size of the problem.",
        ),
        "fit_inverse_transform": (
            False, ["boolean", one_of(*_PRE_IMAGES)],
            "Make `inverse_transform` available. True: learn it by ridge regression, as scikit-learn does. "
            "``'fixed_point'`` (Gaussian kernel) and ``'neighbors'`` (kernels of the distance) search for the input "
            "whose image is nearest; ``'pre_image'`` uses whichever of the two suits the kernel.",
        ),
        "iterated_power": (
            "auto", [Interval(Integral, 0, None, closed="left"), one_of("auto")], "No effect; exists in scikit-learn."
        ),
        "remove_zero_eig": (False, BOOLEAN, "Remove components without variance, so that there may be fewer."),
        "copy_X": (True, BOOLEAN, "Copy the training examples, so that the model does not change when the caller "
                   "changes them."),
    }  # fmt: skip
    _order = (
        "n_components", "kernel", "gamma", "degree", "coef0", "kernel_params", "alpha", "fit_inverse_transform",
        "eigen_solver", "tol", "max_iter", "iterated_power", "remove_zero_eig", "random_state", "copy_X", "n_jobs",
    )  # fmt: skip
    _returned_docs = {
        "transform": ("scores : ndarray of shape (n_samples, n_components)", "Scores of the examples."),
        "fit_transform": ("scores : ndarray of shape (n_samples, n_components)", "Scores of the examples."),
    }

    def fit(self, X, y=None):
        """Finds the principal components of the examples."""
        data = self._fit_data(X, copy=self.copy_X)
        if self.fit_inverse_transform and isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        if isinstance(data, np.ndarray):
            data = _symmetric_when_centred(data)
        n = len(data)
        self._run(
            data, n_components=0 if self.n_components is None else min(self.n_components, n),
            solver=_SOLVERS[self.eigen_solver], tol=self.tol or 1e-11,
            max_iter=200 if self.max_iter is None else self.max_iter,
        )  # fmt: skip
        found = len(self._model.eigenvalues)
        self._empty = 0 if self.remove_zero_eig or self.n_components is None else min(self.n_components, n) - found
        self._single = getattr(data, "single", False)
        self._inverse = None
        if self.fit_inverse_transform is True:
            if data.kind != "vectors":
                raise ValueError(f"fit_inverse_transform needs vectors, got {data.kind}")
            if self._n_features_out == 0:
                raise ValueError(
                    f"fit_inverse_transform needs a component with variance, but the kernel matrix has none for n_samples = {n}"
                )
            ridge = KernelRidge(alpha=self.alpha, kernel=self.kernel_, max_memory=self.max_memory, n_jobs=self.n_jobs)
            objects = self._objects()
            self._inverse = ridge.fit(
                self._padded(self._model.scores), objects.toarray() if scipy.sparse.issparse(objects) else objects
            )
        return self

    def _accept(self, model):
        if model.negative_share == 0 or self.eigen_solver != "randomized":
            return
        # scikit-learn's randomised method selects the eigenvalues of the largest absolute value and refuses negative
        # ones. This class refuses the same cases.
        values = np.asarray(model.eigenvalues)
        asked = len(model.scores) if self.n_components is None else min(self.n_components, len(model.scores))
        if len(values) < asked or model.negative_share * values[0] > values[-1]:
            raise ValueError(
                f"There are significant negative eigenvalues ({model.negative_share:g} of the maximum positive): the "
                "matrix is not positive semidefinite"
            )

    def _reached(self):
        return f"the largest residual of an eigenpair is {self._model.residual:.3g}"

    def _padded(self, columns):
        """Appends a column of zeros for each requested component without variance."""
        return np.pad(columns, [(0, 0)] * (columns.ndim - 1) + [(0, self._empty)]) if self._empty else columns

    def _in_kind(self, scores, single):
        return scores.astype(np.float32) if single else scores

    def fit_transform(self, X, y=None):
        """Finds the components of the examples and returns their scores."""
        self.fit(X)
        return self._in_kind(self._padded(self._model.scores), self._single)

    def transform(self, X):
        """Projects the examples onto the components."""
        data = self._new_data(X)
        return self._in_kind(self._padded(self._model.transform(data, self.n_jobs)), getattr(data, "single", False))

    def inverse_transform(self, X):
        """Computes inputs whose scores are close to the given ones; requires `fit_inverse_transform`.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)
            Scores.

        Returns
        -------
        inputs : ndarray of shape (n_samples, n_features)
            Inputs.
        """
        self._fitted()
        if not self.fit_inverse_transform:
            raise NotFittedError(
                "The fit_inverse_transform parameter was not set to True when instantiating and hence the inverse "
                "transform is not available."
            )
        if self._inverse is not None:
            return self._inverse.predict(X)
        scores = _data.as_matrix(X, estimator=self)
        wanted = self._n_features_out
        if scores.shape[1] != wanted:
            raise ValueError(f"X has {scores.shape[1]} columns, but the model has {wanted} components")
        return _core.pre_images(
            self._model, np.ascontiguousarray(scores[:, : wanted - self._empty]), self.fit_inverse_transform,
            self.n_jobs,
        )

    eigenvalues_ = _of_components(
        "eigenvalues", "ndarray of shape (n_components,)", "Eigenvalues of the centred kernel matrix, descending."
    )
    eigenvectors_ = _of_components(
        "eigenvectors", "ndarray of shape (n_samples, n_components)",
        "Eigenvectors of the centred kernel matrix, one per column, with the entry of largest size positive.",
    )  # fmt: skip
    explained_variance_ = _of_components(
        "explained_variance", "ndarray of shape (n_components,)", "Variance along each component."
    )
    explained_variance_ratio_ = _of_components(
        "explained_variance_ratio", "ndarray of shape (n_components,)",
        "Share of the variance in feature space along each component.",
    )  # fmt: skip
    X_fit_ = of_objects("Training examples; empty for a precomputed kernel.")

    @fitted("ndarray of shape (n_samples, n_components)")
    def X_transformed_fit_(self):
        """Scores of the training examples; only with ``fit_inverse_transform=True``."""
        return self._way_back().X_fit_

    @fitted("ndarray of shape (n_samples, n_features)")
    def dual_coef_(self):
        """Coefficients of the inverse transform; only with ``fit_inverse_transform=True``."""
        return self._way_back().dual_coef_

    def _way_back(self):
        self._fitted()
        if self._inverse is None:
            raise AttributeError("the attribute is only available after a fit with fit_inverse_transform=True")
        return self._inverse

    @property
    def _n_features_out(self):
        return len(self._fitted().eigenvalues) + self._empty

    def _more_tags(self):
        return {"preserves_dtype": [np.float64, np.float32], **super()._more_tags()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

"""Kernel principal components."""

from numbers import Integral

import numpy as np
import scipy.sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils._param_validation import Interval

from . import _core, _data
from ._base import KernelEstimator, of_objects
from ._parameters import BOOLEAN, COUNT, NOT_NEGATIVE, one_of
from ._ridge import KernelRidge

_SOLVERS = {
    "auto": "automatic", "dense": "full", "arpack": "iterative", "randomized": "iterative", "iterative": "iterative"
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


def _of_components(name, about):
    """A property with one entry or column for each component."""
    return property(lambda self: self._padded(getattr(self._fitted(), name)), doc=about)


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, KernelEstimator):
    """Principal components in the space of a kernel.

    Parameters are those of sklearn.decomposition.KernelPCA; beside its names, `kernel` takes a text form or an object
    of mercer.kernels. As there, a kernel that is a function gets two examples. eigen_solver: 'arpack', 'randomized' and
    'iterative' are one method here, block Lanczos to full accuracy; iterated_power has no meaning.
    fit_inverse_transform: True learns the way back by ridge regression with penalty alpha, as scikit-learn does;
    'fixed_point' (Gaussian kernel), 'neighbors' (kernels of the distance) or 'pre_image' (whichever of the two fits)
    search for the input whose image is nearest. callback is told .phase, .done, .total, .value and .seconds.

    Attributes are those of scikit-learn (eigenvalues_, eigenvectors_, X_fit_, dual_coef_, X_transformed_fit_), further
    explained_variance_, explained_variance_ratio_ (NaN where the matrix has negative eigenvalues), kernel_, status_.
    Components without variance that n_components asks for are zero.

    >>> import numpy as np
    >>> from mercer import KernelPCA
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 8.0], [15.0, 20.0]])
    >>> KernelPCA(n_components=1).fit_transform(X).round(6)[:, 0] + 10  # along the line, from the mean
    array([ 0.,  5., 10., 25.])
    """

    _method = "kernel_pca"
    _function_of_pairs = True
    _positional = ("n_components",)
    _not_taken = ("solver",)
    _own = {
        "n_components": (None, [*COUNT, None]),
        "kernel": "linear",
        "gamma": None,
        "coef0": 1,
        "kernel_params": None,
        "alpha": (1.0, NOT_NEGATIVE),
        "tol": (0, NOT_NEGATIVE),
        "max_iter": (None, [*COUNT, None]),
        "eigen_solver": ("auto", [one_of(*_SOLVERS)]),
        "fit_inverse_transform": (False, ["boolean", one_of(*_PRE_IMAGES)]),
        "iterated_power": ("auto", [Interval(Integral, 0, None, closed="left"), one_of("auto")]),
        "remove_zero_eig": (False, BOOLEAN),
        "copy_X": (True, BOOLEAN),
    }

    def fit(self, X, y=None):
        """Finds the components of the examples X; y is ignored. X as for SVC."""
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
        """With a column of zeros for each component that was asked for and has no variance."""
        return np.pad(columns, [(0, 0)] * (columns.ndim - 1) + [(0, self._empty)]) if self._empty else columns

    def _in_kind(self, scores, single):
        return scores.astype(np.float32) if single else scores

    def fit_transform(self, X, y=None):
        """fit(X), and the scores of X on the components."""
        self.fit(X)
        return self._in_kind(self._padded(self._model.scores), self._single)

    def transform(self, X):
        """The scores of X on the components, one column for each."""
        data = self._new_data(X)
        return self._in_kind(self._padded(self._model.transform(data, self.n_jobs)), getattr(data, "single", False))

    def inverse_transform(self, X):
        """Inputs that have about the scores X."""
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

    eigenvalues_ = _of_components("eigenvalues", "Eigenvalues of the centred kernel matrix, descending.")
    eigenvectors_ = _of_components(
        "eigenvectors",
        "Eigenvectors of the centred kernel matrix, one column each, the entry of largest size positive.",
    )
    explained_variance_ = _of_components("explained_variance", "The variance along each component.")
    explained_variance_ratio_ = _of_components(
        "explained_variance_ratio", "The share of all variance in feature space along each component."
    )
    X_fit_ = of_objects("The training examples; empty for a precomputed kernel.")

    @property
    def X_transformed_fit_(self):
        """The scores from which the way back was learned."""
        return self._way_back().X_fit_

    @property
    def dual_coef_(self):
        """The coefficients of the way back."""
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

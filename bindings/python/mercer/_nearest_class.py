"""The nearest class in feature space, by its mean or its medoid."""

import warnings

import numpy as np
import scipy.sparse
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.sparsefuncs import csc_median_axis_0

from . import _data
from ._base import KernelClassifier, of_model, of_objects
from ._docstrings import REPEATED, fitted
from ._parameters import POSITIVE, one_of

_METRICS = (
    "euclidean", "l2", "sqeuclidean", "manhattan", "l1", "cityblock", "cosine", "minkowski", "chebyshev", "canberra",
    "braycurtis", "correlation",
)


class _NearestClass(KernelClassifier):
    """Base class of the estimators with class means and class medoids."""

    _own = {"kernel": "linear"}
    _argument_docs = {"sample_weight": REPEATED}
    _attribute_docs = {"class_weight_": None}

    def fit(self, X, y, sample_weight=None):
        """Finds the mean or the medoid of each class."""
        data = self._fit_data(X, copy=True)
        weight = _data.as_weights(sample_weight, len(data))
        self.classes_, codes = _data.as_classes(y, len(data), type(self).__name__, weight)
        return self._run(data, codes, weight)


class NearestCentroid(_NearestClass):
    """Classification by the nearest class mean in feature space.

    With ``kernel='linear'``, the default, this is :class:`sklearn.neighbors.NearestCentroid`, whose parameters have the
    same names, order and defaults.

    See Also
    --------
    NearestMedoid : One example stands for each class.
    KernelKNeighborsClassifier : Vote of the nearest neighbours.
    sklearn.neighbors.NearestCentroid : The class with the same parameters in scikit-learn.

    Notes
    -----
    `metric` other than ``'euclidean'`` and `shrink_threshold` are for vectors with ``kernel='linear'`` only.

    References
    ----------
    .. [1] R. Tibshirani, T. Hastie, B. Narasimhan, G. Chu, "Diagnosis of multiple cancer types by shrunken centroids of
       gene expression", PNAS 99, 2002.

    Examples
    --------
    >>> from mercer import NearestCentroid
    >>> model = NearestCentroid().fit([[0.0], [1.0], [4.0]], ["a", "a", "b"])
    >>> model.predict([[2.0], [3.0]])
    array(['a', 'b'], dtype='<U1')
    >>> model.centroids_
    array([[0.5],
           [4. ]])
    """

    _method = "nearest_centroid"
    _positional = ("metric",)
    _order = ("metric", "shrink_threshold")
    _own = {
        "metric": (
            "euclidean", [one_of(*_METRICS), callable],
            "Distance between vectors. With ``'manhattan'`` the centroid of a class is its median, else its mean.",
        ),
        "shrink_threshold": (
            None, [*POSITIVE, None],
            "Threshold by which the centroids are shrunk towards the mean of all examples, feature by feature. None: no "
            "shrinking.",
        ),
    }  # fmt: skip

    def _run(self, data, codes, weight):
        if len(self.classes_) < 2:
            raise ValueError(f"The number of classes has to be greater than one; got {len(self.classes_)} class")
        if self.metric == "euclidean" and self.shrink_threshold is None:
            return super()._run(data, codes, weight)
        self.kernel_ = self._resolve_kernel(data, weight)
        if self._precomputed or str(self.kernel_) != "linear()" or data.kind != "vectors":
            raise ValueError(
                f"metric={self.metric!r} and shrink_threshold={self.shrink_threshold!r} are for vectors with "
                "kernel='linear'"
            )
        X, weight = _data.as_objects(data.objects()), np.ones(len(data)) if weight is None else weight
        centroids = self._centroids(X, codes, weight)
        if self.shrink_threshold is not None:
            if scipy.sparse.issparse(X):
                raise ValueError("threshold shrinking not supported for sparse input")
            centroids = self._shrunk(X, codes, weight, centroids)
        return super()._run(_data.as_data(centroids), np.arange(len(centroids)))

    def _centroids(self, X, codes, weight):
        """The mean of each class, or the median in each coordinate for the metric that it minimises."""
        if self.metric not in ("euclidean", "manhattan"):
            warnings.warn(
                "Averaging for metrics other than euclidean and manhattan not supported. The average is set to be the "
                "mean."
            )
        rows = []
        for c in range(len(self.classes_)):
            mine = np.flatnonzero((codes == c) & (weight > 0))
            members, share = X[mine], weight[mine]
            if self.metric == "manhattan":
                rows.append(_medians(members, share))
            else:
                rows.append(np.asarray(members.T @ share).ravel() / share.sum())
        return np.array(rows)

    def _shrunk(self, X, codes, weight, centroids):
        """Shrinks the centroids (Tibshirani, Hastie, Narasimhan, Chu 2002): the distance of a centroid from the mean, in
        units of its deviation, is reduced by the threshold."""
        present = weight > 0
        if np.all(np.ptp(X[present], axis=0) == 0):
            raise ValueError("All features have zero variance. Division by zero.")
        total, size = weight.sum(), np.bincount(codes, weight, len(centroids))
        mean = weight @ X / total
        deviation = np.sqrt(weight @ (X - centroids[codes]) ** 2 / (total - len(centroids)))
        deviation += np.median(deviation)  # so that features with a very small deviation do not dominate the distance
        unit = np.sqrt(1 / size - 1 / total)[:, None] * deviation
        away = (centroids - mean) / unit
        return mean + unit * np.sign(away) * np.maximum(np.abs(away) - self.shrink_threshold, 0)

    def predict(self, X):
        """Predicts the label of the nearest class for every example."""
        self._fitted()
        if self.metric == "euclidean":
            return super().predict(X)
        points = _data.as_objects(self._new_data(X).objects())
        return self.classes_[pairwise_distances_argmin(points, self.centroids_, metric=self.metric)]

    @fitted("ndarray of shape (n_classes, n_features)")
    def centroids_(self):
        """Centroids of the classes; only for a linear kernel."""
        model = self._fitted()
        if self._precomputed or str(self.kernel_) != "linear()":
            raise AttributeError("centroids_ is only available when using a linear kernel")
        return (scipy.sparse.csr_matrix(self._objects()).T @ model.coef).T

    def save(self, path):
        """Writes the fitted model to a file that the program ``mercer`` and the C++ library read too; only with
        ``metric='euclidean'``.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
        self._fitted()
        if self.metric != "euclidean":
            raise ValueError(
                f"a model file stores only the Euclidean metric, got metric={self.metric!r}: pickle it"
            )
        super().save(path)


def _medians(members, weight):
    """The median of every column; an example of weight 2 counts twice."""
    if np.all(weight == weight[0]):
        return csc_median_axis_0(members.tocsc()) if scipy.sparse.issparse(members) else np.median(members, axis=0)
    members = members.toarray() if scipy.sparse.issparse(members) else members
    order = np.argsort(members, axis=0, kind="stable")
    values, below = np.take_along_axis(members, order, axis=0), np.cumsum(weight[order], axis=0)
    half = below[-1] / 2
    # the two differ if exactly half of the weight lies on either side
    low, high = (below >= half).argmax(axis=0), (below > half).argmax(axis=0)
    columns = np.arange(members.shape[1])
    return (values[low, columns] + values[high, columns]) / 2


class NearestMedoid(_NearestClass):
    """Classification by the nearest class medoid in feature space.

    The medoid of a class is the example of the class with the smallest sum of distances to the other examples. The model
    contains one example per class.

    See Also
    --------
    NearestCentroid : The class with the nearest mean.
    KernelKMedoids : Clusters around medoids.

    Examples
    --------
    >>> from mercer import NearestMedoid
    >>> words = ["banana", "bananas", "ananas", "kernel", "kernels"]
    >>> model = NearestMedoid(kernel="spectrum(k=2)").fit(words, [0, 0, 0, 1, 1])
    >>> model.medoids_
    ['bananas', 'kernel']
    >>> model.predict(["bandana", "colonel"])
    array([0, 1])
    """

    _method = "nearest_medoid"

    medoid_indices_ = of_model(
        "medoid_rows", "ndarray of shape (n_classes,)",
        "Indices of the medoids among the training examples, in the order of `classes_`.",
    )  # fmt: skip
    medoids_ = of_objects("Medoids in the order of `classes_`; empty for a precomputed kernel.")

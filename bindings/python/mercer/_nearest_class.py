"""The nearest class in feature space, by its mean or its medoid."""

import warnings

import numpy as np
import scipy.sparse
from sklearn.metrics import pairwise_distances_argmin
from sklearn.utils.sparsefuncs import csc_median_axis_0

from . import _data
from ._base import KernelClassifier, of_model, of_objects
from ._parameters import POSITIVE, one_of

_METRICS = (
    "euclidean", "l2", "sqeuclidean", "manhattan", "l1", "cityblock", "cosine", "minkowski", "chebyshev", "canberra",
    "braycurtis", "correlation",
)


class _NearestClass(KernelClassifier):
    """What class means and class medoids share."""

    _own = {"kernel": "linear"}

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y; X as for SVC. A weight of 2 is the example twice, 0 is its
        absence."""
        data = self._fit_data(X, copy=True)
        weight = _data.as_weights(sample_weight, len(data))
        self.classes_, codes = _data.as_classes(y, len(data), type(self).__name__, weight)
        return self._run(data, codes, weight)


class NearestCentroid(_NearestClass):
    """The class whose mean is nearest in the space of a kernel; with kernel='linear' sklearn.neighbors.NearestCentroid.

    metric, shrink_threshold as for scikit-learn, and for vectors with kernel='linear' only: distances of another kind
    (for 'manhattan' centroids are medians), and centroids that are drawn towards the mean of all examples, a feature at
    a time. Attributes: classes_, kernel_; centroids_ for a linear kernel.

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
    _own = {"metric": ("euclidean", [one_of(*_METRICS), callable]), "shrink_threshold": (None, [*POSITIVE, None])}

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
        """Tibshirani, Hastie, Narasimhan, Chu 2002: the distance of a centroid from the mean, in units of its
        deviation, less the threshold."""
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
        """The label of every example: that of the nearest class."""
        self._fitted()
        if self.metric == "euclidean":
            return super().predict(X)
        points = _data.as_objects(self._new_data(X).objects())
        return self.classes_[pairwise_distances_argmin(points, self.centroids_, metric=self.metric)]

    @property
    def centroids_(self):
        """The means of the classes as vectors, or what metric and shrink_threshold made of them; only for a linear
        kernel."""
        model = self._fitted()
        if self._precomputed or str(self.kernel_) != "linear()":
            raise AttributeError("centroids_ is only available when using a linear kernel")
        return (scipy.sparse.csr_matrix(self._objects()).T @ model.coef).T

    def save(self, path):
        """As for the other estimators; only with metric='euclidean'."""
        self._fitted()
        if self.metric != "euclidean":
            raise ValueError(
                f"a model file stores only the Euclidean metric, got metric={self.metric!r}: pickle it"
            )
        super().save(path)


def _medians(members, weight):
    """The median of every column, a member of weight 2 counting twice."""
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
    """The class whose medoid is nearest in the space of a kernel; the medoid is the member with the least sum of
    distances to the others.

    A model holds one example for each class. Attributes: classes_, medoid_indices_, medoids_, kernel_.

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
        "medoid_rows", "The numbers of the medoids among the training examples, in the order of classes_."
    )
    medoids_ = of_objects("The medoids; empty for a precomputed kernel.")

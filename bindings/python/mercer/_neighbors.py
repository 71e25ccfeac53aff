"""Nearest neighbours in feature space."""

import numbers

import numpy as np
import scipy.sparse
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin

from . import _core, _data
from ._base import KernelEstimator
from ._docstrings import COLUMNS
from ._parameters import one_of


class _Neighbors(KernelEstimator):
    """Base class of classification and regression by neighbours: the search, and the weights."""

    _positional = ("n_neighbors",)
    _order = ("n_neighbors", "weights")
    _own = {
        "kernel": "linear",
        "weights": (
            "uniform", [one_of("uniform", "distance"), callable, None],
            "Weights of the neighbours: ``'uniform'`` or None for 1 each, ``'distance'`` for 1/distance, or a function "
            "that maps an array of distances to weights.",
        ),
    }  # fmt: skip
    _attribute_docs = {"n_samples_fit_": ("int", "Number of training examples.")}

    def _fit(self, data, targets):
        self.n_samples_fit_ = len(data)
        by_distance = isinstance(self.weights, str) and self.weights == "distance"
        return self._run(
            data, targets, n_neighbors=min(self.n_neighbors, len(data)),
            weights="distance" if by_distance else "uniform",
        )

    @staticmethod
    def _check_count(n_neighbors):
        if not isinstance(n_neighbors, numbers.Integral):
            raise TypeError(f"n_neighbors does not take {type(n_neighbors)} value, enter integer value")
        if n_neighbors < 1:
            raise ValueError(f"Expected n_neighbors > 0. Got {n_neighbors}")

    def _search(self, data, n_neighbors, distances, self_values=None):
        self._check_count(n_neighbors)
        if n_neighbors > self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors <= n_samples, but n_samples = {self.n_samples_fit_}, n_neighbors = {n_neighbors}"
            )
        if self._precomputed and self_values is None:
            own = self._model.self
            if np.allclose(own, 1.0, rtol=0, atol=1e-12):
                self_values = np.ones(len(data))
            elif distances:
                raise ValueError(
                    "distances from a precomputed matrix need k(z, z) of the new examples: kneighbors(K, "
                    "self_values=...)"
                )
            else:
                # the order of the neighbours does not depend on k(z, z): takes the smallest value with squared
                # distances >= 0
                if data.shape[1] != len(own):
                    raise ValueError(
                        f"X has {data.shape[1]} features, but {type(self).__name__} is expecting {len(own)} features "
                        "as input."
                    )
                self_values = np.max(2 * data - own, axis=1)
        return _core.neighbours(self._model, data, n_neighbors, self_values, self.n_jobs)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True, *, self_values=None):
        """Finds the nearest training examples in feature space.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of objects, default=None
            Examples. None: the training examples, none of which is its own neighbour.
        n_neighbors : int, default=None
            Number of neighbours. None: the parameter of the estimator.
        return_distance : bool, default=True
            Return the distances as well.
        self_values : array-like of shape (n_samples,), default=None
            Values k(x, x) of the examples X, which distances from a precomputed matrix require unless k(x, x) = 1.

        Returns
        -------
        distances : ndarray of shape (n_samples, n_neighbors)
            Distances in feature space in ascending order; only with ``return_distance=True``.
        indices : ndarray of shape (n_samples, n_neighbors)
            Indices of the neighbours among the training examples.
        """
        self._fitted()
        wanted = self.n_neighbors if n_neighbors is None else n_neighbors
        if X is not None:
            found = self._search(self._new_data(X), wanted, return_distance, self_values)
            return (found.distances, found.indices) if return_distance else found.indices
        if self._precomputed:
            raise ValueError("the estimator does not store the training matrix of a precomputed kernel: pass the matrix as X")
        self._check_count(wanted)
        if wanted >= self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors < n_samples, but n_samples = {self.n_samples_fit_}, n_neighbors = {wanted}"
            )
        found = self._search(self._model.objects, wanted + 1, return_distance)
        indices, distances = found.indices, found.distances
        others = indices != np.arange(len(indices))[:, None]
        # if several examples are equal, the example itself may not be among the first ones
        others[others.all(axis=1), -1] = False
        indices = indices[others].reshape(len(indices), wanted)
        return (distances[others].reshape(indices.shape), indices) if return_distance else indices

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        """Computes the graph of the neighbours.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of objects, default=None
            Examples. None: the training examples, none of which is its own neighbour.
        n_neighbors : int, default=None
            Number of neighbours. None: the parameter of the estimator.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Entries of the matrix: 1, or distances in feature space.

        Returns
        -------
        graph : sparse matrix of shape (n_samples, n_samples_fit)
            Entry (i, j) is not zero if training example j is a neighbour of example i.
        """
        if mode not in ("connectivity", "distance"):
            raise ValueError(f"Unsupported mode, must be one of 'connectivity' or 'distance', got {mode!r}")
        found = self.kneighbors(X, n_neighbors, return_distance=mode == "distance")
        distances, indices = found if mode == "distance" else (np.ones(found.shape), found)
        start = np.arange(0, indices.size + 1, indices.shape[1])
        shape = (len(indices), self.n_samples_fit_)
        return scipy.sparse.csr_matrix((distances.ravel(), indices.ravel(), start), shape=shape)

    def _found(self, X):
        return self._search(self._new_data(X), self.n_neighbors, self.weights not in (None, "uniform"))


class KernelKNeighborsClassifier(ClassifierMixin, _Neighbors):
    """Classification by a vote of the nearest neighbours in feature space.

    With ``kernel='linear'``, the default, this is :class:`sklearn.neighbors.KNeighborsClassifier` with its parameters
    `n_neighbors` and `weights`. `y` may have several columns, one per output.

    See Also
    --------
    KernelKNeighborsRegressor : Regression by the mean of the neighbours.
    NearestCentroid : The class with the nearest mean.
    sklearn.neighbors.KNeighborsClassifier : Neighbours by other metrics in scikit-learn.

    Examples
    --------
    >>> from mercer import KernelKNeighborsClassifier
    >>> model = KernelKNeighborsClassifier(1, kernel="normalize(set_intersection())")
    >>> model = model.fit([{"a", "b"}, {"a", "c"}, {"x", "y"}], [0, 0, 1])
    >>> model.predict([{"a", "b", "c"}, {"y", "z"}])
    array([0, 1])
    """

    _method = "knn"
    _argument_docs = {
        "y": ("array-like of shape (n_samples,) or (n_samples, n_outputs)", "Class labels, one column per output.")
    }
    _returned_docs = {
        "predict": (
            "y : ndarray of shape (n_samples,) or (n_samples, n_outputs)",
            "Class label with the largest share of the votes; the first one if several classes have the same share.",
        ),
        "predict_proba": (
            "p : ndarray of shape (n_samples, n_classes) or list of ndarray",
            "Shares of the votes in the order of `classes_`; a list with one matrix per output if y had several columns.",
        ),
    }
    _attribute_docs = {
        "classes_": (
            "ndarray of shape (n_classes,) or list of ndarray",
            "Class labels in ascending order; a list with one array per output if y had several columns.",
        ),
        "outputs_2d_": ("bool", "True if y had several columns."),
    }

    def fit(self, X, y):
        """Stores the examples and their class labels."""
        data = self._fit_data(X, copy=True)
        columns = _data.label_columns(y)
        self.outputs_2d_ = len(columns) > 1
        labels = [_data.as_classes(each, len(data), type(self).__name__) for each in columns]
        self._outputs = [codes for _, codes in labels]
        self.classes_ = [classes for classes, _ in labels] if self.outputs_2d_ else labels[0][0]
        return self._fit(data, self._outputs[0])

    def predict(self, X):
        """Predicts the class label of every example."""
        found = self._found(X)
        labels = [classes[votes.argmax(axis=1)] for classes, votes in zip(self._class_lists(), self._votes(found))]
        return np.stack(labels, axis=1) if self.outputs_2d_ else labels[0]

    def predict_proba(self, X):
        """Computes the shares of the votes for each class."""
        shares = self._votes(self._found(X))
        return shares if self.outputs_2d_ else shares[0]

    def _class_lists(self):
        return self.classes_ if self.outputs_2d_ else [self.classes_]

    def _votes(self, found):
        """The shares of the votes for each class, one matrix per output."""
        if not callable(self.weights):
            of = zip(self._outputs, self._class_lists())
            return [_core.neighbour_shares(self._model, found, codes, len(classes)) for codes, classes in of]
        weight, rows = self.weights(found.distances), np.arange(len(found.indices))[:, None]
        every = []
        for codes, classes in zip(self._outputs, self._class_lists()):
            votes = np.zeros((len(rows), len(classes)))
            np.add.at(votes, (rows, codes[found.indices]), weight)
            total = votes.sum(axis=1, keepdims=True)
            every.append(votes / np.where(total == 0, 1.0, total))
        return every

    def save(self, path):
        """Writes the fitted model to a file that the program ``mercer`` and the C++ library read too; only if y had one
        column.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
        self._fitted()
        if self.outputs_2d_:
            raise ValueError("a model of several targets cannot be saved as a model file: save one model per target, or pickle the estimator")
        super().save(path)

    def _more_tags(self):
        return {"multilabel": True, **super()._more_tags()}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if getattr(tags, "classifier_tags", None) is not None:
            tags.classifier_tags.multi_label = True
        return tags


class KernelKNeighborsRegressor(MultiOutputMixin, RegressorMixin, _Neighbors):
    """Regression by the mean of the nearest neighbours in feature space.

    With ``kernel='linear'``, the default, this is :class:`sklearn.neighbors.KNeighborsRegressor` with its parameters
    `n_neighbors` and `weights`.

    See Also
    --------
    KernelKNeighborsClassifier : Classification by a vote of the neighbours.
    sklearn.neighbors.KNeighborsRegressor : Neighbours by other metrics in scikit-learn.

    Examples
    --------
    >>> from mercer import KernelKNeighborsRegressor
    >>> KernelKNeighborsRegressor(2, kernel="rbf").fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).predict([[0.4]])
    array([0.5])
    """

    _method = "knn_regression"
    _argument_docs = {"y": COLUMNS}
    _returned_docs = {
        "predict": (
            "y : ndarray of shape (n_samples,) or (n_samples, n_targets)", "Weighted mean of the targets of the neighbours."
        )
    }

    def fit(self, X, y):
        """Stores the examples and their target values."""
        data = self._fit_data(X, copy=True)
        self._targets, self._one_column = _data.as_target_columns(y, len(data), type(self).__name__)
        return self._fit(data, np.ascontiguousarray(self._targets[:, 0]))

    def predict(self, X):
        """Predicts the target values of the examples."""
        found = self._found(X)
        if self._one_column and not callable(self.weights):
            return _core.neighbour_means(self._model, found)
        near = self._targets[found.indices]
        weights = self._weights_of(found.distances)
        means = (near * weights[:, :, None]).sum(axis=1) / weights.sum(axis=1)[:, None]
        return means[:, 0] if self._one_column else means

    def _weights_of(self, distances):
        if callable(self.weights):
            return self.weights(distances)
        if self.weights != "distance":
            return np.ones_like(distances)
        same = distances == 0  # if a distance is 0, only these neighbours count
        with np.errstate(divide="ignore"):
            return np.where(same.any(axis=1, keepdims=True), same.astype(np.float64), 1 / distances)

"""Clusters in feature space."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from . import _data
from ._approximate import Centred
from ._base import Predicting, of_model, of_objects
from ._docstrings import REPEATED, fitted


class _Clusterer(ClusterMixin, Predicting):
    """Base class of the clusterers: the call of the library, labels, prediction."""

    _argument_docs = {"sample_weight": REPEATED}
    _returned_docs = {
        "predict": ("labels : ndarray of shape (n_samples,)", "Cluster of every example."),
        "transform": ("distances : ndarray of shape (n_samples, n_clusters)", "Distances in feature space."),
        "fit_transform": ("distances : ndarray of shape (n_samples, n_clusters)", "Distances in feature space."),
        "score": ("score : float", "Negative weighted sum of the squared distances."),
    }
    _attribute_docs = {"labels_": ("ndarray of shape (n_samples,)", "Cluster of every training example.")}
    _positional = ("n_clusters",)
    _keeps_examples = True

    def _fit(self, X, sample_weight, **options):
        data = self._fit_data(X, copy=self._keeps_examples)
        weight = _data.as_weights(sample_weight, len(data))
        present = len(data) if weight is None else int(np.count_nonzero(weight))
        if present < self.n_clusters:
            raise ValueError(f"n_samples={present} should be >= n_clusters={self.n_clusters}.")
        self._run(data, None, weight, **options)
        self.labels_ = self._model.labels
        return self

    def _reached(self):
        return f"its inertia is {self._model.objective:.3g}"

    def fit_predict(self, X, y=None, sample_weight=None):
        """Finds the clusters of the examples and returns them."""
        return self.fit(X, sample_weight=sample_weight).labels_

    inertia_ = of_model(
        "objective", "float",
        "Objective: the sum of the squared distances in feature space to the nearest mean, or of the distances to the "
        "nearest medoid.",
    )  # fmt: skip

    @fitted("int")
    def n_iter_(self):
        """Number of iterations of the best run; with centres, number of passes over the examples."""
        return max(1, getattr(self._fitted(), self._rounds))


class _Means(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Clusterer):
    """Clusters with means, and the distances to the means."""

    def transform(self, X):
        """Computes the distance of every example to every mean in feature space; not for a precomputed kernel."""
        self._fitted()
        if self._precomputed:
            raise ValueError("distances need k(x, x) of the new examples, which a precomputed matrix does not contain")
        return self._ask("transform", X)

    def fit_transform(self, X, y=None, sample_weight=None):
        """Finds the clusters of the examples and returns their distances to the means."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X, y=None, sample_weight=None):
        """Computes the negative sum of the squared distances to the nearest means: ``-inertia_`` on the training
        examples."""
        nearest = self.transform(X).min(axis=1) ** 2
        weight = _data.as_weights(sample_weight, len(nearest))
        return -float(nearest.sum() if weight is None else nearest @ weight)

    @property
    def _n_features_out(self):
        return len(self._fitted().cluster_weights)


class KernelKMeans(_Means):
    """k-means in the feature space of a kernel.

    Minimises the sum of the squared distances in feature space of the examples to the means of their clusters, from the
    best of `n_init` starts by k-means++. With ``kernel='linear'`` this is the objective of
    :class:`sklearn.cluster.KMeans`.

    See Also
    --------
    NystroemKMeans : Approximation by a few centres, for millions of examples.
    KernelKMedoids : Clusters around examples.
    sklearn.cluster.KMeans : k-means on vectors in scikit-learn.

    References
    ----------
    .. [1] B. Schölkopf, A. Smola, K.-R. Müller, "Nonlinear component analysis as a kernel eigenvalue problem", Neural
       Computation 10, 1998.
    .. [2] D. Arthur, S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import KernelKMeans
    >>> angle = np.linspace(0, 6, 30)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> model = KernelKMeans(n_clusters=2, kernel="poly", degree=2, random_state=0).fit(np.vstack([circle, 4 * circle]))
    >>> len(set(model.labels_[:30])), len(set(model.labels_))  # the inner ring is one cluster
    (1, 2)
    """

    _method = "kernel_kmeans"
    _rounds = "rounds"

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters of the examples."""
        return self._fit(X, sample_weight)


class KernelKMedoids(_Clusterer):
    """k-medoids in the feature space of a kernel: clusters around examples.

    Minimises the sum of the distances in feature space of the examples to the medoids of their clusters (FasterPAM): no
    exchange of a medoid with another example improves the result.

    See Also
    --------
    KernelKMeans : Clusters around means in feature space.
    NearestMedoid : Classification by the nearest medoid of a class.

    References
    ----------
    .. [1] E. Schubert, P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information Systems 101, 2021.

    Examples
    --------
    >>> from mercer import KernelKMedoids
    >>> words = ["banana", "bandana", "ananas", "kernel", "colonel", "kernels"]
    >>> model = KernelKMedoids(2, kernel="spectrum(k=2)").fit(words)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.cluster_centers_
    ['banana', 'kernel']
    """

    _method = "kernel_kmedoids"
    _rounds = "passes"
    _meanings = {
        "init": "First medoids: ``'build'`` adds the example that improves the objective most, one at a time; "
        "``'random'`` draws them, `n_init` times."
    }
    _attribute_docs = {
        "medoid_indices_": ("ndarray of shape (n_clusters,)", "Indices of the medoids among the training examples.")
    }

    def fit(self, X, y=None, sample_weight=None):
        """Finds the medoids and the clusters of the examples."""
        if self.init == "build" and self.n_init != 1:
            raise ValueError(
                f"n_init={self.n_init!r} has no effect with init='build', which is always the same start: take "
                "init='random', or leave it out"
            )
        self._fit(X, sample_weight)
        self.medoid_indices_ = self._model.medoid_rows
        return self

    cluster_centers_ = of_objects("Medoids; empty for a precomputed kernel.")
    silhouette_ = of_model("silhouette", "float", "Mean silhouette of the examples, between -1 and 1.")


class NystroemKMeans(Centred, _Means):
    """k-means in the feature space of a kernel with means in the span of a few centres, for millions of examples.

    An iteration is a pass over the examples that stores no kernel matrix; the first means are the best of `n_init`
    starts on a sample. If every example is a centre, this is :class:`KernelKMeans`. If fewer than `n_clusters` examples
    differ, there are fewer clusters.

    See Also
    --------
    KernelKMeans : All examples are centres.
    NystroemSpectralClustering : Spectral clustering on a few centres.

    References
    ----------
    .. [1] R. Chitta, R. Jin, T. C. Havens, A. K. Jain, "Approximate kernel k-means: solution to large scale kernel
       clustering", KDD 2011.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NystroemKMeans
    >>> angle = np.linspace(0, 6, 3000)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rings = np.vstack([circle, 4 * circle])
    >>> model = NystroemKMeans(n_clusters=2, n_centres=20, kernel="poly", degree=2, random_state=0).fit(rings)
    >>> len(set(model.labels_[:3000])), len(set(model.labels_))  # the inner ring is one cluster
    (1, 2)
    """

    _method = "nystroem_kmeans"
    _rounds = "passes"
    _keeps_examples = False

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters of the examples."""
        return self._fit(X, sample_weight, centre_rows=self._rows())

    history_ = of_model(
        "history", "ndarray of shape (n_iterations,)",
        "Inertia of the means of each iteration; never increasing, the last value is that of the model.",
    )  # fmt: skip


class NystroemSpectralClustering(Centred, _Clusterer):
    """Spectral clustering with a kernel as affinity, on a few centres, for millions of examples.

    Computes the leading eigenvectors of the normalised affinities in the span of the centres and runs k-means on the
    rows of these eigenvectors, scaled to unit length. New examples are assigned to clusters by the same functions. The
    kernel must not have negative values; for ``'rbf'`` the parameter gamma decides which examples count as near.

    See Also
    --------
    NystroemKMeans : k-means on a few centres.
    sklearn.cluster.SpectralClustering : Spectral clustering of all pairs of examples in scikit-learn.

    References
    ----------
    .. [1] A. Ng, M. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm", NIPS 2002.
    .. [2] C. Fowlkes, S. Belongie, F. Chung, J. Malik, "Spectral grouping using the Nyström method", IEEE Transactions
       on Pattern Analysis and Machine Intelligence 26, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import NystroemSpectralClustering
    >>> angle = np.linspace(0, 6.2, 1000)
    >>> circle = np.column_stack([np.cos(angle), np.sin(angle)])
    >>> rings = np.vstack([circle, 2 * circle])
    >>> model = NystroemSpectralClustering(n_clusters=2, n_centres=200, gamma=20.0, random_state=0).fit(rings)
    >>> len(set(model.labels_[:1000])), len(set(model.labels_[1000:])), len(set(model.labels_))
    (1, 1, 2)
    >>> bool(model.predict([[0.0, 1.1]])[0] == model.labels_[0])
    True
    """

    _method = "nystroem_spectral"
    _rounds = "passes"
    _keeps_examples = False

    def fit(self, X, y=None, sample_weight=None):
        """Finds the clusters of the examples."""
        return self._fit(X, sample_weight, centre_rows=self._rows())

    eigenvalues_ = of_model("eigenvalues", "ndarray", "Eigenvalues of the normalised affinities, the largest first.")
    low_degrees_ = of_model(
        "low_degrees", "int",
        "Number of examples that are far from all centres: the sum of their affinities is less than half of their "
        "affinity to themselves.",
    )  # fmt: skip

"""Clusters in feature space."""

import numpy as np
from sklearn.base import ClassNamePrefixFeaturesOutMixin, ClusterMixin, TransformerMixin

from . import _data
from ._approximate import Centred
from ._base import Predicting, of_model, of_objects


class _Clusterer(ClusterMixin, Predicting):
    """What all of them share: the call of the library, labels, prediction."""

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
        """fit(X), and the cluster of every example."""
        return self.fit(X, sample_weight=sample_weight).labels_

    inertia_ = of_model(
        "objective", "What was made small: squared distances to the means, distances to the medoids, summed."
    )

    @property
    def n_iter_(self):
        """Rounds of the best run."""
        return max(1, getattr(self._fitted(), self._rounds))


class _Means(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Clusterer):
    """Clusters around means: distances to them."""

    def transform(self, X):
        """The distance of every example to every mean in feature space; not for a precomputed kernel."""
        self._fitted()
        if self._precomputed:
            raise ValueError("distances need k(x, x) of the new examples, which a precomputed matrix does not contain")
        return self._ask("transform", X)

    def fit_transform(self, X, y=None, sample_weight=None):
        """fit(X), and the distances of X to the means."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X, y=None, sample_weight=None):
        """Less the squared distances to the nearest means, summed: on the training examples -inertia_."""
        nearest = self.transform(X).min(axis=1) ** 2
        weight = _data.as_weights(sample_weight, len(nearest))
        return -float(nearest.sum() if weight is None else nearest @ weight)

    @property
    def _n_features_out(self):
        return len(self._fitted().cluster_weights)


class KernelKMeans(_Means):
    """k-means in the space of a kernel.

    With kernel='linear' its objective is that of sklearn.cluster.KMeans. Attributes: labels_, inertia_, n_iter_,
    kernel_, status_. transform() gives distances to the means, score() less the inertia of new examples.

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
        """Finds the clusters of the examples X; y is ignored. X as for SVC. A weight of 2 is the example twice, 0 is
        its absence."""
        return self._fit(X, sample_weight)


class KernelKMedoids(_Clusterer):
    """k-medoids in the space of a kernel: clusters around examples, by FasterPAM; no swap of a medoid with another
    example makes it better.

    init: 'build' (each first medoid is the one that helps most) or 'random' (n_init starts, the best is kept).
    Attributes: medoid_indices_, cluster_centers_ (the medoids), labels_, inertia_ (the sum of distances in feature
    space), silhouette_, n_iter_, kernel_, status_.

    >>> from mercer import KernelKMedoids
    >>> words = ["banana", "bandana", "ananas", "kernel", "colonel", "kernels"]
    >>> model = KernelKMedoids(2, kernel="spectrum(k=2)").fit(words)
    >>> model.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> model.cluster_centers_
    ['banana', 'kernel']
    """

    _method = "kernel_kmedoids"
    _option_names = {"init": "start"}
    _rounds = "passes"

    def fit(self, X, y=None, sample_weight=None):
        """Finds the medoids of the examples X; y is ignored. X as for SVC. A weight of 2 is the example twice, 0 is its
        absence."""
        if self.init == "build" and self.n_init != 1:
            raise ValueError(
                f"n_init={self.n_init!r} has no effect with init='build', which is always the same start: take "
                "init='random', or leave it out"
            )
        self._fit(X, sample_weight)
        self.medoid_indices_ = self._model.medoid_rows
        return self

    cluster_centers_ = of_objects("The medoids; empty for a precomputed kernel.")
    silhouette_ = of_model("silhouette", "The mean silhouette of the examples, between -1 and 1.")


class NystroemKMeans(Centred, _Means):
    """k-means in the space of a kernel with means in the span of a few centres, for millions of examples: with every
    example a centre it is KernelKMeans.

    A round is a pass over the examples that stores no kernel matrix; the first means are those of n_init restarts on a
    sample. centres: how n_centres of them are chosen; 'given' takes the rows centre_rows. Where fewer than n_clusters
    examples differ there are fewer clusters.

    Attributes: labels_, inertia_, history_ (the inertia of each round), n_iter_ (passes), centres_, centre_indices_,
    out_of_reach_, kernel_, status_. transform() gives distances to the means, score() less the inertia of new examples.

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
        """Finds the clusters of the examples X; y is ignored. X as for SVC. A weight of 2 is the example twice, 0 is
        its absence."""
        return self._fit(X, sample_weight, centre_rows=self._rows())

    history_ = of_model("history", "The inertia of the means of each round, those of the model last; it never rises.")


class NystroemSpectralClustering(Centred, _Clusterer):
    """Spectral clustering, normalised cuts with a kernel as affinity, on a few centres, for millions of examples.

    The leading eigenvectors of the normalised affinities in the span of the centres, and k-means on the rows of unit
    length that they make of the examples; new examples have their cluster by the same functions. centres: how n_centres
    of them are chosen; 'given' takes the rows centre_rows. The kernel must not be negative; rbf is the default, and its
    gamma says what is near.

    Attributes: labels_, inertia_ (of k-means on these rows), eigenvalues_, low_degrees_, n_iter_ (passes), centres_,
    centre_indices_, out_of_reach_, kernel_, status_.

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
        """Finds the clusters of the examples X; y is ignored. X as for SVC. A weight of 2 is the example twice, 0 is
        its absence."""
        return self._fit(X, sample_weight, centre_rows=self._rows())

    eigenvalues_ = of_model("eigenvalues", "Of the normalised affinities, the largest first.")
    low_degrees_ = of_model(
        "low_degrees", "Examples that the centres do not reach: their sum of affinities was less than half their own."
    )

"""Clusters on a few centres, against numpy and scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_wine, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.preprocessing import StandardScaler

import mercer


@pytest.fixture(scope="module")
def groups():
    rng = np.random.default_rng(0)
    return rng.normal(size=(600, 3)) + 2.5 * rng.integers(0, 3, size=(600, 3))


def features(X, Z, gamma):
    """K_MM^-½ k(Z, x), as it is defined."""
    values, vectors = np.linalg.eigh(rbf_kernel(Z, gamma=gamma))
    return rbf_kernel(X, Z, gamma=gamma) @ (vectors / np.sqrt(values)) @ vectors.T


def inertia(F, labels, weight=None, self_values=1.0):
    """The objective from its definition: F holds features, what they do not reach of k(x, x) is added."""
    w = np.ones(len(F)) if weight is None else weight
    out = w @ (self_values - (F**2).sum(axis=1))
    for c in np.unique(labels[w > 0]):
        mine = labels == c
        mean = np.average(F[mine], axis=0, weights=w[mine])
        out += w[mine] @ ((F[mine] - mean) ** 2).sum(axis=1)
    return out


@pytest.mark.parametrize("centres", ["mixed", "rpcholesky", "uniform", "kmeans++"])
@pytest.mark.parametrize("weighted", [False, True])
def test_k_means_ends_where_scikit_learn_stays(groups, centres, weighted):
    w = np.random.default_rng(1).uniform(0.2, 3, len(groups)) if weighted else None
    model = mercer.NystroemKMeans(6, gamma=0.3, n_centres=30, centres=centres, tol=0, random_state=0).fit(groups, sample_weight=w)
    np.testing.assert_array_equal(model.centres_, groups[model.centre_indices_])
    F = features(groups, model.centres_, 0.3)
    np.testing.assert_allclose(model.inertia_, inertia(F, model.labels_, w), rtol=1e-9)
    assert np.all(np.diff(model.history_) <= 0) and model.history_[-1] == model.inertia_ and model.status_ == "converged"
    means = np.array([np.average(F[model.labels_ == c], axis=0, weights=None if w is None else w[model.labels_ == c]) for c in range(6)])
    theirs = KMeans(6, init=means, n_init=1, tol=0).fit(F, sample_weight=w)
    np.testing.assert_array_equal(theirs.labels_, model.labels_)
    out_of_reach = (np.ones(len(F)) if w is None else w) @ (1 - (F**2).sum(axis=1))
    np.testing.assert_allclose(theirs.inertia_ + out_of_reach, model.inertia_, rtol=1e-9)
    # distances are those in the kernel's feature space
    d = 1 - (F**2).sum(axis=1)[:, None] + ((F[:, None, :] - means) ** 2).sum(axis=2)
    np.testing.assert_allclose(model.transform(groups), np.sqrt(d), atol=1e-7)
    np.testing.assert_allclose(model.score(groups, sample_weight=w), -model.inertia_, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(groups), model.labels_)


def test_restarts_find_what_scikit_learn_finds(groups):
    """Neither is the minimum; on well separated groups both are near it."""
    model = mercer.NystroemKMeans(8, gamma=0.3, n_centres=60, n_init=10, tol=0, random_state=0).fit(groups)
    F = features(groups, model.centres_, 0.3)
    theirs = KMeans(8, n_init=10, tol=0, random_state=0).fit(F)
    ours = model.inertia_ - (1 - (F**2).sum(axis=1)).sum()
    assert ours <= 1.03 * theirs.inertia_


def test_every_example_a_centre_is_kernel_k_means():
    X = StandardScaler().fit_transform(load_wine().data)
    K = rbf_kernel(X, gamma=0.05)
    for k in (2, 3, 7):
        near = mercer.NystroemKMeans(k, gamma=0.05, n_centres=len(X), tol=0, random_state=0).fit(X)
        same = [near.labels_ == c for c in range(k)]
        objective = np.trace(K) - sum(K[np.ix_(mine, mine)].sum() / mine.sum() for mine in same)
        np.testing.assert_allclose(near.inertia_, objective, rtol=1e-10)
        np.testing.assert_allclose(near.inertia_, mercer.KernelKMeans(k, gamma=0.05, random_state=0).fit(X).inertia_, rtol=0.02)
    linear = mercer.NystroemKMeans(3, kernel="linear", n_centres=13, tol=0, random_state=0).fit(X)
    np.testing.assert_allclose(linear.inertia_, KMeans(3, n_init=10, random_state=0).fit(X).inertia_, rtol=1e-3)


def normalised(X, Z, gamma):
    """D^-½ΦΦᵀD^-½ of the features."""
    F = features(X, Z, gamma)
    root = 1 / np.sqrt(np.maximum(F @ F.sum(axis=0), 1))
    return (root[:, None] * F) @ (root[:, None] * F).T


@pytest.mark.parametrize(
    "X, y, gamma",
    [(*make_moons(1200, noise=0.06, random_state=0), 20.0), (*make_circles(1200, factor=0.5, noise=0.04, random_state=0), 30.0)],
    ids=["moons", "rings"],
)
def test_spectral_clusters_are_found_where_k_means_fails(X, y, gamma):
    model = mercer.NystroemSpectralClustering(2, n_centres=200, gamma=gamma, random_state=0).fit(X)
    assert adjusted_rand_score(model.labels_, y) == 1 and model.low_degrees_ == 0 and model.status_ == "converged"
    theirs = SpectralClustering(2, affinity="precomputed", random_state=0).fit(rbf_kernel(X, gamma=gamma))
    assert adjusted_rand_score(theirs.labels_, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert adjusted_rand_score(mercer.KernelKMeans(2, gamma=gamma, random_state=0).fit(X).labels_, y) < 0.9
    np.testing.assert_allclose(model.eigenvalues_, np.linalg.eigvalsh(normalised(X, model.centres_, gamma))[:-3:-1], atol=1e-6)
    fresh = X + np.random.default_rng(0).normal(scale=0.01, size=X.shape)
    assert adjusted_rand_score(model.predict(fresh), y) == 1


def test_matrices_of_kernel_values(groups):
    K = rbf_kernel(groups, gamma=0.3)
    for kind in (mercer.NystroemKMeans, mercer.NystroemSpectralClustering):
        a = kind(3, kernel="precomputed", centres="given", centre_rows=range(0, 600, 10), random_state=0).fit(K)
        b = kind(3, gamma=0.3, centres="given", centre_rows=range(0, 600, 10), random_state=0).fit(groups)
        assert adjusted_rand_score(a.labels_, b.labels_) == 1
        np.testing.assert_array_equal(a.predict(K), a.labels_)
        np.testing.assert_array_equal(a.centre_indices_, np.arange(0, 600, 10))
        if kind is mercer.NystroemKMeans:
            with pytest.raises(ValueError, match="precomputed"):
                a.transform(K)


def test_weights_are_copies_and_zero_is_absence(groups):
    X = groups[:300]
    w = np.tile([1.0, 2.0, 0.0], 100)
    for kind in (mercer.NystroemKMeans, mercer.NystroemSpectralClustering):
        a = kind(4, gamma=0.3, random_state=0).fit(X, sample_weight=w)
        b = kind(4, gamma=0.3, random_state=0).fit(X[w > 0], sample_weight=w[w > 0])
        np.testing.assert_array_equal(a.labels_[w > 0], b.labels_)
        np.testing.assert_array_equal(a.predict(X), b.predict(X))
        assert np.all(w[a.centre_indices_] > 0)
        np.testing.assert_array_equal(a.centres_, X[a.centre_indices_])
    F = features(X, X[:40], 0.3)
    model = mercer.NystroemKMeans(4, gamma=0.3, centres="given", centre_rows=range(40), tol=0, random_state=0).fit(X, sample_weight=w)
    np.testing.assert_allclose(model.inertia_, inertia(np.repeat(F, w.astype(int), axis=0), np.repeat(model.labels_, w.astype(int))), rtol=1e-8)


def test_texts_and_fewer_objects_than_clusters():
    words = ["banana", "bandana", "ananas", "kernel", "colonel", "kernels"] * 20
    for kind in (mercer.NystroemKMeans, mercer.NystroemSpectralClustering):
        model = kind(2, kernel="normalize(spectrum(k=2))", random_state=0).fit(words)
        assert adjusted_rand_score(model.labels_, [0, 0, 0, 1, 1, 1] * 20) == 1
        assert model.predict(["anna", "kernl"])[0] == model.labels_[0] != model.predict(["kernl"])[0]
    many = mercer.NystroemKMeans(9, kernel="normalize(spectrum(k=2))", random_state=0).fit(words)
    assert sorted(set(many.labels_)) == list(range(6)) and many.inertia_ < 1e-9 and many.status_ == "converged"
    assert many.transform(words[:2]).shape == (2, 6) and len(many.get_feature_names_out()) == 6


def test_one_cluster_and_what_is_refused(groups):
    model = mercer.NystroemKMeans(1, gamma=0.3, n_centres=50, random_state=0).fit(groups)
    assert set(model.labels_) == {0}
    np.testing.assert_allclose(model.inertia_, inertia(features(groups, model.centres_, 0.3), model.labels_), rtol=1e-9)
    with pytest.raises(ValueError, match="n_clusters"):
        mercer.NystroemKMeans(0).fit(groups)
    with pytest.raises(ValueError, match="should be >= n_clusters"):
        mercer.NystroemKMeans(5).fit(groups[:4])
    with pytest.raises(ValueError, match="must be > 0"):
        mercer.NystroemSpectralClustering(2, kernel="linear").fit(np.repeat([[1.0], [-1.0]], [60, 40], axis=0))
    with pytest.raises(ValueError, match="NaN"):
        mercer.NystroemKMeans(2).fit(np.full((10, 2), np.nan))


@pytest.mark.parametrize("kind", [mercer.NystroemKMeans, mercer.NystroemSpectralClustering])
def test_models_survive_pickles_threads_and_strange_widths(groups, kind):
    model = kind(4, gamma=0.3, n_centres=40, random_state=3).fit(groups)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(groups), model.predict(groups))
    np.testing.assert_array_equal(again.labels_, model.labels_)
    for threads in (1, 3):
        np.testing.assert_array_equal(kind(4, gamma=0.3, n_centres=40, random_state=3, n_jobs=threads).fit(groups).labels_, model.labels_)
    strange = kind(4, gamma=1e-12, n_centres=40, random_state=3).fit(groups)  # all examples similar
    assert len(strange.labels_) == len(groups) and np.isfinite(strange.inertia_)
    alone = kind(4, gamma=1e6, n_centres=40, random_state=3).fit(groups)  # all examples dissimilar
    assert alone.unexplained_trace_ > 0.9 and getattr(alone, "low_degrees_", 560) == 560

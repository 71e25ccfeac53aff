"""Nearest neighbours, class means and medoids: the same numbers as scikit-learn where it has them, else those of the definition.

Both sides solve the same problem in double, so values agree to 1e-7 of their size, the conditioning of these problems included.
"""

import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn.neighbors
from numpy.testing import assert_allclose, assert_array_equal

import mercer

# --- neighbours


@pytest.mark.parametrize("weights", ["uniform", "distance", None, lambda d: 1 / (1 + d)], ids=["uniform", "distance", "none", "function"])
def test_neighbours_are_those_of_scikit_learn(weights, iris, diabetes):
    X, y = np.unique(iris[0], axis=0, return_index=True)
    y = iris[1][y] == 2
    ours, theirs = mercer.KernelKNeighborsClassifier(7, weights=weights).fit(X[::2], y[::2]), sklearn.neighbors.KNeighborsClassifier(7, weights=weights).fit(X[::2], y[::2])
    # Where the seventh and the eighth neighbour are equally far, either is correct, so nothing is compared.
    far = theirs.kneighbors(X[1::2], 8)[0]
    clear = X[1::2][far[:, 7] - far[:, 6] > 1e-7]
    assert len(clear) > 40
    assert_allclose(ours.kneighbors(clear)[0], theirs.kneighbors(clear)[0], rtol=1e-6)
    assert_array_equal(np.sort(ours.kneighbors(clear)[1]), np.sort(theirs.kneighbors(clear)[1]))
    assert_allclose(ours.predict_proba(clear), theirs.predict_proba(clear), rtol=1e-6)
    assert_array_equal(ours.predict(clear), theirs.predict(clear))
    X, y = diabetes[0][:200], diabetes[1][:200]
    ours, theirs = mercer.KernelKNeighborsRegressor(weights=weights), sklearn.neighbors.KNeighborsRegressor(weights=weights)
    for targets in (y, np.column_stack([y, -y])):
        assert_allclose(ours.fit(X[::2], targets[::2]).predict(X), theirs.fit(X[::2], targets[::2]).predict(X), rtol=1e-5, atol=1e-6)


def fading(distance):
    return np.exp(-distance)


@pytest.mark.parametrize("weights", ["uniform", "distance", fading], ids=["uniform", "distance", "function"])
def test_neighbours_of_several_outputs(weights, iris):
    X, y = np.random.default_rng(0).normal(size=(150, 4)), np.column_stack([iris[1], iris[1] == 2, np.arange(150) % 4])  # no two distances are equal
    ours, theirs = mercer.KernelKNeighborsClassifier(weights=weights).fit(X[::2], y[::2]), sklearn.neighbors.KNeighborsClassifier(weights=weights).fit(X[::2], y[::2])
    assert_array_equal(ours.predict(X), theirs.predict(X))
    for a, b, classes, known in zip(ours.predict_proba(X), theirs.predict_proba(X), ours.classes_, theirs.classes_):
        assert_allclose(a, b, atol=1e-6)
        assert_array_equal(classes, known)
    assert ours.outputs_2d_ and not ours.fit(X, y[:, :1].ravel()).outputs_2d_
    assert_array_equal(pickle.loads(pickle.dumps(ours.fit(X, y))).predict(X), ours.predict(X))
    with pytest.raises(ValueError, match="several targets"):
        ours.save("never.model")


def test_neighbours_of_the_training_examples(diabetes):
    X, y = diabetes[0][:80], diabetes[1][:80] > 0
    ours, theirs = mercer.KernelKNeighborsClassifier(4).fit(X, y), sklearn.neighbors.KNeighborsClassifier(4).fit(X, y)
    for arguments in ({}, {"n_neighbors": 2}):
        assert_array_equal(ours.kneighbors(**arguments)[1], theirs.kneighbors(**arguments)[1])
        assert_allclose(ours.kneighbors(**arguments)[0], theirs.kneighbors(**arguments)[0], rtol=1e-9)
        assert_array_equal(ours.kneighbors(return_distance=False, **arguments), theirs.kneighbors(return_distance=False, **arguments))
    for mode in ("connectivity", "distance"):
        assert_allclose(ours.kneighbors_graph(X, mode=mode).toarray(), theirs.kneighbors_graph(X, mode=mode).toarray(), atol=1e-6)
    twins = mercer.KernelKNeighborsClassifier(1).fit([[0.0]] * 5, [0, 0, 0, 0, 1])
    assert (twins.kneighbors(return_distance=False)[:, 0] != np.arange(5)).all()


def test_neighbours_from_a_matrix(iris):
    X, y = iris
    K = X @ X.T
    plain = mercer.KernelKNeighborsClassifier(3).fit(X[::2], y[::2])
    given = mercer.KernelKNeighborsClassifier(3, kernel="precomputed").fit(K[::2, ::2], y[::2])
    assert_array_equal(given.predict(K[1::2, ::2]), plain.predict(X[1::2]))
    with pytest.raises(ValueError, match="self_values"):
        given.kneighbors(K[1::2, ::2])
    assert_allclose(given.kneighbors(K[1::2, ::2], self_values=np.diag(K)[1::2])[0], plain.kneighbors(X[1::2])[0], atol=1e-6)
    with pytest.raises(ValueError, match="does not store"):
        given.kneighbors()


def test_numbers_of_neighbours(iris):
    X, y = iris
    few = mercer.KernelKNeighborsClassifier(5).fit(X[:3], [0, 1, 0])
    with pytest.raises(ValueError, match="n_samples = 3, n_neighbors = 5"):
        few.predict(X)
    with pytest.raises(ValueError, match="'n_neighbors' parameter"):
        mercer.KernelKNeighborsClassifier(0).fit(X, y)
    with pytest.raises(TypeError, match="must be an int"):
        mercer.KernelKNeighborsClassifier(2.5).fit(X, y)
    with pytest.raises(ValueError, match="weights"):
        mercer.KernelKNeighborsRegressor(weights="near").fit(X, y)


# --- class means and medoids


def test_centroids_are_those_of_scikit_learn(iris):
    X, y = iris
    ours, theirs = mercer.NearestCentroid().fit(X[::2], y[::2]), sklearn.neighbors.NearestCentroid().fit(X[::2], y[::2])
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_allclose(ours.centroids_, theirs.centroids_, rtol=1e-12)
    with pytest.raises(AttributeError, match="linear"):
        mercer.NearestCentroid(kernel="rbf").fit(X, y).centroids_
    weight = (y != 1).astype(float)
    absent = mercer.NearestCentroid().fit(X, y, sample_weight=weight)
    assert_array_equal(absent.classes_, [0, 2])
    assert_array_equal(absent.predict(X), mercer.NearestCentroid().fit(X[y != 1], y[y != 1]).predict(X))


@pytest.mark.parametrize("parameters", [{"metric": "manhattan"}, {"metric": "cosine"}, {"shrink_threshold": 0.3}, {"metric": "manhattan", "shrink_threshold": 2.0}, {"metric": "chebyshev"}], ids=str)
@pytest.mark.filterwarnings("ignore:Averaging for metrics")
def test_centroids_of_other_metrics_and_shrunk(parameters, iris):
    X, y = iris
    ours, theirs = mercer.NearestCentroid(**parameters).fit(X[::2], y[::2]), sklearn.neighbors.NearestCentroid(**parameters).fit(X[::2], y[::2])
    assert_allclose(ours.centroids_, theirs.centroids_, rtol=1e-12)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert_array_equal(pickle.loads(pickle.dumps(ours)).predict(X), theirs.predict(X))
    # Weight 2 equals a repeated example, weight 0 its absence.
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    again = np.repeat(np.arange(len(X)), weight)
    weighted, repeated = mercer.NearestCentroid(**parameters).fit(X, y, weight), sklearn.neighbors.NearestCentroid(**parameters).fit(X[again], y[again])
    assert_allclose(weighted.centroids_, repeated.centroids_, rtol=1e-12)
    if "shrink_threshold" not in parameters:
        for each in (None, weight):
            assert_allclose(mercer.NearestCentroid(**parameters).fit(scipy.sparse.csc_matrix(X), y, each).centroids_, mercer.NearestCentroid(**parameters).fit(X, y, each).centroids_, rtol=1e-12)
    with pytest.raises(ValueError, match="kernel='linear'"):
        mercer.NearestCentroid(kernel="rbf", **parameters).fit(X, y)


def test_a_file_of_centroids_holds_what_was_fitted(iris, tmp_path):
    X, y = iris
    shrunk = mercer.NearestCentroid(shrink_threshold=0.5).fit(X, y)
    shrunk.save(tmp_path / "model")
    assert_array_equal(y[[0, 50, 100]][mercer._core.Model.load(str(tmp_path / "model")).predict(mercer._data.as_data(X), None)], shrunk.predict(X))
    with pytest.raises(ValueError, match="manhattan"):
        mercer.NearestCentroid(metric="manhattan").fit(X, y).save(tmp_path / "other")


def test_medoids_are_the_most_central(iris):
    X, y = iris
    model = mercer.NearestMedoid().fit(X, y)
    D = np.linalg.norm(X[:, None] - X[None], axis=2)
    for c in range(3):
        own = np.flatnonzero(y == c)
        sums = D[np.ix_(own, own)].sum(axis=1)
        assert sums[own == model.medoid_indices_[c]][0] == pytest.approx(sums.min(), rel=1e-12)
    assert_array_equal(model.predict(X), D[:, model.medoid_indices_].argmin(axis=1))
    assert_array_equal(model.medoids_, X[model.medoid_indices_])

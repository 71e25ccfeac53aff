"""Python functions as kernels: how often they are called and what they see."""

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC as SklearnSVC

import mercer
from mercer.kernels import RBF, Callable, Constant, Normalize, Spectrum


class Counting:
    """A function that notes how it is called."""

    def __init__(self, function):
        self.function, self.shapes, self.arguments = function, [], []

    def __call__(self, X, Z):
        size = lambda some: some.shape[0] if hasattr(some, "shape") else len(some)  # noqa: E731
        self.shapes.append((size(X), size(Z)))
        self.arguments.append((X, Z))
        return self.function(X, Z)


ESTIMATORS = [
    mercer.SVC(), mercer.SVC(probability=True), mercer.NuSVC(nu=0.2), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM(), mercer.KernelLogisticRegression(), mercer.KernelPCA(3),
    mercer.KernelKMeans(3), mercer.KernelKMedoids(3), mercer.NearestCentroid(), mercer.NearestMedoid(), mercer.KernelKNeighborsClassifier(), mercer.KernelKNeighborsRegressor(),
]  # fmt: skip
NAMES = [type(each).__name__ + ("+" if getattr(each, "probability", False) else "") for each in ESTIMATORS]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_few_large_calls(estimator):
    """What scikit-learn asks for by one call we ask for by a few, whatever the size of tiles; diagonals come in blocks."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(700, 4)), np.arange(700) % 3
    f = Counting(lambda A, B: rbf_kernel(A, B, gamma=0.3))
    # As Callable: f itself would be called with two examples by some
    model = clone(estimator).set_params(kernel=Callable(f)).fit(X, y)
    pairs = [a * b for a, b in f.shapes]
    large = [each for each in pairs if each > 32 * 32]
    assert len(large) <= 4 and sum(pairs) <= 3 * 700 * 700
    before = len(f.shapes)
    (model.transform if isinstance(model, mercer.KernelPCA) else model.predict)(X[:500])
    assert len([a * b for a, b in f.shapes[before:] if a * b > 32 * 32]) <= 8


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix])
def test_svc_calls_it_as_scikit_learn_does(form, iris):
    X, y = form(iris[0]), iris[1]
    f, g = Counting(lambda A, B: linear_kernel(A, B)), Counting(lambda A, B: linear_kernel(A, B))
    ours = mercer.SVC(kernel=f).fit(X, y)
    theirs = SklearnSVC(kernel=g).fit(iris[0], y)
    assert f.shapes == g.shapes == [(150, 150)]
    first, second = f.arguments[0]
    assert first is second and scipy.sparse.issparse(first) == scipy.sparse.issparse(X)
    assert_array_equal(ours.predict(X), theirs.predict(iris[0]))


@pytest.mark.parametrize("kernel", [lambda f: Callable(f) + RBF(gamma=0.5), lambda f: 2.0 * Normalize(Callable(f)), lambda f: Callable(f) * Callable(f)], ids=["sum", "normalised", "product"])
def test_inside_expressions(kernel):
    random = np.random.default_rng(0)
    X, Z = random.normal(size=(400, 3)), random.normal(size=(300, 3))
    f = Counting(lambda A, B: rbf_kernel(A, B, gamma=0.3) * 3)
    K = kernel(f)(X, Z)
    assert len([1 for a, b in f.shapes if a * b > 1024]) <= 2
    F, R = 3 * rbf_kernel(X, Z, gamma=0.3), rbf_kernel(X, Z, gamma=0.5)
    expected = {"Sum": F + R, "Scale": 2 * F / 3, "Product": F * F}[type(kernel(f)).__name__]
    assert_allclose(K, expected, rtol=1e-12)
    assert_allclose(kernel(f).diag(X), {"Sum": 4.0, "Scale": 2.0, "Product": 9.0}[type(kernel(f)).__name__], rtol=1e-12)


def test_large_matrices_come_in_pieces():
    f = Counting(lambda A, B: A @ B.T)
    X = np.random.default_rng(0).normal(size=(7000, 2)).astype(np.float32)
    assert_allclose(Callable(f)(X)[::500, ::700], (X @ X.T)[::500, ::700], rtol=1e-5, atol=1e-6)
    assert len(f.shapes) == 2 and sum(a for a, _ in f.shapes) == 7000 and max(a * b for a, b in f.shapes) * 8 <= 2**28 + 16 * 7000 * 8


def test_sparse_stays_sparse():
    X = scipy.sparse.random(60, 100_000, density=1e-4, random_state=0, format="csr")

    def f(A, B):
        assert scipy.sparse.issparse(A) and scipy.sparse.issparse(B) and A.shape[1] == 100_000
        return A @ B.T  # sparse as well

    K = (X @ X.T).toarray()
    assert_allclose(Callable(f)(X), K)
    assert_allclose(Callable(f)(X, X[:7]), K[:, :7])
    y = np.arange(60) % 2
    model = mercer.SVC(kernel=f).fit(X, y)
    assert_allclose(model.decision_function(X), mercer.SVC(kernel="precomputed").fit(K, y).decision_function(K), atol=1e-9)


def overlap(X, Z):
    """How many items two collections share, whatever they are."""
    return np.array([[float(len(set(x) & set(z))) for z in Z] for x in X])


class Thing:
    """Knows nothing of numbers, has no order and cannot be looked into."""

    def __init__(self, words):
        self.words = words

    def __iter__(self):
        return iter(self.words.split())


TEXTS = ["the cat sat", "a cat ran", "the dog sat down", "stocks fell", "stocks rose again today", "bonds fell today", "the cat ran off", "bonds rose"]
SORTS = np.array([0, 0, 0, 1, 1, 1, 0, 1])
SEQUENCES = {
    "lists of tokens": [text.split() for text in TEXTS],
    "of one length": [text.split()[:2] for text in TEXTS],
    "tuples": [tuple(text.split()) for text in TEXTS],
    "sets of words": [set(text.split()) for text in TEXTS],
    "strings": [text.replace(" ", "") for text in TEXTS],
    "dictionaries": [dict.fromkeys(text.split()) for text in TEXTS],
    "arrays of several lengths": [np.array([sum(map(ord, word)) for word in text.split()]) for text in TEXTS],
    "an array of objects": np.array([text.split() for text in TEXTS] + [None], dtype=object)[:-1],
    "things": [Thing(text) for text in TEXTS],
    "a tuple": tuple(text.split() for text in TEXTS),
}


@pytest.mark.parametrize("kind", SEQUENCES)
def test_sequences_of_anything(kind):
    X = SEQUENCES[kind]
    f = Counting(overlap)
    K = overlap(list(X), list(X))
    model = mercer.SVC(kernel=f, C=10.0).fit(X, SORTS)
    for given, seen in zip(X, f.arguments[0][0]):
        assert seen is given
    reference = mercer.SVC(kernel="precomputed", C=10.0).fit(K, SORTS)
    assert_allclose(model.decision_function(X), reference.decision_function(K), atol=1e-9)
    assert_allclose(model.decision_function(X[:1]), reference.decision_function(K[:1]), atol=1e-9)
    assert [id(each) for each in model.support_vectors_] == [id(X[i]) for i in model.support_]
    for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(mercer.SVC(kernel=overlap, C=10.0).fit(X, SORTS)))):
        assert_allclose(other.decision_function(X), reference.decision_function(K), atol=1e-9)
    assert_allclose(Callable(overlap, domain="objects")(X), K)


@pytest.mark.parametrize("estimator", ESTIMATORS + [mercer.KernelRidge()], ids=NAMES + ["KernelRidge"])
def test_every_estimator_takes_anything(estimator):
    X = SEQUENCES["lists of tokens"]
    pair = lambda x, z: float(len(set(x) & set(z)))  # noqa: E731
    kernel = pair if estimator._function_of_pairs else overlap
    ask = "transform" if isinstance(estimator, mercer.KernelPCA) else "predict"
    small = {name: 2 for name in ("n_clusters", "n_neighbors", "n_components") if name in estimator.get_params()}
    model = clone(estimator).set_params(kernel=kernel, **small).fit(X, SORTS)
    K = overlap(X, X)
    found = getattr(model, ask)(X)
    if not isinstance(model, (mercer.KernelKNeighborsClassifier, mercer.KernelKNeighborsRegressor, mercer.KernelKMeans, mercer.KernelKMedoids)):
        reference = clone(estimator).set_params(kernel="precomputed", **small).fit(K, SORTS)
        assert_allclose(found, getattr(reference, ask)(K), atol=1e-6)
    model.set_params(kernel="rbf")
    again = pickle.loads(pickle.dumps(clone(model).set_params(kernel=Callable(overlap, domain="objects")).fit(X, SORTS)))
    assert len(getattr(again, ask)(X)) == len(X)


def test_fitted_on_anything_predicts_anything():
    """Series of several lengths at first, later one that looks like a vector."""
    X = [[1.0, 2.0], [3.0], [1.0, 5.0, 2.0], [4.0, 3.0]]
    model = mercer.SVC(kernel=overlap).fit(X, [0, 1, 0, 1])
    assert_array_equal(model.predict([[1.0, 2.0], [3.0, 4.0]]), [0, 1])


def test_cross_validation_on_lists():
    assert cross_val_score(mercer.SVC(kernel=overlap), SEQUENCES["lists of tokens"], SORTS, cv=2).shape == (2,)
    assert mercer.mmd_test([t.split() for t in TEXTS[:3]], [t.split() for t in TEXTS[3:6]], kernel=overlap, n_permutations=50).pvalue <= 1


def test_other_kernels_do_not_take_anything():
    with pytest.raises(ValueError):
        mercer.SVC().fit(SEQUENCES["lists of tokens"], SORTS)
    with pytest.raises(ValueError, match="cannot be combined with a kernel on other objects"):
        mercer.SVC(kernel=Callable(overlap, domain="objects") + Spectrum()).fit(SEQUENCES["strings"], SORTS)
    assert_allclose((Callable(overlap, domain="objects") + Constant(2.0))(SEQUENCES["things"]), overlap(SEQUENCES["things"], SEQUENCES["things"]) + 2)


def test_rows_of_numbers_are_vectors():
    f = Counting(linear_kernel)
    mercer.SVC(kernel=f).fit([[0, 1], [1, 0], [2, 2], [3, 1]], [0, 0, 1, 1])
    assert isinstance(f.arguments[0][0], np.ndarray) and f.arguments[0][0].shape == (4, 2)


def test_errors_of_the_function_come_through():
    def broken(X, Z):
        raise KeyError("not today")

    with pytest.raises(KeyError, match="not today"):
        mercer.SVC(kernel=broken).fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="matrix of 2 x 2 kernel values, got 2"):
        mercer.SVC(kernel=lambda X, Z: np.ones(2)).fit([[0.0], [1.0]], [0, 1])

"""The methods beside the support vector machines: every kind of input and kernel, and how they travel and run."""

import copy
import pickle
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer
from mercer.kernels import RBF, Linear

WORDS = ["banana", "bananas", "bandana", "ananas", "cabana", "kernel", "kernels", "colonel", "kern", "journal"]
SORTS = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
BASKETS = [{"milk", "bread"}, {"milk", "eggs"}, {"bread", "eggs", "milk"}, {"nails", "glue"}, {"glue", "paint"}, {"nails", "paint", "glue"}]

CASES = {
    "KernelRidge": mercer.KernelRidge(kernel="rbf(gamma=0.5)", alpha=0.1, loo=True),
    "KernelLogisticRegression": mercer.KernelLogisticRegression(),
    "KernelPCA": mercer.KernelPCA(3, kernel="rbf(gamma=0.3)", fit_inverse_transform=True),
    "KernelKMeans": mercer.KernelKMeans(3, random_state=0),
    "KernelKMedoids": mercer.KernelKMedoids(3),
    "KernelKNeighborsClassifier": mercer.KernelKNeighborsClassifier(3, kernel="rbf"),
    "KernelKNeighborsRegressor": mercer.KernelKNeighborsRegressor(3, weights="distance"),
    "NearestCentroid": mercer.NearestCentroid(kernel="rbf"),
    "NearestMedoid": mercer.NearestMedoid(kernel="rbf"),
}


def outputs(model, X):
    names = ["predict", "predict_proba", "decision_function"] + ["transform"] * (not hasattr(model, "labels_"))  # clusters have no order
    return [getattr(model, name)(X) for name in names if hasattr(model, name)]


def renamed(labels):
    """Clusters numbered in the order in which they appear."""
    return np.unique(labels, return_index=True)[1].argsort().argsort()[np.unique(labels, return_inverse=True)[1]]


@pytest.mark.parametrize("case", CASES)
def test_kinds_of_input(case, iris):
    X, y = iris
    model = clone(CASES[case]).set_params(kernel="rbf", gamma=0.3)
    # Seeds are drawn in an internal order of the examples, which differs for sparse vectors.
    fitted = lambda some: [renamed(each) if case == "KernelKMeans" else each for each in outputs(clone(model).fit(some, y), some)]  # noqa: E731
    reference = fitted(X)
    for some in [scipy.sparse.csr_matrix(X), scipy.sparse.csc_matrix(X), np.asfortranarray(X), X.tolist(), pd.DataFrame(X, columns=list("abcd")), X.astype(object)]:
        for a, b in zip(fitted(some), reference):
            assert_allclose(a, b, rtol=1e-8, atol=1e-8)
    named = clone(model).fit(pd.DataFrame(X, columns=list("abcd")), y)
    assert_array_equal(named.feature_names_in_, list("abcd"))
    for a, b in zip(fitted(X.astype(np.float32)), reference):
        assert_allclose(a, b, rtol=2e-3, atol=2e-3)  # X itself is rounded to 6e-8; labels and scores are as stable as the data


@pytest.mark.parametrize("case", CASES)
def test_kinds_of_kernel(case, iris):
    """A name, its text, an object, a function and the matrix of its values are one kernel."""
    X, y = iris[0][::2], iris[1][::2]
    model = clone(CASES[case]).set_params(gamma=0.4, kernel="rbf")
    if case == "KernelPCA":
        model.set_params(fit_inverse_transform=False)
    reference = outputs(model.fit(X, y), X)
    pairs = lambda x, z: float(np.exp(-0.4 * np.sum((x - z) ** 2)))  # noqa: E731
    blocks = lambda A, B: rbf_kernel(A, B, gamma=0.4)  # noqa: E731
    for kernel in ["rbf(gamma=gamma)", "rbf(gamma=0.4)", RBF(gamma=0.4), pairs if model._function_of_pairs else blocks]:
        usual = {} if kernel == "rbf(gamma=gamma)" else {"gamma": type(model)().gamma}
        for a, b in zip(outputs(clone(model).set_params(kernel=kernel, **usual).fit(X, y), X), reference):
            assert_allclose(a, b, rtol=1e-7, atol=1e-7)
    K = rbf_kernel(X, gamma=0.4)
    given = clone(model).set_params(kernel="precomputed").fit(K, y)
    # its seeds depend on the order of the examples, which a kernel matrix does not determine
    if case != "KernelKMeans":
        for a, b in zip(outputs(given, K), reference):
            assert_allclose(a, b, rtol=1e-7, atol=1e-7)
    with pytest.raises(ValueError, match="square"):
        clone(given).fit(K[:, :-1], y)
    with pytest.raises(ValueError):
        given.predict(K[:, :-2]) if hasattr(given, "predict") else given.transform(K[:, :-2])


@pytest.mark.parametrize("case", CASES)
def test_travels(case, iris):
    X, y = iris
    model = clone(CASES[case]).fit(X, y)
    for other in [pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]:
        for a, b in zip(outputs(other, X), outputs(model, X)):
            assert_array_equal(a, b)
        assert other._model.to_bytes() == model._model.to_bytes()
    function = clone(CASES[case]).set_params(kernel=RBF(gamma=0.2) + Linear()).fit(X, y)
    for a, b in zip(outputs(pickle.loads(pickle.dumps(function)), X), outputs(function, X)):
        assert_array_equal(a, b)
    unfitted = clone(model)
    assert unfitted.get_params().keys() == model.get_params().keys()
    with pytest.raises(NotFittedError):
        outputs(unfitted, X)
    refitted = clone(model).fit(X[:, :2], y).fit(X, y)
    for a, b in zip(outputs(refitted, X), outputs(model, X)):
        assert_array_equal(a, b)


@pytest.mark.parametrize("case", CASES)
def test_strings_and_sets(case):
    model = clone(CASES[case])
    if case == "KernelPCA":
        model.set_params(fit_inverse_transform=False)
    if hasattr(model, "n_clusters"):
        model.set_params(n_clusters=2)
    words = clone(model).set_params(kernel="normalize(spectrum(k=2))").fit(WORDS, SORTS)
    assert not hasattr(words, "n_features_in_")
    baskets = clone(model).set_params(kernel="normalize(set_intersection())").fit(BASKETS, [0, 0, 0, 1, 1, 1])
    if hasattr(model, "labels_") or "KMe" in case:
        assert len(set(words.labels_[:5])) == len(set(words.labels_[5:8])) == 1 and len(set(words.labels_)) == 2
        assert len(set(baskets.labels_[:3])) == len(set(baskets.labels_[3:])) == 1 and len(set(baskets.labels_)) == 2
    elif hasattr(words, "classes_"):
        assert_array_equal(words.predict(["bananana", "kernal"]), [0, 1])
        assert_array_equal(baskets.predict([{"milk"}, {"paint", "nails"}]), [0, 1])
    for fitted, some in [(words, WORDS), (baskets, BASKETS)]:
        for a, b in zip(outputs(pickle.loads(pickle.dumps(fitted)), some), outputs(fitted, some)):
            assert_array_equal(a, b)


@pytest.mark.parametrize("case", [name for name in CASES if name not in ("KernelPCA", "KernelKMeans", "KernelKMedoids")])
def test_pipelines_and_searches(case, iris):
    X, y = iris
    order = np.random.default_rng(0).permutation(len(X))[:90]
    X, y = X[order], y[order]
    chain = make_pipeline(StandardScaler(), clone(CASES[case]))
    assert cross_val_score(chain, X, y, cv=3).mean() > 0.7
    search = GridSearchCV(clone(CASES[case]).set_params(kernel=RBF(gamma=1.0)), {"kernel__gamma": [1e-3, 0.1, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_["kernel__gamma"] in (1e-3, 0.1, 1.0)
    assert search.best_estimator_.kernel_.gamma == search.best_params_["kernel__gamma"]
    matrix = GridSearchCV(clone(CASES[case]).set_params(kernel="precomputed"), {"n_jobs": [1]}, cv=3).fit(rbf_kernel(X), y)  # rows and columns are cut
    assert matrix.best_score_ > 0.7


@pytest.mark.parametrize("case", CASES)
def test_threads_give_the_same_bits(case, iris):
    X, y = iris
    reference = outputs(clone(CASES[case]).set_params(n_jobs=1).fit(X, y), X)
    for n_jobs in (2, -1):
        for a, b in zip(outputs(clone(CASES[case]).set_params(n_jobs=n_jobs).fit(X, y), X), reference):
            assert_array_equal(a, b)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", [np.array, scipy.sparse.csr_matrix, pd.DataFrame], ids=["array", "sparse", "frame"])
def test_a_model_does_not_change_with_the_data_it_was_fitted_on(case, form):
    X, y = make_blobs(1100, 3, centers=3, random_state=0)  # more than are sorted
    some = form(X.copy())  # a frame would share X
    model = clone(CASES[case]).fit(some, y)
    before = outputs(model, form(X))
    if scipy.sparse.issparse(some):
        some.data[:] = 1.0
    else:
        some[:] = 1.0
    for a, b in zip(outputs(model, form(X)), before):
        assert_array_equal(a, b)


def test_threads_that_fit_at_once(iris):
    X, y = iris
    alone = {case: outputs(clone(CASES[case]).fit(X, y), X) for case in CASES}
    results = {}

    def run(case, i):
        results[case, i] = outputs(clone(CASES[case]).fit(X, y), X)

    threads = [threading.Thread(target=run, args=(case, i)) for case in CASES for i in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(results) == 3 * len(CASES)
    for (case, _), result in results.items():
        for a, b in zip(result, alone[case]):
            assert_array_equal(a, b)


def test_interrupt_keeps_the_best_clusters():
    """A million restarts would take an hour; the lock is free meanwhile, else the timer could not fire."""
    code = """
        import os, signal, threading, warnings
        import numpy as np
        from mercer import KernelKMeans
        X = np.random.default_rng(0).normal(size=(400, 5))
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = KernelKMeans(5, n_init=1_000_000).fit(X)
        print(model.status_, len(seen), "interrupted" in str(seen[0].message), model.predict(X[:7]).shape, len(set(model.labels_)))
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["interrupted", "1", "True", "(7,)", "5"], ran.stdout + ran.stderr


@pytest.mark.parametrize("Machine", [mercer.SVC, mercer.NuSVC])
@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_of_few_examples(Machine, classes):
    for each in 1, 2, 3:
        y = np.repeat(np.arange(classes), each)
        X = np.column_stack([3.0 * y + 0.1 * np.arange(len(y)), np.arange(len(y)) % 2])
        model = Machine(probability=True, random_state=0)
        if each == 1:
            with pytest.raises(ValueError, match="probabilities .* needs at least 2 examples of some class"):
                model.fit(X, y)
        else:
            p = model.fit(X, y).predict_proba(X)
            np.testing.assert_allclose(p.sum(axis=1), 1)
            assert p.min() >= 0


@pytest.mark.parametrize("components", [2, 4])
def test_components_of_the_sigmoid_kernel_converge(components, recwarn):
    X = np.random.default_rng(0).normal(size=(80, 4))
    model = mercer.KernelPCA(n_components=components, kernel="sigmoid", gamma=0.1, coef0=1).fit(X)
    centre = np.eye(80) - 1 / 80
    values = np.linalg.eigvalsh(centre @ np.tanh(0.1 * X @ X.T + 1) @ centre)[::-1][:components]
    np.testing.assert_allclose(model.eigenvalues_, values, rtol=1e-8)
    assert model.status_ == "converged" and not recwarn.list

"""LinearSVC and Pegasos: the problems of scikit-learn's LinearSVC and SVC solved by descent, to the gap that is claimed."""

import pickle

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import datasets
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler

import mercer
from mercer import LinearSVC, Pegasos

X_WINE, Y_WINE = datasets.load_wine(return_X_y=True)
X_WINE = StandardScaler().fit_transform(X_WINE)
X_CANCER, Y_CANCER = datasets.load_breast_cancer(return_X_y=True)
X_CANCER = StandardScaler().fit_transform(X_CANCER)
X_DIGITS, Y_DIGITS = (part[:600] for part in datasets.load_digits(return_X_y=True))
X_DIGITS = X_DIGITS / 16
SETS = {"wine": (X_WINE, Y_WINE), "cancer": (X_CANCER, Y_CANCER), "digits": (X_DIGITS, Y_DIGITS)}
WEIGHTS = np.random.default_rng(5).uniform(0.2, 3.0, size=1000)


def objectives(coef, intercept, X, y, C, power, scaling, weight=1.0):
    """1/2 |w|^2 + 1/2 (b/scaling)^2 + C sum weight loss^power, of each class against the rest."""
    classes = np.unique(y)
    signs = [np.where(y == classes[1], 1, -1)] if len(classes) == 2 else [np.where(y == c, 1, -1) for c in classes]
    out = []
    for w, b, s in zip(coef, intercept, signs):
        loss = np.maximum(0, 1 - s * (X @ w + b)) ** power
        out.append(0.5 * w @ w + (0.5 * (b / scaling) ** 2 if scaling else 0.0) + C * np.sum(weight * loss))
    return np.array(out)


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("loss, power", [("hinge", 1), ("squared_hinge", 2)])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_the_problem_of_scikit_learn(data, loss, power, weighted):
    X, y = SETS[data]
    parameters = {"loss": loss, "C": 0.1, "tol": 1e-6, "max_iter": 100_000, "intercept_scaling": 2.0, "random_state": 0}
    weight = WEIGHTS[: len(X)] if weighted else None
    ours = LinearSVC(**parameters).fit(X, y, weight)
    theirs = sklearn.svm.LinearSVC(**parameters).fit(X, y, weight)
    a, b = (objectives(m.coef_, m.intercept_, X, y, 0.1, power, 2.0, 1.0 if weight is None else weight) for m in (ours, theirs))
    assert_allclose(a, b, rtol=1e-6)
    assert_allclose(ours.coef_, theirs.coef_, atol=1e-3 * np.abs(theirs.coef_).max())
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.999
    assert ours.coef_.shape == theirs.coef_.shape and ours.intercept_.shape == theirs.intercept_.shape
    assert ours.status_ == "converged" and ours.dual_gap_ < 1e-5 and isinstance(ours.n_iter_, int)


@pytest.mark.parametrize("parameters", [{}, {"class_weight": "balanced"}, {"class_weight": {1: 5.0}}, {"fit_intercept": False}, {"dual": False}], ids=str)
def test_parameters(parameters):
    ours, theirs = LinearSVC(tol=1e-7, max_iter=100_000, **parameters), sklearn.svm.LinearSVC(tol=1e-7, max_iter=100_000, random_state=0, **parameters)
    ours.fit(X_CANCER, Y_CANCER), theirs.fit(X_CANCER, Y_CANCER)
    assert_allclose(ours.decision_function(X_CANCER), theirs.decision_function(X_CANCER), atol=2e-3)
    assert_array_equal(ours.predict(X_CANCER), theirs.predict(X_CANCER))
    if not parameters.get("fit_intercept", True):
        assert_array_equal(ours.intercept_, [0.0])


@pytest.mark.parametrize("data", SETS)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_matrix], ids=["dense", "sparse"])
def test_l1_penalty(data, weighted, form):
    """|w|_1 + |b/scaling| + C sum weight loss^2, as scikit-learn minimises it; its features left out are ours."""
    X, y = SETS[data]
    weight = WEIGHTS[: len(X)] if weighted else None
    parameters = {"penalty": "l1", "dual": False, "C": 0.05, "tol": 1e-7, "max_iter": 100_000, "intercept_scaling": 2.0, "random_state": 0}
    ours = LinearSVC(**parameters).fit(form(X), y, weight)
    theirs = sklearn.svm.LinearSVC(**parameters).fit(X, y, weight)
    values = []
    for model in (ours, theirs):
        loss = objectives(0 * model.coef_, model.intercept_, X, y, 0.0, 2, 0.0)
        classes = np.unique(y)
        for k, (w, b) in enumerate(zip(model.coef_, model.intercept_)):
            sign = np.where(y == (classes[1] if len(classes) == 2 else classes[k]), 1, -1)
            loss[k] = np.abs(w).sum() + abs(b) / 2 + 0.05 * np.sum((1.0 if weight is None else weight) * np.maximum(0, 1 - sign * (X @ w + b)) ** 2)
        values.append(loss)
    assert np.all(values[0] <= values[1] * (1 + 1e-6))
    assert_allclose(*values, rtol=1e-5)
    assert ours.status_ == "converged" and ours.dual_gap_ < 1e-4
    assert_allclose(ours.decision_function(form(X)), theirs.decision_function(X), atol=1e-2)
    assert np.mean((ours.coef_ == 0) == (theirs.coef_ == 0)) > 0.95 and (ours.coef_ == 0).any()


def test_coefficients_can_be_set():
    model = LinearSVC(random_state=0).fit(X_WINE, Y_WINE)
    before, labels = model.decision_function(X_WINE), model.predict(X_WINE)
    model.coef_, model.intercept_ = model.coef_.copy(), model.intercept_.copy()
    assert_array_equal(model.decision_function(X_WINE), before)
    assert_array_equal(pickle.loads(pickle.dumps(model.sparsify())).predict(scipy.sparse.csr_matrix(X_WINE)), labels)
    assert scipy.sparse.issparse(model.coef_) and isinstance(model.densify().coef_, np.ndarray)
    model.coef_ = 0 * model.coef_
    model.intercept_ = np.array([0.0, 1.0, 0.0])
    assert set(model.predict(X_WINE)) == {1}
    with pytest.raises(ValueError, match="rows"):
        model.coef_ = np.zeros((2, 13))
    assert_array_equal(model.fit(X_WINE, Y_WINE).predict(X_WINE), labels)


def test_defaults_are_those_of_scikit_learn():
    theirs = sklearn.svm.LinearSVC().get_params()
    ours = LinearSVC().get_params()
    assert {name: ours[name] for name in theirs} == theirs
    for wrong in ({"penalty": "l1"}, {"penalty": "l1", "loss": "hinge", "dual": False}, {"loss": "hinge", "dual": False}, {"loss": "log"}, {"multi_class": "crammer_singer"}, {"intercept_scaling": 0}, {"C": 0}, {"C": np.inf}, {"tol": 0}, {"max_iter": 0}):
        with pytest.raises(ValueError):
            LinearSVC(**wrong).fit(X_WINE, Y_WINE)
    with pytest.raises(ValueError, match="vectors"):
        LinearSVC().fit(["ab", "cd"], [0, 1])


@pytest.mark.parametrize("model", [LinearSVC(max_iter=5), Pegasos(max_iter=2), Pegasos(max_iter=2, kernel="rbf", batch_size=32)], ids=["LinearSVC", "Pegasos", "Pegasos, rbf"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sparse_rows_give_what_dense_ones_give(model):
    """Step by step: so many examples are taken in the order in which they come, whatever they are stored as."""
    X, y = datasets.load_digits(return_X_y=True)
    X, y = X[:1100] / 16, y[:1100] % 3
    dense = model.fit(X, y).decision_function(X)
    for some in (scipy.sparse.csr_matrix(X), scipy.sparse.csc_matrix(X), X.tolist(), X.astype(np.float32)):
        assert_allclose(model.fit(some, y).decision_function(some), dense, rtol=1e-6, atol=1e-6)  # sixteenths are exact in float32 too
        assert_allclose(model.decision_function(X), dense, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("model", [LinearSVC(), Pegasos(max_iter=50), Pegasos(kernel="rbf", max_iter=50)], ids=["LinearSVC", "Pegasos", "Pegasos, rbf"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_order_and_travel(model):
    X, y = X_WINE, Y_WINE
    model.fit(X, y)
    f = model.decision_function(X)
    # any order, absent examples, another process, other numbers of threads
    order = np.random.default_rng(0).permutation(len(X))
    assert_allclose(type(model)(**model.get_params()).fit(X[order], y[order]).decision_function(X), f, rtol=1e-9)
    more, labels = np.vstack([X, 1000 + X]), np.hstack([y, np.zeros(len(y), dtype=int)])
    weight = np.hstack([np.ones(len(X)), np.zeros(len(X))])
    again = type(model)(**model.get_params()).fit(more, labels, weight)
    assert_allclose(again.decision_function(X), f, rtol=1e-6, atol=1e-9)
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), f)
    assert_array_equal(type(model)(**{**model.get_params(), "n_jobs": 1}).fit(X, y).decision_function(X), f)


def test_a_linear_model_holds_no_examples():
    model = LinearSVC().fit(X_DIGITS, Y_DIGITS)
    assert len(pickle.dumps(model)) < 20_000 + 8 * model.coef_.size
    assert_allclose(X_DIGITS @ model.coef_.T + model.intercept_, model.decision_function(X_DIGITS), atol=1e-10)
    assert_array_equal(model.classes_[model.decision_function(X_DIGITS).argmax(axis=1)], model.predict(X_DIGITS))


@pytest.mark.parametrize("parameters", [{}, {"batch_size": 16}, {"projection": True}, {"kernel": "rbf", "gamma": 0.05}, {"kernel": mercer.kernels.RBF(gamma=0.05), "batch_size": 8}], ids=str)
def test_pegasos_solves_the_problem_of_svc(parameters):
    """The primal of both machines on every class against the rest: Pegasos' own is above the least by at most its gap."""
    X, y = X_WINE, Y_WINE
    model = Pegasos(C=0.05, tol=0.03, random_state=0, **parameters).fit(X, y)
    kernel = parameters.get("kernel", "linear")
    assert model.status_ == "converged" and model.dual_gap_ <= 0.03
    for c, f in zip(model.classes_, model.decision_function(X).T):
        s = np.where(y == c, 1, -1)
        best = sklearn.svm.SVC(C=0.05, kernel="linear" if kernel == "linear" else "rbf", gamma=0.05, tol=1e-8).fit(X, s)
        K = X @ X.T if kernel == "linear" else mercer.kernels.RBF(gamma=0.05)(X)
        a = np.zeros(len(X))
        a[best.support_] = best.dual_coef_[0]
        least = np.abs(a).sum() - 0.5 * a @ K @ a
        if kernel == "linear":
            norm = model.coef_[list(model.classes_).index(c)] @ model.coef_[list(model.classes_).index(c)]
        else:
            b = np.zeros(len(X))
            b[model.support_] = model.dual_coef_[list(model.classes_).index(c)]
            norm = b @ K @ b
        primal = 0.5 * norm + 0.05 * np.maximum(0, 1 - s * f).sum()
        assert least * (1 - 1e-6) <= primal <= least / (1 - 0.03) * (1 + 1e-6)


def test_alpha_is_the_penalty_of_the_mean():
    X, y = X_CANCER, Y_CANCER
    a = Pegasos(alpha=0.01, random_state=0).fit(X, y)
    b = Pegasos(C=1 / (0.01 * len(X)), random_state=0).fit(X, y)
    assert_array_equal(a.coef_, b.coef_)
    doubled = Pegasos(alpha=0.01, random_state=0).fit(X, y, np.full(len(X), 2.0))  # a mean does not change
    assert_allclose(doubled.coef_, a.coef_, rtol=1e-9)
    for wrong in ({"alpha": 0.0}, {"batch_size": 0}, {"kernel": "rbf", "projection": True}, {"kernel": "precomputed"}, {"C": np.inf}):
        with pytest.raises(ValueError):
            Pegasos(**wrong).fit(X, y)
    with pytest.raises(AttributeError, match="coef_"):
        a.support_vectors_
    assert not hasattr(Pegasos(kernel="rbf").fit(X[::5], y[::5]), "coef_")


def test_other_objects():
    words, sorts = ["banana", "bandana", "ananas", "kernel", "colonel", "kernels"], [0, 0, 0, 1, 1, 1]
    model = Pegasos(kernel="spectrum(k=2)", C=0.1, tol=0.1, random_state=0).fit(words, sorts)
    assert_array_equal(model.predict(words), sorts)
    assert set(model.support_vectors_) <= set(words)


def test_limits_and_callbacks():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(3000, 30)), random.integers(0, 4, size=3000)
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = LinearSVC(C=100.0, max_iter=2).fit(X, y)
    assert model.status_ == "step_limit" and model.n_iter_ == 2 and model.fit_status_ == 1
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        LinearSVC(C=1e6, tol=1e-12, max_iter=10**9, max_seconds=0.3).fit(X, y)
    seen = []
    with pytest.warns(ConvergenceWarning, match="callback"):
        Pegasos(C=100.0, tol=1e-12, max_iter=10**6, callback=lambda now: seen.append(now) or len(seen) < 2).fit(X, y)
    assert len(seen) == 2 and seen[0].problems == 4 and seen[0].seconds > 0
    with pytest.raises(KeyError):
        LinearSVC(C=1e6, tol=1e-12, max_iter=10**9, callback=lambda now: {}["no"]).fit(X, y)


@pytest.mark.parametrize("solver", ["interior_point", "primal_qp", "kernel_pegasos"])
def test_other_solvers_of_svc(solver, two_moons):
    X, y = two_moons
    kernel = "linear" if solver == "primal_qp" else "rbf"
    ours = mercer.SVC(kernel=kernel, solver=solver, tol=1e-4, max_iter=20_000 if solver == "kernel_pegasos" else -1)
    if solver == "kernel_pegasos":
        ours.set_params(tol=1e-3)
    reference = mercer.SVC(kernel=kernel, tol=1e-6).fit(X, y)
    ours.fit(X, y)
    assert ours.status_ == "converged"
    assert ours.objective_ == pytest.approx(reference.objective_, rel=2e-3)
    assert np.mean(ours.predict(X) == reference.predict(X)) > 0.98
    for wrong in ({"solver": "simplex"}, {"solver": solver, "probability": True}, {"solver": solver, "kernel": "precomputed"}):
        with pytest.raises(ValueError):
            mercer.SVC(**wrong).fit(X[:, :1] * X[:, :1].T, y)

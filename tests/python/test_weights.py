"""A weight of 0 is as if the example were not there, for every estimator and all that it tells."""

import inspect

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import mercer

TIGHT = {"tol": 1e-8}
CASES = {
    "SVC": mercer.SVC(**TIGHT),
    "SVC, balanced": mercer.SVC(class_weight="balanced", **TIGHT),
    "SVC, weights of classes": mercer.SVC(class_weight={"a": 3.0, "c": 0.5}, **TIGHT),
    "SVC, probability": mercer.SVC(probability=True, random_state=3, **TIGHT),
    "SVC, linear": mercer.SVC(kernel="linear", **TIGHT),
    "SVC, a function": mercer.SVC(kernel=rbf_kernel, probability=True, **TIGHT),
    "SVC, interior point": mercer.SVC(solver="interior_point", class_weight="balanced", **TIGHT),
    "SVC, kernel Pegasos": mercer.SVC(solver="kernel_pegasos", max_iter=20),
    "NuSVC": mercer.NuSVC(nu=0.3, **TIGHT),
    "NuSVC, balanced": mercer.NuSVC(nu=0.3, class_weight="balanced", probability=True, **TIGHT),
    "SVR": mercer.SVR(**TIGHT),
    "NuSVR": mercer.NuSVR(nu=0.4, **TIGHT),
    "OneClassSVM": mercer.OneClassSVM(nu=0.2, **TIGHT),
    "LinearSVC": mercer.LinearSVC(class_weight="balanced", tol=1e-9, max_iter=1000),
    "LinearSVC, hinge": mercer.LinearSVC(loss="hinge", max_iter=50),
    "Pegasos": mercer.Pegasos(class_weight="balanced", random_state=2, batch_size=3, max_iter=20),
    "Pegasos, its own penalty": mercer.Pegasos(alpha=0.02, kernel="rbf", random_state=2, max_iter=20),
    "KernelRidge": mercer.KernelRidge(kernel="rbf", alpha=0.3, loo=True),
    "KernelRidge, a path": mercer.KernelRidge(kernel="rbf(gamma=scale)", alphas=[0.01, 0.1, 1.0], alpha_score="loo", loo=True),
    "KernelLogisticRegression": mercer.KernelLogisticRegression(class_weight="balanced", tol=1e-10),
    "KernelKMeans": mercer.KernelKMeans(3, random_state=1),
    "KernelKMedoids": mercer.KernelKMedoids(3, init="random", n_init=4, random_state=1),
    "NystroemRidge": mercer.NystroemRidge(n_centres=20, tol=1e-12),
    "NystroemLogistic": mercer.NystroemLogistic(n_centres=20, tol=1e-12),
    "NystroemSVC": mercer.NystroemSVC(n_centres=20, tol=1e-12),
    "NystroemKMeans": mercer.NystroemKMeans(3, n_centres=20, random_state=1),
    "NystroemSpectralClustering": mercer.NystroemSpectralClustering(3, n_centres=20, random_state=1),
    "CellsSVC": mercer.CellsSVC(size=20),
    "CellsLogistic": mercer.CellsLogistic(size=20, class_weight="balanced"),
    "CellsSVR": mercer.CellsSVR(size=20),
    "CellsRidge": mercer.CellsRidge(size=20),
    "NearestCentroid": mercer.NearestCentroid(kernel="rbf"),
    "NearestMedoid": mercer.NearestMedoid(kernel="rbf"),
}
# All public attributes of a fitted model, except those that count examples of weight 0: their rows, or the work.
OF_ALL_ROWS = {"centre_indices_", "shape_fit_", "labels_", "loo_errors_", "n_iter_", "reports_", "support_", "medoid_indices_", "n_features_in_", "dual_coef_path_", "kernel_"}


def example(n=90, absent=30, seed=5, regression=False):
    """Data of which some have no weight: far off, of a class of their own as well, with absurd targets."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    X[:, 0] += np.arange(n) % 3
    y = random.normal(size=n) + X[:, 1] if regression else np.array(["a", "b", "c"])[np.arange(n) % 3]
    w = random.uniform(0.3, 2.0, size=n)
    gone = random.permutation(n)[:absent]
    w[gone] = 0
    X[gone] += 40 * random.normal(size=(absent, 3))
    if regression:
        y[gone] = 1e6
    else:
        y[gone[: absent // 2]] = "a"
        y[gone[absent // 2 :]] = "_"  # sorted before all other labels
    return X, y, w


def told(model, X):
    out = {}
    for name in ("predict", "decision_function", "transform", "predict_proba", "score_samples"):
        if hasattr(model, name) and not (name == "transform" and model._precomputed and isinstance(model, (mercer.KernelKMeans, mercer.NystroemKMeans))):
            out[name + "()"] = getattr(model, name)(X)
    for name in dir(model):
        if name.endswith("_") and not name.startswith("_") and name not in OF_ALL_ROWS and hasattr(model, name):
            out[name] = getattr(model, name)
    return out


def compare(one, other):
    assert one.keys() == other.keys()
    for name in one:
        a, b = (each.toarray() if scipy.sparse.issparse(each) else np.asarray(each) for each in (one[name], other[name]))
        if a.dtype.kind in "fc":
            assert_allclose(a, b, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(b[np.isfinite(b)]).max(initial=0)), err_msg=name)
        else:
            assert_array_equal(a, b, err_msg=name)


# stopped at the same step, both must give the same model
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("how", ["dense", "sparse", "precomputed"])
@pytest.mark.parametrize("case", CASES)
def test_no_weight_is_absence(case, how):
    estimator = clone(CASES[case])
    if how == "precomputed" and (isinstance(estimator, (mercer.LinearSVC, mercer.Pegasos, mercer.CellsSVC, mercer.CellsLogistic, mercer.CellsSVR, mercer.CellsRidge)) or getattr(estimator, "solver", "smo") != "smo"):
        pytest.skip("takes no matrix")
    X, y, w = example(regression=isinstance(estimator, (mercer.SVR, mercer.NuSVR, mercer.KernelRidge, mercer.NystroemRidge, mercer.CellsSVR, mercer.CellsRidge)))
    here = w > 0
    new = X[here][:20] + 0.1
    if how == "precomputed":
        estimator.set_params(kernel="precomputed")
        K = rbf_kernel(X, gamma=0.2)
        full, part, ask_full, ask_part = K, K[here][:, here], rbf_kernel(new, X, gamma=0.2), rbf_kernel(new, X[here], gamma=0.2)
    else:
        form = scipy.sparse.csr_matrix if how == "sparse" else np.asarray
        full, part, ask_full, ask_part = form(X), form(X[here]), form(new), form(new)
    a, b = clone(estimator).fit(full, y, sample_weight=w), clone(estimator).fit(part, y[here], sample_weight=w[here])
    one, other = told(a, ask_full), told(b, ask_part)
    for name in ("X_fit_", "centroids_"):
        one.pop(name, None), other.pop(name, None)
    compare(one, other)
    rows = np.flatnonzero(here)
    for name in ("support_", "medoid_indices_", "centre_indices_"):
        if hasattr(a, name):
            assert_array_equal(getattr(a, name), rows[getattr(b, name)], err_msg=name)
    if hasattr(a, "loo_errors_"):
        assert_allclose(a.loo_errors_[here], b.loo_errors_, rtol=1e-6)
    if hasattr(a, "labels_"):
        assert_array_equal(a.labels_[here], b.labels_)


def test_every_estimator_that_takes_weights_is_here():
    taking = {name for name in mercer.__all__ if inspect.isclass(getattr(mercer, name)) and "sample_weight" in inspect.signature(getattr(getattr(mercer, name), "fit", lambda: 0)).parameters}
    assert taking == {type(each).__name__ for each in CASES.values()}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_balanced_weights_of_the_classes_that_are_there():
    y = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    w = np.array([1.0, 1, 1, 0, 0, 0, 1, 1])
    X = np.arange(8.0)[:, None]
    # 5 examples, 2 classes: 5/(2·3) and 5/(2·2)
    for cls in (mercer.SVC, mercer.LinearSVC, mercer.Pegasos, mercer.KernelLogisticRegression):
        assert_allclose(cls(class_weight="balanced", max_iter=2000).fit(X, y, w).class_weight_, [5 / 6, 5 / 4])


@pytest.mark.parametrize("error", [None, "loo", 3])
def test_margin_report(error):
    X, y, w = example(60, 25)
    y = np.where(y == "b", "a", y)
    here = w > 0
    a = mercer.SVC(**TIGHT).fit(X, y, w).margin_report(X, y, w, error=error, pictures=False)
    b = mercer.SVC(**TIGHT).fit(X[here], y[here], w[here]).margin_report(X[here], y[here], w[here], error=error, pictures=False)
    assert a.error == b.error and a.counts == b.counts and a.loo_bound == b.loo_bound and a.accuracy == b.accuracy
    for name in ("margin", "primal", "dual", "radius", "vc_bound"):
        assert_allclose(getattr(a, name), getattr(b, name), rtol=1e-6)


@pytest.mark.parametrize("estimator", [mercer.SVC(**TIGHT), mercer.KernelKMeans(3, n_init=2, random_state=1), mercer.KernelKMedoids(3, init="random", random_state=1)], ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("absent", [30, 100], ids=["beyond", "only with the absent"])
def test_beyond_the_sizes_that_are_sorted(estimator, absent):
    X, y, w = example(1050, absent)
    here = w > 0
    a, b = clone(estimator).fit(X, y, sample_weight=w), clone(estimator).fit(X[here], y[here], sample_weight=w[here])
    assert_array_equal(a.predict(X[here]), b.predict(X[here]))
    for name in ("support_", "medoid_indices_", "centre_indices_"):
        if hasattr(a, name):
            assert_array_equal(getattr(a, name), np.flatnonzero(here)[getattr(b, name)])

"""scikit-learn's own suite for estimators: every check, none excused."""

import types

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

import mercer
from mercer.kernels import RBF, Linear

MACHINES = [mercer.SVC(), mercer.NuSVC(), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM()]
METHODS = [
    mercer.LinearSVC(),
    mercer.Pegasos(),
    mercer.KernelRidge(),
    mercer.KernelLogisticRegression(),
    mercer.KernelPCA(),
    mercer.KernelKMeans(),
    mercer.KernelKMedoids(),
    mercer.NystroemKMeans(),
    mercer.NystroemSpectralClustering(),
    mercer.KernelKNeighborsClassifier(),
    mercer.KernelKNeighborsRegressor(),
    mercer.NearestCentroid(),
    mercer.NearestMedoid(),
    mercer.CellsSVC(),
    mercer.CellsLogistic(),
    mercer.CellsSVR(),
    mercer.CellsRidge(),
    mercer.NystroemRidge(),
    mercer.NystroemLogistic(),
    mercer.NystroemSVC(),
    mercer.Nystroem(),
    mercer.RandomFeatures(),
    mercer.PolynomialCountSketch(),
]
ALL = MACHINES + METHODS
VARIANTS = {
    "kernel object": mercer.SVC(kernel=0.5 * RBF(gamma=0.5) + Linear()),
    "probability": mercer.SVC(probability=True, random_state=0),
    "linear, hinge": mercer.LinearSVC(loss="hinge"),
    "pegasos with a kernel": mercer.Pegasos(kernel="rbf", batch_size=4),
    "interior point": mercer.SVC(solver="interior_point"),
    "ridge, a path": mercer.KernelRidge(kernel="rbf", alphas=[0.01, 0.1, 1.0], alpha_score="loo", loo=True),
    "components, few and back": mercer.KernelPCA(n_components=2, kernel="rbf", eigen_solver="iterative", fit_inverse_transform=True),
    "ridge, conjugate gradients": mercer.KernelRidge(kernel="rbf", solver="cg"),
    "few centres": mercer.NystroemRidge(n_centres=100, centres="kmeans++"),
    "structured features": mercer.RandomFeatures(frequencies="structured"),
    "a count sketch": mercer.RandomFeatures(kernel="poly"),
    "neighbours by distance": mercer.KernelKNeighborsClassifier(weights="distance", kernel=RBF(gamma=0.5)),
}


@parametrize_with_checks(ALL)
def test_checks(estimator, check):
    check(estimator)


@pytest.mark.parametrize("variant", VARIANTS)
def test_variants(variant):
    check_estimator(VARIANTS[variant])


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_no_check_is_excused(estimator):
    tags = estimator._get_tags()
    assert not tags["_xfail_checks"] and not tags["_skip_test"] and not tags["no_validation"] and not tags["poor_score"]


@pytest.mark.parametrize("estimator", MACHINES, ids=lambda e: type(e).__name__)
def test_any_order_of_examples_gives_the_same_model(estimator, two_moons):
    X, y = two_moons
    order = np.random.default_rng(1).permutation(len(X))
    a, b = estimator.fit(X, y), type(estimator)().fit(X[order], y[order])
    np.testing.assert_allclose(a.predict(X), b.predict(X), rtol=1e-10)
    np.testing.assert_array_equal(np.sort(order[b.support_]), np.sort(a.support_))


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
def test_tags_of_newer_versions(estimator, monkeypatch):
    """scikit-learn from 1.6 on asks for an object."""
    if hasattr(BaseEstimator, "__sklearn_tags__"):
        tags = estimator.__sklearn_tags__()
    else:
        bare = types.SimpleNamespace(input_tags=types.SimpleNamespace(), transformer_tags=types.SimpleNamespace())
        monkeypatch.setattr(BaseEstimator, "__sklearn_tags__", lambda self: bare, raising=False)
        tags = estimator.__sklearn_tags__()
    assert tags.input_tags.sparse and not tags.input_tags.pairwise
    if "kernel" in estimator.get_params():
        assert clone(estimator).set_params(kernel="precomputed").__sklearn_tags__().input_tags.pairwise
    if isinstance(estimator, mercer.KernelPCA):
        assert tags.transformer_tags.preserves_dtype == ["float64", "float32"]


@pytest.mark.parametrize("estimator", ALL, ids=lambda e: type(e).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_names_of_features_are_kept_everywhere(estimator, iris):
    frame = pd.DataFrame(iris[0], columns=["a", "b", "c", "d"])
    model = clone(estimator).fit(frame, iris[1])
    np.testing.assert_array_equal(model.feature_names_in_, list("abcd"))
    other = "transform" if not hasattr(model, "predict") else "predict"
    with pytest.raises(ValueError, match="feature names"):
        getattr(model, other)(frame[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="feature names"):
        getattr(model, other)(iris[0])

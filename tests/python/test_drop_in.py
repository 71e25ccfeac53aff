"""What people do with scikit-learn's support vector machines, done with both: the same labels, the same numbers.

Solvers stop at a gap of tol, so values agree to about tol; with tol = 1e-6 here they must agree to 1e-3 of their range.
"""

import numpy as np
import pytest
import scipy.sparse
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import datasets
from sklearn.base import clone
from sklearn.metrics.pairwise import laplacian_kernel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

X_IRIS, Y_IRIS = datasets.load_iris(return_X_y=True)
X_MOONS, Y_MOONS = datasets.make_moons(300, noise=0.25, random_state=0)
X_DIGITS, Y_DIGITS = (part[:500] for part in datasets.load_digits(return_X_y=True))
X_WINE, Y_WINE = datasets.load_wine(return_X_y=True)
X_WINE = StandardScaler().fit_transform(X_WINE)
X_DIABETES, Y_DIABETES = datasets.load_diabetes(return_X_y=True)
X_DIABETES, Y_DIABETES = X_DIABETES / X_DIABETES.std(axis=0), (Y_DIABETES - Y_DIABETES.mean()) / Y_DIABETES.std()
WEIGHTS = np.random.default_rng(3).uniform(0.2, 3.0, size=1000)

CLASSIFICATION = {
    "the default": ("SVC", {}, X_IRIS, Y_IRIS),
    "two classes": ("SVC", {}, X_MOONS, Y_MOONS),
    "linear": ("SVC", {"kernel": "linear", "C": 0.025}, X_MOONS, Y_MOONS),
    "linear, three classes": ("SVC", {"kernel": "linear"}, X_IRIS, Y_IRIS),
    "polynomial": ("SVC", {"kernel": "poly", "degree": 3, "gamma": "auto", "C": 1.0}, X_IRIS, Y_IRIS),
    "polynomial with coef0": ("SVC", {"kernel": "poly", "degree": 2, "coef0": 1.0}, X_MOONS, Y_MOONS),
    "rbf, gamma and C": ("SVC", {"gamma": 2, "C": 1}, X_MOONS, Y_MOONS),
    "gamma auto": ("SVC", {"gamma": "auto"}, X_WINE, Y_WINE),
    "large C": ("SVC", {"C": 1000.0, "gamma": 0.5}, X_MOONS, Y_MOONS),
    "ten classes": ("SVC", {"gamma": 0.001, "C": 100.0}, X_DIGITS, Y_DIGITS),
    "one versus one": ("SVC", {"decision_function_shape": "ovo", "gamma": "scale"}, X_WINE, Y_WINE),
    "balanced": ("SVC", {"class_weight": "balanced"}, X_MOONS[60:], Y_MOONS[60:]),
    "class weights": ("SVC", {"kernel": "linear", "class_weight": {1: 10}}, X_MOONS, Y_MOONS),
    "ties broken": ("SVC", {"break_ties": True}, X_WINE, Y_WINE),
    "a callable": ("SVC", {"kernel": laplacian_kernel}, X_WINE, Y_WINE),
    "a dot product": ("SVC", {"kernel": lambda X, Z: np.dot(X, np.asarray(Z).T)}, X_IRIS, Y_IRIS),
    "nu": ("NuSVC", {}, X_MOONS, Y_MOONS),
    "nu, three classes": ("NuSVC", {"nu": 0.1, "gamma": "auto"}, X_IRIS, Y_IRIS),
    "nu, linear": ("NuSVC", {"nu": 0.3, "kernel": "linear"}, X_WINE, Y_WINE),
}


def both(name, parameters):
    parameters = {"tol": 1e-6, **parameters}
    return getattr(mercer, name)(**parameters), getattr(sklearn.svm, name)(**parameters)


def same_values(ours, theirs):
    assert ours.shape == theirs.shape
    assert_allclose(ours, theirs, atol=1e-3 * max(1.0, np.abs(theirs).max()), rtol=0)


@pytest.mark.parametrize("case", CLASSIFICATION)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_classification(case, weighted):
    name, parameters, X, y = CLASSIFICATION[case]
    if weighted and name == "NuSVC":
        pytest.skip("scikit-learn's nu does not count weights")
    weight = WEIGHTS[: len(X)] if weighted else None
    ours, theirs = both(name, parameters)
    ours.fit(X, y, sample_weight=weight)
    theirs.fit(X, y, sample_weight=weight)
    assert np.mean(ours.predict(X) == theirs.predict(X)) >= 0.999
    same_values(ours.decision_function(X), theirs.decision_function(X))
    same_values(ours.intercept_, theirs.intercept_)
    assert_array_equal(ours.classes_, theirs.classes_)
    assert_allclose(ours.class_weight_, theirs.class_weight_)
    assert ours.shape_fit_ == theirs.shape_fit_ and ours.fit_status_ == 0
    assert ours.n_support_.sum() == len(ours.support_) and ours.n_support_.shape == theirs.n_support_.shape
    assert ours.dual_coef_.shape == (len(ours.classes_) - 1, len(ours.support_))
    assert ours.n_iter_.shape == theirs.n_iter_.shape
    if parameters.get("kernel") == "linear":
        same_values(ours.coef_, theirs.coef_)
    else:
        assert not hasattr(ours, "coef_")


REGRESSION = {
    "the default": ("SVR", {}),
    "rbf": ("SVR", {"C": 100.0, "gamma": 0.1, "epsilon": 0.1}),
    "linear": ("SVR", {"kernel": "linear", "C": 10.0}),
    "polynomial": ("SVR", {"kernel": "poly", "degree": 2, "gamma": "auto", "coef0": 1.0}),
    "nu": ("NuSVR", {}),
    "nu, C": ("NuSVR", {"nu": 0.1, "C": 10.0, "gamma": 0.05}),
}


@pytest.mark.parametrize("case", REGRESSION)
def test_regression(case):
    name, parameters = REGRESSION[case]
    ours, theirs = both(name, parameters)
    X, y = X_DIABETES[:250], Y_DIABETES[:250]
    same_values(ours.fit(X, y).predict(X_DIABETES), theirs.fit(X, y).predict(X_DIABETES))
    same_values(ours.intercept_, theirs.intercept_)
    assert ours.n_support_.shape == theirs.n_support_.shape and isinstance(ours.n_iter_, int)
    assert ours.score(X, y) == pytest.approx(theirs.score(X, y), abs=1e-3)


@pytest.mark.parametrize("parameters", [{}, {"nu": 0.1, "gamma": 0.1}, {"nu": 0.2, "kernel": "linear", "tol": 1e-4}], ids=str)
def test_one_class(parameters):
    ours, theirs = both("OneClassSVM", parameters)
    X = X_MOONS
    ours.fit(X), theirs.fit(X)
    same_values(ours.decision_function(X), theirs.decision_function(X))
    same_values(ours.score_samples(X), theirs.score_samples(X))
    same_values(ours.offset_, theirs.offset_)
    # Support vectors lie on the boundary, where the sign is undetermined.
    clear = np.abs(theirs.decision_function(X)) > 1e-3
    assert_array_equal(ours.predict(X)[clear], theirs.predict(X)[clear])
    assert_array_equal(clone(ours).fit_predict(X), ours.predict(X))


def test_support_vectors_and_dual_coefficients_in_scikit_learns_order():
    ours, theirs = both("SVC", {"kernel": "linear"})
    for X, y in [(X_IRIS, Y_IRIS), (X_MOONS, Y_MOONS)]:
        ours.fit(X, y)
        theirs.fit(X, y)
        # f from the attributes alone, as in scikit-learn's documentation
        f = ours.dual_coef_ @ ours.support_vectors_
        if len(ours.classes_) == 2:
            assert_allclose(f, ours.coef_, atol=1e-9)
            assert_allclose((X @ f.T + ours.intercept_).ravel(), ours.decision_function(X), atol=1e-9)
        assert_array_equal(X[ours.support_], ours.support_vectors_)
        labels = y[ours.support_]
        assert_array_equal(labels, np.sort(labels))
        assert_array_equal(np.bincount(labels), ours.n_support_)


@pytest.mark.parametrize("form", [scipy.sparse.csr_matrix, scipy.sparse.csc_matrix, scipy.sparse.coo_matrix, scipy.sparse.lil_matrix])
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_sparse(form, kernel):
    X = X_DIGITS[:200] / 16
    y = Y_DIGITS[:200] % 3
    ours, theirs = both("SVC", {"kernel": kernel})
    same_values(ours.fit(form(X), y).decision_function(form(X)), theirs.fit(X, y).decision_function(X))
    assert scipy.sparse.issparse(ours.support_vectors_) and scipy.sparse.issparse(ours.dual_coef_)
    assert_array_equal(ours.predict(form(X)), ours.predict(X))
    assert_allclose(ours.support_vectors_.toarray(), X[ours.support_])


def test_precomputed():
    K = X_IRIS @ X_IRIS.T
    ours, theirs = both("SVC", {"kernel": "precomputed"})
    same_values(ours.fit(K, Y_IRIS).decision_function(K), theirs.fit(K, Y_IRIS).decision_function(K))
    # Only the columns of the support vectors are needed.
    assert_array_equal(ours.predict(K[:, ours.support_]), ours.predict(K))
    same_values(cross_val_score(ours, K, Y_IRIS), cross_val_score(theirs, K, Y_IRIS))
    with pytest.raises(ValueError, match="square"):
        ours.fit(K[:100], Y_IRIS[:100])
    with pytest.raises(ValueError, match="columns"):
        ours.fit(K, Y_IRIS).predict(K[:, :7])


def test_probability():
    for X, y in [(X_MOONS, Y_MOONS), (X_WINE, Y_WINE)]:
        ours = mercer.SVC(probability=True, random_state=0).fit(X, y)
        theirs = sklearn.svm.SVC(probability=True, random_state=0).fit(X, y)
        P = ours.predict_proba(X)
        assert_allclose(P.sum(axis=1), 1)
        assert_allclose(np.log(P), ours.predict_log_proba(X))
        # scikit-learn's two results may disagree here
        assert_array_equal(ours.classes_[P.argmax(axis=1)], ours.predict(X))
        assert np.abs(P - theirs.predict_proba(X)).mean() < 0.05  # the folds differ, so the numbers differ slightly
        assert_array_equal(P, clone(ours).fit(X, y).predict_proba(X))
    assert not hasattr(mercer.SVC(), "predict_proba") and not hasattr(mercer.SVC().fit(X, y), "predict_proba")


def test_pipelines_searches_and_wrappers():
    pipeline = make_pipeline(StandardScaler(), mercer.SVC(gamma="auto"))
    assert pipeline.fit(X_IRIS, Y_IRIS).predict([X_IRIS[0]]) == [0]
    search = GridSearchCV(pipeline, {"svc__C": [0.1, 1, 10], "svc__kernel": ["linear", "rbf"]}, cv=3)
    other = GridSearchCV(make_pipeline(StandardScaler(), sklearn.svm.SVC(gamma="auto")), search.param_grid, cv=3)
    search.fit(X_WINE, Y_WINE)
    other.fit(X_WINE, Y_WINE)
    assert search.best_params_ == other.best_params_
    assert_allclose(search.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1 / 178 + 1e-9)
    rest = OneVsRestClassifier(mercer.SVC(kernel="linear")).fit(X_WINE, Y_WINE)
    assert rest.score(X_WINE, Y_WINE) > 0.95

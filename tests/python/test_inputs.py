"""Every kind of input: what is taken, what is refused and how."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import mercer
from mercer import SVC, SVR, OneClassSVM


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("form", [np.asarray, np.asfortranarray, lambda X: X.astype(np.float32), scipy.sparse.csr_matrix, pd.DataFrame], ids=["C", "F", "float32", "sparse", "frame"])
def test_not_finite(iris, bad, form):
    X, y = iris
    X = X.copy()
    X[17, 2] = bad
    with pytest.raises(ValueError, match="NaN|infinity"):
        SVC().fit(form(X), y)
    with pytest.raises(ValueError, match="NaN|infinity"):
        SVC().fit(iris[0], y).predict(form(X))


def test_the_place_of_a_nan_is_named(iris):
    X = iris[0].copy()
    X[17, 2] = np.nan
    with pytest.raises(ValueError, match="row 17, column 2"):
        SVC().fit(X, iris[1])


def test_wrong_shapes(iris):
    X, y = iris
    for arguments, message in [
        ((X, y[:-1]), "inconsistent"),
        ((X[0], y), "1D array"),
        ((X[:0], y[:0]), "0 sample"),
        ((X[:, :0], y), "0 feature"),
        ((X[None], y), "dim"),
        ((X, None), "y"),
        ((X, np.column_stack([y, y])), "1d"),
    ]:
        with pytest.raises(ValueError, match=message):
            SVC().fit(*arguments)
    with pytest.raises(ValueError, match="X has 3 features, but SVC is expecting 4"):
        SVC().fit(X, y).predict(X[:, :3])
    with pytest.raises(NotFittedError):
        SVC().predict(X)
    with pytest.raises(NotFittedError):
        SVC().support_
    with pytest.raises(ValueError):
        SVC().fit(X, y, sample_weight=np.ones(3))


def test_one_class_only(iris):
    with pytest.raises(ValueError, match="class"):
        SVC().fit(iris[0][:50], iris[1][:50])
    with pytest.raises(ValueError, match="class"):
        SVC().fit(*iris, sample_weight=(iris[1] == 0).astype(float))


def test_a_class_without_weight_is_absent(iris):
    X, y = iris
    weight = (y != 1).astype(float)
    some = SVC().fit(X, y, sample_weight=weight)
    assert_array_equal(some.classes_, [0, 2])
    rest = SVC().fit(X[y != 1], y[y != 1])
    assert_allclose(some.decision_function(X), rest.decision_function(X), rtol=1e-9)
    assert_array_equal(some.predict(X), rest.predict(X))


def test_parameters_out_of_range(iris):
    for parameters, message in [
        ({"C": -1.0}, re.escape("The 'C' parameter of SVC must be a float in the range (0, inf]. Got -1.0")),
        ({"tol": 0.0}, "'tol' parameter"),
        ({"gamma": -2.0}, "'gamma' parameter"),
        ({"gamma": "wide"}, "'gamma' parameter"),
        ({"kernel": 3}, "'kernel' parameter"),
        ({"n_jobs": 0}, "n_jobs"),
        ({"max_memory": "much"}, "max_memory"),
        ({"decision_function_shape": "all"}, "ovr"),
        ({"class_weight": {0: -1.0}}, "weight"),
    ]:
        with pytest.raises(ValueError, match=message):
            SVC(**parameters).fit(*iris)
    with pytest.raises(ValueError, match="break_ties"):
        SVC(break_ties=True, decision_function_shape="ovo").fit(*iris).predict(iris[0])


def test_an_unknown_kernel_is_pointed_at(iris):
    with pytest.raises(ValueError) as problem:
        SVC(kernel="rbf(gamma=1) + linaer()").fit(*iris)
    message = str(problem.value)
    assert "did you mean linear" in message
    text, caret = message.splitlines()[-2:]
    assert text[caret.index("^") :].startswith("linaer")


def test_labels_of_any_kind(iris):
    X, y = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    plain = SVC().fit(X, y).predict(X)
    assert_array_equal(SVC().fit(X, names[y]).predict(X), names[plain])
    assert_array_equal(SVC().fit(X, names[y].tolist()).predict(X), names[plain])
    assert_array_equal(SVC().fit(X, names[y].astype(object)).predict(X), names[plain])
    assert_array_equal(SVC().fit(X, pd.Series(names[y], dtype="category")).predict(X), names[plain])
    assert_array_equal(SVC().fit(X, y * 10.0 - 5).predict(X), plain * 10.0 - 5)
    assert_array_equal(SVC().fit(X, y == 2).predict(X), SVC().fit(X, (y == 2).astype(int)).predict(X) == 1)
    with pytest.raises(ValueError, match="continuous"):
        SVC().fit(X, X[:, 0])


def same(a, b):
    assert_allclose(a, b, rtol=1e-9, atol=1e-9)


def test_layouts(iris):
    X, y = iris
    reference = SVC().fit(X, y).decision_function(X)
    wide = np.zeros((300, 9))
    wide[::2, 2:6] = X
    readonly = X.copy()
    readonly.flags.writeable = False
    shifted = np.frombuffer(b"\0" + X.tobytes(), dtype=np.uint8)[1:].view(np.float64).reshape(X.shape)  # not aligned
    for some in [np.asfortranarray(X), wide[::2, 2:6], X[::-1][::-1], X.tolist(), tuple(map(tuple, X)), readonly, X.astype(object), X.astype(">f8"), X.astype(np.longdouble), shifted, X.T.copy().T]:
        before = np.array(some, dtype=np.float64)
        model = SVC().fit(some, y)
        same(model.decision_function(some), reference)
        assert_array_equal(before, np.array(some, dtype=np.float64))
    backwards = SVC().fit(X[:, ::-1], y).decision_function(X[:, ::-1])
    assert_allclose(backwards, reference, atol=1e-3)  # different rounding gives another solution within tol


def test_whole_numbers_and_bools(iris):
    X, y = iris
    whole = np.round(X * 10).astype(np.int64)
    reference = SVC().fit(whole.astype(float), y).decision_function(whole.astype(float))
    for kind in (np.int64, np.int32, np.uint8, np.int16):
        same(SVC().fit(whole.astype(kind), y).decision_function(whole.astype(kind)), reference)
    bits = X > X.mean(axis=0)
    same(SVC().fit(bits, y).decision_function(bits), SVC().fit(bits.astype(float), y).decision_function(bits.astype(float)))


def test_float32_is_taken_as_it_is(iris):
    X, y = iris
    single = X.astype(np.float32)
    model = SVC().fit(single, y)
    assert model.support_vectors_.dtype == np.float32
    assert_allclose(model.decision_function(single), SVC(gamma=1 / (4 * single.var(dtype=np.float64))).fit(single.astype(float), y).decision_function(single.astype(float)), rtol=1e-4, atol=1e-4)


def test_frames(iris):
    X, y = iris
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    model = SVC().fit(frame, pd.Series(y))
    assert_array_equal(model.feature_names_in_, ["a", "b", "c", "d"])
    same(model.decision_function(frame), SVC().fit(X, y).decision_function(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="feature names"):
        model.predict(X)
    model.fit(X, y)
    assert not hasattr(model, "feature_names_in_")


def test_sparse_matrices_stay_as_they_are(iris):
    X, y = iris
    messy = scipy.sparse.csr_matrix((np.array([3.0, 1.0, 2.0, 1.0]), np.array([1, 0, 0, 2]), np.array([0, 2, 4])), shape=(2, 3))
    messy.has_sorted_indices = False
    before = messy.indices.copy()
    SVC().fit(messy, [0, 1])
    assert_array_equal(messy.indices, before)
    double = scipy.sparse.csr_matrix((np.array([1.0, 2.0, 1.0]), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 3))  # the same place twice
    same(SVC(gamma=1.0).fit(double, [0, 1]).decision_function(double), SVC(gamma=1.0).fit(double.toarray(), [0, 1]).decision_function(double.toarray()))
    large = scipy.sparse.csr_matrix(X)
    large.indices, large.indptr = large.indices.astype(np.int64), large.indptr.astype(np.int64)
    assert_array_equal(SVC().fit(large, y).predict(large), SVC().fit(X, y).predict(X))


def test_max_iter_warns_and_leaves_a_model(two_moons):
    X, y = two_moons
    with pytest.warns(ConvergenceWarning, match="max_iter"):
        model = SVC(C=1000.0, max_iter=5).fit(X, y)
    assert model.status_ == "step_limit" and model.fit_status_ == 1 and model.dual_gap_ > 1e-3
    assert model.predict(X).shape == (300,)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert SVC().fit(X, y).status_ == "converged"


def test_fits_behind_probabilities_are_not_silent(two_moons):
    X, y = two_moons
    with pytest.warns(ConvergenceWarning, match="In the fit of the probabilities, 5 of 5 fits did not converge"):
        SVC(C=1000.0, max_iter=5, probability=True).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SVC(probability=True).fit(X, y)


def test_what_a_fit_reached(two_moons):
    X, y = two_moons
    model = SVC(C=2.0).fit(X, y)
    assert 0 <= model.dual_gap_ <= 1e-3
    # ½αᵀKα - Σ|α| from the attributes alone
    K = model.kernel_(X[model.support_])
    alpha = model.dual_coef_[0]
    assert model.objective_ == pytest.approx(0.5 * alpha @ K @ alpha - np.abs(alpha).sum(), rel=1e-6)
    (low, high), b = model.offset_interval_[0], model.intercept_[0]
    assert low - 1e-2 <= b <= high + 1e-2
    assert model.proof().valid and "rbf" in str(model.proof())
    assert model.reports_[0]["size"] == 300


def test_hard_margin():
    X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), [0, 0, 1, 1]
    model = SVC(kernel="linear", C=np.inf).fit(X, y)
    assert_allclose(model.coef_, [[1.0]], rtol=1e-6)
    assert_allclose(model.intercept_, [-2.0], rtol=1e-6)
    with pytest.raises(ValueError, match="separated"):
        SVC(kernel="linear", C=np.inf).fit(X, [0, 1, 0, 1])


def test_memory_and_threads(two_moons):
    X, y = two_moons
    reference = SVC().fit(X, y).decision_function(X)
    for parameters in ({"max_memory": "100MB"}, {"max_memory": 20_000_000}, {"n_jobs": 1}, {"n_jobs": -1}, {"n_jobs": 7}, {"cache_size": 1}):
        assert_array_equal(SVC(**parameters).fit(X, y).decision_function(X), reference)


def test_other_estimators_take_the_same(iris):
    X, y = iris
    frame = pd.DataFrame(X)
    same(SVR().fit(frame, y).predict(frame), SVR().fit(X, y.astype(float)).predict(X))
    same(OneClassSVM().fit(np.asfortranarray(X)).decision_function(X), OneClassSVM().fit(X).decision_function(X))
    with pytest.raises(ValueError, match="infinity|NaN"):
        SVR().fit(X, np.where(y == 0, np.nan, y))
    with pytest.raises(ValueError, match="nu"):
        OneClassSVM(nu=2.0).fit(X)


def test_version():
    assert mercer.__version__ and mercer.threads() >= 1

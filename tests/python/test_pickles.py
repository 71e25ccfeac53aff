"""Models that travel: pickle, joblib, copy, clone, files."""

import copy
import pickle
import subprocess
import sys

import joblib
import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer.kernels import RBF, Callable, Linear

CASES = {
    "SVC": mercer.SVC(),
    "two kernels": mercer.SVC(kernel=0.3 * RBF(gamma=0.2) + Linear(), C=3.0),
    "probability": mercer.SVC(probability=True, random_state=1),
    "callable": mercer.SVC(kernel=rbf_kernel),
    "NuSVC": mercer.NuSVC(nu=0.2),
    "SVR": mercer.SVR(),
    "NuSVR": mercer.NuSVR(),
    "OneClassSVM": mercer.OneClassSVM(),
}


def everything(model, X):
    out = [model.predict(X), model.support_, model.dual_coef_, model.intercept_, model.n_support_, model.offset_interval_, np.asarray(model.n_iter_)]
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            out.append(getattr(model, name)(X))
    return out


@pytest.mark.parametrize("case", CASES)
def test_round_trips(case, iris, tmp_path):
    X, y = iris
    model = clone(CASES[case]).fit(X, y)
    joblib.dump(model, tmp_path / "model.joblib")
    for other in [pickle.loads(pickle.dumps(model, protocol)) for protocol in range(2, 6)] + [copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")]:
        for a, b in zip(everything(model, X), everything(other, X)):
            assert_array_equal(a, b)
        assert other.status_ == model.status_ and other.get_params().keys() == model.get_params().keys()
        assert other._model.to_bytes() == model._model.to_bytes()
    unfitted = clone(model)
    assert not hasattr(unfitted, "status_") and unfitted.get_params().keys() == model.get_params().keys()
    assert pickle.loads(pickle.dumps(unfitted)).fit(X, y).status_ == model.status_


def test_a_fresh_process_reads_it(iris, tmp_path):
    X, y = iris
    model = mercer.SVC(kernel=rbf_kernel).fit(scipy.sparse.csr_matrix(X), y)
    joblib.dump((model, X, model.predict(X)), tmp_path / "model.joblib")
    code = f"import joblib; m, X, p = joblib.load({str(tmp_path / 'model.joblib')!r}); assert (m.predict(X) == p).all(); print('same')"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "same\n"


class Gaussian:
    """A function with a state of its own; all of them have one name."""

    __name__ = "gaussian"

    def __init__(self, gamma):
        self.gamma = gamma

    def __call__(self, X, Z):
        return rbf_kernel(X, Z, gamma=self.gamma)


ESTIMATORS = [
    mercer.SVC(), mercer.NuSVC(nu=0.2), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM(), mercer.Pegasos(max_iter=5), mercer.KernelRidge(), mercer.KernelLogisticRegression(),
    mercer.KernelPCA(3), mercer.KernelKMeans(3), mercer.KernelKMedoids(3), mercer.KernelKNeighborsClassifier(), mercer.KernelKNeighborsRegressor(), mercer.NearestCentroid(),
    mercer.NearestMedoid(),
]  # fmt: skip


def answers(model, X):
    return [getattr(model, name)(X) for name in ("predict", "transform", "decision_function") if hasattr(model, name)]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_functions_of_one_name_stay_apart(estimator, iris):
    X, y = iris[0][::3], iris[1][::3]
    wide, narrow = Gaussian(0.05), Gaussian(3.0)
    model = clone(estimator).set_params(kernel=Callable(wide) + 2.0 * Callable(narrow) + Callable(wide)).fit(X, y)
    reference = clone(estimator).set_params(kernel=RBF(gamma=0.05) + 2.0 * RBF(gamma=3.0) + RBF(gamma=0.05)).fit(X, y)
    # Another model whose function has the same name, made between writing and reading.
    stored = pickle.dumps(model)
    between = clone(estimator).set_params(kernel=Callable(Gaussian(1.0))).fit(X, y)
    for other in [pickle.loads(stored), copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(pickle.loads(stored))), clone(model).fit(X, y)]:
        for a, b, c in zip(answers(other, X), answers(model, X), answers(reference, X)):
            assert_array_equal(a, b)
            if not hasattr(model, "labels_"):  # clusters have no order
                # On the margin of a region the sign of f is rounding error.
                sure = np.abs(reference.decision_function(X)) > 0.01 if isinstance(model, mercer.OneClassSVM) else slice(None)
                np.testing.assert_allclose(a[sure], c[sure], atol=1e-3)
    assert pickle.loads(stored)._model.to_bytes() == model._model.to_bytes()
    for a, b in zip(answers(pickle.loads(pickle.dumps(between)), X), answers(between, X)):
        assert_array_equal(a, b)


def test_names_of_functions():
    def f(X, Z):
        return X @ Z.T

    def f_2(X, Z):
        return 2 * (X @ Z.T)

    first, second, third = Callable(f), Callable(f_2), Callable(f, pairwise=True)
    assert str(first + second + third + first) == "user(f) + user(f_2) + user(f_3) + user(f)"
    assert str(second) == "user(f_2)" and str(third + second) == "user(f) + user(f_2)"
    anonymous = [Callable(lambda X, Z, c=c: c * (X @ Z.T)) for c in (1, 10)]
    assert str(anonymous[0] * anonymous[1]) == "user(lambda)*user(lambda_2)"
    assert (anonymous[0] + anonymous[1])([[1.0]]) == [[11.0]]


def test_a_fitted_kernel_does_not_follow_its_parameter(iris):
    X, y = iris
    kernel = Callable(Gaussian(0.1)) + RBF(gamma=0.5)
    model = mercer.SVC(kernel=kernel).fit(X, y)
    before = model.decision_function(X)
    kernel.set_params(k1__function=Gaussian(5.0), k2__gamma=7.0)
    assert str(model.kernel_) == "user(gaussian) + rbf(gamma=0.5)"
    assert_array_equal(pickle.loads(pickle.dumps(model)).decision_function(X), before)


def test_many_threads_read_models_whose_functions_share_a_name(iris):
    X, y = iris
    stored = [(pickle.dumps(m), m.decision_function(X)) for m in (mercer.SVC(kernel=Gaussian(gamma)).fit(X, y) for gamma in (0.01, 0.1, 1.0, 10.0))]
    read = joblib.Parallel(n_jobs=4, backend="threading")(joblib.delayed(lambda b: pickle.loads(b).decision_function(X))(b) for b, _ in stored * 25)
    for found, (_, expected) in zip(read, stored * 25):
        assert_array_equal(found, expected)


def test_refit_replaces_everything(iris, two_moons):
    model = mercer.SVC().fit(*iris)
    model.fit(*two_moons)
    fresh = mercer.SVC().fit(*two_moons)
    for a, b in zip(everything(model, two_moons[0]), everything(fresh, two_moons[0])):
        assert_array_equal(a, b)
    assert model.n_features_in_ == 2


def test_files_of_the_library(iris, tmp_path):
    X, y = iris
    model = mercer.SVC().fit(X, y)
    model.save(tmp_path / "iris.model")
    read = mercer._core.Model.load(str(tmp_path / "iris.model"))
    assert_array_equal(read.predict(mercer._core.dense(X), None), model.predict(X))
    with pytest.raises(OSError):
        mercer._core.Model.load(str(tmp_path / "nowhere.model"))
    with pytest.raises(ValueError):
        mercer._core.Model.from_bytes(b"mercer-svm-model 1 but cut")

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
from mercer.kernels import RBF, Linear

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
    read = mercer._core.SvmModel.load(str(tmp_path / "iris.model"))
    assert_array_equal(read.predict(mercer._core.dense(X), False, None), model.predict(X))
    with pytest.raises(OSError):
        mercer._core.SvmModel.load(str(tmp_path / "nowhere.model"))
    with pytest.raises(ValueError):
        mercer._core.SvmModel.from_bytes(b"mercer-svm-model 1 but cut")

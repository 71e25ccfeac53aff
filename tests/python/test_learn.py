"""mercer.learn_kernel and nested searches."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine

import mercer
from mercer.kernels import RBF, Linear, Scaled


@pytest.fixture
def wine():
    X, y = load_wine(return_X_y=True)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def test_weights_of_a_sum(wine):
    X, y = wine
    for kernel in ([RBF(gamma=0.1), Linear()], "rbf(gamma=0.1) + linear()", RBF(gamma=0.1) + Linear()):
        found = mercer.learn_kernel(mercer.SVC(C=3), X, y, kernel=kernel)
        assert found.status == "converged" and found.gap <= 1e-3 * found.about["objective"]
        assert found.parts == ["rbf(gamma=0.1)", "linear()"]
        assert (found.weights >= 0).all() and np.isclose(found.weights.sum(), 1)
        assert found.estimator.C == 3 and found.estimator.score(X, y) > 0.98
        assert str(found.estimator.kernel_) == str(found.kernel)
    two = mercer.learn_kernel(mercer.SVC(), X, y, norm=2)
    assert np.isclose((two.weights**2).sum(), 1) and (two.weights > 0).all()
    names = mercer.learn_kernel(mercer.SVC(), X, np.array(["a", "b", "c"])[y])
    assert set(names.estimator.predict(X)) == {"a", "b", "c"}
    assert mercer.learn_kernel(mercer.OneClassSVM(nu=0.2), X).status == "converged"
    assert mercer.learn_kernel(mercer.KernelLogisticRegression(), X, y, by="alignment").about["alignment"] > 0.3


def test_relevance_of_columns():
    X, y = load_diabetes(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    rng = np.random.RandomState(0)
    X = np.hstack([X[:, [2, 8]], rng.randn(len(X), 3)])
    found = mercer.learn_kernel(mercer.KernelRidge(), X, y, by="relevance")
    assert found.weights.shape == (5,) and found.weights[:2].min() > 10 * found.weights[2:].max()
    assert found.estimator.alpha == pytest.approx(found.about["noise"], rel=1e-4)
    other = mercer.learn_kernel(mercer.SVR(), X, y, by="relevance", kernel="matern(nu=2.5)", criterion="loo")
    assert isinstance(other.kernel, Scaled)


def test_mistakes(wine):
    X, y = wine
    with pytest.raises(ValueError, match="'mkl', 'alignment' or 'relevance'"):
        mercer.learn_kernel(mercer.SVC(), X, y, by="magic")
    with pytest.raises(Exception, match="weights are learnt together with svc"):
        mercer.learn_kernel(mercer.KernelRidge(), X, y)
    with pytest.warns(UserWarning, match="step_limit"):
        mercer.learn_kernel(mercer.SVC(), X, y, max_iter=1, tol=1e-9)


def test_nested(wine):
    X, y = wine
    found = mercer.tune(mercer.SVC(), X, y, points=3, nested=3)
    assert found.nested["low"] < found.nested["mean"] <= found.nested["high"] and len(found.nested["folds"]) == 3
    assert mercer.tune(mercer.SVC(), X, y, points=2).nested is None


def test_scaled():
    X = np.random.RandomState(0).randn(6, 3)
    k = Scaled(RBF(gamma=0.5), [1, 0, 2])
    np.testing.assert_allclose(k(X), RBF(gamma=0.5)(X * [1, 0, 2]), atol=1e-12)
    assert k == mercer.kernels.parse(str(k))

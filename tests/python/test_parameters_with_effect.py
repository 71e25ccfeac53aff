"""A parameter either has an effect or is refused, with its name and what to do."""

import re

import numpy as np
import pytest
from sklearn.base import clone

import mercer
from mercer.kernels import RBF, Columns, Linear, Polynomial, Sigmoid

RANDOM = np.random.default_rng(3)
X = np.abs(RANDOM.normal(size=(30, 4))) * [1.0, 2.0, 0.5, 3.0]  # whose inner products are affinities
Y = np.arange(30) % 2
SCALE = 1 / (4 * X.var())
WITH_KERNEL = [
    mercer.SVC(), mercer.NuSVC(), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM(), mercer.Pegasos(max_iter=3), mercer.KernelRidge(), mercer.KernelLogisticRegression(),
    mercer.KernelPCA(), mercer.KernelKMeans(2), mercer.KernelKMedoids(2), mercer.KernelKNeighborsClassifier(), mercer.KernelKNeighborsRegressor(), mercer.NearestCentroid(),
    mercer.NearestMedoid(), mercer.Nystroem(), mercer.CellsSVC(), mercer.CellsLogistic(), mercer.CellsSVR(),
    mercer.CellsRidge(), mercer.NystroemRidge(), mercer.NystroemLogistic(), mercer.NystroemSVC(),
    mercer.NystroemKMeans(2), mercer.NystroemSpectralClustering(2),
]  # fmt: skip


def test_every_estimator_with_a_kernel_is_here():
    having = set()
    for name in mercer.__all__:
        parameters = getattr(mercer, name)().get_params() if hasattr(getattr(mercer, name), "get_params") else ()
        if "kernel" in parameters and "gamma" in parameters:  # LinearSVC takes kernels, but no numbers of theirs
            having.add(name)
    having.remove("RandomFeatures")  # works for a few kernels only
    assert having == {type(each).__name__ for each in WITH_KERNEL}


@pytest.mark.parametrize("estimator", WITH_KERNEL, ids=lambda e: type(e).__name__)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_a_kernel_does_not_take_up_is_refused(estimator):
    for kernel in ("rbf + linear", "rbf(gamma=0.5)", RBF(gamma=0.5), Columns(RBF(gamma=1.0) + Linear(), [0, 1])):
        assert clone(estimator).set_params(kernel=kernel).fit(X, Y).kernel_ is not None
        for name, value in {"gamma": 0.01, "degree": 5, "coef0": 0.7}.items():
            with pytest.raises(ValueError, match=f"{name}={value} has no effect on the kernel .*: write it where it is meant"):
                clone(estimator).set_params(kernel=kernel, **{name: value}).fit(X, Y)
    # A kernel given by name uses the parameters that it has, as in scikit-learn: searches over several kernels rely on
    # this.
    assert clone(estimator).set_params(kernel="linear", gamma=0.01, degree=5).fit(X, Y).kernel_ == Linear()


def same_kernel(a, b):
    """The same formula, its numbers up to their last bits: a variance may be summed in any order."""
    number = r"\d[\d.e-]*"
    assert re.sub(number, "#", str(a)) == re.sub(number, "#", str(b))
    np.testing.assert_allclose([float(n) for n in re.findall(number, str(a))], [float(n) for n in re.findall(number, str(b))], rtol=1e-13)


@pytest.mark.parametrize(
    "kernel, given, meant",
    [
        ("rbf(gamma=gamma) + linear()", {"gamma": 0.01}, RBF(gamma=0.01) + Linear()),
        ("rbf(gamma=gamma) + linear()", {}, RBF(gamma=SCALE) + Linear()),
        ("rbf( gamma = gamma )*2", {"gamma": "auto"}, 2 * RBF(gamma=0.25)),
        ("rbf(gamma=scale) + rbf(gamma=auto)", {}, RBF(gamma=SCALE) + RBF(gamma=0.25)),
        ("poly(degree=degree, gamma=gamma, coef0=coef0)", {"degree": 4, "gamma": 0.5, "coef0": 2.0}, Polynomial(degree=4, gamma=0.5, coef0=2.0)),
        (RBF(gamma="scale") + Linear(), {}, RBF(gamma=SCALE) + Linear()),
        (Columns(RBF(gamma="gamma"), [1]) * Sigmoid(gamma="auto", coef0="coef0"), {"gamma": 3.0, "coef0": 0.1}, Columns(RBF(gamma=3.0), [1]) * Sigmoid(gamma=0.25, coef0=0.1)),
    ],
)
def test_expressions_take_up_the_estimators_parameters(kernel, given, meant):
    model = mercer.SVC(kernel=kernel, **given)
    for each in (model, clone(model)):
        same_kernel(each.fit(X, Y).kernel_, meant)
    if not isinstance(kernel, str):
        assert kernel.get_params() == clone(kernel).get_params()  # the object itself is unchanged


def test_scale_leaves_out_what_has_no_weight():
    weight = np.r_[np.zeros(10), np.ones(20)]
    model = mercer.SVC(kernel="rbf(gamma=scale) + linear()").fit(X, Y, weight)
    same_kernel(model.kernel_, RBF(gamma=1 / (4 * X[10:].var())) + Linear())


def test_a_text_needs_data():
    for kernel in (RBF(gamma="scale"), RBF(gamma="scale") + Linear()):
        with pytest.raises(ValueError, match="'scale' is a number that an estimator computes in fit"):
            kernel(X)
    with pytest.raises(ValueError, match="gamma must be a number, 'scale', 'auto' or None, got 'wide'"):
        mercer.SVC(kernel=RBF(gamma="wide")).fit(X, Y)


@pytest.mark.parametrize(
    "estimator, message",
    [
        (mercer.KernelRidge(alpha=0.5, alphas=[0.1, 1.0]), "alpha=0.5 has no effect beside alphas: leave one of them out"),
        (mercer.KernelRidge(alpha_score="loo"), "alpha_score='loo' has no effect without alphas: set alphas, or leave it out"),
        (mercer.KernelRidge(kernel="rbf", kernel_params={"p": 1}), "kernel_params has no effect on the kernel 'rbf'"),
        (mercer.KernelLogisticRegression(C=2.0, alpha=0.1), "C=2.0 has no effect beside alpha: leave one of them out"),
        (mercer.Pegasos(C=2.0, alpha=0.1), "C=2.0 has no effect beside alpha: leave one of them out"),
        (mercer.Pegasos(kernel="rbf", projection=True), "projection needs the linear kernel"),
        (mercer.KernelKMedoids(2, n_init=5), "n_init=5 has no effect with init='build'"),
    ],
    ids=lambda e: type(e).__name__ if not isinstance(e, str) else "",
)
def test_other_parameters(estimator, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        estimator.fit(X, Y)


def test_tests_of_hypotheses():
    more = {"n_permutations": 20}
    with pytest.raises(ValueError, match="gamma=0.5 has no effect"):
        mercer.mmd_test(X[:15], X[15:], kernel=RBF(gamma=1.0), gamma=0.5, **more)
    with pytest.raises(ValueError, match="gamma=0.5 has no effect"):
        mercer.hsic_test(X[:, :2], X[:, 2:], kernel=RBF(gamma=1.0), kernel_y="rbf + linear", gamma=0.5, **more)
    assert mercer.hsic_test(X[:, :2], X[:, 2:], kernel="rbf", kernel_y=RBF(gamma=1.0), gamma=0.5, **more).pvalue <= 1
    assert mercer.mmd_test(X[:15], X[15:], kernel="rbf(gamma=gamma) + linear()", gamma=0.5, **more).pvalue <= 1

"""Every parameter is checked at the start of a fit, and the message names the one that is wrong."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_param_validation

import mercer
from mercer._parameters import METHODS

ESTIMATORS = [getattr(mercer, name)() for name in mercer.__all__ if hasattr(getattr(mercer, name), "get_params") and name not in ("kernels", "TextFeatures")]  # texts are checked as vectorisers are


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_scikit_learns_check(estimator):
    """A value of the wrong type and one out of range, for each parameter in turn."""
    check_param_validation(type(estimator).__name__, estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("value", ["2", 1.5, [1]], ids=repr)
def test_threads(estimator, value):
    with pytest.raises(ValueError, match="The 'n_jobs' parameter of .* must be"):
        clone(estimator).set_params(n_jobs=value).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize(
    "model, name",
    [
        (mercer.SVC(C="1"), "C"),
        (mercer.SVC(C=np.nan), "C"),
        (mercer.SVC(gamma="scaled"), "gamma"),
        (mercer.SVC(solver="newton"), "solver"),
        (mercer.SVC(class_weight="even"), "class_weight"),
        (mercer.NuSVC(nu=1.5), "nu"),
        (mercer.SVR(epsilon=-1), "epsilon"),
        (mercer.LinearSVC(C=np.inf), "C"),
        (mercer.LinearSVC(multi_class="crammer_singer"), "multi_class"),
        (mercer.KernelPCA(n_components=1.5), "n_components"),
        (mercer.KernelRidge(alpha=-1), "alpha"),
        (mercer.NearestCentroid(metric="haversine"), "metric"),
        (mercer.NearestCentroid(shrink_threshold=0), "shrink_threshold"),
        (mercer.KernelKNeighborsClassifier(weights="near"), "weights"),
        (mercer.KernelKMeans(n_clusters=0), "n_clusters"),
    ],
    ids=str,
)
def test_examples(model, name):
    with pytest.raises(ValueError, match=f"The '{name}' parameter of {type(model).__name__} must be"):
        model.fit([[0.0], [1.0]], [0, 1])


def test_a_hard_margin_is_allowed():
    assert mercer.SVC(C=np.inf, kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 0, 1]).predict([[3.0]]) == [1]


# Parameters whose default is scikit-learn's instead of the method's own.
SCIKIT_LEARNS = {("KernelPCA", "n_components"), ("KernelPCA", "tol"), ("KernelPCA", "max_iter")}


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_defaults_are_those_of_the_method(estimator):
    """A parameter that is an option of the library's method has the default that the method describes."""
    described = METHODS[estimator._method]
    for name, option in estimator._shared.items():
        if (type(estimator).__name__, name) not in SCIKIT_LEARNS:
            assert getattr(estimator, name) == described[option]["default"], name


def test_methods_describe_their_options():
    methods = mercer._core.methods()
    assert len(methods) == 32
    assert methods["svc"]["C"]["default"] == 1.0 and methods["svc"]["C"]["condition"] == "0 < C <= inf"
    assert methods["svc"]["solver"]["choices"] == list(dict.fromkeys(methods["svc"]["solver"]["choices"])) and methods["svc"]["solver"]["default"] == "smo"
    assert all(option["about"] for options in methods.values() for option in options.values())

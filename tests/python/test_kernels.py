"""Kernels as objects."""

import collections
import copy
import pickle

import numpy as np
import pytest
import sklearn.svm
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics import pairwise
from sklearn.model_selection import GridSearchCV

import mercer
from mercer import SVC, kernels
from mercer.kernels import RBF, Columns, Constant, Exp, Linear, Normalize, Polynomial, PolynomialOf, Spectrum

RANDOM = np.random.default_rng(0)
X = RANDOM.uniform(0.1, 1, size=(30, 4))
Z = RANDOM.uniform(0.1, 1, size=(20, 4))
ARGUMENTS = {"Anisotropic": {"covariance": np.diag([1.0, 2.0, 3.0, 4.0])}, "Bilinear": {"A": np.eye(4)}, "Mismatch": {"letters": 8}}
STRINGS = ["banana", "bandana", "cabana", "ananas", "", "na"]
SETS = [{1, 2, 3}, frozenset({2, 3}), set(), {1, 5}, {-7}]
OBJECTS = {
    "strings": STRINGS,
    "sets": SETS,
    "multisets": [collections.Counter("banana"), collections.Counter({"a": 2, "z": 1}), collections.Counter()],
    "graphs": [{"nodes": [1, 2, 1], "edges": [(0, 1), (1, 2)], "attributes": [[0.1], [0.5], [2.0]]}, {"nodes": 1, "edges": [], "attributes": [[1.0]]}],
    "points": [(["H", "H"], np.array([[0.0, 0, 0], [0, 0, 0.7]])), (["O"], np.array([[1.0, 2, 3]]))],
    "images": [np.arange(48, dtype=np.uint8).reshape(4, 4, 3) * 5, np.eye(4, dtype=np.uint8)[:, :, None] * np.array([1, 2, 250], dtype=np.uint8), np.linspace(0, 1, 48).reshape(4, 4, 3) ** 2],
    "series": [np.array([0.0, 1, 2]), np.array([1.0, 0]), np.array([0.5])],
    "trees": ["(S (NP (D the) (N dog)) (VP barks))", "(S (NP dogs) (VP bark))", ("S", ("NP", "dogs"), "sleep")],
}


def everything():
    """One object of every class of the registry."""
    for entry in mercer._core.registry():
        cls = kernels._BY_NAME[entry["name"]]
        yield entry, cls(**ARGUMENTS.get(cls.__name__, {}))


def objects_for(entry):
    return OBJECTS.get(entry["domain"], X)


@pytest.mark.parametrize("entry, k", everything(), ids=lambda e: e["name"] if isinstance(e, dict) else "")
def test_every_kernel(entry, k):
    objects = objects_for(entry)
    K = k(objects)
    assert K.shape == (len(objects), len(objects)) and K.dtype == np.float64
    assert_allclose(K, K.T)
    assert_allclose(k.diag(objects), np.diag(K))
    assert_allclose(k(objects, objects[:2]), K[:, :2])
    assert kernels.parse(str(k)) == k
    for same in (pickle.loads(pickle.dumps(k)), copy.deepcopy(k), clone(k)):
        assert same == k and str(same) == str(k) and same is not k
    assert bool(k.proof()) == entry["mercer"]
    if entry["mercer"]:
        assert k.test(objects).verdict == "certified"
    assert type(k).__doc__.startswith(f"The kernel {entry['name']}: {entry['formula']}.")
    assert [kernels._own_name(name) for name, *_ in entry["parameters"]] == [name for name in k.get_params() if name not in entry["other_arguments"]]


@pytest.mark.parametrize(
    "k, reference",
    [
        (RBF(gamma=0.7), lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.7)),
        (RBF(sigma=2.0), lambda a, b: pairwise.rbf_kernel(a, b, gamma=1 / 8)),
        (Polynomial(degree=2, gamma=0.5, coef0=1.0), lambda a, b: pairwise.polynomial_kernel(a, b, degree=2, gamma=0.5, coef0=1.0)),
        (Linear(), pairwise.linear_kernel),
        (kernels.Cosine(), pairwise.cosine_similarity),
        (kernels.Laplacian(gamma=0.3), lambda a, b: pairwise.laplacian_kernel(a, b, gamma=0.3)),
        (kernels.Chi2(gamma=2.0), lambda a, b: pairwise.chi2_kernel(a, b, gamma=2.0)),
        (kernels.Sigmoid(gamma=0.3, coef0=0.1), lambda a, b: pairwise.sigmoid_kernel(a, b, gamma=0.3, coef0=0.1)),
        (2 * RBF(gamma=0.5) + Linear() * Linear(), lambda a, b: 2 * pairwise.rbf_kernel(a, b, gamma=0.5) + (a @ b.T) ** 2),
        (Linear() ** 3 + 1, lambda a, b: (a @ b.T) ** 3 + 1),
        (1 + Linear(), lambda a, b: a @ b.T + 1),
        (Linear() - 0.5 * Constant(2.0), lambda a, b: a @ b.T - 1),
        (Exp(Linear()), lambda a, b: np.exp(a @ b.T)),
        (Normalize(Linear()), pairwise.cosine_similarity),
        (PolynomialOf(Linear(), [1.0, 0.0, 2.0]), lambda a, b: 1 + 2 * (a @ b.T) ** 2),
        (Columns(Linear(), [0, 2]), lambda a, b: a[:, [0, 2]] @ b[:, [0, 2]].T),
    ],
    ids=lambda each: str(each) if isinstance(each, kernels.Kernel) else "",
)
def test_values_and_the_algebra(k, reference):
    assert_allclose(k(X, Z), reference(X, Z), rtol=1e-12)
    assert_allclose(k(X), reference(X, X), rtol=1e-12, atol=1e-14)
    single = k(X.astype(np.float32), Z.astype(np.float32))
    assert single.dtype == np.float32 and k(X.astype(np.float32), Z).dtype == np.float64
    assert_allclose(single, reference(X, Z), rtol=1e-4, atol=1e-5)
    again = kernels.parse(str(k))
    assert str(again) == str(k)
    assert_allclose(again(X, Z), k(X, Z))
    assert eval(repr(k), vars(kernels)) == k


def test_parameters_by_name():
    k = 0.5 * RBF(gamma=0.1) + Polynomial(degree=2)
    assert k.get_params()["k1__k__gamma"] == 0.1 and k.get_params()["k2__degree"] == 2
    before = clone(k)
    k.set_params(k1__k__gamma=3.0, k2__coef0=1.0)
    assert str(k) == "0.5*rbf(gamma=3) + poly(degree=2, gamma=1, coef0=1)"
    assert before != k and before == 0.5 * RBF(gamma=0.1) + Polynomial(degree=2)
    with pytest.raises(ValueError, match="Invalid parameter"):
        k.set_params(gamma=1)
    with pytest.raises(TypeError, match="gama"):
        RBF(gama=1.0)
    with pytest.raises(TypeError, match="must be given"):
        kernels.Bilinear()
    with pytest.raises(ValueError, match="gamma > 0"):
        RBF(gamma=-1.0)(X)
    with pytest.raises(ValueError, match="both given"):
        RBF(gamma=3.0, sigma=1.0)(X)


def test_names_of_scikit_learn_and_aliases():
    assert kernels.Gaussian is RBF and kernels.Poly is Polynomial and kernels.ExpSineSquared is kernels.Periodic
    for name in ("RBF", "Matern", "RationalQuadratic", "Cosine", "Intersection", "Spectrum", "Jaccard", "SetPower"):
        assert name in kernels.__all__ and getattr(kernels, name).__name__ == name


def test_search_over_parameters_of_the_kernel(two_moons):
    grid = {"kernel__gamma": [1e-3, 1.0, 10.0], "C": [1.0, 10.0]}
    search = GridSearchCV(SVC(kernel=RBF()), grid, cv=3).fit(*two_moons)
    other = GridSearchCV(sklearn.svm.SVC(), {"gamma": grid["kernel__gamma"], "C": grid["C"]}, cv=3).fit(*two_moons)
    assert search.best_params_ == {"kernel__gamma": other.best_params_["gamma"], "C": other.best_params_["C"]}
    assert_allclose(search.cv_results_["mean_test_score"], other.cv_results_["mean_test_score"], atol=1.1 / 300)
    assert search.best_estimator_.kernel_.gamma == other.best_params_["gamma"]
    nested = GridSearchCV(SVC(kernel=0.5 * RBF() + Linear()), {"kernel__k1__k__gamma": [0.1, 1.0]}, cv=2, n_jobs=2).fit(*two_moons)
    assert nested.best_estimator_.get_params()["kernel__k1__k__gamma"] in (0.1, 1.0)


def test_one_kernel_in_four_forms(two_moons):
    points, y = two_moons
    f = SVC(gamma=0.5).fit(points, y).decision_function(points)
    for kernel in ("rbf(gamma=0.5)", RBF(gamma=0.5), lambda a, b: pairwise.rbf_kernel(a, b, gamma=0.5), kernels.Callable(lambda a, b: np.exp(-0.5 * ((a - b) ** 2).sum()), pairwise=True)):
        assert_allclose(SVC(kernel=kernel, tol=1e-8).fit(points, y).decision_function(points), f, atol=5e-3)


def test_proofs_and_tests():
    good = 0.5 * RBF(gamma=0.1) + Normalize(Polynomial(coef0=1.0))
    assert good.proof().valid and str(good.proof()).count("\n") >= 3 and not good.proof().faults()
    assert good.test(X).verdict == "certified" and good.test(X)
    bad = RBF() - 2 * Linear()
    assert not bad.proof().valid and bad.proof().faults()
    result = bad.test(X)
    assert result.verdict == "indefinite" and not result
    points, c, value = result.witness
    assert value < 0 and c @ bad(X[points]) @ c == pytest.approx(value, rel=1e-6)
    lopsided = kernels.Callable(lambda a, b: a[:, :1] - b[:, 0])
    assert lopsided.test(X).verdict == "asymmetric"
    with pytest.raises(ValueError, match="not symmetric"):
        SVC(kernel=lopsided).fit(X, np.arange(30) % 2)


def test_feature_maps():
    k = Polynomial(degree=2, coef0=1.0)
    phi = k.feature_map(4)
    assert_allclose(phi.transform(X) @ phi.transform(Z).T, k(X, Z))
    assert len(phi) == len(phi.names) == phi.transform(X).shape[1] == 15
    with pytest.raises(ValueError):
        RBF().feature_map(2)


def test_functions():
    def wrong(a, b):
        return np.zeros((1, 1))

    def broken(a, b):
        raise ZeroDivisionError("in the kernel")

    y = np.arange(30) % 2
    with pytest.raises(ValueError, match="30|kernel values"):
        SVC(kernel=wrong).fit(X, y)
    with pytest.raises(ZeroDivisionError, match="in the kernel"):
        SVC(kernel=broken).fit(X, y)
    with pytest.raises(ValueError, match="finite"):
        SVC(kernel=lambda a, b: np.full((len(a), len(b)), np.nan)).fit(X, y)
    mixed = 2 * kernels.Callable(pairwise.rbf_kernel) + Linear()
    assert_allclose(mixed(X, Z), 2 * pairwise.rbf_kernel(X, Z) + X @ Z.T)
    model = SVC(kernel=mixed).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(Z), model.decision_function(Z))


def test_strings():
    text = ["spam spam eggs", "spam and eggs", "eggs spam", "ham on rye", "rye with ham", "ham rye ham"]
    y = ["breakfast"] * 3 + ["lunch"] * 3
    for form in (list, tuple, np.array, lambda t: np.array(t, dtype=object)):
        model = SVC(kernel=Normalize(Spectrum(k=3)), C=10.0).fit(form(text), y)
        assert_array_equal(model.predict(form(text)), y)
        assert_array_equal(model.predict(["spam", "rye"]), ["breakfast", "lunch"])
        assert not hasattr(model, "n_features_in_")
    assert model.support_vectors_ == [text[i] for i in model.support_]
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(text), y)
    counts = kernels.Spectrum(k=1)(["aab", "b"])
    assert_array_equal(counts, [[5, 1], [1, 1]])
    assert_array_equal(SVC(kernel="spectrum(k=2)").fit(text, y).predict(text), y)
    with pytest.raises(ValueError):
        SVC().fit(text, y)
    with pytest.raises(ValueError):
        Spectrum()(X)
    search = GridSearchCV(SVC(kernel=Spectrum()), {"kernel__k": [1, 2, 3]}, cv=2).fit(text, y)
    assert search.best_score_ > 0.5
    accented = kernels.Spectrum(k=2)(["é", "e"])
    assert_array_equal(accented, [[1, 0], [0, 0]])  # two bytes in UTF-8


def test_sets():
    baskets = [{"bread", "milk"}, {"bread", "milk", "eggs"}, frozenset({"milk", "eggs"}), {"nails", "glue"}, {"glue", "wood"}, {"nails", "wood", "glue"}]
    y = [0, 0, 0, 1, 1, 1]
    model = SVC(kernel="jaccard").fit(baskets, y)
    assert_array_equal(model.predict([{"milk"}, {"wood", "something new"}]), [0, 1])
    assert_array_equal(kernels.SetIntersection()([{1, 2, 3}, {2, 3}, set()]), [[3, 2, 0], [2, 2, 0], [0, 0, 0]])
    assert_array_equal(kernels.SetPower()([{"a", "b"}, {"b"}]), [[4, 2], [2, 2]])
    number = {item: 7 * place for place, item in enumerate(sorted(frozenset().union(*baskets)))}
    by_number = [{number[item] for item in basket} for basket in baskets]
    assert_allclose(kernels.Jaccard()(by_number), kernels.Jaccard()(baskets))
    assert_array_equal(pickle.loads(pickle.dumps(model)).predict(baskets), y)
    with pytest.raises(TypeError, match="set"):
        kernels.Jaccard()([{1}, 2])
    with pytest.raises(TypeError, match="items"):
        kernels.Jaccard()([{1.5}])
    for estimator in (mercer.SVR(kernel="jaccard"), mercer.OneClassSVM(kernel="jaccard"), mercer.NuSVC(kernel="jaccard"), mercer.NuSVR(kernel="jaccard")):
        assert estimator.fit(baskets, y).predict(baskets).shape == (6,)


def test_text_forms_are_pointed_at():
    with pytest.raises(ValueError) as problem:
        kernels.parse("rbf(gamma=1) +* linear()")
    assert "^" in str(problem.value)


def test_series_of_one_length_are_series_still():
    ragged = [np.array([0.0, 1, 2]), np.array([1.0, 0]), np.array([0.5, 1, 1, 2]), np.array([2.0])] * 5
    y = np.arange(20) % 2
    model = SVC(kernel="global_alignment(sigma=1)").fit(ragged, y)
    assert_array_equal(model.predict([ragged[0]]), model.predict(ragged)[:1])
    assert_array_equal(model.predict(np.array([[0.0, 1, 2]])), model.predict(ragged)[:1])
    even = [np.array([0.0, 1, 2]), np.array([1.0, 0, 4]), [3, 1, 1]] * 4
    SVC(kernel="global_alignment(sigma=1)").fit(even, np.arange(12) % 2)
    assert kernels.parse("time_warp()")(even).shape == (12, 12)

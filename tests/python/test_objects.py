"""Objects as Python has them: series, trees, texts of any bytes; Fourier features against numpy's transform."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mercer import SVC, LinearSVC, TextFeatures
from mercer.kernels import RBF, Field, Fourier, Pullback, Shapelets, SubsetTrees, Subtrees, parse

RANDOM = np.random.default_rng(3)
SERIES = [RANDOM.normal(size=n) for n in (1, 2, 7, 16, 33, 64)]


def fourier(x, terms, phases):
    c = np.fft.rfft(x) / len(x)
    weight = np.full(len(c), np.sqrt(2))
    weight[0] = 1
    if len(x) % 2 == 0:
        weight[-1] = 1
    c = (c * weight)[: terms + 1]
    c = np.concatenate([c, np.zeros(terms + 1 - len(c))])
    return np.concatenate([[c[0].real], np.ravel([c[1:].real, c[1:].imag]) if phases else np.abs(c[1:])])


@pytest.mark.parametrize("phases", [0, 1])
@pytest.mark.parametrize("terms", [1, 5, 40])
def test_fourier_features_are_those_of_numpy(terms, phases):
    rows = np.array([fourier(x, terms, phases) for x in SERIES])
    assert_allclose(Fourier(terms, phases)(SERIES), rows @ rows.T, atol=1e-13)
    assert_allclose(Pullback(Fourier(terms, phases), RBF(0.5))(SERIES), RBF(0.5)(rows), atol=1e-13)


def test_series_of_one_length_are_series_where_the_kernel_says_so():
    X = RANDOM.normal(size=(30, 20))
    assert_array_equal(Fourier(4)(X), Fourier(4)(list(X)))
    paths = RANDOM.normal(size=(10, 12, 2))
    assert_allclose(Fourier(4)(paths), Fourier(4)(list(paths[:, :, 0])) + Fourier(4)(list(paths[:, :, 1])), atol=1e-14)


def test_shapes_tell_bumps_from_steps():
    def one(step):
        x = 0.1 * RANDOM.normal(size=int(RANDOM.integers(60, 90)))
        at = int(RANDOM.integers(10, 40))
        x[at : None if step else at + 8] += 3
        return 10 * x + 100

    X, y = [one(i % 2) for i in range(80)], np.arange(80) % 2
    model = SVC(kernel="pullback(shapelets(count=60, length=9, spread=2), rbf(gamma=1))", C=10).fit(X[:40], y[:40])
    assert model.score(X[40:], y[40:]) > 0.9
    shown = SVC(kernel=Shapelets(20)).fit(X, y).explain(X[0])
    assert any(each.name.startswith("shape ") for each in shown.features)


class Tree(list):
    """As nltk has them."""

    def __init__(self, label, children):
        super().__init__(children)
        self._label = label

    def label(self):
        return self._label

    def leaves(self):
        return [leaf for child in self for leaf in (child.leaves() if isinstance(child, Tree) else [child])]


TEXTS = ["(S (NP (D the) (N dog)) (VP barks))", "(S (NP (D a) (N dog)) (VP barks))", "(S (NP dogs) (VP bark))", "leaf", ""]


def test_trees_in_every_form():
    want = SubsetTrees(0.5)(TEXTS)
    tuples = [("S", ("NP", ("D", "the"), ("N", "dog")), ("VP", "barks")), ("S", ["NP", ["D", "a"], ["N", "dog"]], ["VP", "barks"]), "(S (NP dogs) (VP bark))", ("leaf",), ""]
    assert_array_equal(SubsetTrees(0.5)(tuples), want)
    trees = [Tree("S", [Tree("NP", [Tree("D", ["the"]), Tree("N", ["dog"])]), Tree("VP", ["barks"])]), Tree("S", [Tree("NP", ["dogs"]), Tree("VP", ["bark"])])]
    assert_array_equal(SubsetTrees(0.5)(trees), want[np.ix_([0, 2], [0, 2])])
    assert Subtrees()([("a b", "(")])[0, 0] == 1  # labels may hold anything
    assert Subtrees()(np.array(TEXTS, dtype=object))[0, 1] == 2  # (N dog), (VP barks)


def test_a_machine_on_trees_travels_and_explains():
    X = [("S", ("NP", "dogs" if i % 2 else "cats"), ("VP", "sleep" if i % 3 else "run")) for i in range(30)]
    y = np.arange(30) % 2
    model = SVC(kernel="subtrees()").fit(X, y)
    assert model.score(X, y) == 1
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.decision_function(X), model.decision_function(X))
    top = max(model.explain(X[1]).features, key=lambda each: each.share)
    assert "dogs" in top.name
    shown = model.explain(X[1])
    assert len(shown.parts) == 5 and sum(shown.parts) == pytest.approx(shown.f - shown.offset)
    assert ">d</text>" in shown.picture()
    assert LinearSVC(kernel="subtrees()").fit(X, y).score(X, y) == 1


def test_what_is_no_tree_is_named():
    with pytest.raises(ValueError, match=r"tree 1:1:5: expected 1 more '\)', got the end"):
        Subtrees()(["(a b)", "(a b"])
    with pytest.raises(TypeError, match="tree 1 must be a text in brackets, an nltk.Tree or"):
        Subtrees()(["(a b)", 3])


def test_fields_are_what_the_kernel_compares():
    curves = RANDOM.normal(size=(20, 6))
    rows = [{"curve": list(c), "parse": t, "bag": {"x": i % 3}} for i, (c, t) in enumerate(zip(curves, (TEXTS * 4)[:20]))]
    k = Field("curve", Fourier(3)) + Field("parse", SubsetTrees()) + Field("bag", parse("min_max()"))
    want = Fourier(3)(curves) + SubsetTrees()([each["parse"] for each in rows]) + parse("min_max()")([each["bag"] for each in rows])
    assert_allclose(k(rows), want, atol=1e-14)
    assert SVC(kernel=str(k)).fit(rows, np.arange(20) % 2).predict(rows).shape == (20,)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": np.arange(4.0), "b": np.ones(4)})
    assert_allclose(parse("field(a, linear())")(frame), np.outer(np.arange(4), np.arange(4)))


def test_bytes_that_are_not_utf8_are_letters():
    raw = [b"a\xffb", b"ab", b"c\xff", b"b"]
    texts = [each.decode("utf-8", errors="surrogateescape") for each in raw]
    assert_array_equal(parse("spectrum(k=1)")(texts), parse("spectrum(k=1)")(raw))
    model = SVC(kernel="spectrum(k=1)").fit(texts, [0, 1, 0, 1])
    assert_array_equal(model.predict(model.support_vectors_), model.predict(model.support_vectors_))
    assert set(model.support_vectors_) <= set(texts)
    assert TextFeatures().fit_transform(["k\udcd6ln rhein", "köln"]).shape == (2, 2)  # such a byte is Latin-1


def test_no_objects_at_all():
    assert parse("spectrum(k=2)")([]).shape == (0, 0)
    assert parse("wl()")([], [(1, [])]).shape == (0, 1)


def test_items_go_by_their_names():
    X, y = [{"red", "round"}, {"blue", "round"}, {"red"}, {"blue", "flat"}], [1, 0, 1, 0]
    model = SVC(kernel="set_intersection()").fit(X, y)
    why = model.explain({"red", "new"})
    assert why.features[0].name == "red" and "red" in why.picture()
    assert {name for name, _ in pickle.loads(pickle.dumps(model)).feature_weights()} >= {"red", "blue"}

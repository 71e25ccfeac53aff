"""explain(x): which k-mers, words, subtrees moved a decision."""

import numpy as np
import pytest

from mercer import SVC, SVR, KernelLogisticRegression, KernelRidge, LinearSVC, Pegasos

STRINGS = [head + tail for head in ("tata", "gcgc") for tail in ("cgcg", "ggca", "acgc", "ccgt")]
LABELS = ["with"] * 4 + ["without"] * 4


@pytest.mark.filterwarnings("ignore:Fit terminated early")
@pytest.mark.parametrize("make", [SVC, LinearSVC, KernelLogisticRegression, Pegasos])
@pytest.mark.parametrize("kernel", ["spectrum(k=4)", "normalize(blended_spectrum(k=3))", "weighted_degree(d=3)"])
def test_shares_add_up_to_the_decision_function(make, kernel):
    model = make(kernel=kernel).fit(STRINGS, LABELS)
    for x, f in zip(STRINGS, model.decision_function(STRINGS)):
        why = model.explain(x, top=3)
        assert why.f == pytest.approx(f, abs=1e-9)
        assert sum(each.share for each in why.features) + why.rest + why.offset == pytest.approx(f, abs=1e-9)
        assert why.parts.sum() + why.offset == pytest.approx(f, abs=1e-9)
        assert (why.positive, why.negative) == ("without", "with")


def test_the_motif_is_found():
    model = SVC(kernel="spectrum(k=4)").fit(STRINGS, LABELS)
    names = [name for name, weight in model.feature_weights(top=2)]
    assert set(names) == {"tata", "gcgc"}
    why = model.explain("tatacccc")
    assert why.features[0].name == "tata" and why.features[0].share < 0
    assert "tata" in str(why) and "tata" in repr(why)
    assert why.picture().startswith("<?xml") or why.picture().startswith("<svg")


def test_several_classes_and_outputs():
    model = SVC(kernel="spectrum(k=2)").fit(STRINGS, [0, 0, 1, 1, 2, 2, 2, 2])
    all_pairs = model.explain(STRINGS[0])
    assert [(each.positive, each.negative) for each in all_pairs] == [(0, 1), (0, 2), (1, 2)]
    assert set(model.feature_weights()) == {(0, 1), (0, 2), (1, 2)}
    model.set_params(decision_function_shape="ovo")
    assert [each.f for each in all_pairs] == pytest.approx(model.decision_function(STRINGS[:1])[0], abs=1e-9)
    y = np.arange(8.0)
    for model in (SVR(kernel="spectrum(k=2)").fit(STRINGS, y), KernelRidge(kernel="spectrum(k=2)").fit(STRINGS, y)):
        why = model.explain(STRINGS[3])
        assert why.f == pytest.approx(model.predict(STRINGS[3:4])[0], abs=1e-9)
        assert why.positive is None


def test_vectors_go_by_their_columns():
    X = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 0.0], [4.0, 1.0]])
    model = SVC(kernel="linear").fit(X, [0, 0, 1, 1])
    why = model.explain(X[3])
    coef = {"x1": model.coef_[0, 0], "x2": model.coef_[0, 1]}
    assert {each.name: each.weight for each in why.features} == pytest.approx(coef)
    assert len(why.parts) == 0


def test_what_has_no_features_is_refused_by_name():
    with pytest.raises(ValueError, match=r"subsequences\(k=2, decay=0.5\) has no explicit features"):
        SVC(kernel="subsequences(k=2)").fit(STRINGS, LABELS).explain("acgt")
    with pytest.raises(ValueError, match="precomputed"):
        SVC(kernel="precomputed").fit(np.eye(4), [0, 0, 1, 1]).explain("acgt")


def test_linear_machines_on_objects():
    model = LinearSVC(kernel="weighted_degree(d=3)", C=10.0).fit(STRINGS, LABELS)
    assert list(model.predict(STRINGS)) == LABELS
    with pytest.raises(AttributeError, match="linear kernel"):
        model.coef_
    with pytest.raises(ValueError, match="no explicit features"):
        LinearSVC(kernel="levenshtein()").fit(STRINGS, LABELS)
    with pytest.raises(ValueError, match="take a kernel with explicit features"):
        LinearSVC().fit(STRINGS, LABELS)

"""mercer.evaluate against scikit-learn's metrics, for our estimators and for its own."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, r2_score, roc_auc_score

import mercer


def test_classes_by_name_with_one_that_was_not_learnt():
    X, y = load_iris(return_X_y=True)
    names = np.array(["b", "c", "a"], dtype="U3")[y]
    model = mercer.SVC(probability=True, random_state=0).fit(X[::2], names[::2])
    names[1] = "new"
    found = mercer.evaluate(model, X[1::2], names[1::2])
    said = model.predict(X[1::2])
    assert found["confusion"]["classes"] == ["a", "b", "c", "new"]
    np.testing.assert_array_equal(found["confusion"]["counts"], confusion_matrix(names[1::2], said))
    assert found["metrics"]["accuracy"]["value"] == pytest.approx(accuracy_score(names[1::2], said))
    assert [curve["class"] for curve in found["curves"]] == ["a", "b", "c"]
    assert "calibration" in found["curves"][0]


@pytest.mark.parametrize(
    "model", [mercer.SVC(), mercer.KernelLogisticRegression(kernel="rbf"), RandomForestClassifier(20, random_state=0)]
)
def test_two_classes(model):
    X, y = load_breast_cancer(return_X_y=True)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    model.fit(X[::2], y[::2])
    found = mercer.evaluate(model, X[1::2], y[1::2], random_state=3)
    has_decision = hasattr(model, "decision_function")
    score = model.decision_function(X[1::2]) if has_decision else model.predict_proba(X[1::2])[:, 1]
    assert found["metrics"]["auc"]["value"] == pytest.approx(roc_auc_score(y[1::2], score))
    low, high = found["metrics"]["auc"]["interval"]
    assert low <= found["metrics"]["auc"]["value"] <= high
    if hasattr(model, "predict_proba"):
        expected = log_loss(y[1::2], np.clip(model.predict_proba(X[1::2]), 1e-15, 1))
        assert found["metrics"]["log_loss"]["value"] == pytest.approx(expected)


def test_values():
    X, y = load_diabetes(return_X_y=True)
    model = LinearRegression().fit(X[::2], y[::2])
    found = mercer.evaluate(model, X[1::2], y[1::2])
    assert found["metrics"]["r2"]["value"] == pytest.approx(r2_score(y[1::2], model.predict(X[1::2])))
    assert found["residuals"]["mean"] == pytest.approx((y[1::2] - model.predict(X[1::2])).mean())
    y[3] = np.nan
    with pytest.raises(ValueError, match="row 1: the target must be finite"):
        mercer.evaluate(model, X[1::2], y[1::2])


def test_shapes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="one target for each example"):
        mercer.evaluate(mercer.SVC().fit(X, y), X, y[:3])

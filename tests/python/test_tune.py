"""mercer.tune beside scikit-learn's grid search."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.kernel_ridge import KernelRidge as TheirRidge
from sklearn.model_selection import GridSearchCV, PredefinedSplit, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.svm import SVC as TheirSVC

import mercer


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_best_setting_is_good_for_scikit_learn_too(load):
    X, y = load(return_X_y=True)
    X = scale(X)
    found = mercer.tune(mercer.SVC(), X, y)
    gamma = float(found.best_params["kernel"].split("=")[1].rstrip(")"))
    theirs = cross_val_score(
        TheirSVC(C=found.best_params["C"], gamma=gamma), X, y, cv=StratifiedKFold(5, shuffle=True, random_state=0)
    )
    assert abs(theirs.mean() - found.best_score) < 0.03
    assert found.best_score == max(t["mean"] for t in found.trials if not t["dropped"])
    assert found.estimator.score(X, y) > 0.95
    assert len(found.trials) == 100


def test_ridge_and_names_of_classes():
    X, y = load_diabetes(return_X_y=True)
    found = mercer.tune(mercer.KernelRidge(kernel="rbf"), X, y - y.mean(), alpha="?{0.01,0.1,1}", metric="r2")
    assert found.metric == "r2" and 0.4 < found.best_score < 0.6
    assert found.best_params["alpha"] in (0.01, 0.1, 1)
    X, y = load_iris(return_X_y=True)
    names = np.array(["a", "b", "c"])[y]
    found = mercer.tune(mercer.SVC(), X, names, kernel="rbf(gamma=?) + ?*linear()", C="?", search="bayes", trials=12)
    assert set(found.estimator.predict(X)) == {"a", "b", "c"}
    assert len(found.trials) == 12 and set(found.trials[0]["at"]) == {"gamma", "weight", "C"}


def test_ridge_scores_are_those_of_a_grid_search_of_scikit_learn():
    X, y = load_diabetes(return_X_y=True)
    X, y = scale(X), scale(y)
    fold = np.arange(len(y)) * 7 % 5
    found = mercer.tune(mercer.KernelRidge(kernel="rbf"), X, y, groups=fold, race=False, metric="mae")
    assert found.cross_validation == "5 folds, groups kept together"
    values = {name: sorted({trial["at"][name] for trial in found.trials}) for name in ("gamma", "alpha")}
    theirs = GridSearchCV(
        TheirRidge(kernel="rbf"), values, cv=PredefinedSplit(fold), scoring="neg_mean_absolute_error"
    ).fit(X, y)
    of = {(at["gamma"], at["alpha"]): -score for at, score in zip(theirs.cv_results_["params"], theirs.cv_results_["mean_test_score"])}
    assert len(found.trials) == len(of) == 100
    for trial in found.trials:
        assert trial["mean"] == pytest.approx(of[trial["at"]["gamma"], trial["at"]["alpha"]], rel=1e-6)


def test_strings_and_groups():
    words = ["".join(np.random.RandomState(i).choice(list("ab" if i % 2 else "bcd"), 12)) for i in range(60)]
    labels = [i % 2 for i in range(60)]
    found = mercer.tune(mercer.SVC(), words, labels, kernel="normalize(spectrum(k=?{1,2}))", groups=[i // 4 for i in range(60)])
    assert found.best_score > 0.9
    assert found.cross_validation == "5 folds, groups kept together"


def test_what_is_wrong_is_said():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="has no number 'D' to be tuned"):
        mercer.tune(mercer.SVC(), X, y, D="?")
    with pytest.raises(ValueError, match="kernel must be an expression"):
        mercer.tune(mercer.SVC(kernel="precomputed"), X, y)
    with pytest.raises(ValueError, match="there is no metric"):
        mercer.tune(mercer.SVC(), X, y, metric="rmse")
    with pytest.raises(ValueError, match="no option or parameter is left open for tuning"):
        mercer.tune(mercer.SVC(), X, y, kernel="rbf(gamma=1)", C="1")


def test_pipelines_still_work():
    X, y = load_wine(return_X_y=True)
    best = mercer.tune(mercer.SVC(), scale(X), y).best_params
    assert cross_val_score(make_pipeline(StandardScaler(), mercer.SVC(**best)), X, y).mean() > 0.95

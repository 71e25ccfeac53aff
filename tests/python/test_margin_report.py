"""Margin reports: every number once more from the definitions, with numpy."""

import json
import warnings
import xml.etree.ElementTree

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC as TheirSVC

import mercer
from mercer import SVC, NuSVC
from mercer.kernels import RBF

CONDITIONS = ["stationarity in w", "stationarity in b", "stationarity in ξ", "primal feasibility", "dual feasibility", "complementary slackness of α", "complementary slackness of β"]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_two_classes(two_moons, weighted):
    X, y = two_moons
    names = np.where(y == 1, "up", "down")
    weight = np.random.default_rng(1).uniform(0.5, 2.0, len(X)) if weighted else None
    model = SVC(C=2.0, gamma=1.0, tol=1e-5, class_weight={"up": 1.5} if weighted else None).fit(X, names, weight)
    report = model.margin_report(X, names, weight)
    s = np.where(names == "up", 1.0, -1.0)
    C = 2.0 * (weight * np.where(names == "up", 1.5, 1.0) if weighted else np.ones(len(X)))
    a = np.zeros(len(X))
    a[model.support_] = model.dual_coef_[0]
    K = rbf_kernel(X, gamma=1.0)
    by_row = np.argsort(report.rows)
    assert_array_equal(np.sort(report.rows), np.arange(len(X)))
    assert report.positive == "up" and report.negative == "down"
    assert_array_equal(report.y[by_row], s)
    assert_allclose(report.alpha[by_row], s * a)
    assert_allclose(report.penalty[by_row], C)
    assert_allclose(report.beta[by_row], C - s * a, atol=1e-12)
    f = model.decision_function(X)
    assert_allclose(report.f[by_row], f, atol=1e-9)
    assert_allclose(report.slack[by_row], np.maximum(0, 1 - s * f), atol=1e-9)
    norm = np.sqrt(a @ K @ a)
    assert report.norm == pytest.approx(norm) and report.margin == pytest.approx(1 / norm)
    assert report.b == pytest.approx(model.intercept_[0]) and report.interval[0] - 1e-9 <= report.interval[1]
    assert_allclose(report.interval, model.offset_interval_[0], atol=1e-4)
    assert report.primal == pytest.approx(norm**2 / 2 + C @ np.maximum(0, 1 - s * f))
    assert report.dual == pytest.approx(np.abs(a).sum() - norm**2 / 2)
    assert report.gap == pytest.approx(report.primal - report.dual) and report.gap >= -1e-9
    assert_array_equal(report.case[by_row] == "zero", a == 0)
    assert_array_equal(report.side[by_row] == "misclassified", s * f < 0)
    for name in ("zero", "free", "bound"):
        assert report.counts[name] == np.count_nonzero(report.case == name)
    for name in ("outside", "on", "inside", "misclassified"):
        assert report.counts[name] == np.count_nonzero(report.side == name)
    assert report.n_support == report.support == len(model.support_)
    assert report.loo_bound == pytest.approx(len(model.support_) / len(X)) and report.accuracy == pytest.approx(model.score(X, names))
    assert list(report.kkt) == CONDITIONS and report.optimal and all(report.kkt.values())
    assert report.violations.keys() == report.kkt.keys()
    assert all(report.violations[name] == report.kkt[name].violation <= report.kkt[name].allowed for name in CONDITIONS)
    # A ball around the mean holds all points; the least one is no larger, and at least half their largest distance.
    around_mean = np.sqrt(np.max(np.diag(K) - 2 * K.mean(axis=1) + K.mean()))
    assert np.sqrt((2 - 2 * K.min())) / 2 <= report.radius * (1 + 1e-6) <= around_mean * (1 + 1e-5)
    assert report.vc_bound == pytest.approx(np.ceil(report.radius**2 * norm**2 * (1 - 1e-6)) + 1)
    assert report.w is None and report.dimension is None  # infinitely many features
    assert report.kernel == "rbf(gamma=1)" and report.proven and "MarginReport" in repr(report)


def test_a_linear_machine_writes_w_down(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris[0][50:], iris[1][50:]
    frame = pd.DataFrame(X, columns=["sepal length", "sepal width", "petal length", "petal width"])
    model = SVC(kernel="linear").fit(frame, y)
    report = model.margin_report(frame, y, error="loo")
    assert_allclose(report.w, model.coef_[0], atol=1e-9)
    assert report.feature_names == list(frame.columns) and report.dimension == 4
    every = np.arange(len(X))
    wrong = sum(TheirSVC(kernel="linear", tol=1e-6).fit(X[every != i], y[every != i]).predict(X[i : i + 1])[0] != y[i] for i in every)
    method, rate, fits = report.error
    assert "leave-one-out" in method and rate == pytest.approx(wrong / len(X), abs=1.01 / len(X)) and fits <= len(model.support_) + 1
    assert rate <= report.loo_bound
    folds = model.margin_report(frame, y, error=5, ball=False, pictures=False)
    assert "5" in folds.error[0] and folds.radius is None and folds.vc_bound is None
    with pytest.raises(ValueError, match="folds"):
        model.margin_report(frame, y, error="boot")


def test_bounds_need_an_optimum(two_moons):
    X, y = two_moons
    loose = SVC(C=10.0, tol=3.0).fit(X, y).margin_report(X, y)
    assert not loose.optimal and loose.loo_bound is None and loose.vc_bound is None and "the model is not optimal to within" in loose.no_bounds
    solved = SVC(C=10.0).fit(X, y).margin_report(X, y)
    assert solved.optimal and solved.no_bounds == "" and solved.loo_bound > 0


def test_text_json_and_page(iris, tmp_path):
    X, y = iris
    report = SVC().fit(X, y).margin_report(X, y)
    assert len(report.problems) == 3 and [(p.positive, p.negative) for p in report.problems] == [("0", "1"), ("0", "2"), ("1", "2")]
    with pytest.raises(AttributeError, match="problems"):
        report.alpha
    with pytest.raises(AttributeError, match="no 'beauty'"):
        report.beauty
    told = json.loads(report.to_json())
    assert told["n"] == 150 and len(told["problems"]) == 3 and told["accuracy"] == report.accuracy
    assert_allclose([e["alpha"] for e in told["problems"][0]["examples"]], report.problems[0].alpha)
    assert "150 vectors of 4 coordinates" in str(report) and "training accuracy" in str(report)
    report.save_html(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("<svg") >= 2 and page == report.to_html()
    xml.etree.ElementTree.fromstring(page[page.index("<html") :])
    assert report._repr_html_().startswith("<iframe")


def test_of_nu_matrices_functions_and_strings(two_moons):
    X, y = two_moons
    nu = NuSVC(nu=0.3, gamma=1.0, tol=1e-6).fit(X, y)
    report = nu.margin_report(X, y)
    assert report.optimal and report.norm == pytest.approx(np.sqrt(nu.dual_coef_[0] @ RBF(gamma=1.0)(X[nu.support_]) @ nu.dual_coef_[0]))
    assert_allclose(report.f[np.argsort(report.rows)], nu.decision_function(X), atol=1e-8)
    K = rbf_kernel(X, gamma=1.0)
    reports = [SVC(gamma=1.0).fit(X, y).margin_report(X, y), SVC(kernel="precomputed").fit(K, y).margin_report(K, y), SVC(kernel=lambda A, B: rbf_kernel(A, B, gamma=1.0)).fit(X, y).margin_report(X, y)]
    for other in reports[1:]:
        assert other.margin == pytest.approx(reports[0].margin, rel=1e-3) and other.optimal
    words, sorts = ["banana", "bandana", "ananas", "kernel", "colonel", "kernels"], ["fruit"] * 3 + ["code"] * 3
    spelled = SVC(kernel="spectrum(k=2)").fit(words, sorts).margin_report(words, sorts)
    assert spelled.optimal and {spelled.positive, spelled.negative} == {"fruit", "code"} and "6 strings" in str(spelled)


def test_other_data_are_refused(two_moons):
    X, y = two_moons
    model = SVC().fit(X, y)
    for wrong, labels in [(X[:-1], y[:-1]), (X + 1, y), (X, 1 - y)]:
        with pytest.raises(ValueError):
            model.margin_report(wrong, labels)
    with pytest.raises(ValueError, match="label"):
        model.margin_report(X, y + 5)
    assert not hasattr(mercer.SVR(), "margin_report") and not hasattr(mercer.LinearSVC(), "margin_report")


@pytest.mark.parametrize("nu", [0.3, 0.5, 0.9])
def test_nu_classification_without_a_margin_warns(nu):
    X, y = np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]] * 5), np.array([0, 0, 1, 1] * 5)
    with pytest.warns(ConvergenceWarning, match="no margin"):
        assert NuSVC(nu=nu, kernel="linear").fit(X, y).reports_[0]["no_margin"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not NuSVC(nu=nu, kernel="rbf", gamma=1.0).fit(X, y).reports_[0]["no_margin"]


def test_intervals_of_the_offset_are_in_order():
    random = np.random.default_rng(0)
    X = random.normal(size=(80, 3))
    t = X[:, 0] + X[:, 1] ** 2 + 0.5 * random.normal(size=80)
    y = np.digitize(t, [0.3, 1.2])
    for model in SVC(), NuSVC(nu=0.2), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM(nu=0.2), SVC(solver="interior_point"):
        for targets in (y, y > 0) if isinstance(model, (SVC, NuSVC)) else (t,):
            ends, b = model.fit(X, targets).offset_interval_, np.atleast_1d(model.intercept_)
            assert (ends[:, 0] <= b + 1e-12).all() and (b <= ends[:, 1] + 1e-12).all()

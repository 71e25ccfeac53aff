"""The methods beside the support vector machines: the same numbers as scikit-learn where it has them, else those of the definition.

Both sides solve the same problem in double, so values agree to 1e-7 of their size, the conditioning of these problems included.
"""

import warnings

import numpy as np
import pytest
import scipy.sparse
import sklearn.decomposition
import sklearn.kernel_ridge
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

import mercer


def same(ours, theirs, rtol=1e-7):
    assert_allclose(ours, theirs, rtol=0, atol=rtol * max(1.0, np.abs(theirs).max()))


# --- kernel ridge

RIDGES = [
    {},
    {"alpha": 0.1, "kernel": "rbf"},
    {"alpha": 0.01, "kernel": "rbf", "gamma": 0.05},
    {"kernel": "poly", "degree": 2},
    {"kernel": "polynomial", "degree": 3, "gamma": 0.1, "coef0": 2},
    {"kernel": "laplacian", "alpha": 0.5},
    {"kernel": "cosine"},
    {"kernel": lambda x, z, scale: scale * np.dot(x, z), "kernel_params": {"scale": 0.5}},
]


@pytest.mark.parametrize("parameters", RIDGES, ids=lambda p: str(p.get("kernel", "default"))[:12])
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_ridge_is_that_of_scikit_learn(parameters, weighted, diabetes):
    X, y = diabetes[0][:150], diabetes[1][:150]
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(X)) if weighted else None
    ours, theirs = mercer.KernelRidge(**parameters).fit(X, y, weight), sklearn.kernel_ridge.KernelRidge(**parameters).fit(X, y, weight)
    same(ours.predict(X), theirs.predict(X))
    same(ours.dual_coef_, theirs.dual_coef_)
    assert_array_equal(ours.X_fit_, theirs.X_fit_)
    both = np.column_stack([y, y**2])
    several = ours.set_params(alpha=[0.1, 2.0]).fit(X, both, weight)
    same(several.predict(X), theirs.set_params(alpha=[0.1, 2.0]).fit(X, both, weight).predict(X))
    assert several.dual_coef_.shape == (150, 2) and several.alpha_.tolist() == [0.1, 2.0]
    with pytest.raises(ValueError, match="penalties"):
        ours.set_params(alpha=[1.0, 2.0, 3.0]).fit(X, both)


def test_leaving_one_out(diabetes):
    X, y = diabetes[0][:40], diabetes[1][:40]
    model = mercer.KernelRidge(kernel="rbf", gamma=0.05, alpha=0.3, loo=True).fit(X, y)
    every = np.arange(40)
    missed = [y[i] - mercer.KernelRidge(kernel="rbf", gamma=0.05, alpha=0.3).fit(X[every != i], y[every != i]).predict(X[i : i + 1])[0] for i in every]
    same(model.loo_errors_, np.array(missed), 1e-10)
    with pytest.raises(AttributeError, match="loo=True"):
        mercer.KernelRidge().fit(X, y).loo_errors_


@pytest.mark.parametrize("score", ["gcv", "loo"])
def test_a_path_is_many_fits(score, diabetes):
    X, y = diabetes[0][:60], diabetes[1][:60]
    alphas = [0.01, 0.1, 1.0, 10.0]
    path = mercer.KernelRidge(kernel="rbf", gamma=0.05, alphas=alphas, alpha_score=score).fit(X, y)
    errors = []
    for alpha, coef in zip(alphas, path.dual_coef_path_):
        one = mercer.KernelRidge(alpha, kernel="rbf", gamma=0.05, loo=True).fit(X, y)
        same(coef[:, 0], one.dual_coef_, 1e-9)
        errors.append(np.mean(one.loo_errors_**2))
    if score == "loo":
        same(path.loo_values_, np.array(errors), 1e-9)
        assert path.alpha_ == alphas[int(np.argmin(errors))]
    assert path.alpha_ == alphas[int(np.argmin(path.gcv_values_ if score == "gcv" else path.loo_values_))]
    same(path.predict(X), mercer.KernelRidge(path.alpha_, kernel="rbf", gamma=0.05).fit(X, y).predict(X), 1e-9)


@pytest.mark.parametrize("score", ["gcv", "loo"])
def test_the_path_as_a_function(score, diabetes):
    X, y = diabetes[0][:80], diabetes[1][:80]
    path = mercer.kernel_ridge_path(X, y, [10.0, 0.01, 1.0, 0.1], kernel="rbf", gamma=0.05, score=score)
    assert_array_equal(path.alphas, [0.01, 0.1, 1.0, 10.0])
    K = rbf_kernel(X, gamma=0.05)
    for alpha, gcv, df, coef in zip(path.alphas, path.gcv, path.df, path.coef):
        H = K @ np.linalg.inv(K + alpha * np.eye(80))
        assert df == pytest.approx(np.trace(H), rel=1e-9)
        assert gcv == pytest.approx(80 * np.sum((y - H @ y) ** 2) / (80 - np.trace(H)) ** 2, rel=1e-7)
        same(coef[:, 0], np.linalg.solve(K + alpha * np.eye(80), y))
    values = path.loo if score == "loo" else path.gcv
    assert path.best == np.argmin(values) and path.alpha == path.alphas[path.best] == path.model.alpha_ and path.score == score
    same(path.model.predict(X), K @ path.coef[path.best][:, 0])
    with pytest.raises(ValueError, match="alpha_score"):
        mercer.kernel_ridge_path(X, y, score="aic")
    assert len(mercer.kernel_ridge_path(X, y).alphas) == 41


# --- kernel logistic regression


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0}], ids=["plain", "balanced", "dict"])
def test_logistic_with_a_linear_kernel(classes, class_weight, iris):
    X, y = iris[0][20:], iris[1][20:]
    if classes == 2:
        y = (y == 2).astype(int)
    ours = mercer.KernelLogisticRegression(kernel="linear", C=0.7, tol=1e-12, class_weight=class_weight).fit(X, y)
    theirs = LogisticRegression(C=0.7, tol=1e-8, max_iter=1000, class_weight=class_weight, solver="newton-cg").fit(X, y)
    assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-5)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape
    assert_allclose(np.exp(ours.predict_log_proba(X)), ours.predict_proba(X))
    w = ours.dual_coef_ @ ours.X_fit_
    assert_allclose(w, theirs.coef_, atol=1e-4)
    assert ours.n_iter_ >= 1 and ours.status_ == "converged" and 0 <= ours.dual_gap_ <= 1e-10 * (1 + ours.objective_)


def test_alpha_of_logistic_regression_is_one_over_C(two_moons):
    X, y = two_moons
    a, b = mercer.KernelLogisticRegression(alpha=4.0).fit(X, y), mercer.KernelLogisticRegression(C=0.25).fit(X, y)
    assert_array_equal(a.decision_function(X), b.decision_function(X))
    with pytest.raises(ValueError, match="'alpha' parameter"):
        mercer.KernelLogisticRegression(alpha=0.0).fit(X, y)


def test_logistic_that_stops_early_says_so(two_moons):
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        model = mercer.KernelLogisticRegression(C=1e4, max_iter=1).fit(*two_moons)
    assert model.status_ == "step_limit" and model.dual_gap_ > 0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        full = mercer.KernelLogisticRegression(C=1e4).fit(*two_moons)
    assert full.objective_ <= model.objective_
    with pytest.raises(ValueError, match="C"):
        mercer.KernelLogisticRegression(C=-1.0).fit(*two_moons)
    with pytest.raises(ValueError, match="class"):
        mercer.KernelLogisticRegression().fit(two_moons[0], np.zeros(300))


# --- kernel principal components

COMPONENTS = [{}, {"n_components": 2}, {"n_components": 3, "kernel": "rbf", "gamma": 0.1}, {"n_components": 4, "kernel": "poly", "degree": 2}, {"n_components": 2, "kernel": "cosine"}]


@pytest.mark.parametrize("parameters", COMPONENTS, ids=str)
@pytest.mark.parametrize("solver", ["auto", "dense", "arpack"])
def test_components_are_those_of_scikit_learn(parameters, solver, iris):
    X = iris[0]
    ours, theirs = mercer.KernelPCA(eigen_solver=solver, **parameters), sklearn.decomposition.KernelPCA(eigen_solver="dense", **parameters)
    mine, other = ours.fit_transform(X[::2]), theirs.fit_transform(X[::2])
    sign = np.sign((mine * other).sum(axis=0))
    same(mine, other * sign)
    same(ours.eigenvalues_, theirs.eigenvalues_)
    same(ours.eigenvectors_ * sign, theirs.eigenvectors_, 1e-6)
    same(ours.transform(X[1::2]) * sign, theirs.transform(X[1::2]))
    assert_array_equal(ours.get_feature_names_out(), [each.replace("KernelPCA", "kernelpca") for each in theirs.get_feature_names_out()])
    assert_array_equal(ours.X_fit_, X[::2])


@pytest.mark.parametrize("solver", ["auto", "dense", "arpack", "randomized"])
def test_components_of_an_indefinite_matrix(solver):
    # eigenvalues 50, 8, 7, 5 and -15, -6 on waves that are orthogonal to each other and to constants
    n = 60
    waves = np.sqrt(2 / n) * np.cos(np.pi * np.outer(np.arange(n) + 0.5, np.arange(1, 7)) / n)
    K = waves * [50, 8, 7, 5, -15, -6] @ waves.T
    for refused in ({"n_components": 59}, {}):
        for one in (mercer, sklearn.decomposition):
            with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
                one.KernelPCA(kernel="precomputed", eigen_solver=solver, **refused).fit(K)
    few = mercer.KernelPCA(n_components=2, kernel="precomputed", eigen_solver=solver)
    if solver == "randomized":  # scikit-learn's takes the eigenvalues of largest size
        with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
            few.fit(K)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        few.fit(K)
    assert few.status_ == "converged"
    same(few.eigenvalues_, [50, 8])
    assert np.isnan(few.explained_variance_ratio_).all()


def test_the_randomised_solver_refuses_only_what_it_would_reach():
    # Eigenvalues 50, 20, 18 and -15, -6: the three of the largest size are positive.
    n = 60
    waves = np.sqrt(2 / n) * np.cos(np.pi * np.outer(np.arange(n) + 0.5, np.arange(1, 6)) / n)
    K = waves * [50, 20, 18, -15, -6] @ waves.T
    for one in (mercer, sklearn.decomposition):
        few = one.KernelPCA(n_components=3, kernel="precomputed", eigen_solver="randomized", random_state=0).fit(K)
        same(few.eigenvalues_, [50, 20, 18])
        for refused in (4, 10):
            with pytest.raises(ValueError, match="There are significant negative eigenvalues"):
                one.KernelPCA(n_components=refused, kernel="precomputed", eigen_solver="randomized", random_state=0).fit(K)


def test_components_without_variance(iris):
    X = iris[0]
    model = mercer.KernelPCA(n_components=6).fit(X)
    assert model.transform(X).shape == (150, 6) and not model.transform(X)[:, 4:].any() and not model.eigenvalues_[4:].any()
    assert mercer.KernelPCA(n_components=6, remove_zero_eig=True).fit_transform(X).shape == (150, 4)
    assert mercer.KernelPCA().fit_transform(X).shape == (150, 4)
    assert_allclose(model.explained_variance_ratio_[:4], sklearn.decomposition.PCA().fit(X).explained_variance_ratio_, rtol=1e-9)
    assert mercer.KernelPCA(kernel="rbf").fit_transform(X[:1]).shape == (1, 0)
    assert mercer.KernelPCA(2).fit_transform(X.astype(np.float32)).dtype == np.float32
    for parameters, message in [({"n_components": 0}, "n_components"), ({"eigen_solver": "magic"}, "eigen_solver"), ({"fit_inverse_transform": "maybe"}, "fit_inverse")]:
        with pytest.raises(ValueError, match=message):
            mercer.KernelPCA(**parameters).fit(X)


def test_the_way_back(iris):
    X = iris[0][::2]
    parameters = {"n_components": 4, "kernel": "rbf", "gamma": 0.1, "alpha": 0.01, "fit_inverse_transform": True}
    ours, theirs = mercer.KernelPCA(**parameters).fit(X), sklearn.decomposition.KernelPCA(eigen_solver="dense", **parameters).fit(X)
    same(ours.inverse_transform(ours.transform(X)), theirs.inverse_transform(theirs.transform(X)), 1e-6)
    assert ours.dual_coef_.shape == theirs.dual_coef_.shape and ours.X_transformed_fit_.shape == theirs.X_transformed_fit_.shape
    spread = np.linalg.norm(X - X.mean(axis=0))
    for how in ("pre_image", "fixed_point", "neighbors"):
        model = mercer.KernelPCA(8, kernel="rbf", gamma=0.1, fit_inverse_transform=how).fit(X)
        assert np.linalg.norm(model.inverse_transform(model.transform(X)) - X) < 0.2 * spread
    with pytest.raises(NotFittedError):
        mercer.KernelPCA(2).fit(X).inverse_transform(np.zeros((1, 2)))
    with pytest.raises(ValueError, match="precomputed"):
        mercer.KernelPCA(kernel="precomputed", fit_inverse_transform=True).fit(np.eye(3))
    with pytest.raises(ValueError, match="Gaussian"):
        linear = mercer.KernelPCA(2, fit_inverse_transform="fixed_point").fit(X)
        linear.inverse_transform(linear.transform(X))


# --- clusters


def test_means_with_a_linear_kernel(iris):
    X = iris[0]
    ours, theirs = mercer.KernelKMeans(3, kernel="linear", random_state=0).fit(X), KMeans(3, n_init=10, random_state=0).fit(X)
    assert ours.inertia_ == pytest.approx(theirs.inertia_, rel=1e-9)
    table = np.zeros((3, 3), dtype=int)
    np.add.at(table, (ours.labels_, theirs.labels_), 1)
    assert (table > 0).sum() == 3  # the same clusters under other names
    assert_array_equal(ours.labels_, ours.predict(X))
    assert_array_equal(ours.labels_, clone(ours).fit_predict(X))
    assert ours.n_iter_ >= 1 and ours.status_ == "converged"


def test_distances_to_means_and_score(iris):
    X = iris[0]
    ours = mercer.KernelKMeans(3, kernel="linear", random_state=0).fit(X[::2])
    means = np.array([X[::2][ours.labels_ == c].mean(axis=0) for c in range(3)])
    D = np.linalg.norm(X[:, None] - means, axis=2)
    assert_allclose(ours.transform(X), D, atol=1e-6)
    assert ours.score(X[::2]) == pytest.approx(-ours.inertia_, rel=1e-9)
    assert ours.score(X) == pytest.approx(-np.sum(D.min(axis=1) ** 2), rel=1e-9)
    weight = np.arange(150.0)
    assert ours.score(X, sample_weight=weight) == pytest.approx(-weight @ D.min(axis=1) ** 2, rel=1e-9)
    assert_array_equal(ours.transform(X).argmin(axis=1), ours.predict(X))
    assert list(ours.get_feature_names_out()) == ["kernelkmeans0", "kernelkmeans1", "kernelkmeans2"]
    assert_allclose(clone(ours).fit_transform(X[::2]), D[::2], atol=1e-6)
    K = rbf_kernel(X, gamma=0.2)
    curved = mercer.KernelKMeans(4, gamma=0.2).fit(X)
    members = np.eye(4)[curved.labels_] / np.bincount(curved.labels_)
    squares = 1 - 2 * K @ members + np.diag(members.T @ K @ members)
    assert_allclose(curved.transform(X), np.sqrt(squares), atol=1e-7)
    with pytest.raises(ValueError, match="precomputed"):
        mercer.KernelKMeans(2, kernel="precomputed").fit(K).transform(K)


def test_inertia_is_what_it_says(iris):
    X = iris[0]
    K = rbf_kernel(X, gamma=0.2)
    D = 2 - 2 * K
    means = mercer.KernelKMeans(4, gamma=0.2).fit(X)
    own = sum(D[np.ix_(c, c)].sum() / (2 * len(c)) for c in (np.flatnonzero(means.labels_ == each) for each in range(4)))
    assert means.inertia_ == pytest.approx(own, rel=1e-10)
    medoids = mercer.KernelKMedoids(4, gamma=0.2).fit(X)
    distance = np.sqrt(np.maximum(D, 0))[:, medoids.medoid_indices_]
    assert medoids.inertia_ == pytest.approx(distance.min(axis=1).sum(), rel=1e-7)
    assert_allclose(distance[np.arange(150), medoids.labels_], distance.min(axis=1), atol=1e-7)
    assert_array_equal(medoids.cluster_centers_, X[medoids.medoid_indices_])
    assert_array_equal(medoids.labels_[medoids.medoid_indices_], range(4))
    assert -1 <= medoids.silhouette_ <= 1
    matrix = mercer.KernelKMedoids(4, kernel="precomputed").fit(K)
    assert matrix.inertia_ == pytest.approx(medoids.inertia_, rel=1e-9)


@pytest.mark.parametrize("cls", [mercer.KernelKMeans, mercer.KernelKMedoids])
def test_clusters_in_any_order_and_with_weights(cls, iris):
    X = np.unique(iris[0], axis=0)  # ties of equal examples would have two answers
    order = np.random.default_rng(0).permutation(len(X))
    a, b = cls(3, random_state=1, gamma=0.3).fit(X), cls(3, random_state=1, gamma=0.3).fit(X[order])
    assert_array_equal(a.labels_[order], b.labels_)
    weight = np.ones(len(X))
    weight[:20] = 0
    some, rest = cls(3, random_state=1, gamma=0.3).fit(X, sample_weight=weight), cls(3, random_state=1, gamma=0.3).fit(X[20:])
    assert_array_equal(some.labels_[20:], rest.labels_)
    assert_array_equal(some.labels_[:20], rest.predict(X[:20]))
    for parameters, message in [({"n_clusters": 0}, "n_clusters"), ({"n_clusters": 1000}, "n_samples"), ({"n_init": 0}, "n_init")]:
        with pytest.raises(ValueError, match=message):
            cls(**parameters).fit(X)
    with pytest.raises(ValueError, match="n_samples="):
        cls(len(X) - 10).fit(X, sample_weight=weight)


# --- tests of hypotheses


def test_mmd_from_its_definition():
    random = np.random.default_rng(0)
    X, Y = random.normal(size=(40, 3)), random.normal(0.8, 1.0, size=(30, 3))
    xx, yy, xy = rbf_kernel(X, gamma=0.3), rbf_kernel(Y, gamma=0.3), rbf_kernel(X, Y, gamma=0.3)
    result = mercer.mmd_test(X, Y, gamma=0.3)
    assert result.biased == pytest.approx(xx.mean() + yy.mean() - 2 * xy.mean(), rel=1e-9)
    unbiased = (xx.sum() - 40) / (40 * 39) + (yy.sum() - 30) / (30 * 29) - 2 * xy.mean()
    assert result.statistic == result.unbiased == pytest.approx(unbiased, rel=1e-9)
    assert result.pvalue < 0.01 < mercer.mmd_test(X, random.normal(size=(40, 3))).pvalue
    assert mercer.mmd_test(X, Y, unbiased=False, random_state=3) == mercer.mmd_test(X, Y, unbiased=False, random_state=3)
    assert mercer.mmd_test(X, Y, gamma=0.3).statistic == pytest.approx(mercer.mmd_test(Y, X, gamma=0.3).statistic, rel=1e-12)
    assert mercer.mmd_test(scipy.sparse.csr_matrix(X), Y, gamma=0.3).biased == pytest.approx(result.biased, rel=1e-9)
    assert mercer.mmd_test(["banana", "bandana", "ananas"] * 6, ["kernel", "colonel", "journal"] * 6, kernel="normalize(spectrum(k=2))").pvalue < 0.01
    with pytest.raises(ValueError, match="same columns"):
        mercer.mmd_test(X, Y[:, :2])
    with pytest.raises(ValueError, match="precomputed"):
        mercer.mmd_test(X, Y, kernel="precomputed")


def test_hsic_from_its_definition():
    random = np.random.default_rng(1)
    X = random.normal(size=(50, 2))
    Y = X[:, :1] ** 2 + 0.1 * random.normal(size=(50, 1))
    H = np.eye(50) - 1 / 50
    K, L = H @ rbf_kernel(X, gamma=0.5) @ H, H @ (Y @ Y.T) @ H
    result = mercer.hsic_test(X, Y, gamma=0.5, kernel_y="linear")
    assert result.statistic == pytest.approx(np.sum(K * L) / 2500, rel=1e-9)
    assert result.alignment == pytest.approx(np.sum(K * L) / np.sqrt(np.sum(K * K) * np.sum(L * L)), rel=1e-9)
    assert result.pvalue < 0.01 < mercer.hsic_test(X, random.normal(size=(50, 1))).pvalue
    with pytest.raises(ValueError, match="inconsistent"):
        mercer.hsic_test(X, Y[:-1])

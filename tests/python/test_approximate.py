"""Functions of a few centres and explicit features, against numpy and scikit-learn."""

import pickle

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem as TheirNystroem
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import LinearSVC

import mercer


@pytest.fixture(scope="module")
def waves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=400)


@pytest.mark.parametrize("centres", ["mixed", "rpcholesky", "uniform", "kmeans++"])
def test_ridge_solves_its_normal_equations(waves, centres):
    X, y = waves
    w = np.random.default_rng(1).uniform(0.1, 2, len(y))
    model = mercer.NystroemRidge(alpha=0.3, gamma=0.4, n_centres=30, centres=centres, tol=1e-13, random_state=0).fit(X, y, w)
    Z = X[model.centre_indices_]
    np.testing.assert_array_equal(Z, model.centres_)
    K, M = rbf_kernel(X, Z, gamma=0.4), rbf_kernel(Z, gamma=0.4)
    beta = np.linalg.solve(K.T @ (w[:, None] * K) + 0.3 * M, K.T @ (w * y))
    # ‖f - f*‖² <= gap/alpha, and k(x, x) = 1
    assert np.abs(model.predict(X) - K @ beta).max() <= np.sqrt(model.dual_gap_ / 0.3) + 1e-9
    assert model.status_ == "converged" and model.dual_gap_ <= 1e-12 * model.objective_
    objective = np.sum(w * (y - K @ beta) ** 2) + 0.3 * beta @ M @ beta
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-9)


def test_a_small_target_is_solved_beside_a_large_one(waves):
    X, y = waves
    parameters = dict(alpha=0.3, gamma=0.4, n_centres=60, random_state=0)
    both = mercer.NystroemRidge(tol=1e-6, **parameters).fit(X, np.column_stack([1e8 * np.sin(5 * y), y]))
    alone = mercer.NystroemRidge(tol=1e-12, **parameters).fit(X, y)
    assert both.status_ == "converged" and both.target_status_ == ["converged", "converged"]
    assert alone.target_status_ == ["converged"] and alone.target_objectives_ == [alone.objective_]
    assert (both.target_gaps_ <= 1e-6 * both.target_objectives_).all()
    np.testing.assert_allclose(both.target_objectives_[1], alone.objective_, rtol=1e-6)
    np.testing.assert_allclose(both.target_objectives_.sum(), both.objective_)
    again = pickle.loads(pickle.dumps(both))
    np.testing.assert_array_equal(again.target_residuals_, both.target_residuals_)
    with pytest.warns(ConvergenceWarning, match="columns 1 of y"):
        few = mercer.NystroemRidge(alpha=1e-6, gamma=0.4, n_centres=20, tol=1e-14, max_iter=1, random_state=0).fit(X, np.column_stack([0 * y, y]))
    assert few.target_status_ == ["converged", few.status_] and few.status_ != "converged"


def test_the_same_centres_give_what_scikit_learn_gives(waves):
    X, y = waves
    theirs = TheirNystroem(gamma=0.4, n_components=40, random_state=0).fit(X)
    rows = theirs.component_indices_
    ridge = Ridge(alpha=0.5, fit_intercept=True).fit(theirs.transform(X), y)
    ours = mercer.NystroemRidge(alpha=0.5, gamma=0.4, centres="given", centre_rows=rows, fit_intercept=True, tol=1e-12).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), ridge.predict(theirs.transform(X)), atol=1e-5)
    labels = np.digitize(y, [-0.5, 1.0])
    for classes in (labels > 0, labels):
        logistic = LogisticRegression(C=2.0, tol=1e-9, max_iter=10000).fit(theirs.transform(X), classes)
        ours = mercer.NystroemLogistic(C=2.0, gamma=0.4, centres="given", centre_rows=rows, tol=1e-10).fit(X, classes)
        np.testing.assert_allclose(ours.predict_proba(X), logistic.predict_proba(theirs.transform(X)), atol=1e-4)
    # ½‖f - f*‖² <= gap·C, here 3e-4
    hinge = LinearSVC(C=3.0, loss="hinge", fit_intercept=False, tol=1e-6, max_iter=20000).fit(theirs.transform(X), labels > 0)
    ours = mercer.NystroemSVC(C=3.0, loss="hinge", gamma=0.4, centres="given", centre_rows=rows, fit_intercept=False, tol=1e-6, max_iter=20000).fit(X, labels > 0)
    np.testing.assert_allclose(ours.decision_function(X), hinge.decision_function(theirs.transform(X)), atol=2e-2)
    ours = mercer.Nystroem(gamma=0.4, centres="given", centre_rows=rows).fit(X)
    order = np.argsort(rows)
    np.testing.assert_array_equal(ours.component_indices_, rows[order])
    np.testing.assert_allclose(ours.transform(X) @ ours.transform(X).T, theirs.transform(X) @ theirs.transform(X).T, atol=1e-6)


def test_better_centres_reach_more(waves):
    X, _ = waves
    X = np.vstack([X, X[:5] + 20])  # a few far away
    reached = {how: mercer.Nystroem(gamma=0.4, n_components=60, centres=how, random_state=0).fit(X).unexplained_trace_ for how in ("rpcholesky", "uniform")}
    assert reached["rpcholesky"] < reached["uniform"]
    F = mercer.Nystroem(gamma=0.4, n_components=60, random_state=0).fit_transform(X)
    np.testing.assert_allclose(1 - (F**2).sum() / len(X), reached["rpcholesky"], atol=1e-8)


def test_several_targets_and_a_matrix_of_kernel_values(waves):
    X, y = waves
    Y = np.column_stack([y, -2 * y])
    model = mercer.NystroemRidge(gamma=0.4, n_centres=30, tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.predict(X)[:, 1], -2 * model.predict(X)[:, 0], atol=1e-6)
    K = rbf_kernel(X, gamma=0.4)
    same = mercer.NystroemRidge(kernel="precomputed", n_centres=30, tol=1e-12).fit(K, Y)
    np.testing.assert_array_equal(same.centre_indices_, model.centre_indices_)
    np.testing.assert_allclose(same.predict(K), model.predict(X), atol=1e-6)


def test_random_features_are_unbiased():
    X = np.random.default_rng(2).normal(size=(20, 4))
    K = rbf_kernel(X, gamma=0.2)
    mean = np.mean([(lambda F: F @ F.T)(mercer.RandomFeatures(gamma=0.2, n_components=64, random_state=s).fit_transform(X)) for s in range(300)], axis=0)
    np.testing.assert_allclose(mean, K, atol=5 / np.sqrt(300 * 64))


def test_exact_ridge_without_the_matrix(waves):
    X, y = waves
    a = mercer.KernelRidge(kernel="rbf", gamma=0.4, alpha=0.01).fit(X, y)
    b = mercer.KernelRidge(kernel="rbf", gamma=0.4, alpha=0.01, solver="cg").fit(X, y)
    np.testing.assert_allclose(b.predict(X), a.predict(X), atol=1e-8)


def test_ridge_by_conjugate_gradients_says_how_it_ended():
    X = np.random.default_rng(3).normal(size=(300, 3))
    y = np.sin(X[:, 0])
    model = mercer.KernelRidge(kernel="rbf", alpha=0.01, solver="cg").fit(X, y)
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2) / 3)
    missed = np.linalg.norm(y - (K + 0.01 * np.eye(300)) @ model.dual_coef_) / np.linalg.norm(y)
    assert model.status_ == "converged" and missed <= 1.1e-10 and abs(model.residual_ - missed) < 1e-12
    with pytest.warns(ConvergenceWarning, match=r"max_iter=1.*residual is"):
        model = mercer.KernelRidge(kernel="rbf", alpha=1e-8, solver="cg", max_iter=1, tol=1e-15).fit(X, y)
    assert model.status_ == "step_limit"
    direct = mercer.KernelRidge(kernel="rbf").fit(X, y)
    assert direct.status_ == "converged" and not hasattr(direct, "residual_")



def test_orthogonal_still_says_which_frequencies(waves):
    X, _ = waves
    now = {how: mercer.RandomFeatures(frequencies=how, random_state=0).fit(X).random_weights_ for how in ("orthogonal", "independent")}
    for flag, how in ((True, "orthogonal"), (False, "independent")):
        np.testing.assert_array_equal(mercer.RandomFeatures(orthogonal=flag, random_state=0).fit(X).random_weights_, now[how])
    with pytest.raises(ValueError, match="orthogonal=True has no effect beside frequencies='structured'"):
        mercer.RandomFeatures(orthogonal=True, frequencies="structured").fit(X)
    with pytest.raises(ValueError, match="structured needs rbf or matern"):
        mercer.RandomFeatures(kernel="laplacian", frequencies="structured").fit(X)


def test_ridge_by_conjugate_gradients_says_how_every_target_ended():
    random = np.random.default_rng(0)
    X = random.normal(size=(300, 4))
    noise = 0.1 * random.normal(size=300)
    Y = np.column_stack([np.sin(X[:, 0]), np.sin(3 * X[:, 0]) + X[:, 1] * X[:, 2] + noise, np.cos(X[:, 1])])
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(-1))
    alpha = np.array([100, 1e-9, 50])
    with pytest.warns(ConvergenceWarning, match="columns 1 of y are not solved"):
        model = mercer.KernelRidge(alpha=alpha, kernel="rbf", gamma=0.5, solver="cg", max_iter=15).fit(X, Y)
    left = np.linalg.norm(Y - K @ model.dual_coef_ - alpha * model.dual_coef_, axis=0) / np.linalg.norm(Y, axis=0)
    np.testing.assert_allclose(model.residual_, left, rtol=1e-3, atol=1e-13)
    assert model.target_status_ == ["converged", "step_limit", "converged"] and model.status_ == "step_limit"
    again = pickle.loads(pickle.dumps(model))
    assert again.target_status_ == model.target_status_ and np.array_equal(again.residual_, model.residual_)
    direct = mercer.KernelRidge(alpha=alpha, kernel="rbf", gamma=0.5).fit(X, Y)
    assert direct.target_status_ == ["converged"] * 3 and direct.status_ == "converged"

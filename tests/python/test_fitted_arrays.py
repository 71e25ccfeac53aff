"""Arrays that estimators show of their models: a change has an effect or is refused."""

import numpy as np
import pytest
import scipy.sparse
from numpy.testing import assert_array_equal

import mercer

ESTIMATORS = [
    mercer.SVC(kernel="linear"), mercer.SVC(), mercer.NuSVC(nu=0.3), mercer.SVR(), mercer.NuSVR(), mercer.OneClassSVM(),
    mercer.LinearSVC(), mercer.Pegasos(), mercer.Pegasos(kernel="rbf"), mercer.KernelRidge(kernel="linear"),
    mercer.KernelLogisticRegression(), mercer.KernelPCA(), mercer.NystroemRidge(), mercer.NystroemSVC(),
    mercer.NystroemLogistic(), mercer.Nystroem(), mercer.NystroemKMeans(n_clusters=2), mercer.RandomFeatures(),
    mercer.KernelKMedoids(n_clusters=2), mercer.NearestMedoid(),
]  # fmt: skip
SHOWN = (
    "coef_", "intercept_", "dual_coef_", "support_vectors_", "support_", "offset_", "offset_interval_", "X_fit_", "centres_",
    "components_", "normalization_", "eigenvalues_", "eigenvectors_", "random_weights_", "cluster_centers_", "medoids_",
)  # fmt: skip


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize("model", ESTIMATORS, ids=lambda model: f"{type(model).__name__}-{getattr(model, 'kernel', None)}")
def test_numbers_of_a_model_are_read_only(model, sparse):
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = (X[:, 0] + 0.3 * random.normal(size=40) > 0).astype(int)
    model.fit(scipy.sparse.csr_matrix(X) if sparse else X, y)
    shown = [name for name in SHOWN if hasattr(model, name)]
    assert shown
    for name in shown:
        values = getattr(model, name)
        numbers = values.data if scipy.sparse.issparse(values) else np.asarray(values)
        if numbers.ndim == 0 or not numbers.size:
            continue
        before = numbers.copy()
        with pytest.raises(ValueError, match="read-only"):
            numbers += 1
        again = getattr(model, name)
        assert_array_equal(again.data if scipy.sparse.issparse(again) else again, before)
        if not (isinstance(model, mercer.LinearSVC) and name in ("coef_", "intercept_")):
            with pytest.raises(AttributeError):
                setattr(model, name, values)


def test_the_arrays_of_the_caller_stay_writable():
    X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0.0, 1.0, 2.0, 3.0])
    model = mercer.KernelRidge(kernel="rbf").fit(X, y)
    model.X_fit_, model.dual_coef_
    X += 1
    y += 1


def test_new_coefficients_of_a_linear_machine_decide():
    X, y = np.array([[-2.0, 1], [-1, 0], [1, 0], [2, 1]]), [0, 0, 1, 1]
    model = mercer.LinearSVC(random_state=0).fit(X, y)
    model.coef_, model.intercept_ = [[2.0, -1.0]], [0.5]
    np.testing.assert_allclose(model.decision_function(X), X @ [2.0, -1.0] + 0.5)

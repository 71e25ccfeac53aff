"""Machines by descent: dual coordinate descent and Pegasos, one class against the rest."""

import numpy as np
import scipy.sparse

from . import _core, kernels
from ._base import KernelClassifier, fit_status, keep, of_model
from ._parameters import one_of


class _OneVersusRest(KernelClassifier):
    """The call of a descent method, and the attributes of what it made."""

    def _reached(self):
        return f"its objective is above the least by at most {100 * self._model.gap:.3g} %"

    def _signed(self, values):
        """scikit-learn's binary decisions are positive for the second class, the library's for the first."""
        return -values if len(self.classes_) == 2 else values

    def decision_function(self, X):
        """f(x): (n_samples,) for two classes, positive for the second; else one column for each class against the rest."""
        data = self._new_data(X)
        values = self._signed(self._model.decide(data, self.n_jobs))
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X):
        """The label of every example: that with the largest decision."""
        data = self._new_data(X)
        return self.classes_[self._model.predict(data, self.n_jobs)]

    @property
    def coef_(self):
        """Weights of the coordinates, one row for two classes, else one for each class; only for a linear kernel."""
        model = self._fitted()
        if model.kernel_text != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._signed(model.weights)

    @property
    def intercept_(self):
        """The constant of each decision function."""
        return self._signed(self._fitted().offset)

    @property
    def n_iter_(self):
        """Passes over the data: the most that a class took."""
        return max(1, max(each["rounds"] for each in self._fitted().reports))

    fit_status_ = fit_status
    dual_gap_ = of_model("gap", "(primal - dual)/primal of the worst class, both objectives taken in double: the primal is above its least by at most this share.")
    objective_ = of_model("objective", "The dual objective as a minimum, summed over the classes.")
    reports_ = of_model("reports", "What was reached for each class: status, gap, objective, rounds, seconds, ...")


class LinearSVC(_OneVersusRest):
    """Linear support vector classification by coordinate descent: for many examples, or many features of which few are not zero.

    Parameters are those of sklearn.svm.LinearSVC with multi_class='ovr', and so is the problem that is solved: the intercept is the weight of one
    more coordinate of value intercept_scaling, and penalised with it. penalty='l1' leaves features out, with the squared hinge. dual is checked as
    scikit-learn does but has no meaning: both sides have the same answer. Further time_limit, max_memory, n_jobs (classes side by side), callback as
    for SVC.

    Attributes: classes_, coef_, intercept_, n_iter_, class_weight_, n_features_in_, feature_names_in_; further status_, dual_gap_, objective_,
    reports_. The model holds coef_ and no examples; coef_ and intercept_ can be set, and sparsify() makes coef_ a sparse matrix.

    >>> from mercer import LinearSVC
    >>> model = LinearSVC(C=10.0, loss="hinge", random_state=0).fit([[0.0, 1.0], [1.0, 2.0], [3.0, 0.0], [4.0, 1.0]], ["a", "a", "b", "b"])
    >>> model.predict([[0.0, 2.0], [3.0, 1.0]])
    array(['a', 'b'], dtype='<U1')
    >>> model.coef_.shape, model.status_
    ((1, 2), 'converged')
    """

    _method = "linear_svc"
    _own_constraints = {"dual": ["boolean", one_of("auto")], "multi_class": [one_of("ovr")]}
    kernel = "linear"

    def __init__(
        self, penalty="l2", loss="squared_hinge", *, dual=True, tol=1e-4, C=1.0, multi_class="ovr", fit_intercept=True, intercept_scaling=1,
        class_weight=None, verbose=0, random_state=None, max_iter=1000, time_limit=None, max_memory=None, n_jobs=None, callback=None,
    ):
        keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fits the model to vectors X, an array, sparse matrix or data frame, and labels y. sample_weight: factor of C for each example."""
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        if data.kind != "vectors":
            raise ValueError(f"LinearSVC needs vectors, got {data.kind}: use SVC or Pegasos with a kernel for them")
        self._check_combination()
        self.kernel_ = kernels.Linear()
        self._sparse_coef = False
        return self._run(data, codes, weight, class_weight)

    def _check_combination(self):
        """What LIBLINEAR has no solver for is refused in scikit-learn's words."""
        if (self.penalty, self.loss) == ("l1", "hinge"):
            fault = "The combination of penalty='l1' and loss='hinge' is not supported"
        elif (self.penalty, self.dual) == ("l1", True) or (self.penalty, self.loss, self.dual) == ("l2", "hinge", False):
            fault = f"The combination of penalty={self.penalty!r} and loss={self.loss!r} are not supported when dual={self.dual}"
        else:
            return
        raise ValueError(f"Unsupported set of arguments: {fault}, Parameters: penalty={self.penalty!r}, loss={self.loss!r}, dual={self.dual!r}")

    def _early(self):
        return f"Liblinear failed to converge, increase the number of iterations (max_iter={self.max_iter})"

    # --- scikit-learn's linear models can be given other coefficients after a fit

    @property
    def coef_(self):
        """Weights of the coordinates, one row for two classes, else one for each class; a sparse matrix after sparsify()."""
        coef = super().coef_
        return scipy.sparse.csr_matrix(coef) if self._sparse_coef else coef

    @coef_.setter
    def coef_(self, coef):
        self._fitted()
        self._sparse_coef = scipy.sparse.issparse(coef)
        dense = coef.toarray() if self._sparse_coef else np.asarray(coef, dtype=np.float64)
        self._model = _core.with_weights(self._model, self._signed(dense), self._model.offset)

    @property
    def intercept_(self):
        """The constant of each decision function."""
        return super().intercept_

    @intercept_.setter
    def intercept_(self, intercept):
        model = self._fitted()
        self._model = _core.with_weights(model, model.weights, self._signed(np.asarray(intercept, dtype=np.float64).ravel()))

    def sparsify(self):
        """Makes coef_ a sparse matrix."""
        self._fitted()
        self._sparse_coef = True
        return self

    def densify(self):
        """Makes coef_ an array."""
        self._fitted()
        self._sparse_coef = False
        return self


class Pegasos(_OneVersusRest):
    """Support vector classification by stochastic subgradient steps on the primal (Pegasos), with a linear kernel or, in its dual form, any other.

    The problem is that of SVC, one class against the rest. C: the price of slack; alpha: where given, the penalty lambda of Pegasos' own form
    alpha/2 ||w||^2 + mean loss, in place of C = 1/(alpha n). tol: of (primal - dual)/primal. fit_intercept: at its best for w after each epoch.
    kernel, gamma, degree, coef0, class_weight, random_state, time_limit, max_memory, n_jobs, callback as for SVC, without 'precomputed'.

    Attributes: classes_, intercept_, n_iter_ (epochs), class_weight_, status_, dual_gap_, objective_, reports_, kernel_; coef_ for a linear kernel;
    support_, support_vectors_, dual_coef_ for another.

    >>> from mercer import Pegasos
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 1, 0]
    >>> Pegasos(kernel="rbf", gamma=1.0, random_state=0).fit(X, y).predict([[-2.1], [0.9]])
    array([0, 1])
    >>> model = Pegasos(alpha=1.0, batch_size=2, random_state=0).fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> model.dual_gap_ <= 0.01, model.predict([[3.0]])
    (True, array([1]))
    """

    _method = "pegasos"

    def __init__(
        self, *, C=1.0, alpha=None, kernel="linear", degree=3, gamma="scale", coef0=0.0, fit_intercept=True, tol=1e-2, max_iter=1000, batch_size=1,
        projection=False, average=True, class_weight=None, verbose=False, random_state=None, time_limit=None, max_memory=None, n_jobs=None,
        callback=None,
    ):
        keep(self, locals())

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y; X and sample_weight as for SVC."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Pegasos takes its kernel values as it goes, not from a precomputed matrix: use SVC")
        if self.alpha is not None and self.C != 1:
            raise ValueError(f"C={self.C!r} has no effect beside alpha: leave one of them out")
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        self.kernel_ = self._resolve_kernel(data, weight)
        if self.projection and str(self.kernel_) != "linear()":
            raise ValueError(f"projection needs the linear kernel, got {self.kernel_}")
        C = self.C if self.alpha is None else 1 / (self.alpha * (len(data) if weight is None else weight.sum()))
        return self._run(data, codes, weight, class_weight, C=C)

    def _kept(self):
        model = self._fitted()
        if model.kernel_text == "linear()":
            raise AttributeError("a linear model holds coef_, not support vectors")
        return model

    @property
    def support_(self):
        """Numbers of the support vectors among the training examples."""
        return self._kept().support.astype(np.int32)

    @property
    def support_vectors_(self):
        """The support vectors, or support objects."""
        self._kept()
        return self._objects()

    @property
    def dual_coef_(self):
        """Coefficients of the support vectors, one row for two classes, else one for each class."""
        return self._signed(self._kept().coef)

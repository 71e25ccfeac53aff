"""Machines by descent: dual coordinate descent and Pegasos, one class against the rest."""

import numpy as np
import scipy.sparse

from . import _core, kernels
from ._base import DecidingClassifier
from ._kernel_of import resolve_kernel
from ._parameters import one_of
from ._svm import _Machine


class _OneVersusRest(DecidingClassifier, _Machine):
    """What both descents have in common."""

    _own = {"class_weight": None}

    def _reached(self):
        return f"its objective exceeds the minimum by at most {100 * self._model.gap:.3g} %"

    @property
    def n_iter_(self):
        """Passes over the data: the most that a class took."""
        return max(1, max(each["rounds"] for each in self._fitted().reports))


class LinearSVC(_OneVersusRest):
    """Linear support vector classification by coordinate descent: for many examples, or many features of which few are
    not zero.

    Parameters are those of sklearn.svm.LinearSVC with multi_class='ovr', and so is the problem that is solved: the
    intercept is the weight of one more coordinate of value intercept_scaling, and penalised with it. penalty='l1'
    leaves features out, with the squared hinge. dual is checked as scikit-learn does but has no meaning: both sides
    have the same answer. Classes are fitted side by side. kernel: one with explicit features, for strings, texts, sets
    and graphs (None: vectors as they are); the machine is that on the features, kept as a sum over examples, without
    coef_.

    Attributes: classes_, coef_, intercept_, n_iter_, class_weight_, n_features_in_, feature_names_in_; further status_,
    dual_gap_, objective_, reports_. The model holds coef_ and no examples; coef_ and intercept_ can be set, and
    sparsify() makes coef_ a sparse matrix.

    >>> from mercer import LinearSVC
    >>> X = [[0.0, 1.0], [1.0, 2.0], [3.0, 0.0], [4.0, 1.0]]
    >>> model = LinearSVC(C=10.0, loss="hinge", random_state=0).fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[0.0, 2.0], [3.0, 1.0]])
    array(['a', 'b'], dtype='<U1')
    >>> model.coef_.shape, model.status_
    ((1, 2), 'converged')
    """

    _method = "linear_svc"
    _positional = ("penalty", "loss")
    _own = {
        "dual": (True, ["boolean", one_of("auto")]), "multi_class": ("ovr", [one_of("ovr")]), "intercept_scaling": 1,
        "verbose": 0, "kernel": (None, [str, kernels.Kernel, None]),
    }  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Fits the model to vectors X, an array, sparse matrix or data frame, or with a kernel to objects, and labels
        y. sample_weight: factor of C for each example."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("LinearSVC needs features, got a precomputed kernel matrix: use SVC")
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        if data.kind != "vectors" and self.kernel is None:
            raise ValueError(
                f"LinearSVC needs vectors, got {data.kind}: take a kernel with explicit features, or use SVC or "
                "Pegasos"
            )
        self._check_combination()
        self._sparse_coef = False
        return self._run(data, codes, weight, class_weight)

    def _resolve_kernel(self, data, sample_weight):
        return kernels.Linear() if self.kernel is None else resolve_kernel(self.kernel, data, defaults=None)

    def _check_combination(self):
        """What LIBLINEAR has no solver for is refused in scikit-learn's words."""
        given = f"penalty={self.penalty!r} and loss={self.loss!r}"
        if (self.penalty, self.loss) == ("l1", "hinge"):
            fault = f"{given} is not supported"
        elif (self.penalty, self.dual) == ("l1", True) or (self.loss, self.dual) == ("hinge", False):
            fault = f"{given} are not supported when dual={self.dual}"
        else:
            return
        raise ValueError(
            f"Unsupported set of arguments: The combination of {fault}, Parameters: penalty={self.penalty!r}, "
            f"loss={self.loss!r}, dual={self.dual!r}"
        )

    def _early(self):
        return f"Liblinear failed to converge, increase the number of iterations (max_iter={self.max_iter})"

    # --- scikit-learn allows to assign other coefficients to a fitted linear model

    @property
    def coef_(self):
        """Weights of the coordinates, one row for two classes, else one for each class; a sparse matrix after
        sparsify()."""
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
        self._model = _core.with_weights(
            model, model.weights, self._signed(np.asarray(intercept, dtype=np.float64).ravel())
        )

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
    """Support vector classification by stochastic subgradient steps on the primal (Pegasos), with a linear kernel or,
    in its dual form, any other.

    The problem is that of SVC, one class against the rest. C: the price of slack; alpha: where given, the penalty
    lambda of Pegasos' own form alpha/2 ||w||^2 + mean loss, in place of C = 1/(alpha n). tol: of (primal -
    dual)/primal. fit_intercept: an intercept that is not penalised. There is no kernel='precomputed'.

    Attributes: classes_, intercept_, n_iter_ (epochs), class_weight_, status_, dual_gap_, objective_, reports_,
    kernel_; coef_ for a linear kernel; support_, support_vectors_, dual_coef_ for another.

    >>> from mercer import Pegasos
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 1, 1, 0]
    >>> Pegasos(kernel="rbf", gamma=1.0, random_state=0).fit(X, y).predict([[-2.1], [0.9]])
    array([0, 1])
    >>> model = Pegasos(alpha=1.0, batch_size=2, random_state=0).fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    >>> model.dual_gap_ <= 0.01, model.predict([[3.0]])
    (True, array([1]))
    """

    _method = "pegasos"
    _own = {"kernel": "linear", "alpha": None}

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y; X and sample_weight as for SVC."""
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            raise ValueError("Pegasos computes kernel values during the fit, so it needs a kernel, got a precomputed kernel matrix: use SVC")
        if self.alpha is not None and self.C != 1:
            raise ValueError(f"C={self.C!r} has no effect beside alpha: leave one of them out")
        data, codes, weight, class_weight = self._fit_labels(X, y, sample_weight)
        C = self.C if self.alpha is None else 1 / (self.alpha * (len(data) if weight is None else weight.sum()))
        return self._run(data, codes, weight, class_weight, C=C)

    def _check_fit(self, data):
        if self.projection and str(self.kernel_) != "linear()":
            raise ValueError(f"projection needs the linear kernel, got {self.kernel_}")

    def _kept(self):
        model = self._fitted()
        if model.kernel_text == "linear()":
            raise AttributeError("a linear model has coef_ and no support vectors")
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

"""Machines by descent: dual coordinate descent and Pegasos, one class against the rest."""

import numpy as np
import scipy.sparse

from . import _core, kernels
from ._base import DecidingClassifier, of_model
from ._docstrings import VECTORS, fitted
from ._kernel_of import resolve_kernel
from ._parameters import one_of
from ._svm import _Machine


class _OneVersusRest(DecidingClassifier, _Machine):
    """Base class of LinearSVC and Pegasos."""

    _own = {"class_weight": None}
    _argument_docs = {"X": (VECTORS[0], "Training examples: vectors as rows, or objects with a kernel that compares them.")}

    dual_gap_ = of_model(
        "gap", "float",
        "Largest relative duality gap (primal - dual)/primal of all classes; at most `tol` after convergence.",
    )  # fmt: skip

    def _reached(self):
        return f"its objective exceeds the minimum by at most {100 * self._model.gap:.3g} %"

    @fitted("int")
    def n_iter_(self):
        """Number of passes over the data, the largest of all classes."""
        return max(1, max(each["rounds"] for each in self._fitted().reports))


class LinearSVC(_OneVersusRest):
    """Linear support vector classification by coordinate descent, one class against the rest.

    For many examples, or for many features of which few are not zero. The parameters of :class:`sklearn.svm.LinearSVC`
    have the same names, order and defaults, and the problem is the same: the intercept is the weight of one more
    feature of value `intercept_scaling`, which is penalised like the others.

    See Also
    --------
    SVC : Any kernel, one pair of classes at a time.
    Pegasos : Stochastic subgradient descent with any kernel.
    TextFeatures : Sparse word counts of texts.
    sklearn.svm.LinearSVC : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.svm.LinearSVC`: `kernel` takes a kernel with explicit features, for strings, texts,
    sets and graphs. ``multi_class='crammer_singer'`` does not exist. `dual` is checked as in scikit-learn and has no
    other effect, because both problems have the same solution. The classes are fitted in parallel. The model contains
    `coef_` and no examples, except with a kernel.

    References
    ----------
    .. [1] C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, "A dual coordinate descent method for
       large-scale linear SVM", ICML 2008.

    Examples
    --------
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
    _order = (
        "penalty", "loss", "dual", "tol", "C", "multi_class", "fit_intercept", "intercept_scaling", "class_weight",
        "verbose", "random_state", "max_iter",
    )  # fmt: skip
    _own = {
        "dual": (
            True, ["boolean", one_of("auto")],
            "Checked as in scikit-learn, without another effect: the primal and the dual problem have the same solution.",
        ),
        "multi_class": ("ovr", [one_of("ovr")], "One class against the rest; scikit-learn's other value does not exist."),
        "intercept_scaling": 1,
        "verbose": 0,
        "kernel": (
            None, [str, kernels.Kernel, None],
            "Kernel with explicit features for strings, texts, sets and graphs: an expression or an object of "
            ":mod:`mercer.kernels`. None: the features are the columns of X.",
        ),
    }  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples and their class labels. With a kernel the examples may be objects."""
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
        """Refuses combinations for which LIBLINEAR has no solver, with scikit-learn's message."""
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

    @fitted("ndarray or sparse matrix of shape (n_functions, n_features)")
    def coef_(self):
        """Weights of the features, one row with two classes, else one per class; can be set. Sparse after
        `sparsify`."""
        coef = super().coef_
        return scipy.sparse.csr_matrix(coef) if self._sparse_coef else coef

    @coef_.setter
    def coef_(self, coef):
        self._fitted()
        self._sparse_coef = scipy.sparse.issparse(coef)
        dense = coef.toarray() if self._sparse_coef else np.asarray(coef, dtype=np.float64)
        self._model = _core.with_weights(self._model, self._signed(dense), self._model.offset)

    @fitted("ndarray of shape (n_functions,)")
    def intercept_(self):
        """Constant term of each decision function; can be set."""
        return super().intercept_

    @intercept_.setter
    def intercept_(self, intercept):
        model = self._fitted()
        self._model = _core.with_weights(
            model, model.weights, self._signed(np.asarray(intercept, dtype=np.float64).ravel())
        )

    def sparsify(self):
        """Converts `coef_` to a sparse matrix.

        Returns
        -------
        self : object
            The estimator.
        """
        self._fitted()
        self._sparse_coef = True
        return self

    def densify(self):
        """Converts `coef_` to an array.

        Returns
        -------
        self : object
            The estimator.
        """
        self._fitted()
        self._sparse_coef = False
        return self


class Pegasos(_OneVersusRest):
    """Support vector classification by stochastic subgradient descent (Pegasos), one class against the rest.

    Solves the problem of :class:`SVC` by steps on the primal objective ½‖w‖² + C Σ ξᵢ: with a linear kernel on the
    weights, with another kernel on the coefficients of the examples. The kernel cannot be ``'precomputed'``.

    See Also
    --------
    LinearSVC : Coordinate descent for linear kernels.
    SVC : Sequential minimal optimisation for any kernel.

    References
    ----------
    .. [1] S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter, "Pegasos: primal estimated sub-gradient solver for SVM",
       Mathematical Programming 127, 2011.

    Examples
    --------
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
    _meanings = {
        "alpha": "Penalty of the form alpha/2 ‖w‖² + mean loss, given instead of C = 1/(alpha * n_samples). None: C "
        "counts."
    }

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples and their class labels."""
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

    @fitted("ndarray of shape (n_support,)")
    def support_(self):
        """Indices of the support vectors among the training examples; not with a linear kernel."""
        return self._kept().support.astype(np.int32)

    @fitted("ndarray, sparse matrix or list")
    def support_vectors_(self):
        """Support vectors, or the objects in their place; not with a linear kernel."""
        self._kept()
        return self._objects()

    @fitted("ndarray of shape (n_functions, n_support)")
    def dual_coef_(self):
        """Coefficients of the support vectors, one row with two classes, else one per class; not with a linear
        kernel."""
        return self._signed(self._kept().coef)

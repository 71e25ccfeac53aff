"""Support vector machines."""

import warnings

import numpy as np
import scipy.sparse
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _data
from ._base import DecidingClassifier, KernelEstimator, Predicting, of_model, of_objects, warn
from ._docstrings import VALUES, fitted
from ._kernel_of import NOT_FINITE
from ._parameters import BOOLEAN, one_of
from ._report import MarginReport


class _Machine(KernelEstimator):
    """Attributes that all support vector machines have, those fitted by descent too."""

    _first_is_positive = True

    @fitted("ndarray of shape (n_functions,)")
    def intercept_(self):
        """Constant term of each decision function."""
        return self._signed(self._fitted().offset)

    @fitted("ndarray of shape (n_functions, n_features)")
    def coef_(self):
        """Weights of the features, one row for each decision function; only for a linear kernel."""
        model = self._fitted()
        if model.kernel_text != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._signed(model.weights)

    @fitted("int")
    def fit_status_(self):
        """0 if the stopping rule holds, else 1."""
        return 0 if self.status_ in ("converged", "stationary") else 1

    dual_gap_ = of_model(
        "gap", "float",
        "Largest violation of the optimality conditions over all binary problems, computed in float64; at most `tol` "
        "after convergence.",
    )
    objective_ = of_model("objective", "float", "Dual objective as a minimum, summed over the binary problems.")
    reports_ = of_model(
        "reports", "list of dict", "Result of each binary problem: status, gap, objective, steps, rounds, seconds, ..."
    )


class _SVM(_Machine):
    """Base class of the five machines: the call of the solver, and the attributes of a fitted model."""

    _own = {"cache_size": 200}
    _meanings = {
        "max_memory": "Memory limit for everything besides the data and the cache: a number of bytes, or a text such as "
        "``'2GB'``. None: the library chooses a limit."
    }
    _attribute_docs = {"shape_fit_": ("tuple of int", "Shape of the training data.")}

    def _run(self, data, targets, sample_weight, class_weight=None):
        super()._run(data, targets, sample_weight, class_weight)
        self._has_function = self.kernel_ is not None and self.kernel_._has_function()
        self.shape_fit_ = (len(data), self.n_features_in_) if hasattr(self, "n_features_in_") else (len(data),)
        self._sparse = getattr(data, "sparse", False)
        return self

    def _memory(self):
        return int(self.cache_size * 2**20), 0 if self.max_memory is None else _data.as_bytes(self.max_memory)

    def _accept(self, model):
        if not model.finite:
            raise ValueError(NOT_FINITE)

    def _reached(self):
        return f"the violation of its optimality conditions is {self._model.gap:.3g}, and tol is {self.tol:g}"

    def _early(self):
        return (
            f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with "
            "StandardScaler or MinMaxScaler"
        )

    def _new_data(self, X):
        data = super()._new_data(X)
        if scipy.sparse.issparse(X) and not self._sparse and not self._has_function:
            raise ValueError(
                f"cannot use sparse input in {type(self).__name__!r} trained on dense data: pass X.toarray()"
            )
        return data

    @property
    def _gamma(self):
        """The value of gamma, under the name that programs for the conversion of scikit-learn's models expect; 0 if
        the kernel has no gamma."""
        self._fitted()
        return getattr(self.kernel_, "gamma", 0.0)

    @fitted("ndarray of shape (n_support,)")
    def support_(self):
        """Indices of the support vectors among the training examples."""
        return self._fitted().support.astype(np.int32)

    support_vectors_ = of_objects("Support vectors, or the objects in their place; empty for a precomputed kernel.")

    @fitted("ndarray of shape (n_classes,)")
    def n_support_(self):
        """Number of support vectors of each class; without classes one number."""
        model = self._fitted()
        return np.array(
            model.support_vectors_of_classes if hasattr(self, "classes_") else [len(model.support)], dtype=np.int32
        )

    @fitted("ndarray or sparse matrix of shape (n_functions, n_support)")
    def dual_coef_(self):
        """Coefficients of the support vectors in the decision functions; sparse if the data were sparse."""
        coef = self._signed(self._fitted().coef)
        return scipy.sparse.csr_matrix(coef) if self._sparse else coef

    @fitted("ndarray of shape (n_functions, 2)")
    def offset_interval_(self):
        """Smallest and largest intercept that is optimal, for each decision function."""
        ends = np.array([(each["offset_low"], each["offset_high"]) for each in self.reports_])
        return -ends[:, ::-1] if self._flipped else ends

    @fitted("ndarray or sparse matrix of shape (n_functions, n_features)")
    def coef_(self):
        """Weights of the features, read only; sparse if the data were sparse. Only for a linear kernel."""
        return scipy.sparse.csr_matrix(super().coef_) if self._sparse else super().coef_

    @fitted("ndarray of shape (n_functions,) or int")
    def n_iter_(self):
        """Number of iterations of the solver on each binary problem; without classes one number."""
        steps = np.clip([each["steps"] for each in self.reports_], 1, np.iinfo(np.int32).max).astype(np.int32)
        return steps if hasattr(self, "classes_") else int(steps[0])


class _Classifier(DecidingClassifier, _SVM):
    _own = {
        "class_weight": None,
        "decision_function_shape": (
            "ovr", [one_of("ovr", "ovo")],
            "Columns of `decision_function` with more than two classes: one per class (``'ovr'``) or one per pair of "
            "classes (``'ovo'``). The model is the same.",
        ),
        "break_ties": (
            False, BOOLEAN,
            "With more than two classes and ``decision_function_shape='ovr'``, predict the class with the largest "
            "decision value instead of the one with the most votes.",
        ),
    }  # fmt: skip

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples and their class labels."""
        self._run(*self._fit_labels(X, y, sample_weight))
        if self._model.without_margin:
            text = self._model.without_margin
            warn(f"{text[0].upper()}{text[1:]}.")
        if self.probability and self._model.calibration_trouble:
            warn(f"In the fit of the probabilities, {self._model.calibration_trouble}.")
        return self

    def decision_function(self, X):
        """Computes the decision values of the examples; their columns depend on `decision_function_shape`."""
        self._fitted()
        if len(self.classes_) > 2 and self.decision_function_shape == "ovr":
            return self._ask("class_scores", X)
        return super().decision_function(X)

    def predict(self, X):
        """Predicts the class label of every example."""
        self._fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[self._ask("class_scores", X).argmax(axis=1)]
        return super().predict(X)

    def _has_probability(self):
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Computes class probabilities; only with ``probability=True``. The largest one belongs to the class that
        `predict` returns."""
        if not len(self._fitted().sigmoid_slopes):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._ask("probabilities", X)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Computes the logarithms of the class probabilities; only with ``probability=True``."""
        return np.log(self.predict_proba(X))

    def margin_report(self, X, y, sample_weight=None, *, error=None, ball=None, pictures=True):
        """Checks the classifier on its training data.

        The report contains the multiplier and the slack of every example and its position relative to the margin, both
        objectives and the optimality conditions, all computed anew in float64, and bounds on the error.

        Parameters
        ----------
        X : array-like, sparse matrix, data frame or list of objects, n_samples examples
            The training examples.
        y : array-like of shape (n_samples,)
            Their class labels.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights that `fit` was called with.
        error : {'loo'} or int, default=None
            Estimate the error on new examples as well: by leaving one example out (``'loo'``), or by cross-validation
            with this number of folds. None: no estimate.
        ball : bool, default=None
            Compute the smallest ball in feature space that contains the examples; the VC bound requires its radius.
            None: with at most 20000 examples.
        pictures : bool, default=True
            Include pictures of the decision regions in the HTML report.

        Returns
        -------
        report : MarginReport
            The report.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mercer import SVC
        >>> X, y = load_iris(return_X_y=True)
        >>> X, y = X[50:], y[50:]
        >>> report = SVC(kernel="linear").fit(X, y).margin_report(X, y)
        >>> report.optimal, report.gap < 1e-2, report.loo_bound <= 0.3
        (True, True, True)
        >>> report.counts["misclassified"] == ((2 * y - 3) * report.f < 0).sum()
        True
        """
        data = self._new_data(X)
        return MarginReport._of(
            self, data, y, sample_weight, error, len(data) <= 20000 if ball is None else ball, pictures
        )

    probA_ = of_model(
        "sigmoid_slopes", "ndarray of shape (n_pairs,)",
        "Slopes of the sigmoids that map decision values to probabilities; empty without ``probability=True``.",
    )  # fmt: skip
    probB_ = of_model(
        "sigmoid_offsets", "ndarray of shape (n_pairs,)",
        "Offsets of the sigmoids that map decision values to probabilities; empty without ``probability=True``.",
    )  # fmt: skip


class SVC(_Classifier):
    """C-support vector classification.

    Minimises ½‖w‖² + C Σ ξᵢ for each pair of classes; the largest number of votes of the pairs decides. The parameters
    of :class:`sklearn.svm.SVC` have the same names and defaults; the others control the fit.

    See Also
    --------
    LinearSVC : Linear kernel, for many examples or many sparse features.
    NuSVC : Bound on the share of margin errors instead of C.
    NystroemSVC : Approximation by a few centres, for millions of examples.
    CellsSVC : One machine per cell of the feature space, for millions of examples.
    sklearn.svm.SVC : The class with the same parameters in scikit-learn.

    Notes
    -----
    Differences from :class:`sklearn.svm.SVC`: `kernel` also takes expressions and objects of :mod:`mercer.kernels`, and
    examples may be strings, sets, graphs and other objects that the kernel compares. ``C=numpy.inf`` is a hard margin.
    `n_iter_` counts the steps of another solver. ``gamma='scale'`` leaves out examples of weight 0. Ctrl-C ends a fit
    with the best model so far; a second Ctrl-C raises KeyboardInterrupt (:func:`mercer.set_interrupt`).

    With ``solver='interior_point'``, ``'primal_qp'`` or ``'kernel_pegasos'`` other algorithms solve the same problem;
    the first two are for small problems.

    References
    ----------
    .. [1] C. Cortes, V. Vapnik, "Support-vector networks", Machine Learning 20, 1995.
    .. [2] H.-T. Lin, C.-J. Lin, R. C. Weng, "A note on Platt's probabilistic outputs for support vector machines",
       Machine Learning 68, 2007.
    .. [3] T.-F. Wu, C.-J. Lin, R. C. Weng, "Probability estimates for multi-class classification by pairwise coupling",
       JMLR 5, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from mercer import SVC
    >>> X = np.array([[-1.0, -1.0], [-2.0, -1.0], [1.0, 1.0], [2.0, 1.0]])
    >>> clf = SVC(kernel="rbf(gamma=0.5)").fit(X, ["a", "a", "b", "b"])
    >>> clf.predict([[-0.8, -1.0]])
    array(['a'], dtype='<U1')
    >>> clf.status_
    'converged'
    """

    _method = "svc"
    _order = (
        "C", "kernel", "degree", "gamma", "coef0", "shrinking", "probability", "tol", "cache_size", "class_weight",
        "verbose", "max_iter", "decision_function_shape", "break_ties", "random_state",
    )  # fmt: skip

    def _early(self):
        if self.solver == "smo" or self.max_iter != -1:
            return super()._early()
        return f"Solver terminated early (at its own limit; max_iter sets another for {self.solver!r})"

    def _check_fit(self, data):
        if self.solver != "smo" and (self._precomputed or self.probability):
            raise ValueError(
                f"solver={self.solver!r} needs a kernel, not a precomputed matrix, and supports no probabilities: use "
                "'smo'"
            )


class NuSVC(_Classifier):
    """Nu-support vector classification.

    The support vector machine with the parameter nu in place of C: nu is an upper bound on the share of margin errors
    and a lower bound on the share of support vectors. The parameters of :class:`sklearn.svm.NuSVC` have the same names
    and defaults; the others control the fit.

    See Also
    --------
    SVC : Penalty parameter C instead of nu.
    sklearn.svm.NuSVC : The class with the same parameters in scikit-learn.

    Notes
    -----
    The differences from scikit-learn are those of :class:`SVC`. `class_weight` scales the C that nu stands for.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett, "New support vector algorithms", Neural
       Computation 12, 2000.

    Examples
    --------
    >>> from mercer import NuSVC
    >>> NuSVC(nu=0.5).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]).predict([[0.5], [4.5]])
    array([0, 1])
    """

    _method = "nu_svc"
    _order = ("nu", *SVC._order[1:])
    _none_left = "specified nu is infeasible: all samples have zero or negative weights"
    _one_left = "specified nu is infeasible: all samples with positive weights belong to the same class"


class _WithoutClasses(Predicting, _SVM):
    random_state = None  # scikit-learn's class also has these attributes, without a meaning

    @fitted("ndarray of shape (0,)")
    def class_weight_(self):
        """Empty, because there are no classes; deprecated as in scikit-learn."""
        warnings.warn(
            "Attribute `class_weight_` was deprecated in version 1.2 and will be removed in 1.4 of scikit-learn: "
            "there are no classes.",
            FutureWarning,
        )
        return np.empty(0)


class _Regressor(RegressorMixin, _WithoutClasses):
    _argument_docs = {"y": VALUES}

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples and their target values."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._run(data, _data.as_targets(y, len(data), type(self).__name__), weight)


class SVR(_Regressor):
    """Epsilon-support vector regression.

    Minimises ½‖w‖² + C Σ max(0, |yᵢ - f(xᵢ)| - epsilon): errors of at most epsilon are not penalised. The parameters of
    :class:`sklearn.svm.SVR` have the same names and defaults; the others control the fit.

    See Also
    --------
    NuSVR : Chooses epsilon from a share nu of the examples.
    CellsSVR : One machine per cell of the feature space, for millions of examples.
    KernelRidge : Squared errors instead of the epsilon-insensitive loss.
    sklearn.svm.SVR : The class with the same parameters in scikit-learn.

    Notes
    -----
    The differences from scikit-learn are those of :class:`SVC`.

    References
    ----------
    .. [1] A. J. Smola, B. Schölkopf, "A tutorial on support vector regression", Statistics and Computing 14, 2004.

    Examples
    --------
    >>> from mercer import SVR
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "svr"
    _order = (
        "kernel", "degree", "gamma", "coef0", "tol", "C", "epsilon", "shrinking", "cache_size", "verbose", "max_iter"
    )


class NuSVR(_Regressor):
    """Nu-support vector regression.

    Support vector regression that chooses epsilon itself, so that about a share nu of the examples has larger errors.
    The parameters of :class:`sklearn.svm.NuSVR` have the same names and defaults; the others control the fit.

    See Also
    --------
    SVR : Support vector regression with a given epsilon.
    sklearn.svm.NuSVR : The class with the same parameters in scikit-learn.

    Notes
    -----
    The differences from scikit-learn are those of :class:`SVC`.

    References
    ----------
    .. [1] B. Schölkopf, A. J. Smola, R. C. Williamson, P. L. Bartlett, "New support vector algorithms", Neural
       Computation 12, 2000.

    Examples
    --------
    >>> from mercer import NuSVR
    >>> NuSVR(kernel="linear", C=100.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "nu_svr"
    _order = ("nu", "C", "kernel", "degree", "gamma", "coef0", "shrinking", "tol", "cache_size", "verbose", "max_iter")

    epsilon_ = of_model("epsilon", "float", "The epsilon that was chosen: half the width of the tube.")


class OneClassSVM(OutlierMixin, _WithoutClasses):
    """One-class support vector machine.

    Estimates the region that contains most of the examples; nu is an upper bound on the share of training examples
    outside. The parameters of :class:`sklearn.svm.OneClassSVM` have the same names and defaults; the others control the
    fit.

    See Also
    --------
    SVC : Support vector classification with two classes or more.
    sklearn.svm.OneClassSVM : The class with the same parameters in scikit-learn.

    Notes
    -----
    The differences from scikit-learn are those of :class:`SVC`.

    References
    ----------
    .. [1] B. Schölkopf, J. C. Platt, J. Shawe-Taylor, A. J. Smola, R. C. Williamson, "Estimating the support of a
       high-dimensional distribution", Neural Computation 13, 2001.

    Examples
    --------
    >>> from mercer import OneClassSVM
    >>> clf = OneClassSVM(gamma="auto").fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> clf.predict([[0.45], [3.0]])
    array([ 1, -1])
    """

    _method = "one_class"
    _order = ("kernel", "degree", "gamma", "coef0", "tol", "nu", "shrinking", "cache_size", "verbose", "max_iter")
    _returned_docs = {
        "decision_function": ("f : ndarray of shape (n_samples,)", "Positive inside the region, negative outside."),
        "score_samples": ("scores : ndarray of shape (n_samples,)", "The scores; larger inside the region."),
    }

    def fit(self, X, y=None, sample_weight=None):
        """Fits the region to the examples."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._run(data, None, weight)

    @fitted("ndarray of shape (1,)")
    def offset_(self):
        """Threshold of the scores: ``decision_function(X) = score_samples(X) - offset_``."""
        return -self.intercept_

    def decision_function(self, X):
        """Computes the decision values of the examples."""
        return self._ask("decide", X)[:, 0]

    def score_samples(self, X):
        """Computes the decision values without their constant term."""
        return self.decision_function(X) + self.offset_

"""Support vector machines."""

import warnings

import numpy as np
import scipy.sparse
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _data
from ._base import NOT_FINITE, KernelClassifier, KernelEstimator, fit_status, keep, of_model, of_objects, warn
from ._parameters import BOOLEAN, one_of
from ._report import MarginReport


class _SVM(KernelEstimator):
    """What the five machines share: the call of the solver, and the attributes of a fitted model."""

    _own_constraints = {"decision_function_shape": [one_of("ovr", "ovo")], "break_ties": BOOLEAN}

    def _fit(self, data, targets, sample_weight, class_weight=None):
        self.kernel_ = self._resolve_kernel(data, sample_weight)
        self._has_function = self.kernel_ is not None and self.kernel_._has_function()
        self._run(data, targets, sample_weight, class_weight)
        self.shape_fit_ = (len(data), self.n_features_in_) if hasattr(self, "n_features_in_") else (len(data),)
        self._sparse = getattr(data, "sparse", False)
        return self

    def _memory(self):
        return int(self.cache_size * 2**20), 0 if self.max_memory is None else _data.as_bytes(self.max_memory)

    def _accept(self, model):
        if not model.finite:
            raise ValueError(NOT_FINITE)

    def _reached(self):
        return f"its gap is {self._model.gap:.3g} where tol is {self.tol:g}"

    def _early(self):
        return f"Solver terminated early (max_iter={self.max_iter}).  Consider pre-processing your data with StandardScaler or MinMaxScaler"

    def _new_data(self, X):
        data = super()._new_data(X)
        if scipy.sparse.issparse(X) and not self._sparse and not self._has_function:
            raise ValueError(f"cannot use sparse input in {type(self).__name__!r} trained on dense data: pass X.toarray()")
        return data

    def _flip(self):
        """scikit-learn's binary decisions are positive for the second class, the library's for the first."""
        return False

    @property
    def _gamma(self):
        """The number that gamma stands for, under the name by which programs that convert scikit-learn's models look for it; 0 where there is none."""
        self._fitted()
        return getattr(self.kernel_, "gamma", 0.0)

    @property
    def support_(self):
        """Numbers of the support vectors among the training examples."""
        return self._fitted().support.astype(np.int32)

    support_vectors_ = of_objects("The support vectors, or support objects; empty for a precomputed kernel.")

    @property
    def n_support_(self):
        """Support vectors of each class."""
        model = self._fitted()
        return np.array(model.support_vectors_of_classes if hasattr(self, "classes_") else [len(model.support)], dtype=np.int32)

    @property
    def dual_coef_(self):
        """Coefficients of the support vectors; sparse where the data were."""
        coef = self._fitted().coef
        if self._flip():
            coef = -coef
        return scipy.sparse.csr_matrix(coef) if self._sparse else coef

    @property
    def intercept_(self):
        """The constant of each decision function."""
        offset = self._fitted().offset
        return -offset if self._flip() else offset

    @property
    def offset_interval_(self):
        """The intercepts that are equally optimal: one pair (low, high) per decision function."""
        ends = np.array([(each["offset_low"], each["offset_high"]) for each in self.reports_])
        return -ends[:, ::-1] if self._flip() else ends

    @property
    def coef_(self):
        """Weights of the coordinates, read only, sparse where the data were; only for a linear kernel."""
        model = self._fitted()
        if model.kernel_text != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        weights = -model.weights if self._flip() else model.weights
        if self._sparse:
            weights = scipy.sparse.csr_matrix(weights)
        (weights.data if self._sparse else weights).flags.writeable = False  # a change would have no effect
        return weights

    @property
    def n_iter_(self):
        """Pairs of multipliers solved, for each binary problem."""
        steps = np.clip([each["steps"] for each in self.reports_], 1, np.iinfo(np.int32).max).astype(np.int32)
        return steps if hasattr(self, "classes_") else int(steps[0])

    fit_status_ = fit_status

    dual_gap_ = of_model("gap", "How far the optimality conditions are from holding, measured in double; at most tol after convergence.")
    objective_ = of_model("objective", "The dual objective as a minimum, summed over binary problems.")
    reports_ = of_model("reports", "What was reached on each binary problem: status, gap, objective, steps, seconds, ...")


class _Classifier(KernelClassifier, _SVM):
    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y.

        X: array or sparse matrix (n_samples, n_features), data frame, list of str, of sets or of graphs; (n_samples, n_samples) for kernel='precomputed'.
        sample_weight: factor of C for each example; 0 is as if the example were not there.
        """
        self._fit(*self._fit_labels(X, y, sample_weight))
        if self.probability and self._model.calibration_trouble:
            warn(f"Behind the probabilities, {self._model.calibration_trouble}.")
        return self

    def _flip(self):
        return len(self.classes_) == 2

    def decision_function(self, X):
        """Decision values: (n_samples,) for two classes, else one column per class ('ovr') or per pair of classes ('ovo')."""
        data = self._new_data(X)
        if len(self.classes_) == 2:
            return -self._model.decide(data, self.n_jobs)[:, 0]
        if self.decision_function_shape == "ovr":
            return self._model.class_scores(data, self.n_jobs)
        return self._model.decide(data, self.n_jobs)

    def predict(self, X):
        """The label of every example."""
        self._fitted()
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        data = self._new_data(X)
        if self.break_ties and len(self.classes_) > 2:
            return self.classes_[self._model.class_scores(data, self.n_jobs).argmax(axis=1)]
        return self.classes_[self._model.predict(data, self.n_jobs)]

    def _has_probability(self):
        if not self.probability:
            raise AttributeError("predict_proba is not available when probability=False")
        return True

    @available_if(_has_probability)
    def predict_proba(self, X):
        """Probabilities of the classes, in the order of classes_; the largest is that of the class which predict() gives."""
        data = self._new_data(X)
        if not len(self._model.sigmoid_slopes):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._model.probabilities(data, self.n_jobs)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))

    def margin_report(self, X, y, sample_weight=None, *, error=None, ball=None, pictures=True):
        """What this classifier is on its training data X, y, sample_weight: a MarginReport.

        Every example's multiplier, slack and place beside the margin; both objectives and the conditions of optimality, computed anew in double;
        bounds on the error. error: 'loo' to find the leave-one-out error too, a number of folds for cross-validation, or None. ball: find the
        smallest ball around the examples in feature space, which the VC bound needs; None: up to 20000 examples. pictures: of the regions, for
        the page of the report.

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
        return MarginReport._of(self, data, y, sample_weight, error, len(data) <= 20000 if ball is None else ball, pictures)

    probA_ = of_model("sigmoid_slopes", "Slopes of the sigmoids that make probabilities; empty without probability=True.")
    probB_ = of_model("sigmoid_offsets", "Offsets of the sigmoids that make probabilities; empty without probability=True.")


class SVC(_Classifier):
    """C-support vector classification.

    Parameters are those of sklearn.svm.SVC; beside its names, `kernel` takes a text form, an object of mercer.kernels, or a function.
    C may be infinite: a hard margin. Further:

    time_limit: seconds after which the best model so far is kept. max_memory: bytes, or "2GB". n_jobs: threads. callback: called about ten
    times a second with what there is (gap, seconds, ...); returning False stops. Ctrl-C keeps the best model so far, a second one ends all. solver: 'smo', or for small
    problems 'interior_point' (the dual as a quadratic program), 'primal_qp' (the primal, linear kernel) or 'kernel_pegasos' (stochastic descent
    to a relative gap of tol): the same problem by other means.

    Attributes are those of sklearn.svm.SVC; further status_, dual_gap_, objective_, offset_interval_, reports_, kernel_.

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

    def __init__(
        self, *, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False, tol=1e-3, cache_size=200,
        class_weight=None, verbose=False, max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
        time_limit=None, max_memory=None, n_jobs=None, callback=None, solver="smo",
    ):
        keep(self, locals())

    def _early(self):
        if self.solver == "smo" or self.max_iter != -1:
            return super()._early()
        return f"Solver terminated early (at its own limit; max_iter sets another for {self.solver!r})"

    def _run(self, data, *fitted_to):
        if self.solver != "smo" and (self._precomputed or self.probability):
            raise ValueError(f"solver={self.solver!r} needs a kernel, not a precomputed matrix, and makes no probabilities: use 'smo'")
        super()._run(data, *fitted_to)


class NuSVC(_Classifier):
    """Nu-support vector classification: nu is at most the share of support vectors and at least that of margin errors.

    Parameters are those of sklearn.svm.NuSVC and, as for SVC, time_limit, max_memory, n_jobs, callback.

    >>> from mercer import NuSVC
    >>> NuSVC(nu=0.5).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]).predict([[0.5], [4.5]])
    array([0, 1])
    """

    _method = "nu_svc"
    _none_left = "specified nu is infeasible: all samples have zero or negative weights"
    _one_left = "specified nu is infeasible: all samples with positive weights belong to the same class"

    def __init__(
        self, *, nu=0.5, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, probability=False, tol=1e-3, cache_size=200,
        class_weight=None, verbose=False, max_iter=-1, decision_function_shape="ovr", break_ties=False, random_state=None,
        time_limit=None, max_memory=None, n_jobs=None, callback=None,
    ):
        keep(self, locals())


def _no_classes(self):
    warnings.warn("Attribute `class_weight_` was deprecated in version 1.2 and will be removed in 1.4 of scikit-learn: there are no classes.", FutureWarning)
    return np.empty(0)


class _Regressor(RegressorMixin, _SVM):
    # scikit-learn's regressors have these too, without a meaning
    class_weight_ = property(_no_classes, doc="Empty: there are no classes.")
    random_state = None

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and numbers y; X and sample_weight as for SVC."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._fit(data, _data.as_targets(y, len(data), type(self).__name__), weight)

    def predict(self, X):
        """The value for every example."""
        data = self._new_data(X)
        return self._model.predict(data, self.n_jobs)


class SVR(_Regressor):
    """Epsilon-support vector regression: errors up to epsilon cost nothing.

    Parameters are those of sklearn.svm.SVR and, as for SVC, time_limit, max_memory, n_jobs, callback.

    >>> from mercer import SVR
    >>> SVR(kernel="linear", C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "svr"

    def __init__(
        self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, C=1.0, epsilon=0.1, shrinking=True, cache_size=200,
        verbose=False, max_iter=-1, time_limit=None, max_memory=None, n_jobs=None, callback=None,
    ):
        keep(self, locals())


class NuSVR(_Regressor):
    """Nu-support vector regression: the width of the tube is found so that about a share nu of the examples lies outside.

    Parameters are those of sklearn.svm.NuSVR and, as for SVC, time_limit, max_memory, n_jobs, callback. epsilon_ is the width found.

    >>> from mercer import NuSVR
    >>> NuSVR(kernel="linear", C=100.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "nu_svr"

    def __init__(
        self, *, nu=0.5, C=1.0, kernel="rbf", degree=3, gamma="scale", coef0=0.0, shrinking=True, tol=1e-3, cache_size=200,
        verbose=False, max_iter=-1, time_limit=None, max_memory=None, n_jobs=None, callback=None,
    ):
        keep(self, locals())

    epsilon_ = of_model("epsilon", "Half the width of the tube that was found.")


class OneClassSVM(OutlierMixin, _SVM):
    """One-class support vector machine: where the examples lie; nu bounds the share of them that is left outside.

    Parameters are those of sklearn.svm.OneClassSVM and, as for SVC, time_limit, max_memory, n_jobs, callback.

    >>> from mercer import OneClassSVM
    >>> clf = OneClassSVM(gamma="auto").fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> clf.predict([[0.45], [3.0]])
    array([ 1, -1])
    """

    _method = "one_class"
    class_weight_ = property(_no_classes, doc="Empty: there are no classes.")
    random_state = None

    def __init__(
        self, *, kernel="rbf", degree=3, gamma="scale", coef0=0.0, tol=1e-3, nu=0.5, shrinking=True, cache_size=200, verbose=False,
        max_iter=-1, time_limit=None, max_memory=None, n_jobs=None, callback=None,
    ):
        keep(self, locals())

    def fit(self, X, y=None, sample_weight=None):
        """Finds where the examples X lie; y is ignored. X and sample_weight as for SVC."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._fit(data, None, weight)

    @property
    def offset_(self):
        """decision_function(X) = score_samples(X) - offset_."""
        return -self.intercept_

    def decision_function(self, X):
        """Positive inside, negative outside."""
        data = self._new_data(X)
        return self._model.decide(data, self.n_jobs)[:, 0]

    def score_samples(self, X):
        """The decision function without its constant."""
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        """1 inside, -1 outside."""
        data = self._new_data(X)
        return self._model.predict(data, self.n_jobs)

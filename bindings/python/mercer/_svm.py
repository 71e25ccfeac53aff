"""Support vector machines."""

import warnings

import numpy as np
import scipy.sparse
from sklearn.base import OutlierMixin, RegressorMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if

from . import _data
from ._base import DecidingClassifier, KernelEstimator, Predicting, of_model, of_objects, warn
from ._kernel_of import NOT_FINITE
from ._parameters import BOOLEAN, one_of
from ._report import MarginReport


class _Machine(KernelEstimator):
    """What all support vector machines show, those by descent too."""

    _first_is_positive = True

    @property
    def intercept_(self):
        """The constant of each decision function."""
        return self._signed(self._fitted().offset)

    @property
    def coef_(self):
        """Weights of the coordinates, one row for each decision function; only for a linear kernel."""
        model = self._fitted()
        if model.kernel_text != "linear()":
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._signed(model.weights)

    @property
    def fit_status_(self):
        """0 where the fit is what was asked for."""
        return 0 if self.status_ in ("converged", "stationary") else 1

    dual_gap_ = of_model(
        "gap",
        "How far the optimality conditions are from holding, measured in double; for machines by descent (primal - "
        "dual)/primal. Of the worst problem, at most tol after convergence.",
    )
    objective_ = of_model("objective", "The dual objective as a minimum, summed over binary problems.")
    reports_ = of_model(
        "reports", "What was reached on each binary problem: status, gap, objective, steps, rounds, seconds, ..."
    )


class _SVM(_Machine):
    """What the five machines share: the call of the solver, and the attributes of a fitted model."""

    _own = {"cache_size": 200}

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
        return f"its duality gap is {self._model.gap:.3g}, and tol is {self.tol:g}"

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
        """The number that gamma stands for, under the name by which programs that convert scikit-learn's models look
        for it; 0 where there is none."""
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
        return np.array(
            model.support_vectors_of_classes if hasattr(self, "classes_") else [len(model.support)], dtype=np.int32
        )

    @property
    def dual_coef_(self):
        """Coefficients of the support vectors; sparse where the data were."""
        coef = self._signed(self._fitted().coef)
        return scipy.sparse.csr_matrix(coef) if self._sparse else coef

    @property
    def offset_interval_(self):
        """The intercepts that are equally optimal: one pair (low, high) per decision function."""
        ends = np.array([(each["offset_low"], each["offset_high"]) for each in self.reports_])
        return -ends[:, ::-1] if self._flipped else ends

    @property
    def coef_(self):
        """Weights of the coordinates, read only, sparse where the data were; only for a linear kernel."""
        return scipy.sparse.csr_matrix(super().coef_) if self._sparse else super().coef_

    @property
    def n_iter_(self):
        """Pairs of multipliers solved, for each binary problem."""
        steps = np.clip([each["steps"] for each in self.reports_], 1, np.iinfo(np.int32).max).astype(np.int32)
        return steps if hasattr(self, "classes_") else int(steps[0])


class _Classifier(DecidingClassifier, _SVM):
    _own = {
        "class_weight": None, "decision_function_shape": ("ovr", [one_of("ovr", "ovo")]), "break_ties": (False, BOOLEAN)
    }

    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and labels y.

        X: array or sparse matrix (n_samples, n_features), data frame, list of str, of sets or of graphs; (n_samples,
        n_samples) for kernel='precomputed'. sample_weight: factor of C for each example; 0 is as if the example were
        not there.
        """
        self._run(*self._fit_labels(X, y, sample_weight))
        if self._model.without_margin:
            text = self._model.without_margin
            warn(f"{text[0].upper()}{text[1:]}.")
        if self.probability and self._model.calibration_trouble:
            warn(f"In the fit of the probabilities, {self._model.calibration_trouble}.")
        return self

    def decision_function(self, X):
        """Decision values: (n_samples,) for two classes, else one column per class ('ovr') or per pair of classes
        ('ovo')."""
        self._fitted()
        if len(self.classes_) > 2 and self.decision_function_shape == "ovr":
            return self._ask("class_scores", X)
        return super().decision_function(X)

    def predict(self, X):
        """The label of every example."""
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
        """Probabilities of the classes, in the order of classes_; the largest is that of the class which predict()
        gives."""
        if not len(self._fitted().sigmoid_slopes):
            raise NotFittedError("predict_proba is not available when fitted with probability=False")
        return self._ask("probabilities", X)

    @available_if(_has_probability)
    def predict_log_proba(self, X):
        """Logarithms of predict_proba()."""
        return np.log(self.predict_proba(X))

    def margin_report(self, X, y, sample_weight=None, *, error=None, ball=None, pictures=True):
        """What this classifier is on its training data X, y, sample_weight: a MarginReport.

        Every example's multiplier, slack and place beside the margin; both objectives and the conditions of optimality,
        computed anew in double; bounds on the error. error: 'loo' to find the leave-one-out error too, a number of
        folds for cross-validation, or None. ball: find the smallest ball around the examples in feature space, which
        the VC bound needs; None: up to 20000 examples. pictures: of the regions, for the page of the report.

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
        "sigmoid_slopes", "Slopes of the sigmoids that make probabilities; empty without probability=True."
    )
    probB_ = of_model(
        "sigmoid_offsets", "Offsets of the sigmoids that make probabilities; empty without probability=True."
    )


class SVC(_Classifier):
    """C-support vector classification.

    Parameters are those of sklearn.svm.SVC; beside its names, `kernel` takes a text form, an object of mercer.kernels,
    or a function. C may be infinite: a hard margin. Further:

    callback is called about ten times a second with what there is (gap, seconds, ...); returning False stops. Ctrl-C
    keeps the best model so far, a second one ends all. solver: 'smo', or for small problems 'interior_point' (the dual
    as a quadratic program), 'primal_qp' (the primal, linear kernel) or 'kernel_pegasos' (stochastic descent to a
    relative gap of tol): the same problem by other means.

    Attributes are those of sklearn.svm.SVC; further status_, dual_gap_, objective_, offset_interval_, reports_,
    kernel_.

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
    """Nu-support vector classification: nu is at most the share of support vectors and at least that of margin errors.

    Parameters are those of sklearn.svm.NuSVC and, as for SVC, of the control of a fit.

    >>> from mercer import NuSVC
    >>> NuSVC(nu=0.5).fit([[0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1]).predict([[0.5], [4.5]])
    array([0, 1])
    """

    _method = "nu_svc"
    _none_left = "specified nu is infeasible: all samples have zero or negative weights"
    _one_left = "specified nu is infeasible: all samples with positive weights belong to the same class"


class _WithoutClasses(Predicting, _SVM):
    random_state = None  # scikit-learn's class also has these attributes, without a meaning

    @property
    def class_weight_(self):
        """Empty: there are no classes."""
        warnings.warn(
            "Attribute `class_weight_` was deprecated in version 1.2 and will be removed in 1.4 of scikit-learn: "
            "there are no classes.",
            FutureWarning,
        )
        return np.empty(0)


class _Regressor(RegressorMixin, _WithoutClasses):
    def fit(self, X, y, sample_weight=None):
        """Fits the model to examples X and numbers y; X and sample_weight as for SVC."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._run(data, _data.as_targets(y, len(data), type(self).__name__), weight)


class SVR(_Regressor):
    """Epsilon-support vector regression: errors up to epsilon cost nothing.

    Parameters are those of sklearn.svm.SVR and, as for SVC, of the control of a fit.

    >>> from mercer import SVR
    >>> model = SVR(kernel="linear", C=100.0, epsilon=0.01).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0])
    >>> model.predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "svr"


class NuSVR(_Regressor):
    """Nu-support vector regression: the width of the tube is found so that about a share nu of the examples lies
    outside.

    Parameters are those of sklearn.svm.NuSVR and, as for SVC, of the control of a fit. epsilon_ is the width found.

    >>> from mercer import NuSVR
    >>> NuSVR(kernel="linear", C=100.0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(1)
    array([3.])
    """

    _method = "nu_svr"

    epsilon_ = of_model("epsilon", "Half the width of the tube that was found.")


class OneClassSVM(OutlierMixin, _WithoutClasses):
    """One-class support vector machine: where the examples lie; nu bounds the share of them that is left outside.

    Parameters are those of sklearn.svm.OneClassSVM and, as for SVC, of the control of a fit.

    >>> from mercer import OneClassSVM
    >>> clf = OneClassSVM(gamma="auto").fit([[0.0], [0.44], [0.45], [0.46], [1.0]])
    >>> clf.predict([[0.45], [3.0]])
    array([ 1, -1])
    """

    _method = "one_class"

    def fit(self, X, y=None, sample_weight=None):
        """Finds where the examples X lie; y is ignored. X and sample_weight as for SVC."""
        data = self._fit_data(X)
        weight = _data.as_penalty_weights(sample_weight, len(data))
        return self._run(data, None, weight)

    @property
    def offset_(self):
        """decision_function(X) = score_samples(X) - offset_."""
        return -self.intercept_

    def decision_function(self, X):
        """Positive inside, negative outside."""
        return self._ask("decide", X)[:, 0]

    def score_samples(self, X):
        """The decision function without its constant."""
        return self.decision_function(X) + self.offset_

"""What the estimators share: parameters that every fit takes, the checks of X, the fitted kernel, pickles."""

import functools
import sys
import types
import warnings

import numpy as np
import scipy.sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import validate_parameter_constraints
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from . import _checkpoint, _core, _data, kernels
from ._explain import Explanation
from ._kernel_of import compared, resolve_kernel
from ._parameters import METHODS, init_of, parameters_of, shared_options, words_of

try:  # scikit-learn 1.6 made functions of these methods
    from sklearn.utils.validation import _check_feature_names
except ImportError:

    def _check_feature_names(estimator, X, *, reset):
        estimator._check_feature_names(X, reset=reset)


def warn(text, kind=ConvergenceWarning):
    """A warning about the line outside this package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("mercer."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def of_model(name, about):
    """A property that is a part of the fitted model, or a figure of its fit."""
    return property(lambda self: getattr(self._fitted(), name), doc=about)


def of_objects(about):
    """A property that is the objects of the fitted model, as they came; empty for a precomputed kernel."""
    return property(lambda self: self._objects(), doc=about)


def seed_of(random_state):
    return 1 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def _read_only(values):
    """The same numbers in an array that refuses changes: what an estimator shows of its model decides nothing."""
    if scipy.sparse.issparse(values) and values.format == "csr":
        parts = (_read_only(values.data), values.indices, values.indptr)
        return type(values)(parts, shape=values.shape, copy=False)
    if not isinstance(values, np.ndarray):
        return values
    view = values.view()
    view.flags.writeable = False
    return view


def _showing_read_only(shown):
    """The property `shown`, with arrays that are read only."""
    get = shown.fget

    @functools.wraps(get)
    def read_only(self):
        return _read_only(get(self))

    return property(read_only, shown.fset, shown.fdel, shown.__doc__)


class Progress:
    """What the library asks at every step of a fit: shows a line, calls the callback."""

    def __init__(self, estimator):
        self.name, self.user = type(estimator).__name__, getattr(estimator, "callback", None)
        self.verbose = getattr(estimator, "verbose", False)
        self.shown = -1.0

    def callback(self):
        """None when nobody wants to know."""
        return self if self.user is not None or self.verbose else None

    def __call__(self, info):
        now = types.SimpleNamespace(**info)
        if self.verbose and now.seconds - self.shown >= 0.1:
            self.shown = now.seconds
            of = f" of {now.total}" if now.total else ""
            where = f"{now.phase} {now.done}{of}, {now.value:.6g}"
            if now.size:  # progress of a support vector machine
                problem = f"problem {now.problem + 1} of {now.problems}, " if now.problems > 1 else ""
                left = f", about {now.seconds_left:.0f} s left" if now.seconds_left < 1e6 else ""
                where = f"{problem}gap {now.gap:.3g}, {now.active} of {now.size} examples in play{left}"
            print(f"\r{self.name}: {now.seconds:.1f} s, {where}   ", end="", file=sys.stderr, flush=True)
        return self.user(now) if self.user is not None else True


def _checks_parameters(fit):
    """fit() that looks at the parameters before anything else."""

    @functools.wraps(fit)
    def checked(self, *args, **more):
        if more.get("comm") is None:  # otherwise checked together with the other ranks
            self._validate_params()
        return fit(self, *args, **more)

    return checked


class KernelEstimator(BaseEstimator):
    """A learner that sees its examples through a kernel.

    A subclass names the method of the library that it stands for, and its parameters, __init__, the checks of them and
    their part of the docstring are made from the method's description (_parameters.py); those that are options are
    passed on. The model is `_model`.
    """

    _method = None
    _positional = ()  # parameters that may be given by position
    _option_names = {}  # {parameter: option} where scikit-learn's name differs
    _not_taken = ()  # options of the method that are not parameters
    # {parameter: default, or (default, allowed values)}: parameters in addition to the method's options, or with
    # scikit-learn's default
    _own = {}
    _function_of_pairs = False  # true if a kernel that is a function takes two examples instead of two matrices

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        if "_method" in vars(cls):
            cls._shared = shared_options(cls)
            parameters = parameters_of(cls)
            cls.__init__ = init_of(cls.__name__, parameters, cls._positional)
            cls._parameter_constraints = {name: allowed for name, (_, allowed, _) in parameters.items()}
            cls._defaults = {name: default for name, (default, *_) in parameters.items()}
            cls.__doc__ += words_of(parameters)
        if "fit" in vars(cls):
            cls.fit = _checks_parameters(cls.fit)
        for name, value in list(vars(cls).items()):
            if isinstance(value, property) and name.endswith("_") and not name.startswith("_"):
                setattr(cls, name, _showing_read_only(value))

    def _validate_params(self):
        # Defaults are known to be valid: checking all of them took a third of the time of a small fit.
        now = vars(self)
        given = {name: now[name] for name, usual in self._defaults.items() if now.get(name, usual) is not usual}
        validate_parameter_constraints(self._parameter_constraints, given, caller_name=type(self).__name__)

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_model")

    # --- inputs

    def _fit_data(self, X, *, copy=False):
        """X of fit(): Data, or a square matrix of float64 for a precomputed kernel. Sets n_features_in_ and
        feature_names_in_.

        copy: for models that keep all examples, whose predictions must not change when the caller changes X.
        """
        if isinstance(self.kernel, str) and self.kernel == "precomputed":
            self._name_features(X, reset=True)
            K = _data.as_matrix(X, estimator=self)
            if K.shape[0] != K.shape[1]:
                raise ValueError(
                    f"Precomputed matrix must be a square matrix. Input is a {K.shape[0]}x{K.shape[1]} matrix."
                )
            self.n_features_in_ = K.shape[1]
            return K
        self._name_features(X, reset=True)
        function = not isinstance(self.kernel, (str, kernels.Kernel)) and callable(self.kernel)
        known = isinstance(self.kernel, kernels.Kernel) and self.kernel.takes_anything()
        data = _data.as_data(X, estimator=self, copy=copy, anything=function, always=known, **compared(self.kernel))
        self._held = getattr(data, "held", None)
        self._items = _data.item_names(X, data.kind)
        if data.kind == "vectors":
            self.n_features_in_ = data.dims
        elif hasattr(self, "n_features_in_"):
            del self.n_features_in_
        return data

    def _new_data(self, X):
        """X of predict(), which must look like that of fit()."""
        check_is_fitted(self)
        if self._precomputed:
            self._name_features(X, reset=False)
            return _data.as_matrix(X, estimator=self)
        if hasattr(self, "feature_names_in_") or not isinstance(X, np.ndarray):
            self._name_features(X, reset=False)
        data = _data.as_data(X, estimator=self, always=self.kernel_.takes_anything(), **compared(self.kernel_))
        if data.kind == "vectors" and data.dims != getattr(self, "n_features_in_", data.dims):
            raise ValueError(
                f"X has {data.dims} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                "as input."
            )
        return data

    def _name_features(self, X, *, reset):
        if isinstance(X, np.ndarray) and not hasattr(self, "feature_names_in_"):
            return
        if getattr(X, "ndim", 2) == 2:
            _check_feature_names(self, X, reset=reset)

    @property
    def _precomputed(self):
        return self.kernel_ is None

    # --- the kernel

    def _resolve_kernel(self, data, sample_weight=None):
        """The kernel object that `kernel`, `gamma`, `degree` and `coef0` mean for these data; None for precomputed."""
        return resolve_kernel(
            self.kernel, data, defaults=type(self), gamma=self.gamma, degree=self.degree, coef0=self.coef0,
            sample_weight=sample_weight, pairwise=self._function_of_pairs,
            arguments=getattr(self, "kernel_params", None),
        )  # fmt: skip

    def proof(self):
        """Why the fitted kernel is one, or which part of it no rule covers."""
        check_is_fitted(self)
        if self._precomputed:
            raise ValueError("a precomputed kernel matrix has no proof: only kernels of mercer.kernels have one")
        return self.kernel_.proof()

    # --- the fit

    def _run(self, data, y=None, sample_weight=None, class_weight=None, **options):
        """Fits the method, and says how that ended. options: in place of parameters, or beside them."""
        self.kernel_ = self._resolve_kernel(data, sample_weight)
        self._check_fit(data)
        model, interrupted = _core.fit(
            self._method, self._told(options), data, None if self._precomputed else self.kernel_.core(), y,
            sample_weight, class_weight, self._memory(), getattr(self, "time_limit", None), self.n_jobs,
            Progress(self).callback(), _checkpoint.current(),
        )  # fmt: skip
        return self._take(model, interrupted)

    def _told(self, options):
        """The options of the method: parameters, and those given in their place."""
        given = {option: getattr(self, name) for name, option in self._shared.items()}
        if "seed" in METHODS[self._method]:
            given["seed"] = seed_of(self.random_state)
        return {**given, **options}

    def _take(self, model, interrupted):
        self._accept(model)
        self._model = model
        if self._limit in METHODS[self._method]:
            self._ended(interrupted)
        return self

    def _memory(self):
        """(bytes for kernel values, for everything beside the data); 0: the library's own."""
        most = getattr(self, "max_memory", None)
        return (0 if most is None else _data.as_bytes(most)), 0

    def _check_fit(self, data):
        """Refuses what goes together with these data and this kernel in no fit."""

    def _accept(self, model):
        """Refuses models that are no answer."""

    def _ended(self, interrupted):
        """Sets status_ and warns when the fit is not what was asked for, with what was reached."""
        self.status_ = "interrupted" if interrupted else getattr(self._model, "status", "converged")
        verbose = getattr(self, "verbose", False)
        if self.status_ == "converged" and not verbose:
            return
        reached = self._reached()
        if verbose:
            print(f"\r{type(self).__name__}: {self.status_}, {reached}                    ", file=sys.stderr)
        if self.status_ in ("converged", "stationary"):
            return
        why = {
            "interrupted": "Fit interrupted by the user (a second Ctrl-C raises KeyboardInterrupt)",
            "step_limit": self._early(),
            "time_limit": f"Fit terminated early (time_limit={getattr(self, 'time_limit', None)})",
            "cancelled": "Fit stopped by the callback",
            "stalled": "Fit stalled: rounding errors, a memory limit that excludes a more accurate solver, or a matrix that is not "
            "positive semidefinite allows no further progress",
        }.get(self.status_, f"Fit ended with status {self.status_}")
        warn(f"{why}. The best model so far is returned, {reached}.")

    _limit = "max_iter"  # the option that limits the number of iterations

    def _early(self):
        """What is said of a fit that its limit ended."""
        return f"Fit terminated early ({self._limit}={getattr(self, self._limit)})"

    # --- attributes of a fitted estimator

    # the class that f > 0 means in the library if there are two classes; in scikit-learn it is the second class
    _first_is_positive = False

    @property
    def _flipped(self):
        return self._first_is_positive and len(getattr(self, "classes_", ())) == 2

    def _signed(self, f):
        """Decisions, coefficients or constants with scikit-learn's sign."""
        return -f if self._flipped else f

    def _fitted(self):
        check_is_fitted(self)
        return self._model

    def _ask(self, what, X):
        """What the model says of new examples."""
        data = self._new_data(X)
        return getattr(self._model, what)(data, self.n_jobs)

    def _objects(self):
        """The objects of the model, as they came; empty for a precomputed kernel."""
        model = self._fitted()
        return np.empty((0, 0)) if self._precomputed else _data.as_objects(model.objects.objects())

    def explain(self, x, top=20):
        """Which features of the kernel (k-mers, words, subtrees, items) moved the decision about one object x, and by how
        much.

        An Explanation with the `top` largest shares, or a list of them where there are several decision functions (one
        for each pair of classes, class or output). Needs a kernel with explicit features; others are refused with the
        part that has none.
        """
        model = self._fitted()
        if self._precomputed:
            raise ValueError("a precomputed kernel matrix has no features to explain: fit on objects with a kernel")
        data = self._new_data([x])
        items = {**getattr(self, "_items", {}), **_data.item_names([x], data.kind)}
        told = _core.explain(model, data, top, self._feature_words(), items)
        made = [Explanation(each, model.kernel_text, *self._side_labels(each["sides"])) for each in told]
        return made[0] if len(made) == 1 else made

    def feature_weights(self, top=20):
        """The `top` features of the kernel with the largest weights: a list of (name, weight), or one for each decision
        function by its labels."""
        found = _core.explain_weights(self._fitted(), top, self._feature_words(), getattr(self, "_items", {}))
        lists = {self._side_labels(sides): [(each[0], each[3]) for each in features] for sides, features in found}
        return next(iter(lists.values())) if len(lists) == 1 else lists

    def _feature_words(self):
        return [str(name) for name in getattr(self, "feature_names_in_", ())]

    def _side_labels(self, sides):
        classes = getattr(self, "classes_", None)
        if sides[0] is None or classes is None:
            return None, None
        return classes[sides[0]], "the others" if sides[1] is None else classes[sides[1]]

    def save(self, path):
        """Writes the fitted model to a file that the program `mercer` and the C++ library read too."""
        self._fitted().save(str(path))

    # --- pickles contain the model in the library's file format

    def __getstate__(self):
        state = dict(super().__getstate__())
        model = state.get("_model")
        if model is not None:
            state["_model"] = model.to_bytes()
        if state.get("_held") and model is not None:  # only the examples that the model contains
            keys = set(model.objects.objects())
            state["_held"] = [each for each in self._held if each.key in keys]
        return state

    def __setstate__(self, state):
        state = dict(state)
        if isinstance(state.get("_model"), bytes):
            with _core.LocalKernels(state["kernel_"].functions() if state.get("kernel_") is not None else []):
                state["_model"] = _core.Model.from_bytes(state["_model"])
        super().__setstate__(state)

    # --- both interfaces by which scikit-learn asks for the properties of an estimator

    def _more_tags(self):
        return {"pairwise": isinstance(self.kernel, str) and self.kernel == "precomputed"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = isinstance(self.kernel, str) and self.kernel == "precomputed"
        return tags


class Predicting(KernelEstimator):
    """A KernelEstimator that predicts."""

    def predict(self, X):
        """The label, the number, the cluster or the side (1 inside, -1 outside) of every example."""
        found = self._ask("predict", X)
        return self.classes_[found] if hasattr(self, "classes_") else found


class KernelClassifier(ClassifierMixin, Predicting):
    """A KernelEstimator of labels: classes_ and, where it has the parameter class_weight, class_weight_."""

    _none_left = "Invalid input - all samples have zero or negative weights."
    _one_left = "Invalid input - all samples with positive weights belong to the same class."

    def _fit_labels(self, X, y, sample_weight, *, copy=False):
        """(data, codes, sample weights or None, class weights or None) of fit(); at least two classes."""
        data = self._fit_data(X, copy=copy)
        n = len(data)
        weight = _data.as_penalty_weights(sample_weight, n, self._none_left)
        classes, codes = _data.as_classes(y, n, type(self).__name__, weight)
        if len(classes) < 2:
            one = "The number of classes has to be greater than one; got 1 class"
            raise ValueError(self._one_left if weight is not None and not weight.all() else one)
        self.classes_ = classes
        given = getattr(self, "class_weight", None)
        self.class_weight_ = np.ones(len(classes))
        if given is not None:
            present = classes[codes if weight is None else codes[weight > 0]]
            self.class_weight_ = compute_class_weight(given, classes=classes, y=present)
        return data, codes, weight, None if given is None else self.class_weight_


class DecidingClassifier(KernelClassifier):
    """A KernelClassifier with functions behind its predictions."""

    def decision_function(self, X):
        """f(x): (n_samples,) for two classes, positive for the second; else one column for each class, or for each pair
        of classes ('ovo')."""
        f = self._signed(self._ask("decide", X))
        return f[:, 0] if len(self.classes_) == 2 else f

"""Base classes of the estimators: common parameters, checks of X, the fitted kernel, pickles."""

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
from ._docstrings import LABELS, document_class, document_methods, fitted_attribute
from ._explain import Explanation
from ._kernel_of import compared, resolve_kernel
from ._parameters import METHODS, init_of, parameters_of, shared_options

try:  # scikit-learn 1.6 made functions of these methods
    from sklearn.utils.validation import _check_feature_names
except ImportError:

    def _check_feature_names(estimator, X, *, reset):
        estimator._check_feature_names(X, reset=reset)


def warn(text, kind=ConvergenceWarning):
    """Warns about the line outside this package that led here."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals["__name__"].startswith("mercer."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def renamed(owner, given, names, values):
    """The arguments `given` by their present names and with present values; each former one gets a FutureWarning.

    names: {former name: present name}; values: {parameter: {former value: present value}}.
    """
    if given.keys().isdisjoint(names) and given.keys().isdisjoint(values):
        return given
    out = {}
    for name, value in given.items():
        new = names.get(name, name)
        if new != name:
            if new in given:
                raise TypeError(f"{owner}: got both {new!r} and its former name {name!r}; pass {new!r} only")
            warn(f"{owner}: the parameter {name!r} is now called {new!r}. Pass {new!r} instead.", FutureWarning)
        known = values.get(new, {})
        if isinstance(value, str) and value in known:
            text = f"{owner}: the value {value!r} of {new!r} is now called {known[value]!r}. Pass {known[value]!r} instead."
            warn(text, FutureWarning)
            value = known[value]
        out[new] = value
    return out


def takes_former_names(owner, names, values=None):
    """Decorates a function so that it also takes former names of keyword arguments and former values, see `renamed`.

    The signature shows the present names only.
    """

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **given):
            return function(*args, **renamed(owner, given, names, values or {}))

        return call

    return decorate


class _FormerName:
    """The attribute of a parameter by its former name: reads and writes the parameter, with a FutureWarning."""

    def __init__(self, former, name):
        self.former, self.name = former, name

    def __get__(self, estimator, owner=None):
        if estimator is None:
            return self
        self._warn(estimator)
        return getattr(estimator, self.name)

    def __set__(self, estimator, value):
        self._warn(estimator)
        setattr(estimator, self.name, value)

    def _warn(self, estimator):
        owner = type(estimator).__name__
        warn(f"{owner}: the attribute {self.former!r} is now called {self.name!r}.", FutureWarning)


def of_model(name, kind, about):
    """An attribute that is a part of the fitted model, or a number that its fit reports. kind: its type, for the
    documentation."""
    return fitted_attribute(kind, about, lambda self: getattr(self._fitted(), name))


def of_objects(about):
    """An attribute that contains the objects of the fitted model as they were passed; empty for a precomputed kernel."""
    return fitted_attribute("ndarray, sparse matrix or list", about, lambda self: self._objects())


def seed_of(random_state):
    return 1 if random_state is None else int(check_random_state(random_state).randint(2**31 - 1))


def _read_only(values):
    """The same values in a read-only array: changing an attribute of an estimator would not change its model."""
    if scipy.sparse.issparse(values) and values.format == "csr":
        parts = (_read_only(values.data), values.indices, values.indptr)
        return type(values)(parts, shape=values.shape, copy=False)
    if not isinstance(values, np.ndarray):
        return values
    view = values.view()
    view.flags.writeable = False
    return view


def _showing_read_only(shown):
    """The attribute `shown`, with arrays that are read only."""
    get = shown.fget

    @functools.wraps(get)
    def read_only(self):
        return _read_only(get(self))

    return fitted_attribute(getattr(shown, "kind", ""), shown.__doc__, read_only, shown.fset, shown.fdel)


_STATUS = (
    "str",
    "How the fit ended: ``'converged'`` or ``'stationary'`` if the stopping rule holds; ``'step_limit'``, "
    "``'time_limit'``, ``'interrupted'`` (Ctrl-C), ``'cancelled'`` (by `callback`) or ``'stalled'`` (rounding prevents "
    "further progress) if the model is the best one found so far.",
)


class Progress:
    """Receives the progress of a fit from the library: prints a line and calls the user's callback."""

    def __init__(self, estimator):
        self.name, self.user = type(estimator).__name__, getattr(estimator, "callback", None)
        self.verbose = getattr(estimator, "verbose", False)
        self.shown = -1.0

    def callback(self):
        """The function to pass to the library; None if neither a line nor a callback is wanted."""
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
                where = f"{problem}KKT violation {now.gap:.3g}, {now.active} of {now.size} variables active{left}"
            print(f"\r{self.name}: {now.seconds:.1f} s, {where}   ", end="", file=sys.stderr, flush=True)
        return self.user(now) if self.user is not None else True


def _checks_parameters(fit):
    """fit() that checks the parameters first."""

    @functools.wraps(fit)
    def checked(self, *args, **more):
        if more.get("comm") is None:  # otherwise checked together with the other ranks
            self._validate_params()
        return fit(self, *args, **more)

    return checked


class KernelEstimator(BaseEstimator):
    """Base class of the estimators with a kernel.

    A subclass names its method of the library in `_method`. Its parameters, `__init__`, the checks of the parameters and
    the generated sections of its docstring come from the description of that method (_parameters.py, _docstrings.py);
    parameters that are options of the method are passed on to the library. The fitted model is `_model`.
    """

    _method = None
    _positional = ()  # parameters that may be given by position
    _option_names = {}  # {parameter: option} where scikit-learn's name differs
    _not_taken = ()  # options of the method that are not parameters
    # {parameter: default, or (default, allowed values)}: parameters in addition to the method's options, or with
    # scikit-learn's default
    _own = {}
    _meanings = {}  # {parameter: text} in place of the description of the method's option
    _order = ()  # parameters that come first in the signature: those of scikit-learn's class, in its order
    _takes_steps = True  # false: no parameters of iterative methods (verbose, max_seconds, ...)
    # Parameters and values that were renamed: {former name: name}, {parameter: {former value: value}}. The constructor
    # and set_params accept them with a FutureWarning; __setstate__ renames them in pickles of earlier versions. Those
    # of base classes hold for all subclasses that have the parameter.
    _former_names = {"time_limit": "max_seconds"}
    _former_values = {}
    _argument_docs = {}  # {argument: (type, meaning)} of fit(), where they differ from _docstrings.py
    _returned_docs = {}  # {method: (name and type, meaning)}, likewise
    # {attribute: (type, meaning)} of a fitted estimator, where it is not a property
    _attribute_docs = {
        "kernel_": ("Kernel or None", "The kernel with all its parameters; None for a precomputed kernel matrix."),
        "n_features_in_": ("int", "Number of features of the training examples; only for vectors."),
        "feature_names_in_": (
            "ndarray of shape (n_features_in_,)",
            "Names of the features; only if the training examples had columns with names that are all strings.",
        ),
    }  # fmt: skip
    _function_of_pairs = False  # true if a kernel that is a function takes two examples instead of two matrices

    def __init_subclass__(cls, **more):
        super().__init_subclass__(**more)
        if "_method" in vars(cls):
            cls._shared = shared_options(cls)
            parameters = parameters_of(cls)
            cls._former = {old: new for old, new in cls._all("_former_names").items() if new in parameters}
            for former, name in cls._former.items():
                setattr(cls, former, _FormerName(former, name))
            for former, name in cls._all("_former_attributes").items():
                setattr(cls, former, _FormerName(former, name))
            cls.__init__ = init_of(cls.__name__, parameters, cls._positional, cls._renamed)
            cls._parameter_constraints = {name: allowed for name, (_, allowed, _) in parameters.items()}
            cls._defaults = {name: default for name, (default, *_) in parameters.items()}
        if "fit" in vars(cls):
            cls.fit = _checks_parameters(cls.fit)
        for name, value in list(vars(cls).items()):
            if isinstance(value, property) and name.endswith("_") and not name.startswith("_"):
                setattr(cls, name, _showing_read_only(value))
        document_methods(cls)
        if "_method" in vars(cls):
            if cls._limit in METHODS[cls._method]:
                cls._attribute_docs = {**vars(cls).get("_attribute_docs", {}), "status_": _STATUS}
            document_class(cls, parameters)

    @classmethod
    def _all(cls, name):
        """The tables of this name of the class and of its bases, as one."""
        return {key: value for base in reversed(cls.__mro__) for key, value in vars(base).get(name, {}).items()}

    @classmethod
    def _renamed(cls, given):
        """Parameters by their present names, with present values."""
        return renamed(cls.__name__, given, cls._former, cls._all("_former_values"))

    def set_params(self, **params):
        """Sets parameters by name, those of nested objects as ``name__parameter``.

        Parameters
        ----------
        **params : dict
            Parameters of the estimator, or of its kernel, such as ``kernel__gamma``.

        Returns
        -------
        self : object
            The estimator.
        """
        return super().set_params(**self._renamed(params))

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
        """X of predict(), which must have the kind and the features of the X of fit()."""
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
        """Proves that the fitted kernel is positive semidefinite on all data, by the rules that make it a kernel.

        Returns
        -------
        proof : Proof
            Tree of rules; ``print(proof)`` shows it. ``proof.valid`` is False if no rule covers some part, and
            ``proof.faults()`` names these parts.

        Examples
        --------
        >>> import mercer
        >>> model = mercer.SVC(kernel="rbf(gamma=1) + linear()").fit([[0.0], [1.0]], [0, 1])
        >>> model.proof().valid
        True
        """
        check_is_fitted(self)
        if self._precomputed:
            raise ValueError("a precomputed kernel matrix has no proof: only kernels of mercer.kernels have one")
        return self.kernel_.proof()

    # --- the fit

    def _run(self, data, y=None, sample_weight=None, class_weight=None, **options):
        """Fits the method, and sets status_. options: in place of parameters, or beside them."""
        self.kernel_ = self._resolve_kernel(data, sample_weight)
        self._check_fit(data)
        model, interrupted = _core.fit(
            self._method, self._told(options), data, None if self._precomputed else self.kernel_.core(), y,
            sample_weight, class_weight, self._memory(), getattr(self, "max_seconds", None), self.n_jobs,
            Progress(self).callback(), _checkpoint.current(),
        )  # fmt: skip
        return self._take(model, interrupted)

    def _told(self, options):
        """The options of the method for the library: parameters, and those given in their place."""
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
        """(bytes for kernel values, bytes for everything besides the data); 0: the library's default."""
        most = getattr(self, "max_memory", None)
        return (0 if most is None else _data.as_bytes(most)), 0

    def _check_fit(self, data):
        """Refuses combinations of parameters, data and kernel that no fit supports."""

    def _accept(self, model):
        """Refuses models that are not usable."""

    def _ended(self, interrupted):
        """Sets status_, and warns if the fit ended before its stopping rule held."""
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
            "time_limit": f"Fit terminated early (max_seconds={getattr(self, 'max_seconds', None)})",
            "cancelled": "Fit stopped by the callback",
            "stalled": "Fit stalled: rounding errors, a memory limit that excludes a more accurate solver, or a matrix that is not "
            "positive semidefinite allows no further progress",
        }.get(self.status_, f"Fit ended with status {self.status_}")
        warn(f"{why}. The best model so far is returned, {reached}.")

    _limit = "max_iter"  # the option that limits the number of iterations

    def _early(self):
        """The text of the warning about a fit that reached its limit of iterations."""
        return f"Fit terminated early ({self._limit}={getattr(self, self._limit)})"

    # --- attributes of a fitted estimator

    # the class that f > 0 means in the library if there are two classes; in scikit-learn it is the second class
    _first_is_positive = False

    @property
    def _flipped(self):
        return self._first_is_positive and len(getattr(self, "classes_", ())) == 2

    def _signed(self, f):
        """Decision values, coefficients or constants with scikit-learn's sign."""
        return -f if self._flipped else f

    def _fitted(self):
        check_is_fitted(self)
        return self._model

    def _ask(self, what, X):
        """Calls the function `what` of the model for new examples."""
        data = self._new_data(X)
        return getattr(self._model, what)(data, self.n_jobs)

    def _objects(self):
        """The objects of the model as they were passed; empty for a precomputed kernel."""
        model = self._fitted()
        return np.empty((0, 0)) if self._precomputed else _data.as_objects(model.objects.objects())

    def explain(self, x, top=20):
        """Explains the decision about one example by the features of the kernel (k-mers, words, subtrees, items,
        columns).

        Parameters
        ----------
        x : object
            One example, of the kind that `fit` was called with.
        top : int, default=20
            Number of features with the largest shares to list.

        Returns
        -------
        explanation : Explanation or list of Explanation
            How much each feature adds to the decision value; a list if there are several decision functions (one for
            each pair of classes, class or target).

        Raises
        ------
        ValueError
            If the kernel has no explicit features; the message names the part that has none.

        Examples
        --------
        >>> import mercer
        >>> model = mercer.SVC(kernel="spectrum(k=2)").fit(["abab", "abba", "cccb", "bccb"], [0, 0, 1, 1])
        >>> explanation = model.explain("accc", top=2)
        >>> explanation.features[0].name, explanation.f > 0
        ('cc', True)
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
        """The features of the kernel with the largest weights in the fitted model.

        Parameters
        ----------
        top : int, default=20
            Number of features to list.

        Returns
        -------
        weights : list of (str, float) or dict
            Names and weights of the features. With several decision functions a dict of such lists, with the pair of
            class labels that a function separates as key.

        Examples
        --------
        >>> import mercer
        >>> model = mercer.SVC(kernel="spectrum(k=2)").fit(["abab", "abba", "cccb", "bccb"], [0, 0, 1, 1])
        >>> [name for name, weight in model.feature_weights(top=2)]  # both speak for class 0
        ['ab', 'ba']
        """
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
        """Writes the fitted model to a file that the program ``mercer`` and the C++ library read too.

        Parameters
        ----------
        path : str or path-like
            File to write; an existing file is replaced.
        """
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
        for former, name in self._former.items():  # a pickle of an earlier version
            if former in state:
                state.setdefault(name, state.pop(former))
        for name, values in self._all("_former_values").items():
            if isinstance(state.get(name), str):
                state[name] = values.get(state[name], state[name])
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

    _returned_docs = {
        "predict": (
            "y : ndarray of shape (n_samples,)",
            "Class label, value, cluster or side (1: inside, -1: outside) of every example.",
        )
    }  # fmt: skip

    def predict(self, X):
        """Predicts the class label, the value, the cluster or the side of every example."""
        found = self._ask("predict", X)
        return self.classes_[found] if hasattr(self, "classes_") else found


class KernelClassifier(ClassifierMixin, Predicting):
    """A KernelEstimator that learns from class labels."""

    _argument_docs = {"y": LABELS}
    _attribute_docs = {
        "classes_": ("ndarray of shape (n_classes,)", "Class labels in ascending order."),
        "class_weight_": ("ndarray of shape (n_classes,)", "Factor of the penalty parameter C for each class."),
    }

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
    """A KernelClassifier with decision functions."""

    def decision_function(self, X):
        """Computes the decision values of the examples: one column for each class, or for each pair of classes."""
        f = self._signed(self._ask("decide", X))
        return f[:, 0] if len(self.classes_) == 2 else f


document_methods(KernelEstimator)

"""The parameters of estimators: default, what each may be, what it means. What the library describes comes from there;
the rest is scikit-learn's, by name. scikit-learn's own machinery checks the parameters at the start of a fit and names
the one that is wrong.
"""

import inspect
import math
import re
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from . import _core
from ._docstrings import sentence

METHODS = _core.methods()  # {method: {option: description}}

BOOLEAN = ["boolean"]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]


def one_of(*words):
    out = StrOptions(set(words))
    out.words = words  # in the order in which the documentation names them
    return out


_KERNEL_ABOUT = (
    "Name of a kernel (``'rbf'``, ``'linear'``, ``'poly'``, ...), an expression such as ``'rbf(gamma=0.5) + "
    "linear()'``, an object of :mod:`mercer.kernels`, a function of {of}, or ``'precomputed'`` if X is the kernel "
    "matrix."
)
_KERNEL = {
    "kernel": ("rbf", [str, callable], _KERNEL_ABOUT.format(of="two arrays that returns the matrix of kernel values")),
    "gamma": (
        "scale", [one_of("scale", "auto"), *NOT_NEGATIVE, None],
        "Value of the parameter gamma of a kernel given by name, or by an expression with ``gamma=gamma``. "
        "``'scale'``: 1 / (n_features * X.var()); ``'auto'`` and None: 1 / n_features.",
    ),
    "degree": (
        3, NOT_NEGATIVE,
        "Value of the parameter degree of a kernel given by name, or by an expression with ``degree=degree``.",
    ),
    "coef0": (
        0.0, [Interval(Real, None, None, closed="neither")],
        "Value of the parameter coef0 of a kernel given by name, or by an expression with ``coef0=coef0``.",
    ),
}  # fmt: skip
_STEPS = {  # parameters of iterative methods
    "verbose": (False, ["verbose"], "Print the progress of a fit to standard error."),
    "max_seconds": (
        None, [Interval(Real, 0, None, closed="right"), None],
        "Time limit of a fit in seconds. A fit that reaches the limit returns the best model so far, with a warning and "
        "``status_ = 'time_limit'``. None: no limit.",
    ),
    "callback": (
        None, [callable, None],
        "Function that is called about ten times a second, or at every step of the method, with an object whose "
        "attributes describe the progress (`phase`, `done`, `total`, `value`, `seconds`; for support vector machines "
        "also `gap`, `active`, `size`). If it returns False, the fit stops with the best model so far.",
    ),
    "max_memory": (
        None, [*POSITIVE, str, None],
        "Memory limit of a fit: a number of bytes, or a text such as ``'2GB'``. None: the library chooses a limit.",
    ),
}  # fmt: skip
_SEED = {
    "random_state": (
        None, ["random_state"],
        "Seed of the random numbers of a fit. None: a fixed seed, so that two fits give the same model.",
    )
}  # fmt: skip
_THREADS = {
    "n_jobs": (None, [Integral, None], "Number of threads. None: all; -1: all; -2: all but one.")
}  # fmt: skip
# Parameters of some classes only.
_SOME = {
    "alpha": (None, [*POSITIVE, None], "Penalty α, given instead of the penalty parameter C."),
    "class_weight": (
        None, [one_of("balanced"), dict, None],
        "Factors of the penalty parameter C by class label. ``'balanced'``: n_samples / (n_classes * number of examples "
        "of the class). None: 1 for each class.",
    ),
    "kernel_params": (None, [dict, None], "Further keyword arguments of a kernel that is a function."),
    "cache_size": (200, POSITIVE, "Memory for kernel values in megabytes."),
}  # fmt: skip
_OTHERWISE = ("max_seconds", "seed", "multiclass")  # options that scikit-learn's parameters replace


def _constraint(option):
    if option["kind"] == "flag":
        return BOOLEAN
    if option["kind"] == "choice":
        return [one_of(*option["choices"])]
    if option["kind"] == "numbers":
        return ["array-like", None]
    if option["kind"] == "whole":
        return [Interval(Integral, int(option["low"]), None, closed="left")]
    closed = {(False, False): "both", (False, True): "left", (True, False): "right", (True, True): "neither"}
    ends = (option["low"], option["high"])
    low, high = (None if math.isinf(end) else int(end) if end == int(end) else end for end in ends)
    return [Interval(Real, low, high, closed=closed[option["low_open"], option["high_open"]])]


def _about(name, option):
    """The meaning of an option, with the range of a number."""
    about = sentence(option["about"])
    if option["kind"] not in ("number", "whole"):
        return about
    range_of = option["condition"].removeprefix("integer, ")
    return f"{about} Range: {re.sub(r'[A-Za-z_]+', lambda word: name if word[0] != 'inf' else 'inf', range_of)}."


def shared_options(cls):
    """{parameter: option of the method} of those that mean the same."""
    names = {option: name for name, option in cls._option_names.items()}
    return {names.get(each, each): each for each in METHODS[cls._method] if each not in (*_OTHERWISE, *cls._not_taken)}


def parameters_of(cls):
    """{parameter: (default, what it may be, meaning)}: options of the method, what every fit is told, and the class's
    own; those of scikit-learn's class come first, in its order."""
    method, out = METHODS[cls._method], {}
    for name, option in cls._shared.items():
        each = method[option]
        out[name] = (each["default"], _constraint(each), _about(name, each))
    # its own kernel default is a tuple: such a class has no kernel parameters by name
    without = isinstance(vars(cls).get("_own", {}).get("kernel"), tuple)
    out.update({} if hasattr(cls, "kernel") or without else _KERNEL)
    if "kernel" in out and cls._function_of_pairs:
        out["kernel"] = (*out["kernel"][:2], _KERNEL_ABOUT.format(of="two examples that returns their kernel value"))
    out.update(_SEED if "seed" in method else {})
    out.update(_STEPS if "max_iter" in method and cls._takes_steps else {})
    out.update(_THREADS)
    for base in reversed(cls.__mro__):
        for name, own in vars(base).get("_own", {}).items():
            default, *allowed = own if isinstance(own, tuple) else (own,)
            _, usual, about = {**_SOME, **_STEPS, **out}.get(name, (None, None, ""))
            out[name] = (default, allowed[0] if allowed else usual, allowed[1] if len(allowed) > 1 else about)
    for base in reversed(cls.__mro__):
        for name, about in vars(base).get("_meanings", {}).items():
            if name in out:
                out[name] = (*out[name][:2], about)
    first = [name for name in cls._order if name in out]
    return {name: out[name] for name in dict.fromkeys([*first, *out])}


def init_of(owner, parameters, positional=(), renamed=None):
    """__init__ that stores every parameter in the attribute of its name, as scikit-learn requires of an estimator.

    renamed: takes the given arguments and returns them by their present names.
    """
    first = {name: parameters[name] for name in positional}
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [inspect.Parameter("self", kinds[1])]
    for name, (default, *_) in {**first, **parameters}.items():
        taken.append(inspect.Parameter(name, kinds[name in first], default=default))
    signature = inspect.Signature(taken)
    defaults = {name: default for name, (default, *_) in parameters.items()}

    def __init__(self, *args, **given):
        if renamed is not None:
            given = renamed(given)
        if args or not given.keys() <= defaults.keys():
            try:
                given = signature.bind(self, *args, **given).arguments
            except TypeError as problem:
                raise TypeError(f"{owner}.__init__() {problem}") from None
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    __init__.__signature__ = signature
    __init__.__doc__ = f"Stores the parameters; see the docstring of {owner}."
    return __init__

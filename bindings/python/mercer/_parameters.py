"""The parameters of estimators: default, what each may be, what it means. What the library describes comes from there;
the rest is scikit-learn's, by name. scikit-learn's own machinery holds a fit to it and names the parameter that is
wrong.
"""

import inspect
import math
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from . import _core

METHODS = _core.methods()  # {method: {option: description}}

BOOLEAN = ["boolean"]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]


def one_of(*words):
    return StrOptions(set(words))


_KERNEL = {
    "kernel": (
        "rbf", [str, callable],
        "a name, a text form like 'rbf(gamma=0.5) + linear()', an object of mercer.kernels, a function, 'precomputed'",
    ),
    "gamma": (
        "scale", [one_of("scale", "auto"), *NOT_NEGATIVE, None], "of kernels by name: a number, 'scale' or 'auto'"
    ),
    "degree": (3, NOT_NEGATIVE, "of kernels by name"),
    "coef0": (0.0, [Interval(Real, None, None, closed="neither")], "of kernels by name"),
}  # fmt: skip
_STEPS = {  # parameters of iterative methods
    "verbose": (False, ["verbose"], "a line on how far a fit is"),
    "time_limit": (
        None, [Interval(Real, 0, None, closed="right"), None], "seconds after which the best model so far is kept"
    ),
    "callback": (None, [callable, None], "called with how far a fit is (.gap, .seconds, ...); False stops it"),
    "max_memory": (None, [*POSITIVE, str, None], 'bytes, or a text like "2GB"'),
}
_SEED = {"random_state": (None, ["random_state"], "of what is random in a fit")}
_THREADS = {"n_jobs": (None, [Integral, None], "threads; None: all")}
# Parameters of some classes only.
_SOME = {
    "alpha": (None, [*POSITIVE, None], "the penalty, in place of C"),
    "class_weight": (None, [one_of("balanced"), dict, None], "factors of C by class, or 'balanced'"),
    "kernel_params": (None, [dict, None], "further arguments of a kernel that is a function"),
    "cache_size": (200, POSITIVE, "megabytes for kernel values"),
}
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


def shared_options(cls):
    """{parameter: option of the method} of those that mean the same."""
    names = {option: name for name, option in cls._option_names.items()}
    return {names.get(each, each): each for each in METHODS[cls._method] if each not in (*_OTHERWISE, *cls._not_taken)}


def parameters_of(cls):
    """{parameter: (default, what it may be, meaning)}: options of the method, what every fit is told, and the class's
    own, which come last."""
    method, out = METHODS[cls._method], {}
    for name, option in cls._shared.items():
        each = method[option]
        out[name] = (each["default"], _constraint(each), f"{each['about']} ({each['condition']})")
    # its own kernel default is a tuple: such a class has no kernel parameters by name
    without = isinstance(vars(cls).get("_own", {}).get("kernel"), tuple)
    out.update({} if hasattr(cls, "kernel") or without else _KERNEL)
    out.update(_SEED if "seed" in method else {})
    out.update(_STEPS if "max_iter" in method else {})
    out.update(_THREADS)
    for base in reversed(cls.__mro__):
        for name, own in vars(base).get("_own", {}).items():
            default, *allowed = own if isinstance(own, tuple) else (own,)
            _, usual, about = {**_SOME, **_STEPS, **out}.get(name, (None, None, ""))
            out[name] = (default, allowed[0] if allowed else usual, about)
    return out


def init_of(owner, parameters, positional=()):
    """__init__ that keeps every parameter as the attribute of its name, which is what scikit-learn asks of an
    estimator."""
    first = {name: parameters[name] for name in positional}
    kinds = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    taken = [inspect.Parameter("self", kinds[1])]
    for name, (default, *_) in {**first, **parameters}.items():
        taken.append(inspect.Parameter(name, kinds[name in first], default=default))
    signature = inspect.Signature(taken)
    defaults = {name: default for name, (default, *_) in parameters.items()}

    def __init__(self, *args, **given):
        if args or not given.keys() <= defaults.keys():
            try:
                given = signature.bind(self, *args, **given).arguments
            except TypeError as problem:
                raise TypeError(f"{owner}.__init__() {problem}") from None
        for name, default in defaults.items():
            setattr(self, name, given.get(name, default))

    __init__.__signature__ = signature
    return __init__


def words_of(parameters):
    """What is said of the parameters, for the docstring."""
    said = "".join(f"    {name}: {about}\n" for name, (_, _, about) in parameters.items() if about)
    return f"\n    Parameters in the library's words:\n\n{said}    "

"""What each parameter may be. What the library describes comes from there; the rest is scikit-learn's, by name.

scikit-learn's own machinery holds a fit to it and names the parameter that is wrong.
"""

import inspect
import math
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

from . import _core

METHODS = _core.methods()  # {method: {option: what it is}}

BOOLEAN = ["boolean"]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]


def one_of(*words):
    return StrOptions(set(words))


# Where a class means something else by a name, it says so in `_own_constraints`.
_EVERYWHERE = {
    # kernels
    "kernel": [str, callable],
    "gamma": [one_of("scale", "auto"), *NOT_NEGATIVE, None],
    "degree": NOT_NEGATIVE,
    "coef0": [Interval(Real, None, None, closed="neither")],
    "kernel_params": [dict, None],
    # a fit and its control
    "alpha": [*POSITIVE, None],
    "class_weight": [one_of("balanced"), dict, None],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "time_limit": [Interval(Real, 0, None, closed="right"), None],
    "cache_size": POSITIVE,
    "max_memory": [*POSITIVE, str, None],
    "n_jobs": [Integral, None],
    "callback": [callable, None],
}


def shared_options(cls):
    """{parameter: option of the method} of those that mean the same."""
    options, renamed = METHODS.get(cls._method, {}), getattr(cls, "_option_names", {})
    pairs = {name: renamed.get(name, name) for name in inspect.signature(cls.__init__).parameters}
    return {name: option for name, option in pairs.items() if option in options}


def _constraint(option):
    if option["kind"] == "flag":
        return BOOLEAN
    if option["kind"] == "choice":
        return [one_of(*option["choices"])]
    if option["kind"] == "numbers":
        return ["array-like", None]
    if option["kind"] == "whole":
        return [Interval(Integral, int(option["low"]), None, closed="left")]
    closed = {(False, False): "both", (False, True): "left", (True, False): "right", (True, True): "neither"}[option["low_open"], option["high_open"]]
    low, high = (None if math.isinf(end) else int(end) if end == int(end) else end for end in (option["low"], option["high"]))
    return [Interval(Real, low, high, closed=closed)]


def words_of(cls):
    """What the method says of the parameters that are its options, for the docstring."""
    described = [(name, METHODS[cls._method][option]) for name, option in cls._shared.items()]
    lines = [f"    {name}: {option['about']} ({option['condition']})\n" for name, option in described]
    return "\n    In the words of the library:\n\n" + "".join(lines) + "    " if lines else ""


def constraints_of(cls):
    """The constraints of the parameters that __init__ of an estimator class takes."""
    described = {name: _constraint(METHODS[cls._method][option]) for name, option in cls._shared.items()}
    own = {}
    for base in reversed(cls.__mro__):
        own.update(vars(base).get("_own_constraints", {}))
    known = {**_EVERYWHERE, **described, **own}
    return {name: known[name] for name in inspect.signature(cls.__init__).parameters if name in known}

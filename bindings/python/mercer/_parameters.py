"""What each parameter may be, by its name. scikit-learn's own machinery holds a fit to it and names the parameter that is wrong."""

import inspect
from numbers import Integral, Real

from sklearn.utils._param_validation import Interval, StrOptions

BOOLEAN = ["boolean"]
FINITE = [Interval(Real, None, None, closed="neither")]
POSITIVE = [Interval(Real, 0, None, closed="neither")]
POSITIVE_OR_INFINITE = [Interval(Real, 0, None, closed="right")]
NOT_NEGATIVE = [Interval(Real, 0, None, closed="left")]
COUNT = [Interval(Integral, 1, None, closed="left")]
COUNT_OR_NO_LIMIT = [Interval(Integral, -1, None, closed="left")]


def one_of(*words):
    return StrOptions(set(words))


# Where a class means something else by a name, it says so in `_own_constraints`.
_EVERYWHERE = {
    # kernels
    "kernel": [str, callable],
    "gamma": [one_of("scale", "auto"), *NOT_NEGATIVE, None],
    "degree": NOT_NEGATIVE,
    "coef0": FINITE,
    "kernel_params": [dict, None],
    # support vector machines, linear ones among them
    "C": POSITIVE,
    "nu": [Interval(Real, 0, 1, closed="right")],
    "epsilon": NOT_NEGATIVE,
    "shrinking": BOOLEAN,
    "probability": BOOLEAN,
    "cache_size": POSITIVE,
    "class_weight": [one_of("balanced"), dict, None],
    "decision_function_shape": [one_of("ovr", "ovo")],
    "break_ties": BOOLEAN,
    "penalty": [one_of("l1", "l2")],
    "loss": [one_of("hinge", "squared_hinge")],
    "dual": ["boolean", one_of("auto")],
    "multi_class": [one_of("ovr")],
    "intercept_scaling": POSITIVE,
    "batch_size": COUNT,
    "projection": BOOLEAN,
    "average": BOOLEAN,
    # the other methods
    "alpha": [*POSITIVE, None],
    "alphas": ["array-like", None],
    "alpha_score": [one_of("gcv", "loo")],
    "loo": BOOLEAN,
    "n_components": [*COUNT, None],
    "iterated_power": [Interval(Integral, 0, None, closed="left"), one_of("auto")],
    "remove_zero_eig": BOOLEAN,
    "copy_X": BOOLEAN,
    "n_clusters": COUNT,
    "n_init": COUNT,
    "init": [one_of("build", "random")],
    "n_neighbors": COUNT,
    "weights": [one_of("uniform", "distance"), callable, None],
    "shrink_threshold": [*POSITIVE, None],
    # a fit and its control
    "fit_intercept": BOOLEAN,
    "tol": POSITIVE,
    "max_iter": COUNT,
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "time_limit": [*POSITIVE_OR_INFINITE, None],
    "max_memory": [*POSITIVE, str, None],
    "n_jobs": [Integral, None],
    "callback": [callable, None],
}


def constraints_of(cls):
    """The constraints of the parameters that __init__ of an estimator class takes."""
    own = {}
    for base in reversed(cls.__mro__):
        own.update(vars(base).get("_own_constraints", {}))
    known = {**_EVERYWHERE, **own}
    return {name: known[name] for name in inspect.signature(cls.__init__).parameters if name in known}

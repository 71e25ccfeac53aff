"""The kernel object for the parameters kernel, gamma, degree and coef0 and the training data."""

import functools
import inspect
import re

import numpy as np

from . import _core, kernels

NOT_FINITE = (
    "The dual coefficients or intercepts are not finite. The input data may contain large values and need to be "
    "preprocessed."
)
_MEANT = re.compile(r"(?<==)\s*(gamma|degree|coef0|scale|auto)\b(?!\s*\()")


def resolve_kernel(
    kernel, data, *, defaults, gamma="scale", degree=3, coef0=0.0, sample_weight=None, pairwise=False, arguments=None
):
    """The kernel object that a name with gamma, degree and coef0, a text form, an object or a function mean for these
    data; None for precomputed.

    A text form or an object takes up gamma, degree, coef0 where it names them, and gamma 'scale' or 'auto'; what has
    another value than in the signature of `defaults` and is not taken up is refused. A function is called with two
    matrices, or with two examples where `pairwise`; `arguments` are passed on to it.
    """
    if isinstance(kernel, str) and kernel == "precomputed":
        return None
    known = isinstance(kernel, (str, kernels.Kernel))
    if not known and callable(kernel):
        function = functools.partial(kernel, **arguments) if arguments else kernel
        return kernels.Callable(function, domain=data.kind, pairwise=pairwise)
    if arguments:
        raise ValueError(f"kernel_params has no effect on the kernel {kernel!r}: it is only for a kernel that is a Python function")
    if not known:
        raise ValueError(
            f"kernel must be a name, an expression such as 'rbf(gamma=1)', a mercer.kernels object, a callable or 'precomputed', got {kernel!r}"
        )
    given = {"gamma": gamma, "degree": degree, "coef0": coef0}
    taken = named_in(kernel)
    usual = inspect.signature(defaults).parameters if taken is not None and defaults is not None else {}
    for name, value in given.items():
        if name in usual and name not in taken and value is not usual[name].default and value != usual[name].default:
            raise ValueError(
                f"{name}={value!r} has no effect on the kernel {kernel!r}: write it where it is meant, as in "
                "'rbf(gamma=gamma) + linear()', or leave it out"
            )

    def meant(text):
        value = given.get(text, text)
        return value if text in ("degree", "coef0") else _gamma_value(value, data, sample_weight)

    return _from_text(kernel, meant) if isinstance(kernel, str) else kernel.frozen(meant)


def _from_text(text, meant):
    """A bare name of the registry takes its parameters from the estimator's; in other text they stand where they are
    written, as in rbf(gamma=gamma). meant: gives the number that gamma, scale, ... stands for."""
    cls = kernels._BY_NAME.get(text.strip())
    if cls is None:
        return kernels.parse(_MEANT.sub(lambda found: kernels.number_text(meant(found[1])), text))
    given = {name: meant(name) for name, _ in cls._parameters if name in ("gamma", "degree", "coef0")}
    if cls is kernels.Polynomial and (given["coef0"] < 0 or given["degree"] < 1):
        # not covered by the proof, but requested by the caller
        return kernels.Power(kernels.Linear() * given["gamma"] + given["coef0"], given["degree"])
    return cls(**given)


def named_in(kernel):
    """The parameters of an estimator that a text form or a kernel object takes up; None for a bare name, which takes
    what it has."""
    if isinstance(kernel, str):
        return None if kernel.strip() in kernels._BY_NAME else set(_MEANT.findall(kernel))
    own = {getattr(kernel, name) for name, _ in kernel._parameters if isinstance(getattr(kernel, name), str)}
    return own.union(*[named_in(part) for part in kernel._parts()])


def compared(kernel):
    """What `as_data` should know of the kernel: the kind of object that it compares, and that of each field of records.
    Nothing where it cannot be told before its parameters are known."""
    if not isinstance(kernel, (str, kernels.Kernel)) or (isinstance(kernel, kernels.Kernel) and kernel.takes_anything()):
        return {}
    try:
        core = _core.Kernel(kernel) if isinstance(kernel, str) else kernel.core()
    except ValueError:
        return {}
    return {"kind": core.domain, "fields": core.fields}


def _gamma_value(gamma, data, sample_weight):
    if gamma is not None and not isinstance(gamma, str):
        return float(gamma)
    if gamma not in (None, "scale", "auto"):
        raise ValueError(f"gamma must be a number, 'scale', 'auto' or None, got {gamma!r}")
    if data.kind != "vectors":
        return 1.0
    if gamma != "scale":
        return 1.0 / data.dims
    variance = data.entry_variance(sample_weight)
    if not np.isfinite(variance):
        raise ValueError(f"{NOT_FINITE} gamma='scale' needs a finite variance of X, got {variance}.")
    return 1.0 / (data.dims * variance) if variance != 0 else 1.0

"""Tests of hypotheses: do two samples differ, are two properties independent?"""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from . import _core, _data
from ._base import seed_of
from ._kernel_of import named_in, resolve_kernel
from .kernels import Kernel


class MMDResult(NamedTuple):
    """statistic: squared maximum mean discrepancy, as asked for; pvalue; biased and unbiased: both forms of it."""

    statistic: float
    pvalue: float
    biased: float
    unbiased: float


class HSICResult(NamedTuple):
    """statistic: the Hilbert-Schmidt independence criterion; pvalue; alignment: the same scaled to 0 ... 1 (centred
    kernel alignment)."""

    statistic: float
    pvalue: float
    alignment: float


def _as_data(X, kernel):
    function = callable(kernel) and not isinstance(kernel, Kernel)
    return _data.as_data(X, anything=function, always=isinstance(kernel, Kernel) and kernel.takes_anything())


def _bare(kernel):
    return isinstance(kernel, str) and named_in(kernel) is None


def _together(X, Y, kernel):
    if isinstance(X, (list, tuple)) and (callable(kernel) or _data._kind(X[0]) is not None):
        return [*X, *Y]
    if scipy.sparse.issparse(X) or scipy.sparse.issparse(Y):
        return scipy.sparse.vstack([scipy.sparse.csr_matrix(X), scipy.sparse.csr_matrix(Y)], format="csr")
    X, Y = np.asarray(X), np.asarray(Y)
    if X.ndim != Y.ndim or X.shape[1:] != Y.shape[1:]:
        raise ValueError(f"X and Y must have the same columns, got shapes {X.shape} and {Y.shape}")
    return np.concatenate([X, Y])


def mmd_test(
    X, Y, *, kernel="rbf", gamma="scale", degree=3, coef0=0.0, unbiased=True, n_permutations=1000, random_state=None,
    n_jobs=None,
):
    """Do the samples X and Y come from one distribution? The test of the maximum mean discrepancy (Gretton et al.
    2012).

    kernel, gamma, degree, coef0 as for SVC, gamma='scale' from both samples together. pvalue: the share of random
    splits of all examples whose statistic is at least as large; below 0.05, say, the samples differ.

    >>> import numpy as np, mercer
    >>> random = np.random.default_rng(0)
    >>> X, Y = random.normal(size=(60, 2)), random.normal(1.0, 1.0, size=(60, 2))
    >>> mercer.mmd_test(X, Y).pvalue < 0.01
    True
    """
    data = _as_data(_together(X, Y, kernel), kernel)
    k = resolve_kernel(kernel, data, defaults=mmd_test, gamma=gamma, degree=degree, coef0=coef0)
    if k is None:
        raise ValueError("mmd_test needs a kernel, not 'precomputed'")
    first = X.shape[0] if hasattr(X, "shape") else len(X)
    biased, other, p = _core.mmd_test(data, k.core(), first, unbiased, n_permutations, seed_of(random_state), n_jobs)
    return MMDResult(other if unbiased else biased, p, biased, other)


def hsic_test(
    X, Y, *, kernel="rbf", kernel_y=None, gamma="scale", degree=3, coef0=0.0, n_permutations=1000, random_state=None,
    n_jobs=None,
):
    """Are X and Y, two properties of the same examples, independent? The test of the Hilbert-Schmidt criterion (Gretton
    et al. 2008).

    Row i of X belongs to row i of Y. kernel compares rows of X, kernel_y (the same where None) rows of Y; gamma,
    degree, coef0 as for SVC. pvalue: the share of random pairings whose statistic is at least as large; below 0.05,
    say, they depend on each other.

    >>> import numpy as np, mercer
    >>> x = np.linspace(-1, 1, 60)[:, None]
    >>> mercer.hsic_test(x, x**2).pvalue < 0.01  # no correlation, but dependence
    True
    """
    kernel_y = kernel if kernel_y is None else kernel_y
    x, y = _as_data(X, kernel), _as_data(Y, kernel_y)
    if len(x) != len(y):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {len(x)}, Y has {len(y)}")
    parameters = {"gamma": gamma, "degree": degree, "coef0": coef0}
    # A parameter has an effect if one of the two kernels uses it.
    k = resolve_kernel(kernel, x, defaults=None if _bare(kernel_y) else hsic_test, **parameters)
    l = resolve_kernel(kernel_y, y, defaults=None if _bare(kernel) else hsic_test, **parameters)  # noqa: E741
    if k is None or l is None:
        raise ValueError("hsic_test needs kernels, not 'precomputed'")
    statistic, alignment, p = _core.hsic_test(k.core(), x, l.core(), y, n_permutations, seed_of(random_state), n_jobs)
    return HSICResult(statistic, p, alignment)

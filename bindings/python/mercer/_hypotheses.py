"""Hypothesis tests with kernels: equality of two distributions, independence of two properties."""

from typing import NamedTuple

import numpy as np
import scipy.sparse

from . import _core, _data
from ._base import seed_of
from ._docstrings import document_fields
from ._kernel_of import named_in, resolve_kernel
from .kernels import Kernel


class MMDResult(NamedTuple):
    """Result of :func:`mmd_test`.

    Attributes
    ----------
    statistic : float
        Squared maximum mean discrepancy, in the form that the test was asked for.
    pvalue : float
        Share of random splits with a statistic at least as large.
    biased : float
        Biased estimate of the squared maximum mean discrepancy.
    unbiased : float
        Unbiased estimate of the squared maximum mean discrepancy.

    Examples
    --------
    >>> import mercer
    >>> result = mercer.mmd_test([[0.0], [1.0], [2.0]], [[0.0], [1.0], [2.0]], n_permutations=20)
    >>> result.statistic == result.unbiased, result.biased
    (True, 0.0)
    """

    statistic: float
    pvalue: float
    biased: float
    unbiased: float


class HSICResult(NamedTuple):
    """Result of :func:`hsic_test`.

    Attributes
    ----------
    statistic : float
        Hilbert-Schmidt independence criterion.
    pvalue : float
        Share of random pairings with a statistic at least as large.
    alignment : float
        Centred kernel alignment: the criterion scaled to values between 0 and 1.

    Examples
    --------
    >>> import mercer
    >>> x = [[0.0], [1.0], [2.0], [5.0]]
    >>> round(mercer.hsic_test(x, x, n_permutations=20).alignment, 6)
    1.0
    """

    statistic: float
    pvalue: float
    alignment: float


document_fields(MMDResult)
document_fields(HSICResult)


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
    """Tests whether two samples come from the same distribution, by the maximum mean discrepancy.

    Parameters
    ----------
    X : array-like, sparse matrix or list of objects, n_samples_x examples
        First sample.
    Y : array-like, sparse matrix or list of objects, n_samples_y examples
        Second sample.
    kernel : str, Kernel or callable, default='rbf'
        Kernel, as for :class:`SVC`.
    gamma : float, {'scale', 'auto'} or None, default='scale'
        Value of the kernel's parameter gamma, as for :class:`SVC`; ``'scale'`` uses both samples together.
    degree : float, default=3
        Value of the kernel's parameter degree.
    coef0 : float, default=0.0
        Value of the kernel's parameter coef0.
    unbiased : bool, default=True
        Use the unbiased estimate as the statistic, else the biased one.
    n_permutations : int, default=1000
        Number of random splits for the p-value.
    random_state : int, RandomState instance or None, default=None
        Seed of the random splits. None: a fixed seed.
    n_jobs : int, default=None
        Number of threads. None: all.

    Returns
    -------
    result : MMDResult
        Statistic and p-value: the share of random splits of all examples into two samples whose statistic is at least
        as large. A small value, such as 0.01, is evidence that the distributions differ.

    See Also
    --------
    hsic_test : Test of independence.

    References
    ----------
    .. [1] A. Gretton, K. Borgwardt, M. Rasch, B. Schölkopf, A. Smola, "A kernel two-sample test", JMLR 13, 2012.

    Examples
    --------
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
    """Tests whether two properties of the same examples are independent, by the Hilbert-Schmidt independence criterion.

    Parameters
    ----------
    X : array-like, sparse matrix or list of objects, n_samples examples
        First property of the examples.
    Y : array-like, sparse matrix or list of objects, n_samples examples
        Second property of the examples; row i belongs to row i of X.
    kernel : str, Kernel or callable, default='rbf'
        Kernel, as for :class:`SVC`; compares rows of X.
    kernel_y : str, Kernel or callable, default=None
        Kernel that compares rows of Y. None: the same as `kernel`.
    gamma : float, {'scale', 'auto'} or None, default='scale'
        Value of the kernel's parameter gamma, as for :class:`SVC`.
    degree : float, default=3
        Value of the kernel's parameter degree.
    coef0 : float, default=0.0
        Value of the kernel's parameter coef0.
    n_permutations : int, default=1000
        Number of random pairings for the p-value.
    random_state : int, RandomState instance or None, default=None
        Seed of the random pairings. None: a fixed seed.
    n_jobs : int, default=None
        Number of threads. None: all.

    Returns
    -------
    result : HSICResult
        Statistic and p-value: the share of random pairings of X and Y whose statistic is at least as large. A small
        value, such as 0.01, is evidence that the properties depend on each other.

    See Also
    --------
    mmd_test : Test of equal distributions.

    References
    ----------
    .. [1] A. Gretton, K. Fukumizu, C. H. Teo, L. Song, B. Schölkopf, A. Smola, "A kernel statistical test of
       independence", NIPS 2008.

    Examples
    --------
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

"""Fits that resume after a crash."""

import contextlib
import contextvars
import os

_current = contextvars.ContextVar("mercer.checkpoint", default=("", 60.0))


def current():
    """(path, seconds) for the next fit; an empty path means no checkpoint."""
    return _current.get()


@contextlib.contextmanager
def checkpoint(path, *, seconds=60.0):
    """Context manager: fits inside it write their state to a file and resume from the file after a crash.

    After a crash, a kill or Ctrl-C the same fit, called again inside ``checkpoint`` with the same file, continues from
    the stored state, with any `n_jobs`, and returns the model that it would have returned without the interruption, bit
    for bit. The file is removed when the fit ends. A file of another problem is refused. With mpi4py every rank passes
    the same file, and rank 0 writes it.

    Parameters
    ----------
    path : str or path-like
        File for the state of the fit.
    seconds : float, default=60.0
        Shortest time between two writes of the file, in seconds.

    Examples
    --------
    >>> import mercer, numpy as np
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> with mercer.checkpoint("fit.state"):
    ...     model = mercer.NystroemRidge(n_centres=50).fit(X, X[:, 0])
    >>> model.status_
    'converged'
    """
    if not seconds >= 0:
        raise ValueError(f"seconds must be >= 0, got {seconds!r}")
    before = _current.set((os.path.abspath(os.fspath(path)), float(seconds)))
    try:
        yield
    finally:
        _current.reset(before)

"""Fits that go on after a crash."""

import contextlib
import contextvars
import os

_current = contextvars.ContextVar("mercer.checkpoint", default=("", 60.0))


def current():
    """(path, seconds) for the next fit; an empty path: none."""
    return _current.get()


@contextlib.contextmanager
def checkpoint(path, *, seconds=60.0):
    """Within it a fit keeps what it needs to go on in a file. After a crash, a kill or a Ctrl-C the same fit goes on
    from there, with any n_jobs, to the bits it would have had; the file is removed when the fit ends. One fit at a time:
    a file of another problem is refused. With mpi4py every process says the same, and the first one writes.

    path : file to keep
    seconds : it is written at most once in so many seconds

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

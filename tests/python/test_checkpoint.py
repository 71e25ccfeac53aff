"""Fits that are killed and go on."""

import subprocess
import sys
import textwrap
import time

import numpy as np
import pytest

import mercer

FITS = {
    "ridge": "mercer.NystroemRidge(n_centres=150, alpha=1e-9, gamma=3, tol=1e-17, max_iter=100).fit(X, y)",
    "logistic": "mercer.KernelLogisticRegression(C=1e3, gamma=3).fit(X[:900], label[:900])",
    "kmeans": "mercer.NystroemKMeans(12, n_centres=80, n_init=1, tol=0, gamma=1).fit(X)",
    "pca": "mercer.KernelPCA(20, kernel='rbf', eigen_solver='arpack', tol=1e-13, gamma=1).fit(X[:3000])",
}
PROGRAM = """
    import numpy as np
    import mercer

    random = np.random.default_rng(0)
    X = random.normal(size=(20000, 3))
    y = np.sin(3 * X[:, 0]) * X[:, 1]
    label = y > 0
    with mercer.checkpoint({state!r}, seconds=0):
        model = {fit}
    model.save({out!r})
"""


def start(tmp_path, fit, out):
    program = textwrap.dedent(PROGRAM.format(fit=fit, state=str(tmp_path / "state"), out=str(tmp_path / out)))
    return subprocess.Popen([sys.executable, "-W", "ignore", "-c", program])


@pytest.mark.parametrize("which", FITS)
def test_a_killed_fit_goes_on_to_the_same_bytes(tmp_path, which):
    assert start(tmp_path, FITS[which], "whole").wait(120) == 0
    state = tmp_path / "state"
    assert not state.exists()
    killed = 0
    for pause in (0, 0.05):
        at_start = state.stat().st_mtime_ns if state.exists() else 0
        child = start(tmp_path, FITS[which], "rest")
        while child.poll() is None and not (state.exists() and state.stat().st_mtime_ns != at_start):
            time.sleep(0.002)
        time.sleep(pause)
        child.kill()
        killed += child.wait(60) != 0
    assert killed and state.exists()
    assert start(tmp_path, FITS[which], "rest").wait(120) == 0
    assert (tmp_path / "rest").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not state.exists()


def test_what_has_none_says_so(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 2))
    with mercer.checkpoint(tmp_path / "state"):
        with pytest.raises(ValueError, match="keeps no checkpoint.*nystroem_ridge"):
            mercer.SVC().fit(X, X[:, 0] > 0)
    mercer.SVC().fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match="seconds must be >= 0"):
        with mercer.checkpoint("state", seconds=-1):
            pass

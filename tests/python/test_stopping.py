"""Ctrl-C and time limits, with real signals sent to a process that would be at its work for minutes."""

import contextlib
import queue
import signal
import subprocess
import sys
import textwrap
import threading
import time

PATIENCE = 60  # seconds without output: the process does not react

SETUP = """
    import sys, warnings
    import numpy as np
    import mercer
    from mercer import *
    warnings.simplefilter("ignore")
    random = np.random.default_rng(0)
    X, y = random.normal(size=(60_000, 40)), random.integers(0, 2, size=60_000)
"""
# Runs after the preparations of a test.
ANNOUNCED = """
    def announced(work):
        def call(*given):
            print("started", flush=True)
            return work(*given)
        return call

    for name in ("fit", "margin_report"):
        setattr(mercer._core, name, announced(getattr(mercer._core, name)))

    def attempt(run):
        try:
            print("ended", getattr(run(), "status_", ""), flush=True)
        except (KeyboardInterrupt, TimeoutError) as problem:
            print(type(problem).__name__, flush=True)
"""


@contextlib.contextmanager
def conversation(code, ready=""):
    """A function that gives the next line the process says, and one that presses Ctrl-C."""
    process = subprocess.Popen([sys.executable, "-c", "\n".join(map(textwrap.dedent, (SETUP, ready, ANNOUNCED, code)))], stdout=subprocess.PIPE, text=True)
    said = queue.Queue()

    def listen():
        for line in process.stdout:
            said.put(line.strip())

    reader = threading.Thread(target=listen)
    reader.start()
    try:
        yield lambda: said.get(timeout=PATIENCE), lambda: process.send_signal(signal.SIGINT)
    finally:
        process.kill()
        process.wait()
        reader.join()
        process.stdout.close()


def outcomes(runs, ready="", presses=1):
    """What comes of every run of the list when Ctrl-C is pressed a moment after its start."""
    code = "for run in (\n" + "".join(f"    lambda: {run},\n" for run in runs) + "):\n    mercer.set_interrupt('keep')\n    attempt(run)\n"
    found = []
    with conversation(code, ready) as (line, press):
        for _ in runs:
            assert line() == "started"
            for _ in range(presses):
                time.sleep(0.3)
                press()
            found.append(line())
    return found


def test_what_has_nothing_to_keep_is_interrupted():
    runs = [
        "fitted.margin_report(X[:3000], y[:3000], error='loo', pictures=False)",
        "KernelKMedoids(500, max_memory='100MB').fit(X)",
        "KernelKMeans(500, n_init=50, max_memory='100MB').fit(X)",
        "KernelRidge(kernel='rbf', alpha=1.0).fit(X[:16_000], y[:16_000])",
        "announced(kernels.Laplacian(gamma=0.1))(np.tile(X[:20_000], (1, 20)), np.tile(X[:3000], (1, 20)))",
    ]
    ready = "fitted = SVC(C=1e3, gamma=0.01, tol=0.1, max_iter=20_000).fit(X[:3000], y[:3000])"
    assert outcomes(runs, ready) == ["KeyboardInterrupt"] * len(runs)


def test_what_there_is_is_kept():
    runs = [
        "SVC(C=1e4, gamma=0.001, tol=1e-9).fit(X, y)",
        "KernelLogisticRegression(C=1e4, gamma=0.01, max_memory='100MB').fit(X, y)",
        "KernelLogisticRegression(C=1e4, gamma=0.01, max_memory='100MB').fit(X, y + (X[:, 0] > 1))",
        "SVC(solver='kernel_pegasos', kernel='rbf', gamma=0.01, tol=1e-9).fit(X, y)",
    ]
    assert outcomes(runs) == ["ended interrupted"] * len(runs)


def test_a_second_one_ends_everything():
    search = """
        from sklearn.model_selection import cross_val_score
        {}
        attempt(lambda: cross_val_score(SVC(C=1e4, gamma=0.001, tol=1e-9), X[:6000], y[:6000], cv=100))
    """
    with conversation(search.format("")) as (line, press):
        assert line() == "started"
        time.sleep(0.5)
        press()
        time.sleep(1)
        press()
        assert next(said for said in iter(line, None) if said != "started") == "KeyboardInterrupt"  # the next fold had begun
    with conversation(search.format("mercer.set_interrupt('raise')")) as (line, press):
        assert line() == "started"
        time.sleep(0.5)
        press()
        assert line() == "KeyboardInterrupt"


def test_time_limits_are_kept():
    """Each of them would take minutes."""
    limited = [
        ("SVC(C=1e4, gamma=0.001, tol=1e-9, max_seconds=0.3).fit(X, y)", {"ended time_limit"}),
        ("KernelLogisticRegression(C=1e4, gamma=0.01, max_memory='100MB', max_seconds=0.3).fit(X, y)", {"ended time_limit"}),
        ("KernelLogisticRegression(C=1e4, gamma=0.01, max_memory='100MB', max_seconds=0.3).fit(X, y + (X[:, 0] > 1))", {"ended time_limit"}),
        ("KernelKMedoids(500, init='random', max_memory='100MB', max_seconds=0.3).fit(X)", {"ended time_limit", "TimeoutError"}),
        ("KernelKMeans(500, n_init=50, max_memory='100MB', max_seconds=0.3).fit(X)", {"ended time_limit", "TimeoutError"}),
        ("SVC(solver='kernel_pegasos', gamma=0.01, tol=1e-9, max_seconds=0.3).fit(X, y)", {"ended time_limit"}),
        ("SVC(solver='kernel_pegasos', kernel='linear', tol=1e-9, max_seconds=0.3).fit(X[:100], X[:100, 0] > 0)", {"ended time_limit", "ended step_limit"}),
        ("Pegasos(tol=1e-9, max_iter=10**9, max_seconds=0.3).fit(X, y)", {"ended time_limit"}),
    ]
    with conversation("".join(f"attempt(lambda: {run})\n" for run, _ in limited)) as (line, _):
        for run, expected in limited:
            assert line() == "started"
            assert line() in expected, run

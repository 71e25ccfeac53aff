"""How fits behave in a process: threads, forks, Ctrl-C, memory, the interpreter's lock, callbacks."""

import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_backend
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mercer
from mercer import SVC, SVR, KernelKMeans, KernelKMedoids, KernelLogisticRegression, KernelPCA, KernelRidge, LinearSVC, OneClassSVM


def hard_problem(n=4000):
    """Noise to learn by heart: takes seconds."""
    random = np.random.default_rng(0)
    return random.normal(size=(n, 20)), random.integers(0, 2, size=n)


def test_threads_that_fit_at_once(iris, two_moons):
    def work():
        return [
            SVC().fit(*iris).decision_function(iris[0]),
            SVC(C=10.0).fit(*two_moons).predict(two_moons[0]),
            SVR().fit(*two_moons).predict(two_moons[0]),
            OneClassSVM().fit(two_moons[0]).predict(two_moons[0]),
            LinearSVC(C=0.01).fit(*iris).decision_function(iris[0]),
            KernelRidge(kernel="rbf").fit(*two_moons).predict(two_moons[0]),
            SVC().fit(*two_moons).margin_report(*two_moons, pictures=False).f,
        ]

    alone = work()
    results = [None] * 8

    def run(i):
        results[i] = [work() for _ in range(3)]

    threads = [threading.Thread(target=run, args=(i,)) for i in range(8)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for result in results:
        for again in result:
            for a, b in zip(again, alone):
                assert_array_equal(a, b)


def test_functions_from_many_threads(two_moons):
    from sklearn.metrics.pairwise import rbf_kernel

    alone = SVC(kernel=rbf_kernel).fit(*two_moons).decision_function(two_moons[0])
    results = [None] * 4

    def run(i):
        results[i] = SVC(kernel=rbf_kernel).fit(*two_moons).decision_function(two_moons[0])

    threads = [threading.Thread(target=run, args=(i,)) for i in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for result in results:
        assert_array_equal(result, alone)


def fit_iris(_=None):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    return np.hstack([SVC().fit(X, y).decision_function(X), LinearSVC(C=0.01).fit(X, y).decision_function(X)])


def test_fork_after_threads_have_run():
    alone = fit_iris()  # the pool of the parent is running now
    with multiprocessing.get_context("fork").Pool(3) as pool:
        for result in pool.map_async(fit_iris, range(6)).get(timeout=60):
            assert_array_equal(result, alone)


def test_loky():
    alone = fit_iris()
    for result in Parallel(n_jobs=2, backend="loky")(delayed(fit_iris)() for _ in range(4)):
        assert_array_equal(result, alone)


def workers_share():
    return mercer.threads(), KernelRidge(kernel="rbf", alpha=0.1).fit(np.eye(5), np.arange(5.0)).predict(np.eye(5))


def test_workers_take_their_share_of_the_cores():
    """joblib tells its workers by OMP_NUM_THREADS how many threads each should start."""
    cores = len(os.sched_getaffinity(0))
    with parallel_backend("loky", n_jobs=2, inner_max_num_threads=1):
        shares = Parallel()(delayed(workers_share)() for _ in range(2))
    for threads, values in shares:
        assert threads == 1
        np.testing.assert_allclose(values, workers_share()[1], rtol=1e-12)
    told = [sys.executable, "-c", "import mercer; print(mercer.threads())"]
    clean = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "MERCER_THREADS")}
    for more, expected in [({"OMP_NUM_THREADS": "3"}, 3), ({"OMP_NUM_THREADS": "3", "MERCER_THREADS": "2"}, 2), ({"OMP_NUM_THREADS": "many"}, cores), ({"OMP_NUM_THREADS": "0"}, cores), ({}, cores)]:
        assert int(subprocess.run(told, env={**clean, **more}, capture_output=True, text=True, check=True).stdout) == expected


def test_the_lock_is_released():
    """While a fit runs in one thread, another one goes on with Python."""
    X, y = hard_problem()
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    ticker = threading.Thread(target=tick)
    ticker.start()
    start = time.perf_counter()
    with pytest.warns(ConvergenceWarning):
        SVC(C=1e4, gamma=0.01, tol=1e-9, max_seconds=0.5, n_jobs=1).fit(X, y)
    end = time.perf_counter()
    done.set()
    ticker.join()
    inside = [t for t in ticks if start < t < end]
    assert len(inside) > 10  # none at all if the lock were held


def test_interrupt_keeps_the_best_model():
    code = """
        import os, signal, threading, warnings
        import numpy as np
        from mercer import SVC
        random = np.random.default_rng(0)
        X, y = random.normal(size=(4000, 20)), random.integers(0, 2, size=4000)
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            model = SVC(C=1e6, gamma=0.001, tol=1e-12, max_seconds=60).fit(X, y)
        print(model.status_, len(seen), "interrupted" in str(seen[0].message), model.predict(X[:7]).shape, model.fit_status_, model.dual_gap_ > 0)
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert ran.stdout.split() == ["interrupted", "1", "True", "(7,)", "1", "True"], ran.stdout + ran.stderr


def test_callback_sees_and_stops():
    X, y = hard_problem()
    seen = []

    def callback(now):
        seen.append(now)
        return len(seen) < 3

    with pytest.warns(ConvergenceWarning, match="callback"):
        model = SVC(C=1e6, gamma=0.001, tol=1e-12, callback=callback, max_seconds=60).fit(X, y)
    assert len(seen) == 3 and model.status_ == "cancelled"
    assert seen[-1].gap > 0 and seen[-1].size == 4000 and seen[-1].seconds > 0 and seen[-1].problems == 1
    assert model.predict(X).shape == y.shape


def watched_fits():
    X, y = hard_problem(900)
    return [
        (KernelPCA(20, kernel="rbf", gamma=0.05, eigen_solver="iterative"), X, None, "eigenvectors"),
        (KernelKMeans(30, random_state=0), X, None, "k-means"),
        (KernelKMedoids(30, init="random", n_init=20, random_state=0), X, None, "k-medoids"),
        (KernelLogisticRegression(C=1e4, gamma=0.01), X, y, "Newton steps"),
        (KernelLogisticRegression(C=1e4, gamma=0.01), X, y + (X[:, 0] > 1), "Newton steps"),
    ]


@pytest.mark.parametrize("case", range(5))
def test_every_long_fit_is_watched(case, capfd):
    model, X, y, phase = watched_fits()[case]
    mercer.set_interrupt("keep")  # an interrupt of another test must not count as the first of two
    seen = []
    whole = clone(model).set_params(callback=seen.append).fit(X, y)  # a callback that returns None continues the fit
    assert whole.status_ == "converged" and len(seen) > 1
    assert all(now.phase == phase and np.isfinite(now.value) and now.seconds >= 0 for now in seen)

    with pytest.warns(ConvergenceWarning, match="callback") as warned:
        stopped = clone(model).set_params(callback=lambda now: False).fit(X, y)
    assert stopped.status_ == "cancelled"
    assert warned[0].filename == __file__
    assert len(stopped.transform(X) if hasattr(stopped, "transform") else stopped.predict(X)) == len(X)
    with pytest.warns(ConvergenceWarning, match="max_seconds=1e-09"):
        assert clone(model).set_params(max_seconds=1e-9).fit(X, y).status_ == "time_limit"
    with pytest.raises(ValueError, match="'max_seconds' parameter"):
        clone(model).set_params(max_seconds=-1).fit(X, y)

    with pytest.warns(ConvergenceWarning, match="interrupted"):
        interrupted = clone(model).set_params(callback=lambda now: signal.raise_signal(signal.SIGINT)).fit(X, y)
    assert interrupted.status_ == "interrupted"
    capfd.readouterr()
    clone(model).set_params(verbose=True).fit(X, y)
    said = capfd.readouterr().err
    assert f"{type(model).__name__}: " in said and phase in said and "converged" in said


def test_what_has_no_parts_is_interrupted():
    code = """
        import os, signal, threading
        import numpy as np
        import mercer
        from mercer import KernelRidge
        X = np.random.default_rng(0).normal(size=(6000, 3))

        def kernel(A, B):
            if waiting:
                os.kill(os.getpid(), waiting.pop())
            return A @ B.T

        for run in (
            lambda: KernelRidge(kernel=kernel).fit(X, X[:, 0]),
            lambda: KernelRidge(kernel=kernel, alphas=[0.1, 1.0]).fit(X, X[:, 0]),
            lambda: mercer.mmd_test(X[:400], X[400:800], kernel=kernel),
        ):
            waiting = [signal.SIGINT]
            try:
                run()
            except KeyboardInterrupt:
                print("interrupted")
    """
    ran = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120)
    assert ran.stdout.split() == ["interrupted"] * 3, ran.stdout + ran.stderr


def test_what_a_callback_raises_is_raised():
    X, y = hard_problem()

    def callback(now):
        raise KeyError("from the callback")

    with pytest.raises(KeyError, match="from the callback"):
        SVC(C=1e6, gamma=0.001, tol=1e-12, callback=callback, max_seconds=60).fit(X, y)


def test_time_limit_and_verbose(capfd):
    X, y = hard_problem()
    with pytest.warns(ConvergenceWarning, match="max_seconds"):
        model = SVC(C=1e6, gamma=0.001, tol=1e-12, max_seconds=0.5, verbose=True).fit(X, y)
    assert model.status_ == "time_limit"
    shown = capfd.readouterr().err
    assert "KKT violation" in shown and "time_limit" in shown


def peak_growth(code):
    """By how many bytes the peak of the resident memory grows while `code` runs, in a process of its own."""
    script = textwrap.dedent(
        """
        import resource, sys
        import numpy as np
        from mercer import SVC, OneClassSVM, kernels
        SVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.0]])
        random = np.random.default_rng(0)
        X = random.random(size=(50_000, 1000), dtype=np.float32)   # 200 MB
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        """
    ) + textwrap.dedent(code) + "\nprint(1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before))"
    return int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()[-1])


@pytest.mark.parametrize("code", ["K = kernels.Linear()(X, X[:3])", "K = kernels.RBF(gamma=1e-6)(X[:, 10:], X[:3, 10:])"], ids=["whole", "slice"])
def test_float32_arrays_are_not_copied(code):
    assert peak_growth(code) < 60e6


def test_a_fit_does_not_copy_float32():
    # Few support vectors, which are copied into the model; the solver's stored rows get little memory.
    fit = "model = OneClassSVM(nu=0.001, gamma=1e-3, max_iter=20, max_memory='60MB').fit(X)"
    assert peak_growth("import warnings; warnings.simplefilter('ignore'); " + fit) < 100e6


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_signals_of_others_are_not_eaten():
    """A handler that raises something else than KeyboardInterrupt ends the fit with it."""
    X, y = hard_problem()

    class Alarm(Exception):
        pass

    def ring(*_):
        raise Alarm

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        with pytest.raises(Alarm):
            SVC(C=1e6, gamma=0.001, tol=1e-12, max_seconds=60).fit(X, y)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_threads_can_be_set():
    before = mercer.threads()
    mercer.set_threads(1)
    assert mercer.threads() == 1
    alone = fit_iris()
    mercer.set_threads(max(2, before))
    assert_array_equal(fit_iris(), alone)
    mercer.set_threads(before)
    for count in (0, -1, 4097, 10**9):
        with pytest.raises(ValueError, match="1 <= threads <= 4096"):
            mercer.set_threads(count)
    for n_jobs in (0, 4097, 10**9, 10**20, -(10**20)):
        with pytest.raises(ValueError, match="n_jobs must satisfy"):
            SVC(n_jobs=n_jobs).fit([[0.0], [1.0]], [0, 1])


def test_threads_are_those_of_the_processors_that_may_be_used():
    told = [sys.executable, "-c", "import mercer; print(mercer.threads())"]
    clean = {name: value for name, value in os.environ.items() if name not in ("OMP_NUM_THREADS", "MERCER_THREADS")}
    one = sorted(os.sched_getaffinity(0))[:1]
    bound = subprocess.run(told, env=clean, capture_output=True, text=True, check=True, preexec_fn=lambda: os.sched_setaffinity(0, one))
    assert int(bound.stdout) == 1
    wrong = subprocess.run(told, env={**clean, "MERCER_THREADS": "x"}, capture_output=True, text=True)
    assert wrong.returncode != 0 and "MERCER_THREADS must be a whole number from 1 to 4096, got 'x'" in wrong.stderr

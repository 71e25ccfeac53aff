"""Pictures, stubs, and an install by pip."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pytest

import mercer
import mercer._clusters
import mercer._hypotheses
import mercer._linear
import mercer._logistic
import mercer._nearest_class
import mercer._neighbors
import mercer._pca
import mercer._report
import mercer._ridge
import mercer._svm
import mercer.kernels
import mercer.plot

ESTIMATORS = [mercer._svm, mercer._linear, mercer._report, mercer._ridge, mercer._logistic, mercer._pca, mercer._clusters, mercer._nearest_class, mercer._neighbors, mercer._hypotheses]

ROOT = Path(__file__).resolve().parents[2]


def test_matplotlib_is_loaded_only_to_draw():
    code = "import sys, mercer; print('matplotlib' in sys.modules); mercer.plot; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split() == ["False", "False"]


def test_pictures(two_moons, iris):
    X, y = two_moons
    for draw in [
        lambda ax: mercer.plot.regions(mercer.SVC().fit(X, y), X, y, ax=ax, resolution=30),
        lambda ax: mercer.plot.regions(mercer.SVC().fit(iris[0][:, :2], iris[1]), iris[0][:, :2], iris[1], ax=ax, resolution=30),
        lambda ax: mercer.plot.regions(mercer.SVR().fit(X, y), X, ax=ax, resolution=30),
        lambda ax: mercer.plot.margin(mercer.SVC().fit(X, y), X, y, ax=ax, resolution=30),
        lambda ax: mercer.plot.margin(mercer.OneClassSVM().fit(X), X, ax=ax, resolution=30),
        lambda ax: mercer.plot.spectrum(mercer.kernels.RBF(), X, ax=ax),
        lambda ax: mercer.plot.spectrum(mercer.kernels.Sigmoid()(X), ax=ax),
        lambda ax: mercer.plot.gram(mercer.kernels.RBF(), X, order=y, ax=ax),
        lambda ax: mercer.plot.gram(np.eye(3), ax=ax),
        lambda ax: mercer.plot.path(mercer.kernel_ridge_path(X, y, kernel="rbf"), ax=ax),
        lambda ax: mercer.plot.path(mercer.KernelRidge(kernel="rbf", alphas=[1.0, 0.01, 0.1], alpha_score="loo").fit(X, y), ax=ax),
    ]:
        figure, ax = plt.subplots()
        assert draw(ax) is ax
        figure.canvas.draw()
        plt.close(figure)
    with pytest.raises(ValueError, match="alphas"):
        mercer.plot.path(mercer.KernelRidge().fit(X, y))
    with pytest.raises(ValueError, match="2 coordinates"):
        mercer.plot.regions(mercer.SVC().fit(*iris), iris[0], iris[1])


def test_stubs_name_what_there_is():
    folder = Path(mercer.__file__).parent
    assert (folder / "py.typed").exists()
    classes = {node.name for node in ast.parse((folder / "kernels.pyi").read_text()).body if isinstance(node, ast.ClassDef)}
    assert {getattr(mercer.kernels, name).__name__ for name in mercer.kernels.__all__ if isinstance(getattr(mercer.kernels, name), type)} <= classes
    ast.parse((folder / "plot.pyi").read_text())
    for module in ESTIMATORS:
        known = {getattr(node, "name", "") for node in ast.parse((folder / (module.__name__.removeprefix("mercer.") + ".pyi")).read_text()).body}
        assert {name for name in mercer.__all__ if getattr(getattr(mercer, name), "__module__", "") == module.__name__} <= known
    svc = next(node for node in ast.parse((folder / "_svm.pyi").read_text()).body if getattr(node, "name", "") == "SVC")
    names = {getattr(member, "name", "") for member in svc.body}
    assert {"__init__", "fit", "predict", "predict_proba", "support_", "dual_coef_", "proof"} <= names


@pytest.mark.skipif("MERCER_BUILD_DIR" not in os.environ, reason="needs a build folder: run by ctest")
def test_pip_installs_it(tmp_path):
    """From a copy of what pip needs, with the build tree's objects, into a fresh environment."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("setup.py", "pyproject.toml", "README.md", "bindings"):
        (source / name).symlink_to(ROOT / name)
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", tmp_path / "env"], check=True)
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    python = tmp_path / "env" / "bin" / "python"
    installed = subprocess.run([python, "-m", "pip", "install", ".", "--no-build-isolation", "--no-deps", "--quiet"], cwd=source, env=environment, capture_output=True, text=True)
    assert installed.returncode == 0, installed.stdout + installed.stderr
    code = "import mercer, pathlib; folder = pathlib.Path(mercer.__file__).parent; print(folder, (folder / 'kernels.pyi').exists(), (folder / 'py.typed').exists(), mercer.SVC().fit([[0.0], [1.0]], [0, 1]).predict([[0.1]])[0])"
    said = subprocess.run([python, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True).stdout.split()
    assert said[0].startswith(str(tmp_path / "env")) and said[1:] == ["True", "True", "0"]

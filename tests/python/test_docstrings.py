"""Docstrings are there, in numpydoc form, name the parameters and attributes that exist, and their examples run."""

import contextlib
import doctest
import importlib
import inspect
import io
import re

import matplotlib

matplotlib.use("Agg")

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator

import mercer
import mercer.kernels
import mercer.plot
from mercer import _core, _explain, _hypotheses, _report, _ridge
from mercer._docstrings import FittedAttribute

ORDER = ["Parameters", "Attributes", "Returns", "Raises", "See Also", "Notes", "References", "Examples"]
RESULTS = [
    mercer.Tuning, mercer.Learning, mercer.MarginReport, _report.MarginProblem, _report.KKTCondition, _explain.Explanation, _explain.FeatureShare,
    _hypotheses.MMDResult, _hypotheses.HSICResult, _ridge.RidgePath, _core.Proof, _core.MercerTest,
]  # fmt: skip


def public_objects():
    """{name: class or function} of everything that is public."""
    found = {f"mercer.{name}": getattr(mercer, name) for name in mercer.__all__ if not name.startswith("__")}
    found = {name: each for name, each in found.items() if not inspect.ismodule(each)}
    for module in (mercer.kernels, mercer.plot):
        for name, each in vars(module).items():
            if not name.startswith("_") and getattr(each, "__module__", "") == module.__name__:
                found[f"{module.__name__}.{name}"] = each
    found |= {f"{each.__module__}.{each.__name__}": each for each in RESULTS}
    return {name: each for name, each in found.items() if all(each is not one for other, one in found.items() if other < name)}


PUBLIC = public_objects()
CLASSES = {name: each for name, each in PUBLIC.items() if inspect.isclass(each)}
ESTIMATORS = {name: each for name, each in CLASSES.items() if issubclass(each, BaseEstimator)}


def members(cls):
    """{name: function or property} of the public methods and properties that the class has from this package."""
    found = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("mercer"):
            found.update({name: each for name, each in vars(base).items() if not name.startswith("_")})
    kinds = (property, staticmethod, classmethod)
    return {
        name: getattr(each, "fn", each)
        for name, each in found.items()
        if isinstance(each, kinds) or inspect.isroutine(each) or inspect.isdatadescriptor(each) and each.__class__.__module__ != "mercer._base"
    }


def with_members():
    """(name, class, function or property) of everything public, each once."""
    seen = set()
    for name, each in PUBLIC.items():
        yield name, each
        for inner, member in members(each).items() if inspect.isclass(each) else ():
            if id(member) not in seen:
                seen.add(id(member))
                yield f"{name}.{inner}", member


def sections(doc):
    """{title: text} of the sections of a docstring, "" for what comes before them."""
    parts = re.split(r"^(?=\S[^\n]*\n-{3,}$)", inspect.cleandoc(doc), flags=re.MULTILINE)
    found = {"": parts[0]}
    for part in parts[1:]:
        title, line, *rest = part.split("\n")
        assert len(title) == len(line), title
        assert title not in found, title
        found[title] = "\n".join(rest)
    return found


def entries(text):
    """{name: (type, meaning)} of a section with "name : type" and an indented meaning."""
    found = {}
    for head, about in re.findall(r"^(\S[^\n]*)\n((?:[ ]{4}[^\n]*\n?|\n(?=[ ]))*)", text.strip() + "\n", re.MULTILINE):
        assert " : " in head, f"no type: {head}"
        names, kind = head.split(" : ", 1)
        assert about.strip(), f"no meaning: {head}"
        assert about.strip().endswith((".", "`")), f"no sentence: {about}"
        found.update({name: (kind, about.strip()) for name in names.split(", ")})
    return found


def signature_of(what):
    with contextlib.suppress(ValueError, TypeError):
        return [each for each in inspect.signature(what).parameters.values() if each.name != "self"]
    return None


@pytest.mark.parametrize("name, each", with_members(), ids=lambda value: value if isinstance(value, str) else "")
def test_every_public_name_is_documented(name, each):
    doc = inspect.getdoc(each) if inspect.isclass(each) or inspect.isroutine(each) else each.__doc__
    assert doc and doc.strip()
    found = sections(doc)
    assert [title for title in found if title] == [title for title in ORDER if title in found]
    summary = re.sub(r"^\w+\(.*\) -> .*\n\n", "", found[""]).split("\n\n")[0]
    assert summary.rstrip().endswith((".", ":")) and len(summary) < 250, summary
    taken = signature_of(each) if callable(each) and each not in RESULTS else []
    if taken is None:  # a compiled function
        assert "Parameters" in found or re.match(r"\w+\((self: \S+)?\)", doc)
        return
    described = entries(found.get("Parameters", ""))
    names = ["*" * [each.VAR_POSITIONAL, each.VAR_KEYWORD].index(each.kind) + "*" + each.name if each.kind in (each.VAR_POSITIONAL, each.VAR_KEYWORD) else each.name for each in taken]
    assert list(described) == names
    for one in taken:
        if one.default is not one.empty and not described[one.name][0].startswith("Ignored"):
            assert described[one.name][0].endswith(f"default={one.default!r}"), one.name
    if inspect.isfunction(each) and "." in name and "Returns" not in found:
        assert not re.search(r"^\s+return \S", inspect.getsource(each), re.MULTILINE), "no section Returns"


@pytest.mark.parametrize("name", CLASSES)
def test_classes_have_attributes_and_examples(name):
    found = sections(CLASSES[name].__doc__)
    assert entries(found["Attributes"])
    assert ">>>" in found.get("Examples", "") or CLASSES[name] in (_report.MarginProblem, _report.KKTCondition)
    if CLASSES[name] not in RESULTS and signature_of(CLASSES[name]):
        assert entries(found["Parameters"])


# settings with which an estimator has more attributes
MORE = {"KernelRidge": {"alphas": [0.1, 1.0]}}


@pytest.mark.parametrize("name", [name for name in ESTIMATORS if name != "mercer.TextFeatures"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_attributes_are_those_of_a_fitted_estimator(name, iris):
    cls = ESTIMATORS[name]
    model = cls(**MORE.get(cls.__name__, {}))
    frame = pd.DataFrame(np.abs(iris[0][::5]), columns=["a", "b", "c", "d"])
    model.fit(frame, iris[1][::5])
    having = {each for each in vars(model) if each.endswith("_") and not each.startswith("_")}
    having |= {each for base in cls.__mro__ for each, value in vars(base).items() if isinstance(value, FittedAttribute)}
    assert set(entries(sections(cls.__doc__)["Attributes"])) == having


def results():
    X, y = np.linspace(0, 6, 12)[:, None] ** 1.5, np.arange(12) % 2
    words = ["abab", "abba", "cccb", "bccb"]
    report = mercer.SVC().fit(X, y).margin_report(X, y)
    explained = mercer.SVC(kernel="spectrum(k=2)").fit(words, [0, 0, 1, 1]).explain("accc")
    kernel = mercer.kernels.RBF()
    return [
        mercer.tune(mercer.SVC(), X, y, folds=2), mercer.learn_kernel(mercer.SVC(), X, y, kernel="rbf(gamma=0.5) + linear()"), report, report.problems[0],
        next(iter(report.problems[0].kkt.values())), explained, explained.features[0], mercer.mmd_test(X, X + 1, n_permutations=9),
        mercer.hsic_test(X, X, n_permutations=9), mercer.kernel_ridge_path(X, X[:, 0]), kernel.proof(), kernel.test(X),
    ]  # fmt: skip


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_attributes_are_those_of_a_result():
    for cls, made in zip(RESULTS, results(), strict=True):
        assert type(made) is cls
        described = set(entries(sections(cls.__doc__)["Attributes"]))
        having = {each for each in getattr(made, "__dict__", {}) if not each.startswith("_")} | set(getattr(cls, "_fields", ()))
        having |= {each for each, value in vars(cls).items() if not each.startswith("_") and inspect.isdatadescriptor(value)}
        assert described == having, cls
        assert not any("Alias for field" in getattr(cls, each).__doc__ for each in getattr(cls, "_fields", ()))


@pytest.mark.parametrize("name, each", [("mercer", mercer), ("mercer.kernels", mercer.kernels), ("mercer.plot", mercer.plot), *with_members()], ids=lambda value: value if isinstance(value, str) else "")
def test_examples_run(name, each, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    doc = inspect.getdoc(each) or ""
    if ">>>" in doc:
        test, said = doctest.DocTestParser().get_doctest(doc, {}, name, None, None), io.StringIO()
        assert doctest.DocTestRunner().run(test, out=said.write).failed == 0, said.getvalue()


LIKE = {
    "sklearn.svm": ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC"), "sklearn.kernel_ridge": ("KernelRidge",), "sklearn.decomposition": ("KernelPCA",),
    "sklearn.kernel_approximation": ("Nystroem", "PolynomialCountSketch"), "sklearn.neighbors": ("NearestCentroid",),
}  # fmt: skip


@pytest.mark.parametrize("module, name", [(module, name) for module, names in LIKE.items() for name in names])
def test_parameters_come_in_scikit_learns_order(module, name):
    theirs = list(inspect.signature(getattr(importlib.import_module(module), name)).parameters)
    ours = list(inspect.signature(getattr(mercer, name)).parameters)
    known = [each for each in theirs if each in ours]  # newer versions of scikit-learn have more
    assert ours[: len(known)] == known

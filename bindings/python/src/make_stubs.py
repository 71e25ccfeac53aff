"""make_stubs.py FILE: writes type stubs of mercer.kernels, whose classes are made from the registry, to FILE, and those of the modules beside it.

Signatures come from the modules themselves; only the types of parameters stand here, by name.
"""

import inspect
import sys
from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

import mercer
import mercer._core
import mercer._hypotheses
import mercer._ridge
import mercer.kernels
import mercer.plot

TYPES = {
    "C": "float",
    "kernel": "str | Kernel | Callable[[Any, Any], Any]",
    "gamma": "float | Literal['scale', 'auto'] | None",
    "kernel_y": "str | Kernel | Callable[[Any, Any], Any] | None",
    "kernel_params": "Mapping[str, Any] | None",
    "alpha": "float | ArrayLike",
    "alphas": "ArrayLike | None",
    "alpha_score": "Literal['gcv', 'loo']",
    "coef0": "float",
    "n_components": "int | None",
    "fit_inverse_transform": "bool | Literal['pre_image', 'fixed_point', 'neighbors']",
    "eigen_solver": "Literal['auto', 'dense', 'arpack', 'randomized', 'iterative']",
    "weights": "Literal['uniform', 'distance'] | Callable[[np.ndarray], np.ndarray] | None",
    "init": "Literal['build', 'random']",
    "penalty": "Literal['l2']",
    "loss": "Literal['hinge', 'squared_hinge']",
    "dual": "bool | Literal['auto']",
    "multi_class": "Literal['ovr']",
    "intercept_scaling": "float",
    "solver": "Literal['smo', 'interior_point', 'primal_qp', 'kernel_pegasos']",
    "score": "Literal['gcv', 'loo']",
    "error": "int | Literal['loo'] | None",
    "degree": "int",
    "class_weight": "Mapping[Any, float] | Literal['balanced'] | None",
    "decision_function_shape": "Literal['ovr', 'ovo']",
    "random_state": "int | np.random.RandomState | None",
    "time_limit": "float | None",
    "max_memory": "int | str | None",
    "n_jobs": "int | None",
    "callback": "Callable[[Any], bool | None] | None",
    "sample_weight": "ArrayLike | None",
    "covariance": "ArrayLike",
    "A": "ArrayLike",
}
RETURNS = {"fit": "Self", "set_params": "Self", "get_params": "dict[str, Any]", "score_samples": "np.ndarray", "predict": "np.ndarray", "decision_function": "np.ndarray", "predict_proba": "np.ndarray", "fit_predict": "np.ndarray", "fit_transform": "np.ndarray", "transform": "np.ndarray", "inverse_transform": "np.ndarray", "mmd_test": "MMDResult", "hsic_test": "HSICResult", "kernel_ridge_path": "RidgePath", "margin_report": "MarginReport", "to_json": "str", "to_html": "str", "save_html": "None"}
FITTED = {"kernel_": "Kernel | None", "classes_": "np.ndarray", "n_features_in_": "int", "feature_names_in_": "np.ndarray"}
HEAD = """# Made by bindings/python/src/make_stubs.py
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from typing_extensions import Self

"""


def parameter(each):
    empty = inspect.Parameter.empty
    kind = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
    if each.name == "self":
        return "self"
    default = each.default
    type_name = TYPES.get(each.name)
    if type_name is None:
        type_name = type(default).__name__ if isinstance(default, (bool, int, float, str)) else "Any"
    if default is None and type_name != "Any" and "None" not in type_name:
        type_name += " | None"
    return f"{kind}{each.name}: {type_name}" + ("" if default is empty else f" = {default!r}")


def arguments(signature):
    out, starred = [], False
    for each in signature.parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        starred = starred or each.kind is inspect.Parameter.VAR_POSITIONAL
        out.append(parameter(each))
    return ", ".join(out)


def function(name, what, indent=""):
    return f"{indent}def {name}({arguments(inspect.signature(what))}) -> {RETURNS.get(name, 'Any')}: ...\n"


def class_stub(cls, base, members_of):
    signature = inspect.signature(cls)
    text = f"class {cls.__name__}({base}):\n" if base else f"class {cls.__name__}:\n"
    text += f"    def __init__(self{', ' if signature.parameters else ''}{arguments(signature)}) -> None: ...\n"
    for name, _ in getattr(cls, "_parameters", ()):
        text += f"    {name}: Any\n"
    seen = {"__init__"} | {name for name, _ in getattr(cls, "_parameters", ())}
    for owner in members_of:
        for name, member in vars(owner).items():
            if name in seen or (name.startswith("_") and name not in ("__call__", "__add__", "__radd__", "__sub__", "__mul__", "__rmul__", "__pow__", "__len__")):
                continue
            seen.add(name)
            if isinstance(member, property):
                text += f"    @property\n    def {name}(self) -> Any: ...\n"
            elif callable(member) or hasattr(member, "fn"):
                text += function(name, getattr(member, "fn", member), "    ")
    return text


def kernels_stub():
    text = HEAD
    done = {}
    for name in ["Kernel"] + [each for each in mercer.kernels.__all__ if each != "Kernel"]:
        what = getattr(mercer.kernels, name)
        if not inspect.isclass(what):
            text += function(name, what)
        elif what in done:
            text += f"{name} = {done[what]}\n"
        else:
            done[what] = what.__name__
            is_kernel = issubclass(what, mercer.kernels.Kernel) and what is not mercer.kernels.Kernel
            text += class_stub(what, "Kernel" if is_kernel else "", [] if is_kernel else [what])
            if name != what.__name__:
                text += f"{name} = {what.__name__}\n"
    return text


def estimators_stub(module):
    """Of the estimators that live in a module: _svm, _ridge, ..."""
    bases = {name: scikit_learns(getattr(mercer, name)) for name in mercer.__all__ if inspect.isclass(getattr(mercer, name)) and getattr(mercer, name).__module__ == module}
    taken = sorted({base for some in bases.values() for base in some})
    text = HEAD.replace("from typing_extensions", (f"from sklearn.base import {', '.join(taken)}\n" if taken else "") + "from typing_extensions") + "from .kernels import Kernel\n"
    text += "from ._report import MarginReport\n\n" if module == "mercer._svm" else "\n"
    for name in bases:
        cls = getattr(mercer, name)
        owners = [each for each in cls.__mro__ if each.__module__.startswith("mercer.")]
        text += class_stub(cls, ", ".join(bases[name]), owners)
        for attribute, kind in FITTED.items():
            if issubclass(cls, BaseEstimator) and (attribute != "classes_" or issubclass(cls, ClassifierMixin)):
                text += f"    {attribute}: {kind}\n"
    return text


def scikit_learns(cls):
    """The names of the classes of sklearn.base that it derives from, which say where score() and others come from."""
    return [each.__name__ for each in cls.__mro__ if each.__module__ == "sklearn.base" and not each.__name__.startswith("_")]


def ridge_stub():
    fields = mercer._ridge.RidgePath.__annotations__
    text = estimators_stub("mercer._ridge").replace("from typing import Any, Literal", "from typing import Any, Literal, NamedTuple")
    text += "class RidgePath(NamedTuple):\n" + "".join(f"    {name}: {'np.ndarray' if kind is np.ndarray else kind.__name__}\n" for name, kind in fields.items())
    return text + "    @property\n    def alpha(self) -> float: ...\n" + function("kernel_ridge_path", mercer.kernel_ridge_path)


def report_stub():
    """What belongs to one problem is there for two classes."""
    own = set(vars(mercer.MarginReport))
    names = [name for name in dir(mercer._core.MarginProblem) if not name.startswith("_") and name not in own]
    return estimators_stub("mercer._report") + "    problems: list[Any]\n" + "".join(f"    {name}: Any\n" for name in names)


def hypotheses_stub():
    text = HEAD.replace("from typing import Any, Literal", "from typing import Any, Literal, NamedTuple") + "from .kernels import Kernel\n\n"
    for cls in (mercer._hypotheses.MMDResult, mercer._hypotheses.HSICResult):
        text += f"class {cls.__name__}(NamedTuple):\n" + "".join(f"    {name}: float\n" for name in cls._fields)
    return text + function("mmd_test", mercer.mmd_test) + function("hsic_test", mercer.hsic_test)


def plot_stub():
    names = [name for name, what in vars(mercer.plot).items() if inspect.isfunction(what) and not name.startswith("_")]
    return HEAD + "".join(function(name, getattr(mercer.plot, name)) for name in names)


def main():
    target = Path(sys.argv[1])
    target.write_text(kernels_stub())
    for module in sorted({getattr(mercer, name).__module__ for name in mercer.__all__ if inspect.isclass(getattr(mercer, name))}):
        (target.parent / (module.removeprefix("mercer.") + ".pyi")).write_text(estimators_stub(module))
    (target.parent / "_hypotheses.pyi").write_text(hypotheses_stub())
    (target.parent / "_ridge.pyi").write_text(ridge_stub())
    (target.parent / "_report.pyi").write_text(report_stub())
    (target.parent / "plot.pyi").write_text(plot_stub())


if __name__ == "__main__":
    main()

"""make_stubs.py FILE: writes type stubs of mercer.kernels, whose classes are made from the registry, to FILE, and those
of the other public modules beside it.

Signatures come from the modules themselves, types from what estimators allow; the rest stands here, by name.
"""

import importlib
import inspect
import sys
from pathlib import Path

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions

import mercer
import mercer.kernels

TYPES = {
    "kernel": "str | Kernel | Callable[[Any, Any], Any]",
    "kernel_y": "str | Kernel | Callable[[Any, Any], Any] | None",
    "score": "Literal['gcv', 'loo']",
    "error": "int | Literal['loo'] | None",
    "sample_weight": "ArrayLike | None",
    "covariance": "ArrayLike",
    "A": "ArrayLike",
}
ALLOWED = {
    None: "None", str: "str", dict: "Mapping[Any, Any]", callable: "Callable[..., Any]", "boolean": "bool",
    "verbose": "bool | int", "array-like": "ArrayLike", "random_state": "int | np.random.RandomState | None",
}  # fmt: skip
ARRAYS = """score_samples predict decision_function predict_proba fit_predict fit_transform transform
    inverse_transform""".split()
RETURNS = {
    **dict.fromkeys(ARRAYS, "np.ndarray"), "fit": "Self", "set_params": "Self", "get_params": "dict[str, Any]",
    "mmd_test": "MMDResult", "hsic_test": "HSICResult", "kernel_ridge_path": "RidgePath",
    "evaluate": "dict[str, Any]", "margin_report": "MarginReport", "to_json": "str", "to_html": "str", "save_html": "None",
}  # fmt: skip
FITTED = {"kernel_": "Kernel | None", "n_features_in_": "int", "feature_names_in_": "np.ndarray"}
OPERATORS = ["__call__", "__add__", "__radd__", "__sub__", "__mul__", "__rmul__", "__pow__", "__len__"]
HEAD = """# Made by bindings/python/src/make_stubs.py
from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
import sklearn.base
from numpy.typing import ArrayLike
from typing_extensions import Self

"""


def allowed(constraint):
    if isinstance(constraint, StrOptions):
        return f"Literal[{', '.join(map(repr, sorted(constraint.options)))}]"
    if isinstance(constraint, Interval):
        return {"Real": "float", "Integral": "int"}[constraint.type.__name__]
    return ALLOWED.get(constraint, "Any")


def type_of(name, default, constraints):
    if name in TYPES:
        return TYPES[name]
    if name in constraints:
        return " | ".join(dict.fromkeys(part for each in constraints[name] for part in allowed(each).split(" | ")))
    return type(default).__name__ if isinstance(default, (bool, int, float, str)) else "Any"


def parameter(each, constraints):
    kind = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(each.kind, "")
    if each.name == "self":
        return "self"
    default = "" if each.default is inspect.Parameter.empty else f" = {each.default!r}"
    return f"{kind}{each.name}: {type_of(each.name, each.default, constraints)}{default}"


def arguments(signature, constraints):
    out, starred = [], False
    for each in signature.parameters.values():
        if each.kind is inspect.Parameter.KEYWORD_ONLY and not starred:
            out.append("*")
            starred = True
        starred = starred or each.kind is inspect.Parameter.VAR_POSITIONAL
        out.append(parameter(each, constraints))
    return ", ".join(out)


def function(name, what, indent=""):
    constraints = mercer.SVC._parameter_constraints | mercer.KernelRidge._parameter_constraints
    return f"{indent}def {name}({arguments(inspect.signature(what), constraints)}) -> {RETURNS.get(name, 'Any')}: ...\n"


def members(cls):
    """Of the class and those of ours that it derives from; of a kernel only its parameters, the rest is Kernel's."""
    parameters = [name for name, _ in getattr(cls, "_parameters", ())]
    text = "".join(f"    {name}: Any\n" for name in parameters)
    seen = {"__init__", *parameters}
    for owner in [] if is_kernel(cls) else [each for each in cls.__mro__ if each.__module__.startswith("mercer.")]:
        for name, member in vars(owner).items():
            if name in seen or (name.startswith("_") and name not in OPERATORS):
                continue
            if callable(member) or hasattr(member, "fn"):
                text += function(name, getattr(member, "fn", member), "    ")
        text += properties(owner, seen)
        seen |= vars(owner).keys()
    return text


def properties(cls, besides=()):
    names = [name for name, each in vars(cls).items() if isinstance(each, property) and name not in besides]
    return "".join(f"    @property\n    def {name}(self) -> Any: ...\n" for name in names if name[0] != "_")


def is_kernel(cls):
    return issubclass(cls, mercer.kernels.Kernel) and cls is not mercer.kernels.Kernel


def class_stub(cls):
    if hasattr(cls, "_fields"):
        kinds = {name: getattr(kind, "__name__", "Any") for name, kind in cls.__annotations__.items()}
        text = "".join(f"    {name}: {kind.replace('ndarray', 'np.ndarray')}\n" for name, kind in kinds.items())
        return f"class {cls.__name__}(NamedTuple):\n{text}{properties(cls)}"
    # Inherited methods of scikit-learn: the stub names the base class.
    theirs = [each.__name__ for each in cls.__mro__ if each.__module__ == "sklearn.base" and each.__name__[0] != "_"]
    bases = ["Kernel"] if is_kernel(cls) else [f"sklearn.base.{name}" for name in theirs]
    given = arguments(inspect.signature(cls), getattr(cls, "_parameter_constraints", {}))
    text = f"class {cls.__name__}({', '.join(bases)}):\n    def __init__(self, {given}) -> None: ...\n" + members(cls)
    if issubclass(cls, BaseEstimator):
        more = {"classes_": "np.ndarray"} if issubclass(cls, ClassifierMixin) else {}
        text += "".join(f"    {name}: {kind}\n" for name, kind in {**FITTED, **more}.items())
    if cls is mercer.MarginReport:  # the members of a problem exist for two classes
        one = mercer.SVC().fit([[0.0], [1.0]], [0, 1]).margin_report([[0.0], [1.0]], [0, 1])
        text += "".join(f"    {name}: Any\n" for name in {**vars(one), **vars(one.problems[0])} if name[0] != "_")
    return text


def stub(module):
    """Of everything public that is made in a module."""
    text = HEAD + ("" if module is mercer.kernels else "from .kernels import Kernel\n")
    text += "from ._report import MarginReport\n\n" if "SVC" in vars(module) else "\n"
    done = set()
    for name in sorted(vars(module), key=lambda name: name != "Kernel"):
        what = getattr(module, name)
        if name.startswith("_") or getattr(what, "__module__", "") != module.__name__:
            continue
        if not inspect.isclass(what):
            text += function(name, what)
            continue
        if what not in done:
            text += class_stub(what)
            done.add(what)
        if name != what.__name__:
            text += f"{name} = {what.__name__}\n"
    return text


def main():
    target = Path(sys.argv[1])
    modules = {getattr(getattr(mercer, name), "__module__", "") for name in mercer.__all__}
    for name in sorted(modules - {"", "mercer._core"} | {"mercer.kernels", "mercer.plot"}):
        (target.parent / (name.removeprefix("mercer.") + ".pyi")).write_text(stub(importlib.import_module(name)))


if __name__ == "__main__":
    main()

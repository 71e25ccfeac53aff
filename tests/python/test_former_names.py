"""Parameters and values that were renamed are still accepted, with a FutureWarning; everything shows the new names."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import mercer

ESTIMATORS = [getattr(mercer, name) for name in mercer.__all__ if inspect.isclass(getattr(mercer, name)) and issubclass(getattr(mercer, name), BaseEstimator)]
FORMER = {"time_limit", "accuracy", "max_products", "start"}
X = np.linspace(-3, 3, 30)[:, None]
Y = np.sin(X[:, 0])

# (class, former name, value, new name)
RENAMED = [(cls, former, 5, name) for cls in ESTIMATORS for former, name in getattr(cls, "_former", {}).items()]


def ids(value):
    return value.__name__ if inspect.isclass(value) else str(value)


def test_which_names_changed():
    assert {(former, name) for _, former, _, name in RENAMED} == {("time_limit", "max_seconds"), ("accuracy", "trace_tol"), ("max_products", "max_iter")}
    assert [cls.__name__ for cls, former, *_ in RENAMED if former == "max_products"] == ["KernelRidge"]
    assert {cls.__name__ for cls, former, *_ in RENAMED if former == "accuracy"} == {"NystroemRidge", "NystroemLogistic", "NystroemSVC"}
    assert all(("time_limit" in cls._former) == ("max_seconds" in inspect.signature(cls).parameters) for cls in ESTIMATORS if hasattr(cls, "_former"))


def test_former_names_of_fitted_attributes():
    for model in (mercer.Nystroem(n_components=5), mercer.NystroemRidge(n_centres=5)):
        model.fit(X, Y)
        with pytest.warns(FutureWarning, match="'out_of_reach_' is now called 'unexplained_trace_'"):
            assert model.out_of_reach_ == model.unexplained_trace_


@pytest.mark.parametrize("cls", ESTIMATORS, ids=ids)
def test_signatures_have_the_new_names(cls):
    assert not FORMER & set(inspect.signature(cls).parameters) and not FORMER & cls().get_params().keys()
    assert "automatic" not in cls().get_params().values()


@pytest.mark.parametrize("cls, former, value, name", RENAMED, ids=ids)
def test_former_names_are_accepted(cls, former, value, name):
    message = f"{cls.__name__}: the parameter '{former}' is now called '{name}'. Pass '{name}' instead."
    with pytest.warns(FutureWarning, match=message) as caught:
        made = cls(**{former: value})
    assert caught[0].filename == __file__  # the warning is about the caller's line
    assert made.get_params()[name] == value and former not in made.get_params() and former not in vars(made)
    with pytest.warns(FutureWarning, match=message):
        assert cls().set_params(**{former: value}).get_params() == made.get_params()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = clone(made)
        assert again.get_params() == made.get_params() == cls(**{name: value}).get_params()
        assert pickle.loads(pickle.dumps(made)).get_params() == made.get_params()
    with pytest.raises(TypeError, match=f"got both '{name}' and its former name '{former}'"):
        cls(**{name: value, former: value})


@pytest.mark.parametrize("cls, former, value, name", RENAMED, ids=ids)
def test_former_attributes_are_the_new_ones(cls, former, value, name):
    model = cls(**{name: value})
    with pytest.warns(FutureWarning, match=f"the attribute '{former}' is now called '{name}'"):
        assert getattr(model, former) == value
    with pytest.warns(FutureWarning, match=f"the attribute '{former}' is now called '{name}'"):
        setattr(model, former, 7)
    assert model.get_params()[name] == 7 and former not in vars(model)


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if hasattr(cls, "_former")], ids=ids)
def test_pickles_of_earlier_versions_get_the_new_names(cls):
    """The state as version 0.1.0 wrote it."""
    state = cls().__getstate__()
    for former, name in cls._former.items():
        state[former] = state.pop(name)
    for name, values in cls._all("_former_values").items():
        state[name] = next(iter(values))
    made = cls.__new__(cls)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made.__setstate__(state)
        assert made.get_params() == cls().get_params() and not FORMER & vars(made).keys()


def test_former_values():
    with pytest.warns(FutureWarning, match="KernelRidge: the value 'automatic' of 'solver' is now called 'auto'"):
        model = mercer.KernelRidge(solver="automatic")
    assert model.solver == "auto"
    with pytest.warns(FutureWarning, match="'automatic' of 'solver'"):
        assert model.set_params(solver="automatic").solver == "auto"
    with pytest.warns(FutureWarning, match="tune: the value 'model' of 'search' is now called 'bayes'"):
        mercer.tune(mercer.SVC(), X, Y > 0, search="model", trials=2, folds=2)


def test_tune_takes_former_names(monkeypatch):
    seen = []
    monkeypatch.setattr(mercer._tune._core, "tune", lambda *given: seen.append(given) or 1 / 0)
    with pytest.warns(FutureWarning, match="'accuracy' is now called 'trace_tol'"), pytest.raises(ZeroDivisionError):
        mercer.tune(mercer.NystroemRidge(), X, Y, accuracy="?{0.1, 0.2}")
    assert seen[0][2] == [("trace_tol", "?{0.1, 0.2}")]


def test_functions_take_former_names(monkeypatch):
    seen = []
    monkeypatch.setattr(mercer._tune._core, "tune", lambda *given: seen.append(given) or 1 / 0)
    with pytest.warns(FutureWarning, match="'most_rows' is now called 'max_rows'"), pytest.raises(ZeroDivisionError):
        mercer.tune(mercer.SVR(), X, Y, most_rows=7)
    assert seen[0][5]["max_rows"] == 7
    with pytest.warns(FutureWarning, match="'most_rows' is now called 'max_rows'"):
        mercer.learn_kernel(mercer.KernelRidge(), X, Y, by="relevance", most_rows=20)
    with pytest.raises(TypeError, match="unexpected keyword argument 'rows'"):
        mercer.learn_kernel(mercer.KernelRidge(), X, Y, rows=20)
    with pytest.warns(FutureWarning, match="'together' of 'factorisation' is now called 'distributed'"):
        with pytest.raises(ValueError, match="factorisation='distributed' has no effect without comm"):
            mercer.NystroemRidge().fit(X, Y, factors="together")
    with pytest.raises(TypeError, match="unexpected keyword argument 'factor'"):
        mercer.NystroemRidge().fit(X, Y, factor="together")


def test_searches_with_former_and_new_names():
    steps = make_pipeline(StandardScaler(), mercer.KernelRidge(solver="cg", kernel="rbf"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GridSearchCV(steps, {"kernelridge__max_iter": [50, 100]}, cv=2).fit(X, Y)
    with pytest.warns(FutureWarning, match="'max_products' is now called 'max_iter'"):
        found = GridSearchCV(steps, {"kernelridge__max_products": [50, 100]}, cv=2).fit(X, Y)
    assert found.best_estimator_.named_steps["kernelridge"].max_iter in (50, 100)


def test_the_new_names_have_an_effect():
    with pytest.warns(UserWarning, match="max_iter=1"):
        model = mercer.KernelRidge(kernel="rbf", alpha=1e-8, solver="cg", max_iter=1, tol=1e-15).fit(X, Y)
    assert model.status_ == "step_limit"
    few, many = (mercer.NystroemRidge(gamma=5.0, trace_tol=tol, random_state=0).fit(X, Y) for tol in (0.5, 1e-3))
    assert len(few.centre_indices_) < len(many.centre_indices_)
    for cls in (mercer.KernelKMedoids, mercer.KernelPCA):  # whose options had other names in the library
        cls(3).fit(X)
    assert mercer.KernelRidge(solver="auto").fit(X, Y).score(X, Y) > 0.5

"""Pickles of earlier releases (tests/old_files) load and give the recorded answers."""

import json
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

OLD_FILES = Path(__file__).resolve().parents[1] / "old_files"
sys.path.insert(0, str(OLD_FILES))
import python_objects  # noqa: E402

PICKLES = sorted(OLD_FILES.glob("*/pickles/*.pickle"))


def assert_same(found, was):
    assert type(found) in (int, float) if type(was) in (int, float) else type(found) is type(was), (found, was)
    if isinstance(was, dict):
        assert found.keys() == was.keys()
        for key in was:
            assert_same(found[key], was[key])
    elif isinstance(was, list) and not _is_numeric(was):
        assert len(found) == len(was)
        for one, other in zip(found, was):
            assert_same(one, other)
    elif isinstance(was, (list, float)):
        assert np.shape(found) == np.shape(was)
        assert_allclose(found, was, rtol=1e-7, atol=1e-7)  # processors differ in rounding
    else:
        assert found == was


def _is_numeric(value):
    try:
        return np.asarray(value).dtype.kind in "if"
    except ValueError:  # rows of different lengths
        return False


def _items(text):
    """The pairs of a list of pairs as text, sorted."""
    return sorted(text.removeprefix("[(").removesuffix(")]").split("), ("))


@pytest.mark.parametrize("path", PICKLES, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_pickle_answers_as_it_did(path):
    was = json.loads((path.parents[1] / "answers.json").read_text(encoding="utf-8"))["pickles"][path.stem]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn warns of pickles made with another version of itself
        made = pickle.loads(path.read_bytes())
    found = json.loads(json.dumps(python_objects.answers(path.stem, made)))
    if "parameters" in was:  # get_params() as text, in the order of the names, some of which have changed since
        was["parameters"], found["parameters"] = _items(was["parameters"].replace("'time_limit'", "'max_seconds'")), _items(found["parameters"])
    assert_same(found, was)


def test_there_is_a_pickle_of_every_class():
    import inspect

    import mercer

    classes = {name for name in mercer.__all__ if inspect.isclass(getattr(mercer, name))}
    not_pickled = {"MarginReport", "checkpoint"}  # a report holds a C++ object without pickling; checkpoint is a context manager
    assert classes - not_pickled <= {path.stem for path in PICKLES}

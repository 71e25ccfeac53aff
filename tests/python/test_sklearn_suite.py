"""scikit-learn's own tests, with our classes in the place of its own: what fails is named, with the reason."""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys

import pytest
import sklearn_suite

missing = [file for file in sklearn_suite.FILES if importlib.util.find_spec(file) is None]
pytestmark = pytest.mark.skipif(bool(missing), reason=f"this scikit-learn comes without {', '.join(missing)}")


@pytest.fixture(scope="session")
def outcomes(tmp_path_factory):
    """{file: {test: outcome}}, from a process of its own: there scikit-learn's modules hold our classes."""
    written = tmp_path_factory.mktemp("suite") / "outcomes.json"
    here = pathlib.Path(__file__).parent
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(here), os.environ.get("PYTHONPATH", "")]),
        "SKLEARN_SUITE_OUTCOMES": str(written),
        "SKLEARN_RUN_FLOAT32_TESTS": "1",
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "sklearn_suite", "-p", "no:cacheprovider", "-W", "ignore", "--pyargs", *sklearn_suite.FILES]
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode in (0, 1) and written.exists(), run.stdout + run.stderr
    return json.loads(written.read_text())


@pytest.mark.parametrize("file", sklearn_suite.FILES)
def test_file(file, outcomes):
    excused = sklearn_suite.FILES[file]
    ran = {test: outcome for test, outcome in outcomes[file].items() if outcome != "skipped"}
    failed = {test: outcome for test, outcome in ran.items() if outcome != "passed"}
    assert {test: outcome for test, outcome in failed.items() if test not in excused} == {}
    assert [test for test in excused if test not in failed] == [], "excused, but they pass"
    ours = [test for test in ran if excused.get(test) not in sklearn_suite.NOT_OURS]
    passed = [test for test in ours if test not in failed]
    assert len(passed) >= 0.95 * len(ours) and len(ours) > 0

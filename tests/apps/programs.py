"""The programs run in a folder of their own, for the tests that are scripts with the arguments BIN_FOLDER REPOSITORY."""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

BIN, DATA = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve() / "data"
# A sanitizer needs additional memory and must be loaded before all other libraries.
SANITIZED = (BIN / "mercer").exists() and any(word in (BIN / "mercer").read_bytes() for word in (b"libasan.so", b"libtsan.so"))
PATIENCE = 600 if SANITIZED else 60  # time limit of one run in seconds
PEER = {name: shutil.which(name, path="/usr/bin:/usr/local/bin") for name in ("svm-train", "svm-predict", "svm-scale")}


def call(program, *arguments, code=0, **more):
    path = program if str(program).startswith("/") else BIN / program
    done = subprocess.run([str(path), *map(os.fsdecode, arguments)] if all(isinstance(a, bytes) for a in arguments) else [str(path), *map(str, arguments)],
                          capture_output=True, timeout=PATIENCE, **more)
    if code is not None and done.returncode != code:
        raise AssertionError(f"{program} {arguments}: exit code {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def peak_megabytes(program, *arguments):
    """The largest resident size of a run."""
    with open(os.devnull, "w") as nothing:
        started = subprocess.Popen([str(program), *map(str, arguments)], stdout=nothing, stderr=subprocess.PIPE)
        errors = started.stderr.read()
        _, status, used = os.wait4(started.pid, 0)
        started.returncode = os.waitstatus_to_exitcode(status)
        started.stderr.close()
    if started.returncode:
        raise AssertionError(f"{program} {arguments}: exit code {started.returncode}, {errors}")
    return used.ru_maxrss / 1024


def fed(fifo, data):
    """Writes bytes into a pipe as another program would, from a thread: opening it waits for the reader."""
    os.mkfifo(fifo)

    def write():
        with open(fifo, "wb") as out:
            out.write(data)

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="mercer-files-")
        self.addCleanup(self.folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder.name)
        shutil.copy(DATA / "iris.svm", "iris")

    def only(self, *names):
        """Nothing but these is in the folder: no temporary file was left."""
        self.assertEqual(sorted(os.listdir(".")), sorted(names))

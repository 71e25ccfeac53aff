"""Runs of a program in which a chosen call fails: the driver of injector.cpp."""

import ctypes
import errno
import os
import re
import signal
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

# As numbered in injector.cpp.
OPERATIONS = ["none", "allocate", "open", "read", "write", "sync", "rename", "map", "close"]
SHOWN = 20000 if "MERCER_FAULTS_TRACE" in os.environ else 1500  # characters of standard error
SHORT = 0  # in place of a reason: a read or a write transfers only a part
REASONS = {  # for each operation the errors that end a run, and the errors that a program must handle
    "open": ([errno.EMFILE, errno.ENOSPC, errno.EIO], [errno.EINTR]),
    "read": ([errno.EIO], [errno.EINTR, SHORT]),
    "write": ([errno.ENOSPC, errno.EIO], [errno.EINTR, SHORT]),
    "sync": ([errno.EIO, errno.ENOSPC], [errno.EINTR]),
    "rename": ([errno.ENOSPC, errno.EIO], []),
    "map": ([errno.ENOMEM, errno.EMFILE], []),
    "close": ([errno.EIO, errno.ENOSPC], [errno.EINTR]),
}
REQUEST, REPLY = struct.Struct("=iiiiq256s256s"), struct.Struct(f"=ii{len(OPERATIONS)}q")


@dataclass(frozen=True)
class Fault:
    operation: str = "none"
    k: int = 0
    each_from_there: bool = False
    reason: int = errno.ENOMEM

    def __str__(self):
        reason = "short" if self.reason == SHORT else errno.errorcode[self.reason]
        return f"{self.operation}:{self.k}{'+' if self.each_from_there else ''}:{reason}"

    @staticmethod
    def parse(text):
        operation, k, reason = text.split(":")
        return Fault(operation, int(k.rstrip("+")), k.endswith("+"), SHORT if reason == "short" else getattr(errno, reason))


class Server:
    """A program that has stopped before main(), or before it first opens the file `start`, and is continued once for each run."""

    def __init__(self, words, folder, library, start=""):
        self.folder = Path(folder)
        requests, self._requests = os.pipe()
        self._replies, replies = os.pipe()
        self.log = self.folder / ".server"
        with open(self.log, "wb") as log:
            self._run = subprocess.Popen(
                words, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(requests, replies),
                env={"PATH": os.environ["PATH"], "TMPDIR": str(self.folder), "MERCER_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_PERTURB_": "165",
                     "LD_PRELOAD": library, "MERCER_FAULTS_PIPES": f"{requests},{replies}", "MERCER_FAULTS_FROM": start,
                     "ASAN_OPTIONS": "verify_asan_link_order=0:allocator_may_return_null=1", "UBSAN_OPTIONS": "print_stacktrace=1",
                     **{name: value for name, value in os.environ.items() if name == "MERCER_FAULTS_TRACE"}})
        os.close(requests)
        os.close(replies)

    def run(self, fault=Fault(), seconds=60):
        """Exit code (negative: a signal), standard output, standard error, and the number of calls of each operation."""
        out, error = self.folder / ".stdout", self.folder / ".stderr"
        request = REQUEST.pack(OPERATIONS.index(fault.operation), fault.each_from_there, fault.reason, seconds, fault.k,
                               str(out).encode(), str(error).encode())
        try:
            os.write(self._requests, request)
            answer = os.read(self._replies, REPLY.size)
        except BrokenPipeError:
            answer = b""
        if len(answer) != REPLY.size:
            self._run.wait()
            raise AssertionError(f"{self._run.args}: the program has not reached its start; it said: {self.log.read_text()}")
        status, threads, *calls = REPLY.unpack(answer)
        if threads != 1:
            raise AssertionError(f"{self._run.args}: {threads} threads run where the program is to be forked")
        return os.waitstatus_to_exitcode(status), out.read_bytes(), error.read_bytes(), dict(zip(OPERATIONS, calls))

    def close(self):
        os.close(self._requests)
        os.close(self._replies)
        self._run.wait()


@dataclass
class Case:
    """A command, the file before whose opening it can fail ('' for main()), and its outputs with the contents they have before a run (None: no file).
    A resumable output may keep a part of the work: the next run goes on from it to the same results. `varying` is a pattern for
    the parts of standard output that differ from run to run."""

    name: str
    words: list
    start: str
    outputs: dict
    resumable: tuple = ()
    varying: str = ""


class Checked:
    """A case and what its runs must give."""

    def __init__(self, case, program, folder, library):
        self.case, self.folder = case, Path(folder)
        self.reset()
        self.server = Server([str(program), *case.words], folder, library, case.start)
        self.kept = {".server", ".stdout", ".stderr", *os.listdir(folder)} - set(case.outputs)
        code, self.stdout, error, self.calls = self.server.run()
        if code:
            raise AssertionError(f"{case.name}: exit code {code} without a fault: {error.decode()}")
        self.written = self.outputs()
        if problem := self.problem(Fault()):
            raise AssertionError(f"{case.name}: a second run without a fault: {problem}")

    def outputs(self):
        return {name: (self.folder / name).read_bytes() if (self.folder / name).exists() else None for name in self.case.outputs}

    def reset(self):
        for name, old in self.case.outputs.items():
            path = self.folder / name
            if old is None:
                path.unlink(missing_ok=True)
            elif not path.exists() or path.read_bytes() != old:
                path.write_bytes(old)

    def lasting(self, stdout):
        return re.sub(self.case.varying.encode(), b"", stdout) if self.case.varying else stdout

    def problem(self, fault):
        """Runs the command with the fault; what is wrong with its end, or None."""
        self.reset()
        code, stdout, error, _ = self.server.run(fault)
        error = error.decode(errors="replace")
        said = error.strip().splitlines()[-1] if error.strip() else ""
        left = sorted(set(os.listdir(self.folder)) - self.kept - set(self.case.outputs))
        for name in left:
            os.unlink(self.folder / name)
        written = self.outputs()
        if code == -signal.SIGALRM:
            return "it does not end"
        if code not in (0, 1) or "Sanitizer" in error:
            return f"exit code {code}: {error[-SHOWN:]}"
        if left:
            return f"exit code {code}, and it leaves {left}"
        if code == 0:
            if self.lasting(stdout) != self.lasting(self.stdout):
                return f"success with another output: {difference(stdout, self.stdout)}; it said: {said}"
            for name, bytes in written.items():
                if bytes != self.written[name]:
                    return f"success with another {name}: {difference(bytes or b'', self.written[name] or b'')}; it said: {said}"
            return None
        if fault.reason in (errno.EINTR, SHORT):
            return f"it does not overcome {fault}: {said}"
        expected = "out of memory" if fault.reason == errno.ENOMEM else ctypes.string_at(LIBC.strerror(fault.reason)).decode()
        if not said.startswith("mercer: ") or expected.lower() not in said.lower():
            return f"exit code 1 without the reason ({expected}): {error[-300:]!r}"
        for name, bytes in written.items():
            if name not in self.case.resumable and bytes not in (self.case.outputs[name], self.written[name]):
                return f"exit code 1, and {name} is neither the old file nor the new one"
        return self.not_resumed() if self.case.resumable else None

    def not_resumed(self):
        code, _, error, _ = self.server.run()
        if code:
            return f"the next run cannot go on: {error.decode()}"
        for name, bytes in self.outputs().items():
            if name not in self.case.resumable and bytes != self.written[name]:
                return f"the next run goes on to another {name}"
        return None


LIBC = ctypes.CDLL(None)
LIBC.strerror.restype = ctypes.c_void_p


def difference(got, wanted):
    at = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), min(len(got), len(wanted)))
    return f"{len(got)} bytes, {len(wanted)} expected, from byte {at} on {got[at:at + 60]!r} in place of {wanted[at:at + 60]!r}"

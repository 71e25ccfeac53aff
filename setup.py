"""Builds the compiled part of the Python package with CMake: pip install . --no-build-isolation"""

import os
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        # Where the target is made; from there it is taken to where setuptools wants it.
        if "MERCER_BUILD_DIR" in os.environ:  # already configured, for this interpreter
            build = Path(os.environ["MERCER_BUILD_DIR"]).resolve()
        else:
            build = HERE / "build-pip"
            options = ["-DCMAKE_BUILD_TYPE=Release", "-DMERCER_TESTS=OFF", "-DMERCER_APPS=OFF", "-DMERCER_BENCH=OFF", "-DMERCER_PYTHON=ON", f"-DPython_EXECUTABLE={sys.executable}"]
            subprocess.run(["cmake", "-S", str(HERE), "-B", str(build), *options], check=True)
        subprocess.run(["cmake", "--build", str(build), "--target", "mercer_python", "--parallel", os.environ.get("JOBS", str(os.cpu_count()))], check=True)
        target = Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        made = build / "python" / "mercer"
        for file in [*made.glob("_core.*.so"), *made.glob("libmercer_mpi.so"), *made.glob("*.pyi")]:
            self.copy_file(str(file.resolve()), str(target.parent / file.name))


setup(ext_modules=[Extension("mercer._core", sources=[])], cmdclass={"build_ext": CMakeBuild})

#!/usr/bin/python3
"""Writes tests/oracles/kernels.json: kernel matrices as scikit-learn computes them, for tests/kernels/evaluation/oracle_test.cpp.

make_kernels.py           writes the file beside this script
make_kernels.py --check   recomputes and compares with the file: exit code 1 when they differ, 77 when scikit-learn is absent
"""

import json
import sys
from pathlib import Path

try:
    import numpy as np
    from sklearn.gaussian_process.kernels import RBF, ExpSineSquared, Matern, RationalQuadratic
    from sklearn.metrics.pairwise import pairwise_kernels
except ImportError as missing:
    sys.exit(77 if "--check" in sys.argv else f"make_kernels: {missing}")

TARGET = Path(__file__).with_name("kernels.json")


def cases():
    random = np.random.default_rng(20240611)
    x, z = random.normal(size=(9, 4)), random.normal(size=(7, 4))
    x[3] = 0  # a zero vector, for cosine
    z[2] = x[5]  # and a point in both
    positive_x, positive_z = random.gamma(1.0, size=(9, 5)), random.gamma(1.0, size=(7, 5))
    positive_x[:, 1] = 0
    positive_z[:, 1] = 0
    line_x, line_z = random.normal(size=(9, 1)) * 3, random.normal(size=(7, 1)) * 3

    def pairwise(text, metric, a=x, b=z, **parameters):
        return {"text": text, "x": a, "z": b, "k": pairwise_kernels(a, b, metric=metric, **parameters)}

    def process(text, kernel, a=x, b=z):
        return {"text": text, "x": a, "z": b, "k": kernel(a, b)}

    yield pairwise("linear()", "linear")
    yield pairwise("poly(degree=3, gamma=0.25, coef0=1)", "poly", degree=3, gamma=0.25, coef0=1)
    yield pairwise("poly(degree=2, gamma=1, coef0=0)", "poly", degree=2, gamma=1, coef0=0)
    yield pairwise("rbf(gamma=0.3)", "rbf", gamma=0.3)
    yield pairwise("laplacian(gamma=0.2)", "laplacian", gamma=0.2)
    yield pairwise("sigmoid(gamma=0.1, coef0=-0.5)", "sigmoid", gamma=0.1, coef0=-0.5)
    yield pairwise("cosine()", "cosine")
    yield pairwise("chi2(gamma=0.5)", "chi2", positive_x, positive_z, gamma=0.5)
    yield process("rbf(sigma=1.5)", RBF(1.5))
    yield process("anisotropic([0.25, 1, 4, 9])", RBF([0.5, 1, 2, 3]))
    for nu in (0.5, 1.5, 2.5):
        yield process(f"matern(nu={nu}, length_scale=1.7)", Matern(1.7, nu=nu))
    yield process("rational_quadratic(alpha=0.8, length_scale=1.2)", RationalQuadratic(1.2, 0.8))
    yield process("periodic(length_scale=1.3, period=2.1)", ExpSineSquared(1.3, 2.1), line_x, line_z)
    yield process("2*rbf(sigma=1.5)*matern(1.5, 2) + rational_quadratic(1, 1)^2 + 0.5", 2 * RBF(1.5) * Matern(2, nu=1.5) + RationalQuadratic(1, 1) ** 2 + 0.5)


def text():
    plain = [{key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in case.items()} for case in cases()]
    return "[\n" + ",\n".join(json.dumps(case) for case in plain) + "\n]\n"


if "--check" in sys.argv:
    for made, stored in zip(json.loads(text()), json.loads(TARGET.read_text()), strict=True):
        if made["text"] != stored["text"] or not np.allclose(made["k"], stored["k"], rtol=1e-13, atol=1e-15):
            sys.exit(f"make_kernels: {stored['text']} differs from what scikit-learn computes")
else:
    TARGET.write_text(text())

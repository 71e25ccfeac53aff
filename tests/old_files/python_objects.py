"""The objects of the Python package that record.py pickles, and the answers that are compared before and after loading."""

import inspect
import pickle
import warnings

import numpy as np
import scipy.sparse
from sklearn.metrics.pairwise import rbf_kernel

import mercer
from mercer import kernels

ROWS = np.arange(24)
X = np.round(np.sin(np.outer(ROWS + 1, [1.3, 0.7, 2.9])) + (ROWS % 3)[:, None], 3)
LABELS = np.array(["one", "two", "three"])[ROWS % 3]
VALUES = np.round(X[:, 0] * X[:, 1] - X[:, 2], 3)
TWO_TARGETS = np.column_stack([VALUES, X[:, 0]])
WORDS = ["abab", "cccb", "aabb", "ababc", "bccb", "aaabb", "abba", "cacb", "abb"]
TEXTS = ["the cat sat", "the dog sat", "a small étude", "the small dog"]
QUESTIONS = ("predict", "decision_function", "predict_proba", "transform", "score_samples")


def estimators():
    """Each estimator class once, with its targets (None for unsupervised classes)."""
    few = {"n_centres": 8, "gamma": 0.5}
    return {
        **{c: (getattr(mercer, c)(gamma=0.5), LABELS) for c in ("SVC", "NuSVC", "KernelLogisticRegression", "CellsSVC", "CellsLogistic")},
        **{c: (getattr(mercer, c)(gamma=0.5), VALUES) for c in ("SVR", "NuSVR", "CellsSVR", "CellsRidge")},
        **{c: (getattr(mercer, c)(**few), LABELS) for c in ("NystroemLogistic", "NystroemSVC")},
        **{c: (getattr(mercer, c)(kernel="rbf", gamma=0.5), LABELS) for c in ("NearestCentroid", "NearestMedoid", "KernelKNeighborsClassifier")},
        "KernelKNeighborsRegressor": (mercer.KernelKNeighborsRegressor(kernel="rbf", gamma=0.5), VALUES),
        "OneClassSVM": (mercer.OneClassSVM(gamma=0.5), None),
        "LinearSVC": (mercer.LinearSVC(random_state=0), LABELS),
        "Pegasos": (mercer.Pegasos(max_iter=20, random_state=0), LABELS),
        "KernelRidge": (mercer.KernelRidge(kernel="rbf", gamma=0.5), TWO_TARGETS),
        "NystroemRidge": (mercer.NystroemRidge(**few), TWO_TARGETS),
        "KernelPCA": (mercer.KernelPCA(3, kernel="rbf", gamma=0.5), None),
        "Nystroem": (mercer.Nystroem(n_components=6, gamma=0.5, random_state=0), None),
        "RandomFeatures": (mercer.RandomFeatures(n_components=6, gamma=0.5, random_state=0), None),
        "PolynomialCountSketch": (mercer.PolynomialCountSketch(n_components=6, random_state=0), None),
        "KernelKMeans": (mercer.KernelKMeans(3, gamma=0.5, random_state=0), None),
        "KernelKMedoids": (mercer.KernelKMedoids(3, gamma=0.5, random_state=0), None),
        "NystroemKMeans": (mercer.NystroemKMeans(3, **few, random_state=0), None),
        "NystroemSpectralClustering": (mercer.NystroemSpectralClustering(3, **few, random_state=0), None),
    }


def models():
    """Models fitted to data that only Python can pass: float32, sparse rows, a precomputed matrix."""
    return {
        "float32": mercer.SVC(gamma=0.5).fit(X.astype(np.float32), LABELS),
        "sparse": mercer.SVC(gamma=0.5).fit(scipy.sparse.csr_matrix(X), LABELS),
        "sparse32": mercer.SVC(gamma=0.5).fit(scipy.sparse.csr_matrix(X.astype(np.float32)), LABELS),
        "precomputed": mercer.SVC(kernel="precomputed").fit(rbf_kernel(X, gamma=0.5), LABELS),
    }


def named_kernels():
    """Each kernel class once."""
    given = {"Anisotropic": ([0.5, 1.0, 2.0],), "Bilinear": ([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]],), "Expression": ("0.5*rbf(gamma=2)",),
             "Callable": (rbf_kernel,), "PolynomialOf": (kernels.Linear(), [1.0, 0.5]), "Columns": (kernels.RBF(), [0, 2]), "Field": ("a", kernels.Spectrum()),
             "Scaled": (kernels.RBF(), [1.0, 2.0, 3.0]), "Pullback": (kernels.Words(), kernels.RBF()), "Power": (kernels.RBF(), 2), "Scale": (kernels.RBF(), 2.0)}  # fmt: skip
    made = {}
    for name in kernels.__all__:
        cls = getattr(kernels, name)
        if not inspect.isclass(cls) or cls in (kernels.Kernel, kernels.FeatureMap) or cls.__name__ != name:
            continue
        one = (kernels.RBF(),) * len([p for p in inspect.signature(cls).parameters.values() if p.default is p.empty])
        made[name] = cls(*given.get(name, one))
    return made


def make():
    """Each object by the name of its file."""
    made = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, (estimator, y) in estimators().items():
            made[name] = estimator.fit(X) if y is None else estimator.fit(X, y)
        made |= {f"model_{name}": model for name, model in models().items()}
        made["strings"] = mercer.SVC(kernel="normalize(spectrum(k=2))").fit(WORDS, LABELS[:9])
        made["function"] = mercer.SVC(kernel=rbf_kernel).fit(X, LABELS)
        made["probability"] = mercer.SVC(gamma=0.5, probability=True, random_state=0).fit(X, LABELS)
        made["unfitted"] = mercer.SVC(C=3.0, kernel=0.3 * kernels.RBF(gamma=0.2) + kernels.Linear())
        made["TextFeatures"] = mercer.TextFeatures().fit(TEXTS)
        made["Tuning"] = mercer.tune(mercer.SVC(), X, LABELS, kernel="rbf(gamma=?{0.1, 1})", C="?{1, 10}", folds=3)
        made["Learning"] = mercer.learn_kernel(mercer.SVC(), X, LABELS, kernel="rbf(gamma=0.5) + linear()")
        made["MMDResult"] = mercer.mmd_test(X[:12], X[12:], gamma=0.5, n_permutations=20, random_state=0)
        made["HSICResult"] = mercer.hsic_test(X[:, :1], X[:, 1:], n_permutations=20, random_state=0)
        made["RidgePath"] = mercer.kernel_ridge_path(X, VALUES, alphas=[0.1, 1.0])
        made["kernels"] = named_kernels()
    return made


def plain(value):
    """Converts arrays to lists, which JSON can hold."""
    if scipy.sparse.issparse(value):
        value = value.toarray()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value.item() if isinstance(value, np.generic) else value


def answers(name, made):
    """The answers of an object: predictions and attributes by name."""
    if name == "kernels":
        vectors = {k for k, each in made.items() if k != "Callable" and each.domain == "vectors"} | {"Callable"}
        return {k: [repr(each) if k != "Callable" else type(each).__name__, plain(each(np.abs(X[:4]))) if k in vectors else None] for k, each in made.items()}
    if name == "unfitted":
        return {"parameters": repr(sorted(made.get_params().items()))}
    if name == "Learning":
        return {"kernel": str(made.kernel), "weights": plain(made.weights), **answers("", made.estimator)}
    if name == "Tuning":
        return {"score": made.best_score, "chosen": made.best_params, "trials": len(made.trials), **answers("", made.estimator)}
    if isinstance(made, tuple):
        return {field: plain(getattr(made, field)) for field in made._fields if field != "model"}
    data = {"strings": WORDS, "TextFeatures": TEXTS, "model_precomputed": rbf_kernel(X, gamma=0.5),
            "model_float32": X.astype(np.float32), "model_sparse": scipy.sparse.csr_matrix(X)}.get(name, X)  # fmt: skip
    said = {each: plain(getattr(made, each)(data)) for each in QUESTIONS if hasattr(made, each)}
    for each in ("classes_", "kernel_", "status_", "labels_", "support_"):
        if hasattr(made, each):
            said[each] = str(getattr(made, each)) if each in ("kernel_", "status_") else plain(getattr(made, each))
    return said


def stored_and_answer(name, made):
    stored = pickle.dumps(made, protocol=4)
    return stored, answers(name, pickle.loads(stored))

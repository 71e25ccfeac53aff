#!/usr/bin/python3
"""Writes cluster.json: what scikit-learn and kernlab (kpca) find on the data sets of data/.

Run it from anywhere: tests/oracles/make_cluster.py. New points are every 7th example plus 0.1·√(column number + 2), so that no two distances are equal.
"""

import json
import pathlib
import subprocess
import tempfile

import numpy as np
import sklearn
from sklearn.cluster import KMeans
from sklearn.datasets import load_svmlight_file
from sklearn.decomposition import PCA, KernelPCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import silhouette_samples
from sklearn.metrics.pairwise import euclidean_distances, rbf_kernel
from sklearn.neighbors import KernelDensity, KNeighborsClassifier, KNeighborsRegressor, NearestCentroid

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent.parent / "data"


def load(name):
    x, y = load_svmlight_file(str(DATA / name))
    x = np.asarray(x.todense())
    return x, y, x[::7] + 0.1 * np.sqrt(np.arange(x.shape[1]) + 2)


def rbf_distances(a, b, gamma):
    return np.sqrt(np.maximum(0, 2 - 2 * rbf_kernel(a, b, gamma=gamma)))


def in_r(code, x):
    with tempfile.TemporaryDirectory() as folder:
        np.savetxt(folder + "/x.csv", x, delimiter=",", fmt="%.17g")
        done = subprocess.run(["Rscript", "-e", f'x <- as.matrix(read.csv("{folder}/x.csv", header=FALSE)); {code}'], check=True, capture_output=True, text=True)
    return [float(v) for v in done.stdout.split()]


def weights(n):
    return 0.5 + 0.5 * (np.arange(n) % 4)


iris, species, iris_new = load("iris.svm")
wine, cultivar, wine_new = load("wine.svm")
out = {"scikit-learn": sklearn.__version__}

out["kernel_pca"] = []
for data, x, new, gamma in (("iris.svm", iris, iris_new, 0.5), ("wine.svm", wine, wine_new, 1e-5)):
    model = KernelPCA(6, kernel="rbf", gamma=gamma, eigen_solver="dense").fit(x)
    out["kernel_pca"].append({"data": data, "gamma": gamma, "eigenvalues": model.eigenvalues_.tolist(), "training": model.transform(x)[:10].tolist(),
                              "new": model.transform(new).tolist()})
out["kernlab_kpca"] = {"data": "iris.svm", "gamma": 0.5, "eigenvalues": in_r(
    'suppressMessages(library(kernlab)); cat(sprintf("%.15g", kpca(x, kernel="rbfdot", kpar=list(sigma=0.5), features=6)@eig * nrow(x)))', iris)}

pca = PCA().fit(iris)
out["pca"] = {"data": "iris.svm", "explained_variance": pca.explained_variance_.tolist(), "ratio": pca.explained_variance_ratio_.tolist(),
              "new": np.abs(pca.transform(iris_new)).tolist()}

out["knn"] = []
for data, x, y, new in (("iris.svm", iris, species, iris_new), ("wine.svm", wine, cultivar, wine_new)):
    for how in ("uniform", "distance"):
        plain = KNeighborsClassifier(5, weights=how, algorithm="brute").fit(x, y)
        d, i = plain.kneighbors(new)
        gamma = 0.5 if data == "iris.svm" else 1e-4
        bent = KNeighborsClassifier(5, weights=how, metric="precomputed").fit(rbf_distances(x, x, gamma), y)
        values = KNeighborsRegressor(5, weights=how, algorithm="brute").fit(x, x[:, 0])
        out["knn"].append({"data": data, "weights": how, "distances": d.tolist(), "labels": plain.predict(new).tolist(), "shares": plain.predict_proba(new).tolist(),
                           "values": values.predict(new).tolist(), "gamma": gamma, "rbf_labels": bent.predict(rbf_distances(new, x, gamma)).tolist()})

out["nearest_centroid"] = {"data": "wine.svm", "labels": NearestCentroid().fit(wine, cultivar).predict(wine_new).tolist()}
out["lda"] = {"data": "iris.svm", "labels": LinearDiscriminantAnalysis(priors=[1 / 3] * 3).fit(iris, species).predict(iris_new).tolist()}

out["silhouette"] = {"data": "iris.svm", "gamma": 0.5, "euclidean": silhouette_samples(iris, species).tolist(),
                     "rbf": silhouette_samples(rbf_distances(iris, iris, 0.5) * (1 - np.eye(len(iris))), species, metric="precomputed").tolist()}

out["kmeans"] = []
for data, x, k in (("iris.svm", iris, 3), ("wine.svm", wine, 5)):
    for w in (None, weights(len(x))):
        first = np.arange(len(x)) % k
        ww = np.ones(len(x)) if w is None else w
        centres = np.array([np.average(x[first == c], axis=0, weights=ww[first == c]) for c in range(k)])
        model = KMeans(k, init=centres, n_init=1, max_iter=1000, tol=0, algorithm="lloyd").fit(x, sample_weight=w)
        out["kmeans"].append({"data": data, "k": k, "weighted": w is not None, "objective": model.inertia_, "labels": model.labels_.tolist()})

out["density"] = {"data": "iris.svm", "gamma": 2.0, "log": KernelDensity(bandwidth=0.5, rtol=1e-12).fit(iris).score_samples(iris_new).tolist(),
                  "weighted": KernelDensity(bandwidth=0.5, rtol=1e-12).fit(iris, sample_weight=weights(len(iris))).score_samples(iris_new).tolist(),
                  "far": KernelDensity(bandwidth=0.5).fit(iris).score_samples(iris_new + 100).tolist()}

(HERE / "cluster.json").write_text(json.dumps(out, indent=None, separators=(",", ":")) + "\n")

#!/usr/bin/python3
"""Records files of the current build together with the answers that the build gives from them:

    PYTHONPATH=build/python python3 tests/old_files/record.py BIN_FOLDER OUT_FOLDER

OUT_FOLDER gets data/, models/, checkpoints/, pickles/, search.log and answers.json, which holds the output of each command
and the answers of each pickled object. tests/apps/old_files_test.py and tests/python/test_old_files.py load the files with
later builds and compare the answers. A recorded folder is never recorded anew: its files must stay those of the old build.
"""

import json
import lzma
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

BIN, OUT = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
sys.path.insert(0, str(Path(__file__).resolve().parent))
import python_objects  # noqa: E402  (what is pickled)

DATA = Path(__file__).resolve().parents[2] / "data"
RANDOM = random.Random(4)
ANSWERS = {"made_by": {}, "commands": {}, "checkpoints": {}, "search": {}, "pickles": {}}


def mercer(*words):
    done = subprocess.run([BIN / "mercer", *words], capture_output=True, text=True, cwd=OUT)
    if done.returncode:
        raise SystemExit(f"mercer {' '.join(words)}: {done.stderr}")
    return done.stdout


def write(name, text):
    (OUT / "data" / name).write_text(text)


def make_data():
    points = [[round(RANDOM.gauss(i % 3, 0.7), 3) for _ in range(3)] for i in range(24)]
    classes = ["one", "two", "three"]
    write("classes.csv", "a,b,c,class\n" + "".join(f"{','.join(map(str, p))},{classes[i % 3]}\n" for i, p in enumerate(points)))
    write("values.csv", "a,b,c,value\n" + "".join(f"{','.join(map(str, p))},{p[0] * p[1] + RANDOM.gauss(0, 0.1):.3f}\n" for p in points))
    many = [[round(RANDOM.gauss(0, 1), 3) for _ in range(3)] for _ in range(300)]
    write("many_values.csv", "a,b,c,value\n" + "".join(f"{','.join(map(str, p))},{p[0] * p[1] + RANDOM.gauss(0, 0.3):.3f}\n" for p in many))
    write("many_classes.csv", "a,b,c,class\n" + "".join(f"{','.join(map(str, p))},{classes[int(abs(p[0] * p[1]) + abs(RANDOM.gauss(0, 0.5))) % 3]}\n" for p in many))
    write("mixed.csv", "size,colour,day,kind\n" + "".join(
        f"{'' if i % 9 == 4 else round(p[0], 2)},{['red', 'green', 'blue'][i % 7 % 3]},2024-0{1 + i % 9}-11,{classes[i % 3]}\n" for i, p in enumerate(points)))
    write("sparse.svm", "".join(
        f"{i % 3} " + " ".join(f"{c + 1}:{RANDOM.gauss(i % 3, 1):.3f}" for c in sorted(RANDOM.sample(range(40), 4))) + "\n" for i in range(24)))
    words = [["abab", "cccb", "aabb"][i % 3] + "".join(RANDOM.choices("abc", k=4)) for i in range(18)]
    write("strings.tsv", "".join(f"{classes[i % 3]}\t{w}\n" for i, w in enumerate(words)))
    write("texts.tsv", "".join(
        f"{classes[i % 3]}\t{' '.join(RANDOM.choices(['kernel', 'machine', 'étude', 'data'], k=3) + [['fast', 'small', 'old'][i % 3]])}\n" for i in range(18)))
    write("sets.txt", "".join(f"{classes[i % 3]}\t{' '.join(sorted(set(RANDOM.choices('pqrstuv', k=3)) | {'xyz'[i % 3]}))}\n" for i in range(18)))
    write("multisets.txt", "".join(f"{classes[i % 3]}\t{RANDOM.choice('pqr')}:{RANDOM.randint(1, 4)} {'xyz'[i % 3]}:2\n" for i in range(18)))
    write("trees.txt", "".join(
        f"{classes[i % 3]}\t(S (NP (D {RANDOM.choice(['the', 'a'])}) (N {['dog', 'cat', 'ant'][i % 3]})) (VP {RANDOM.choice(['barks', 'sleeps'])}))\n" for i in range(18)))
    write("graphs.jsonl", "".join(json.dumps(
        {"nodes": [RANDOM.choice("CNO") for _ in range(3 + i % 3)], "edges": [[v, v + 1] for v in range(2 + i % 3)], "label": classes[i % 3]}) + "\n" for i in range(18)))
    write("points.xyz", "".join(
        f"{2 + i % 3}\nname {i}, energy={RANDOM.gauss(-3, 1):.3f}\n" + "".join(
            f"{RANDOM.choice(['O', 'H', 'C'])} {1.1 * a:.3f} {RANDOM.gauss(0, 0.3):.3f} {RANDOM.gauss(0, 0.3):.3f}\n" for a in range(2 + i % 3)) for i in range(15)))
    write("series.ts", "@problemName walks\n@classLabel true one two three\n@data\n" + "".join(
        ",".join(f"{RANDOM.gauss(i % 3, 0.5):.2f}" for _ in range(5 + i % 4)) + f":{classes[i % 3]}\n" for i in range(18)))
    write("records.jsonl", "".join(json.dumps(
        {"word": w, "size": round(RANDOM.gauss(i % 3, 0.6), 2), "class": classes[i % 3]}) + "\n" for i, w in enumerate(words)))
    abalone = DATA / "abalone.svm.xz"
    shutil.copy(abalone, OUT / "data")
    write("abalone_rows.svm", "".join(lzma.open(abalone, "rt").readlines()[:40]))
    for shape in sorted((DATA / "shapes").iterdir()):
        (OUT / "data" / "shapes" / shape.name).mkdir(parents=True)
        for picture in sorted(shape.glob("*.png"))[:4]:
            shutil.copy(picture, OUT / "data" / "shapes" / shape.name)


CLASSES, VALUES = ["data/classes.csv", "--label", "class"], ["data/values.csv", "--label", "value"]
RBF = ["--kernel", "rbf(gamma=0.5)"]
FEW = ["--set", "n_centres=8"]
MODELS = {
    # name of the file: method, data, further words of `mercer fit`
    **{m: (m, CLASSES, RBF) for m in ("svc", "nu_svc", "kernel_logistic", "knn", "nearest_centroid", "nearest_medoid", "kernel_fisher")},
    **{m: (m, VALUES, RBF) for m in ("svr", "nu_svr", "kernel_ridge", "representer", "knn_regression", "one_class", "kernel_pca", "kernel_density")},
    **{m: (m, CLASSES, RBF + FEW) for m in ("nystroem_logistic", "nystroem_svc")},
    **{m: (m, VALUES, RBF + FEW) for m in ("nystroem_ridge", "nystroem_pca", "nystroem")},
    **{m: (m, CLASSES, ["--set", "size=10"]) for m in ("cells_svc", "cells_logistic")},
    **{m: (m, VALUES, ["--set", "size=10"]) for m in ("cells_svr", "cells_ridge")},
    **{m: (m, VALUES, RBF + ["--set", "n_clusters=3"]) for m in ("kernel_kmeans", "kernel_kmedoids")},
    **{m: (m, VALUES, RBF + FEW + ["--set", "n_clusters=3"]) for m in ("nystroem_kmeans", "nystroem_spectral")},
    "linear_svc": ("linear_svc", CLASSES, []),
    "pegasos": ("pegasos", CLASSES, ["--set", "fit_intercept=false", "--set", "max_iter=20"]),
    "ridge": ("ridge", VALUES, []),
    "ridge_of_several": ("ridge", VALUES, ["--set", "alphas=0.1,1,10"]),
    "random_features": ("random_features", VALUES, RBF + ["--set", "n_components=6"]),
    "random_features_of_poly": ("random_features", VALUES, ["--kernel", "poly(degree=2)", "--set", "n_components=6"]),
    "svc_ovr": ("svc", CLASSES, RBF + ["--set", "multiclass=ovr"]),
    "svc_probability": ("svc", CLASSES, RBF + ["--set", "probability=true"]),
    "svc_standard": ("svc", CLASSES, RBF + ["--scale", "standard"]),
    "svc_minmax": ("svc", CLASSES, RBF + ["--scale", "minmax"]),
    "svc_sparse": ("svc", ["data/sparse.svm"], ["--kernel", "linear()"]),
    "svc_composite": ("svc", CLASSES, ["--kernel", "0.5*rbf(gamma=0.1) + normalize(poly(degree=3, coef0=1))*columns(matern(), [0, 2])"]),
    "kernel_ridge_variance": ("kernel_ridge", VALUES, RBF + ["--set", "variance=true"]),
    "kernel_ridge_cg": ("kernel_ridge", VALUES, RBF + ["--set", "solver=cg"]),
    "representer_quantile": ("representer", VALUES, RBF + ["--set", "loss=quantile", "--set", "tau=0.3"]),
    "linear_svc_l1": ("linear_svc", CLASSES, ["--set", "penalty=l1"]),
    "svc_strings": ("svc", ["data/strings.tsv"], ["--kernel", "normalize(spectrum(k=2))"]),
    "knn_strings": ("knn", ["data/strings.tsv"], ["--kernel", "normalize(subsequences(k=2))"]),
    "svc_texts": ("svc", ["data/texts.tsv"], ["--text", "tfidf", "--kernel", "linear()"]),
    "linear_svc_texts": ("linear_svc", ["data/texts.tsv"], ["--text", "counts(ngram=2)"]),
    "svc_sets": ("svc", ["sets:data/sets.txt"], ["--kernel", "jaccard()"]),
    "svc_multisets": ("svc", ["multisets:data/multisets.txt"], ["--kernel", "min_max()"]),
    "svc_trees": ("svc", ["trees:data/trees.txt"], ["--kernel", "normalize(subset_trees())"]),
    "svc_graphs": ("svc", ["graphs:data/graphs.jsonl"], ["--kernel", "normalize(wl(h=2))"]),
    "kernel_ridge_points": ("kernel_ridge", ["data/points.xyz", "--label", "energy"], ["--kernel", "coulomb()"]),
    "svc_series": ("svc", ["data/series.ts"], ["--kernel", "global_alignment()"]),
    "svc_records": ("svc", ["records:data/records.jsonl", "--label", "class"], ["--kernel", "field(word, normalize(spectrum(k=2))) * field(size, rbf(gamma=2))"]),
    "svc_images": ("svc", ["images:data/shapes"], ["--kernel", "gradients(cells=2)"]),
}
TRANSFORMS = ("kernel_pca", "kernel_fisher", "nearest_centroid", "nystroem_pca", "nystroem", "random_features", "random_features_of_poly")
WITHOUT_PREDICTION = ("kernel_pca", "nystroem_pca", "nystroem", "random_features", "random_features_of_poly")


def record_command(name, *words):
    ANSWERS["commands"][name] = {"words": words, "prints": mercer(*words)}


def record_prediction(name, *words):
    """Records the predictions, with probabilities and decision values where the method has them."""
    details = subprocess.run([BIN / "mercer", "predict", *words, "--details"], capture_output=True, cwd=OUT).returncode == 0
    record_command(name, "predict", *words, *(["--details"] if details else []))


def record_models():
    for name, (method, data, more) in MODELS.items():
        file = f"models/{name}.model"
        fit = ["fit", method, *data, *more, "-q", "-o", file]
        mercer(*fit)
        ANSWERS["made_by"][name] = fit
        if name not in WITHOUT_PREDICTION:
            record_prediction(name, file, data[0])
        if name in TRANSFORMS:
            record_command(f"transform {name}", "transform", file, *data[:1])
    mixed = ["fit", "data/mixed.csv", "--label", "kind", "--points", "2", "-q", "-o", "models/automatic.model"]
    mercer(*mixed)
    ANSWERS["made_by"]["automatic"] = mixed
    record_command("automatic", "predict", "models/automatic.model", "data/mixed.csv", "--details")
    learn = ["learn", "svc", *CLASSES, "--kernel", "rbf(gamma=0.5) + linear()", "-q", "-o", "models/learned.model"]
    mercer(*learn)
    ANSWERS["made_by"]["learned"] = learn
    record_command("learned", "predict", "models/learned.model", "data/classes.csv", "--details")
    mercer("convert", "models/svc_sparse.model", "--to", "libsvm", "-o", "models/svc_sparse.libsvm", "-q")
    record_command("libsvm", "predict", "models/svc_sparse.libsvm", "data/sparse.svm", "--details")


def record_scaling():
    for how in ("standard", "minmax"):
        file = f"models/{how}.scaling"
        record_command(f"save {how}", "scale", *CLASSES, "--scale", how, "--save-scaling", file, "-q")
        record_command(f"like {how}", "scale", *CLASSES, "--like", file, "-q")
        del ANSWERS["commands"][f"save {how}"]  # the test must not write into the recorded folder


SEARCH = ["tune", "svc", *CLASSES, "--kernel", "rbf(gamma=?{0.1, 1, 10})", "--set", "C=?{0.1, 1, 10}", "--no-race", "--seed", "3", "--json"]


def record_search():
    """Records the log of a search cut after four settings, and the choice of the complete search."""
    log = OUT / "search.log"
    answer = json.loads(mercer(*SEARCH, "--log", "search.log"))
    lines = log.read_text().splitlines(keepends=True)
    log.write_text("".join(lines[:5]))
    ANSWERS["search"] = {"words": SEARCH, "settings": len(lines) - 1, "chosen": answer["chosen"]["spec"], "scores": [each["scores"] for each in answer["trials"]]}


WIDE = ["--kernel", "rbf(gamma=3)"]
MANY_CLASSES, MANY_VALUES = ["data/many_classes.csv", "--label", "class"], ["data/many_values.csv", "--label", "value"]
ABALONE = ["data/abalone.svm.xz", "--scale", "standard", "--kernel", "rbf(gamma=1)"]
TIGHT = {
    # method: its data, and further words of `mercer fit METHOD` that make the fit take several checkpoints
    "kernel_logistic": (MANY_CLASSES, WIDE + ["--set", "C=1e3", "--set", "tol=1e-13"]),
    "kernel_ridge": (MANY_VALUES, WIDE + ["--set", "solver=cg", "--set", "alpha=1e-6", "--set", "tol=1e-14"]),
    "nystroem_ridge": (ABALONE, ["--set", "n_centres=100", "--set", "alpha=1e-9", "--set", "tol=1e-17", "--set", "max_iter=100"]),
    "nystroem_logistic": (MANY_CLASSES, WIDE + ["--set", "n_centres=60", "--set", "C=1e4", "--set", "tol=1e-13"]),
    "nystroem_svc": (MANY_CLASSES, WIDE + ["--set", "n_centres=60", "--set", "C=1e4", "--set", "tol=1e-13"]),
    "nystroem_kmeans": (ABALONE, ["--set", "n_clusters=12", "--set", "n_centres=60", "--set", "n_init=1", "--set", "tol=0"]),
    "nystroem_spectral": (MANY_VALUES, WIDE + ["--set", "n_clusters=5", "--set", "n_centres=60", "--set", "n_init=1"]),
    "nystroem_pca": (MANY_VALUES, WIDE + ["--set", "n_centres=60", "--set", "n_components=6", "--set", "tol=1e-13"]),
    "kernel_pca": (MANY_VALUES, WIDE + ["--set", "n_components=6", "--set", "solver=iterative", "--set", "tol=1e-13"]),
}


def stopped(words, state, states):
    """Runs a fit and kills it after it has written its checkpoint `states` times. Returns whether the checkpoint was left."""
    state.unlink(missing_ok=True)
    child = subprocess.Popen(["strace", "-qq", "-f", "-e", "trace=rename,renameat,renameat2", "-e", f"inject=rename,renameat,renameat2:delay_exit=300000:when={states}",
                              BIN / "mercer", *words, "--checkpoint", state, "--checkpoint-seconds", "0", "-q"],
                             cwd=OUT, env=dict(os.environ, MERCER_THREADS="1"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
    seen = 0
    for line in child.stderr:
        seen += "DELAYED" in line
        if seen:
            break
    # strace reports the rename and then holds the fit for 0.3 s: the checkpoint is complete, and the fit cannot remove it.
    time.sleep(0.05)
    os.killpg(child.pid, signal.SIGKILL)
    child.communicate()
    return bool(seen) and state.exists()


def record_checkpoints():
    for method, (data, more) in TIGHT.items():
        state = OUT / "checkpoints" / method
        fit = ["fit", method, *data, *more]
        if not any(stopped(fit, state, states) for states in (4, 2, 1)):
            raise SystemExit(f"{method} writes no checkpoint before its end")
        mercer(*fit, "-q", "-o", "whole.model")
        asked = "data/abalone_rows.svm" if data is ABALONE else "data/classes.csv" if data is MANY_CLASSES else "data/values.csv"
        command = "transform" if method.endswith("pca") else "predict"
        ANSWERS["checkpoints"][method] = {"words": fit, "then": [command, asked], "prints": mercer(command, "whole.model", asked)}
        (OUT / "whole.model").unlink()


def record_pickles():
    write("python_rows.csv", "".join(",".join(map(str, row)) + "\n" for row in python_objects.X.tolist()))
    for name, made in python_objects.make().items():
        stored, answer = python_objects.stored_and_answer(name, made)
        (OUT / "pickles" / f"{name}.pickle").write_bytes(stored)
        ANSWERS["pickles"][name] = answer
    for name, model in python_objects.models().items():
        model.save(str(OUT / "models" / f"python_{name}.model"))
        if name != "precomputed":
            record_prediction(f"python_{name}", f"models/python_{name}.model", "data/python_rows.csv")


if OUT.exists():
    raise SystemExit(f"{OUT} is there already: a recorded folder is not recorded anew")
for folder in ("data", "models", "checkpoints", "pickles"):
    (OUT / folder).mkdir(parents=True)
make_data()
record_models()
record_scaling()
record_search()
record_checkpoints()
record_pickles()
sections = (f"{json.dumps(name)}: {{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in each.items()) + "\n}" for name, each in ANSWERS.items())
(OUT / "answers.json").write_text("{\n" + ",\n".join(sections) + "\n}\n")

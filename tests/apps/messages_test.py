#!/usr/bin/python3
"""Fifty messages of the program and the server: each names the place and the offending value: messages_test.py BIN_FOLDER REPOSITORY"""

import http.client
import json
import signal
import subprocess
import sys
import unittest

import mercer_program
from mercer_program import BIN, DATA, mercer

IRIS, HEART, PROMOTERS, WINE = DATA / "iris.csv", DATA / "heart_scale.svm", DATA / "promoters.tsv", DATA / "wine.svm"
TARGET = ("--target", "species")

# (arguments, exit code, the parts that the message must contain: the place, and the value)
OPTIONS = [
    (("fit", "svc", IRIS, *TARGET, "--set", "multiclass=ovx"), 2, ("svc", "option 'multiclass'", "'ovo' or 'ovr'", "got 'ovx'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "C=-1"), 2, ("option 'C'", "got '-1'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "tol=abc"), 2, ("option 'tol'", "got 'abc'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "probability=maybe"), 2, ("option 'probability'", "true or false", "got 'maybe'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "max_iter=2.5"), 2, ("option 'max_iter'", "whole number", "got '2.5'")),
    (("fit", "kernel_ridge", HEART, "--set", "alphas=1:2"), 2, ("option 'alphas'", "low:high:count", "got '1:2'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "colour=1"), 2, ("svc", "'colour'", "C")),
    (("fit", "svc", IRIS, *TARGET, "--set", "C"), 2, ("name=value", "'C'")),
    (("fit", "svc", IRIS, *TARGET, "--set", "C=1", "--set", "C=2"), 2, ("option 'C'", "twice")),
    (("fit", "kernel_ridge", HEART, "--set", "alpha_score=loo"), 2, ("option 'alpha_score'", "alphas")),
    (("fit", "svcc", IRIS, *TARGET), 2, ("'svcc'", "did you mean svc")),
    (("fit", "svc", IRIS, *TARGET, "--treads", "2"), 2, ("--treads", "--threads")),
    (("cluster", "kmeans", IRIS, *TARGET, "-k", "151"), 2, ("151 clusters", "150 examples")),
    (("cluster", "kmeans", IRIS, *TARGET, "--k-range", "5:2"), 2, ("--k-range", "'5:2'")),
    (("cluster", "svc", IRIS, *TARGET, "-k", "3"), 2, ("svc", "kernel_kmeans")),
    (("regions", HEART, "--vary", "gamma", "--svg", "x.svg"), 2, ("--vary", "'gamma'")),
    (("regions", HEART, "--pair", "0,0", "--svg", "x.svg"), 2, ("--pair", "'0,0'")),
    (("regions", HEART, "--pair", "0,99", "--svg", "x.svg"), 1, ("--pair", "'99'", "0 to 12")),
    (("regions", HEART, "--kernel", "rbf() + linear()", "--vary", "gamma=1", "--svg", "x.svg"), 2, ("'rbf(gamma=1) + linear()'",)),
    (("explain", "--kernel", "rbf", HEART, "--why", "270"), 1, ("--why", "270", "heart_scale.svm")),
    (("explain", "--kernel", "rbf", HEART, "--class-weight", "x"), 2, ("--class-weight", "'x'")),
    (("explain", "--kernel", "rbf", HEART, "--C", "0"), 2, ("--C", "got 0")),
    (("evaluate", "m", HEART, "--metric", "accuracy"), 2, ("--metric needs --importance",)),
    (("tune", "svc", IRIS, *TARGET, "--kernel", "rbf(gamma=?[3, 1])", "--folds", "3"), 1, ("gamma=?[3, 1]", "low < high")),
    (("kernel", "test", "rbf", HEART, "--repair", "mend"), 2, ("--repair", "mend")),
    (("fit", "svc", IRIS, *TARGET, "--rows", "151"), 1, ("--rows", "151", "150")),
]
EXPRESSIONS = [
    (("kernel", "show", "rbff()"), 2, ("character 1", "'rbff'", "rbf?")),
    (("kernel", "show", "rbf(gama=1)"), 2, ("character 5", "'gama'", "gamma")),
    (("kernel", "show", "rbf(gamma=-1)"), 2, ("rbf", "gamma > 0", "got -1")),
    (("kernel", "show", "matern(nu=1)"), 2, ("matern", "nu = 0.5, 1.5 or 2.5", "got 1")),
    (("kernel", "show", "spectrum(k=1.5)"), 2, ("spectrum", "parameter 'k'", "got 1.5")),
    (("kernel", "show", "columns(rbf(), [0.5])"), 2, ("columns", "got 0.5")),
    (("kernel", "show", "rbf() + spectrum(k=3)"), 2, ("rbf", "spectrum", "vectors", "strings")),
    (("kernel", "test", "rbf", PROMOTERS), 1, ("rbf", "promoters.tsv", "strings")),
]
# (name of the file, its text, further arguments, parts of the message); the command is: mercer fit svc FILE ...
FILES = [
    ("a.csv", "x,price,y\n1,2,a\n3,n/b,b\n", ("--target", "y"), ("a.csv:3:3", "row 2", "column 'price'", "'n/b'")),
    ("b.csv", "x,y\n1,a\n2\n", ("--target", "y"), ("b.csv:3", "row 2", "expected 2 fields, got 1")),
    ("c.csv", "x,x,y\n1,2,a\n2,3,b\n", ("--target", "y"), ("c.csv", "columns 1 and 2", "'x'")),
    ("d.csv", "x,y\n1,a\n2,b\n", ("--target", "z"), ("d.csv", "target column 'z'")),
    ("e.csv", "x,y\n1,a\n2,b\n", ("--target", "7"), ("e.csv", "target", "got 7")),
    ("f.csv", "x,y\n1,a\n,b\n", ("--target", "y"), ("f.csv:3:1", "row 2", "column 'x'", "missing")),
    ("g.svm", "1 1:2\n-1 2:x\n", (), ("g.svm:2:6", "'x'")),
    ("h.svm", "1 3:1 2:1\n", (), ("h.svm:1:7", "index > 3", "'2")),
    ("i.svm", "x 1:1\n", (), ("i.svm:1:1", "label", "'x'")),
    ("j.jsonl", '{"a": 1, "y": "u"}\n{"a": 2, "b": 3, "y": "v"}\n', ("--target", "y"), ("j.jsonl:2", "'b'")),
    ("k.csv", "x,y\n1,1\n2,1\n", ("--target", "y"), ("label 1", "2 examples")),
]
# (path, body, content type, status, parts of the error)
REQUESTS = [
    ("/predict", '[{"sepal_length": 1}]', "application/json", 400, ("row 1", "column 'sepal_width'")),
    ("/predict", '[[1, 2, 3, "x"]]', "application/json", 400, ("row 1", "'x'")),
    ("/predict", "[[1, 2, 3]]", "application/json", 400, ("row 1", "expected 4 values", "got 3")),
    ("/predict", '[{"sepal_length": 1, "sepal_length": 2}]', "application/json", 400, ("row 1", "'sepal_length'", "twice")),
    ("/predict", "[[1, 2, 3, 4]]", "multipart/form-data", 415, ("Content-Type", "'multipart/form-data'", "application/json")),
    ("/elsewhere", None, None, 404, ("'/elsewhere'", "/predict")),
]


class Messages(mercer_program.Scratch):
    def contains(self, message, parts, about):
        for part in parts:
            self.assertIn(part, message, about)
        self.assertNotIn("{}", message, about)

    def test_there_are_fifty(self):
        self.assertGreaterEqual(len(OPTIONS) + len(EXPRESSIONS) + len(FILES) + len(REQUESTS), 50)

    def test_of_options(self):
        for words, code, parts in OPTIONS:
            with self.subTest(words=words):
                self.contains(mercer(*words, code=code), parts, words)

    def test_of_expressions(self):
        for words, code, parts in EXPRESSIONS:
            with self.subTest(words=words):
                self.contains(mercer(*words, code=code), parts, words)

    def test_of_files(self):
        for name, text, words, parts in FILES:
            with self.subTest(name=name):
                self.path(name).write_text(text)
                self.contains(mercer("fit", "svc", self.path(name), *words, code=1), parts, name)

    def test_of_requests(self):
        mercer("fit", "svc", IRIS, *TARGET, "-o", self.path("m"))
        server = subprocess.Popen([BIN / "mercer", "serve", str(self.path("m")), "--port", "0", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = server.stdout.readline()
        if not first:
            self.skipTest(server.communicate()[1])
        try:
            for path, body, content_type, status, parts in REQUESTS:
                with self.subTest(path=path, body=body):
                    link = http.client.HTTPConnection("127.0.0.1", json.loads(first)["port"], timeout=60)
                    link.request("GET" if body is None else "POST", path, body, {} if content_type is None else {"Content-Type": content_type})
                    answer = link.getresponse()
                    error = json.loads(answer.read())["error"]
                    self.assertEqual(answer.status, status, error)
                    self.contains(error, parts, body)
                    link.close()
        finally:
            server.send_signal(signal.SIGTERM)
            server.communicate(timeout=60)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

#!/usr/bin/python3
"""mercer serve, asked as clients ask: mercer_serve_test.py BIN_FOLDER REPOSITORY"""

import contextlib
import csv
import gzip
import http.client
import io
import json
import lzma
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import mercer_program
from mercer_program import BIN, DATA, as_json, mercer

JSON, CSV = {"Content-Type": "application/json"}, {"Content-Type": "text/csv"}


class Served:
    """A server of its own, on a port that was free."""

    def __init__(self, model, *words):
        self.run = subprocess.Popen([BIN / "mercer", "serve", str(model), "--port", "0", "--json", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        first = self.run.stdout.readline()
        if not first:
            said = self.run.communicate()[1]
            if "Boost and simdjson, and this mercer was built without" in said:
                raise unittest.SkipTest(said)
            raise AssertionError(said)
        self.said = json.loads(first)
        self.port = self.said["port"]

    def connect(self, timeout=60):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)

    def ask(self, method, path, body=None, headers={}, connection=None):
        link = connection or self.connect()
        # the answer may arrive before all bytes were sent
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            link.request(method, path, body, headers, encode_chunked="Transfer-Encoding" in headers)
        answer = link.getresponse()
        text = answer.read()
        if not connection:
            link.close()
        return answer.status, text, answer

    def json(self, path, rows=None, status=200, headers=JSON):
        got, text, _ = self.ask("GET" if rows is None else "POST", path, None if rows is None else rows if isinstance(rows, (str, bytes)) else json.dumps(rows), headers)
        if got != status:
            raise AssertionError(f"{path}: {got}, expected {status}: {text}")
        return json.loads(text)

    def stop(self, how=signal.SIGTERM):
        if self.run.poll() is None:
            self.run.send_signal(how)
        out, said = self.run.communicate(timeout=60)
        return self.run.returncode, out, said


class Case(mercer_program.Scratch):
    def served(self, model, *words):
        server = Served(model, *words)
        self.addCleanup(server.stop)
        return server

    def iris(self):
        model = self.path("iris.model")
        mercer("fit", "svc", DATA / "iris.csv", "--label", "species", "--scale", "standard", "--set", "probability=true", "-o", model)
        with open(DATA / "iris.csv", newline="") as lines:
            return model, list(csv.DictReader(lines))


class Answers(Case):
    def test_the_answers_are_those_of_mercer_predict(self):
        model, rows = self.iris()
        wanted = as_json("predict", model, DATA / "iris.csv", "--details")
        server = self.served(model)
        facts = server.json("/model")
        names = facts["columns"]
        self.assertEqual(facts["method"], "svc")
        self.assertEqual(facts["classes"], ["setosa", "versicolor", "virginica"])
        self.assertEqual((facts["predicts"], facts["transforms"]), (True, False))
        self.assertIn("gap", facts)
        lists = [[float(row[name]) for name in names] for row in rows]
        turned = [{name: float(row[name]) for name in reversed(names)} for row in rows]
        # the last form contains the target, and numbers as texts
        for rows_sent in (lists, {"rows": lists}, turned, rows):
            answer = server.json("/predict", rows_sent)
            self.assertEqual(answer["predictions"], wanted["predictions"])
            self.assertEqual(answer["details"], wanted["details"])
            self.assertEqual(answer["n"], 150)
            self.assertNotIn("warnings", answer)
        self.assertNotIn("details", server.json("/predict?details=false", lists))
        # CSV is answered with CSV unless the client accepts JSON.
        text = (DATA / "iris.csv").read_text()
        header, *lines = [line.split(",") for line in text.splitlines()]
        order = [3, 1, 4, 0, 2]
        shuffled = "\n".join(",".join(line[k] for k in order) for line in [header, *lines])
        for body in (text, shuffled, text.encode("utf-8-sig"), text.replace("\n", "\r\n")):
            status, got, answer = server.ask("POST", "/predict", body, CSV)
            self.assertEqual((status, answer.getheader("Content-Type")), (200, "text/csv; charset=utf-8"))
            table = list(csv.reader(io.StringIO(got.decode())))
            self.assertEqual(table[0], ["prediction", *wanted["details"]["names"]])
            self.assertEqual([line[0] for line in table[1:]], wanted["predictions"])
            self.assertEqual([list(map(float, line[1:])) for line in table[1:]], wanted["details"]["values"])
        self.assertEqual(server.json("/predict", text, headers={**CSV, "Accept": "application/json"})["predictions"], wanted["predictions"])
        status, got, _ = server.ask("POST", "/predict?details=no", json.dumps(lists[:2]), {**JSON, "Accept": "text/csv"})
        self.assertEqual(got.decode(), "prediction\nsetosa\nsetosa\n")
        packed = server.ask("POST", "/predict", gzip.compress(json.dumps(lists).encode()), {**JSON, "Content-Encoding": "gzip"})
        self.assertEqual(json.loads(packed[1])["predictions"], wanted["predictions"])

    def test_tables_of_any_columns(self):
        model = self.path("penguins.model")
        mercer("fit", DATA / "penguins.csv", "--target", "species", "-o", model)
        wanted = as_json("predict", model, DATA / "penguins.csv")["predictions"]
        with open(DATA / "penguins.csv", newline="") as lines:
            rows = list(csv.DictReader(lines))
        number = lambda text: None if text in ("", "NA") else float(text) if text.replace(".", "").isdigit() else text
        server = self.served(model)
        typed = [{name: number(value) for name, value in row.items()} for row in rows]
        self.assertEqual(server.json("/predict", typed)["predictions"], wanted)
        odd = {**typed[0], "colour": "red", "island": "Elba"}
        warnings = " ".join(server.json("/predict", [odd])["warnings"])
        self.assertIn("colour", warnings)
        self.assertIn("'Elba'", warnings)

    def test_numbers_of_many_digits(self):
        """A number means what Python reads, however many digits it has: the answers are those for its shortest form."""
        generator = random.Random(3)
        texts = ["0.0300000000002900109005733902562", "-0.00000000000000000000123456789012345678901234567890", "1e22", "-5e22", "9007199254740993",
                 "0.1000000000000000055511151231257827021181583404541015625", "2.2250738585072011e-308"]
        texts += [f"{generator.choice(['', '-'])}{generator.choice(['0', '0.000', '12', '7.'])}{generator.choice(['.', ''])}".rstrip(".") + "." +
                  "".join(generator.choices("0123456789", k=generator.randint(1, 40))) for _ in range(300)]
        texts = [text for text in texts if text.count(".") <= 1]
        table = self.path("digits.csv")
        table.write_text("x,y\n" + "".join(f"{k},{k}\n" for k in range(40)))
        model = self.path("digits.model")
        mercer("fit", "kernel_ridge", table, "--label", "y", "--kernel", "linear()", "--set", "alpha=0.001", "-o", model)
        server = self.served(model)
        found = server.json("/predict", '{"rows": [' + ",".join(f"[{text}]" for text in texts) + "]}", headers={"Content-Type": "application/json"})
        wanted = server.json("/predict", [[float(text)] for text in texts])
        self.assertEqual(found["predictions"], wanted["predictions"])

    def test_vectors_without_names_values_strings_and_components(self):
        model = self.path("housing.model")
        mercer("fit", "kernel_ridge", DATA / "housing.svm", "--scale", "standard", "--set", "alpha=0.1", "-o", model)
        wanted = as_json("predict", model, DATA / "housing.svm")["predictions"][:5]
        rows = [{k: float(v) for k, v in (pair.split(":") for pair in line.split()[1:])} for line in (DATA / "housing.svm").read_text().splitlines()[:5]]
        server = self.served(model)
        self.assertEqual(server.json("/model")["columns"], [])
        self.assertEqual(server.json("/predict", rows)["predictions"], wanted)
        lists = [[row.get(str(k), 0.0) for k in range(1, 14)] for row in rows]
        self.assertEqual(server.json("/predict", lists)["predictions"], wanted)
        lines = "".join((DATA / "housing.svm").read_text().splitlines(True)[:5])
        self.assertEqual(server.json("/predict?format=libsvm", lines, headers={})["predictions"], wanted)
        self.assertIn("expected 13 values, got 2", server.json("/predict", [[1, 2]], 400)["error"])
        self.assertIn("a position from 1, got 'x'", server.json("/predict", [{"x": 1}], 400)["error"])
        server.stop()

        mercer("fit", "svc", DATA / "promoters.tsv", "--kernel", "normalize(spectrum(k=3))", "-o", model)
        wanted = as_json("predict", model, DATA / "promoters.tsv")["predictions"]
        texts = [line.split("\t")[-1] for line in (DATA / "promoters.tsv").read_text().splitlines()]
        server = self.served(model)
        self.assertEqual(server.json("/predict", texts)["predictions"], wanted)
        self.assertIn("row 2: expected a text, got 7", server.json("/predict", ["a", 7], 400)["error"])
        server.stop()

        mercer("fit", "kernel_pca", DATA / "wine.svm", "--scale", "standard", "--set", "n_components=2", "-o", model)
        wanted = as_json("transform", model, DATA / "wine.svm")
        server = self.served(model)
        answer = server.json("/transform?format=libsvm", (DATA / "wine.svm").read_text(), headers={})
        self.assertEqual((answer["names"], answer["values"]), (wanted["names"], wanted["values"]))
        self.assertIn("/transform", server.json("/predict", [[1]], 404)["error"])


class Refusals(Case):
    def test_bad_requests_are_told_what_is_wrong(self):
        model, rows = self.iris()
        server = self.served(model, "--max-body", "20000")
        names = server.json("/model")["columns"]
        good = {name: float(rows[0][name]) for name in names}
        for body, words in [
            ("", "JSON"), ("[[1,2,3", "JSON: parse error at line 1"), ("[[1,2,NaN,4]]", "JSON"), ("{}", "a list of rows"), ("[]", "at least one row"),
            ("3", "a list of rows"), ("[1]", "row 1"), ('["a"]', "row 1"), ("[[1,2,3,4],[1,2,3]]", "row 2: expected 4 values"),
            ("[[1,2,3,4],{}]", "row 2: expected a list"), ('[[1,2,"x",4]]', f"row 1, column '{names[2]}': expected a number, got 'x'"),
            ("[[1,2,[3],4]]", f"row 1, column '{names[2]}'"), ("[[1,2,null,4]]", f"row 1, column '{names[2]}': missing value"),
            ("[[1,2,1e999,4]]", ""), ("[[1,2,true,4]]", "got 'true'"),
            (json.dumps([good, {**good, names[1]: "big"}]), f"row 2, column '{names[1]}': expected a number, got 'big'"),
            (json.dumps([{k: v for k, v in good.items() if k != names[0]}]), f"row 1: the column '{names[0]}' is missing"),
            (json.dumps([{**good, "z": 1}]), "no column 'z'"), ("[" * 5000, "JSON"), ('{"rows": 1}', "a list of rows"), (b"\xff\xfe[\x00", ""),
        ]:
            self.assertIn(words, server.json("/predict", body, 400)["error"], body)
        text = (DATA / "iris.csv").read_text()
        for body, words in [
            ("", "at least one"), (",".join(names) + "\n", "at least one row"), (",".join(names) + "\n1,2,3\n", "request:2:1: row 1: expected 4 fields, got 3"),
            (",".join(names) + "\n1,2,x,4\n", f"request:2:5: row 1, column '{names[2]}': expected a number, got 'x'"),
            (",".join(names[:3]) + "\n1,2,3\n", f"column '{names[3]}'"), ('a,b\n"1,2\n', "closing"), ("\x00\x01", ""),
        ]:
            self.assertIn(words, server.json("/predict", body, 400, CSV)["error"], body)
        self.assertIn("format", server.json("/predict?format=word", "1", 400, {})["error"])
        for path, method, status, words in [
            ("/nothing", "GET", 404, "/predict"), ("/nothing", "POST", 404, "/predict"), ("/predict", "GET", 405, "POST"), ("/predict", "DELETE", 405, "POST"),
            ("/health", "POST", 405, "GET"), ("/transform", "POST", 404, "/model"), ("/../etc/passwd", "GET", 404, "there is no path"),
        ]:
            got, said, answer = server.ask(method, path, "{}" if method == "POST" else None)
            self.assertEqual(got, status, (path, said))
            self.assertIn(words, json.loads(said)["error"])
            self.assertEqual(answer.getheader("Allow") is not None, status == 405)
        # the body limit: reported at once, while bytes arrive, and after decompression
        large = b"[" + b" " * 30000 + b"]"
        self.assertIn("more than 20000 bytes", server.json("/predict", large, 413)["error"])
        got = server.ask("POST", "/predict", iter([large[:15000], large[15000:]]), {**JSON, "Transfer-Encoding": "chunked"})[0]
        self.assertEqual(got, 413)
        self.assertEqual(server.ask("POST", "/predict", gzip.compress(large), {**JSON, "Content-Encoding": "gzip"})[0], 413)
        # the server still answers
        self.assertEqual(server.json("/predict", [good])["predictions"], ["setosa"])
        self.assertEqual(server.json("/health")["status"], "ok")
        self.assertEqual(server.stop()[0], 0)
        self.assertEqual(text, (DATA / "iris.csv").read_text())

    def test_what_is_not_http(self):
        model, _ = self.iris()
        server = self.served(model, "--timeout", "2")
        for bytes_sent in (b"\r\n\r\n", b"hello\r\n\r\n", b"GET\r\n\r\n", b"\x16\x03\x01\x02\x00\x01", b"POST /predict HTTP/1.1\r\nContent-Length: -5\r\n\r\n", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n",
                           b"POST /predict HTTP/1.1\r\nContent-Length: 99\r\n\r\n[[1", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20000):
            with socket.create_connection(("127.0.0.1", server.port), timeout=30) as link:
                try:
                    link.sendall(bytes_sent)
                    link.shutdown(socket.SHUT_WR)
                    while link.recv(4096):
                        pass
                except OSError:
                    pass
        self.assertEqual(server.json("/health")["status"], "ok")

    def test_a_port_that_is_taken_and_files_that_are_none(self):
        model, _ = self.iris()
        server = self.served(model)
        self.assertIn("cannot listen at 127.0.0.1", mercer("serve", model, "--port", server.port, code=1))
        self.assertIn("cannot read", mercer("serve", self.path("none"), "--port", "0", code=1))
        self.path("damaged").write_bytes(model.read_bytes()[:-40])
        mercer("serve", self.path("damaged"), "--port", "0", code=1)
        mercer("serve", model, "--port", "70000", code=2)
        self.assertIn("cannot listen", mercer("serve", model, "--port", "0", "--host", "nowhere.invalid", code=1))


class Load(Case):
    def test_a_thousand_requests_from_sixteen_clients(self):
        model, rows = self.iris()
        wanted = as_json("predict", model, DATA / "iris.csv")["predictions"]
        server = self.served(model)
        names = server.json("/model")["columns"]
        wrong, done = [], []

        def client(k):
            link = server.connect()
            for i in range(63):
                first = (7 * k + i) % 140
                part = rows[first : first + 1 + i % 10]
                if i % 3:
                    body, headers = json.dumps([[float(row[n]) for n in names] for row in part]), JSON
                else:
                    body, headers = ",".join(names) + "\n" + "".join(",".join(row[n] for n in names) + "\n" for row in part), {**CSV, "Accept": "application/json"}
                if i % 9 == 8:  # with an invalid row among them
                    body += "x"
                status, text, _ = server.ask("POST", "/predict", body, headers, link)
                if i % 9 == 8:
                    right = status == 400
                else:
                    right = status == 200 and json.loads(text)["predictions"] == wanted[first : first + len(part)]
                (done if right else wrong).append((status, text))
            link.close()

        clients = [threading.Thread(target=client, args=(k,)) for k in range(16)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertEqual(wrong, [])
        self.assertEqual(len(done), 1008)
        self.assertGreaterEqual(server.json("/health")["requests"], 1008)
        self.assertEqual(server.stop()[0], 0)

    def test_large_models_are_made_ready_once_and_answer_as_mercer_predict_does(self):
        draw = random.Random(1)
        columns, entries, count = 3000, 30, 8000
        rows = lambda: {i: round(draw.random(), 3) for i in sorted(draw.sample(range(1, columns + 1), entries))}
        line = lambda first, row: f"{first}" + "".join(f" {i}:{v}" for i, v in row.items()) + "\n"
        sparse, dense = self.path("sparse.svm-model"), self.path("dense.model")
        with open(sparse, "w") as out:
            out.write(f"svm_type epsilon_svr\nkernel_type rbf\ngamma 0.05\nnr_class 2\ntotal_sv {count}\nrho 0.5\nSV\n")
            out.writelines(line(f"{draw.gauss(0, 1):.4f}", rows()) for _ in range(count))
        mercer("fit", "kernel_logistic", DATA / "digits.svm.xz", "--kernel", "rbf(gamma=0.001)", "-o", dense)
        new = [rows() for _ in range(40)]
        self.path("new.svm").write_text("".join(line(0, row) for row in new))
        with lzma.open(DATA / "digits.svm.xz", "rt") as lines:
            digits = [{int(k): float(v) for k, v in (pair.split(":") for pair in each.split()[1:])} for each in list(lines)[:40]]
        for model, data, asked in ((sparse, self.path("new.svm"), new), (dense, DATA / "digits.svm.xz", digits)):
            wanted = as_json("predict", model, data, "--details")
            server = self.served(model)
            wrong = []

            def client(k):
                for first in range(k, 40, 4):
                    answer = server.json("/predict", [{str(i): v for i, v in row.items()} for row in asked[first : first + 1 + k % 3]])
                    n = answer["n"]
                    if (answer["predictions"], answer["details"]["values"]) != (wanted["predictions"][first : first + n], wanted["details"]["values"][first : first + n]):
                        wrong.append((first, answer))

            clients = [threading.Thread(target=client, args=(k,)) for k in range(4)]
            for each in clients:
                each.start()
            for each in clients:
                each.join()
            self.assertEqual(wrong, [])
            server.stop()

    def test_slow_clients_keep_nobody_waiting_and_are_sent_away(self):
        model, _ = self.iris()
        server = self.served(model, "--timeout", "3", "--clients", "24")
        slow = []
        for k in range(16):  # disconnects in the middle of the headers or of the body
            link = socket.create_connection(("127.0.0.1", server.port), timeout=30)
            link.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\n" + (b"Content-Length: 1000\r\n\r\n[" if k % 2 else b"X-"))
            slow.append(link)
        self.assertEqual(server.json("/predict", [[5.1, 3.5, 1.4, 0.2]])["predictions"], ["setosa"])
        ended = {}
        began = time.monotonic()
        # a byte from time to time does not extend the time limit
        while len(ended) < len(slow) and time.monotonic() - began < 30:
            for k, link in enumerate(slow):
                if k in ended:
                    continue
                try:
                    link.sendall(b"1")
                    link.settimeout(0.02)
                    got = link.recv(4096)
                    ended[k] = got
                except socket.timeout:
                    pass
                except OSError:
                    ended[k] = b""
        self.assertEqual(len(ended), len(slow))
        self.assertIn(b"408", b"".join(ended.values()))
        for link in slow:
            link.close()
        # a client that never reads its answer
        deaf = socket.create_connection(("127.0.0.1", server.port))
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        body = json.dumps([[5.1, 3.5, 1.4, 0.2]] * 20000).encode()
        deaf.sendall(b"POST /predict HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        self.assertEqual(server.json("/health")["status"], "ok")
        deaf.close()
        self.assertEqual(server.stop()[0], 0)

    def test_a_stop_while_busy_answers_what_has_begun(self):
        model = self.path("m")
        mercer("fit", "knn", DATA / "digits.svm.xz", "-o", model)
        lines = lzma.open(DATA / "digits.svm.xz", "rt").read().splitlines()
        body = "\n".join(lines * 12)
        for how in (signal.SIGTERM, signal.SIGINT):
            server = self.served(model, "--max-body", "1GB", "--timeout", "300")
            idle = server.connect()
            server.ask("GET", "/health", connection=idle)  # kept alive, without a reason to wait
            got = []
            busy = threading.Thread(target=lambda: got.append(server.ask("POST", "/predict?format=libsvm&details=no", body)))
            busy.start()
            for asked in range(1000):
                # these requests, that of the idle client, and the long one
                if server.json("/health")["requests"] > asked + 2:
                    break
                time.sleep(0.01)
            code, out, said = server.stop(how)
            busy.join(timeout=60)
            idle.close()
            self.assertEqual((code, said), (0, ""))
            self.assertEqual(got[0][0], 200)
            self.assertEqual(json.loads(got[0][1])["n"], 12 * len(lines))
            with self.assertRaises(OSError):
                server.json("/health")

    def test_a_long_answer_is_cut_off_and_a_second_signal_ends_it(self):
        model = self.path("m")
        mercer("fit", "knn", DATA / "digits.svm.xz", "-o", model)
        import lzma

        lines = lzma.open(DATA / "digits.svm.xz", "rt").read().splitlines()
        body = "\n".join(lines * 60)
        for seconds in ("0.5", "2", "8"):  # on a busy machine the connection may be closed before the request arrives
            server = self.served(model, "--max-body", "1GB", "--timeout", seconds)
            try:
                status, said, _ = server.ask("POST", "/predict?format=libsvm", body)
                break
            except OSError:
                server.stop()
        self.assertIn(status, (503, 408))
        self.assertIn(f"{seconds} s", json.loads(said)["error"])
        server.stop()
        server = self.served(model, "--max-body", "1GB", "--timeout", "600")
        busy = threading.Thread(target=lambda: self.assertRaises((OSError, http.client.HTTPException), server.ask, "POST", "/predict?format=libsvm", body))
        busy.start()
        time.sleep(0.7)
        server.run.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        if server.run.poll() is None:
            server.run.send_signal(signal.SIGTERM)
        self.assertIn(server.run.wait(timeout=60), (0, 143))
        busy.join(timeout=60)
        server.run.communicate()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

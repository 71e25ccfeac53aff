#!/usr/bin/python3
"""mercer serve under requests that are wrong on purpose: hostile_test.py BIN_FOLDER REPOSITORY

Every request is refused with the status that RFC 9110 and RFC 9112 (or docs/serve.md) give, or its connection is closed;
it never gets two answers, and the next client gets the right numbers."""

import gzip
import http.client
import json
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import unittest
import zlib
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "apps"))
import mercer_program
from mercer_program import BIN, as_json, mercer

SANITIZED = "asan" in str(BIN) or "tsan" in str(BIN)  # a sanitizer's shadow does not fit under a limit of address space
ROWS = [[1.5, -0.5], [0.25, 2.0]]
TABLE = "a,b,class\n" + "".join(f"{i % 7 * 0.5},{(i * i) % 11 * 0.25},{'xy'[i % 7 > 3]}\n" for i in range(40))
CLOSED = 0  # the connection is closed without an answer


class Server:
    def __init__(self, model, *words, limit=None, **environment):
        self.run = subprocess.Popen([BIN / "mercer", "serve", str(model), "--port", "0", "--json", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    preexec_fn=limit, env={**os.environ, **environment})
        line, self.error = self.run.stdout.readline(), None
        self.port = json.loads(line)["port"] if line else None

    def connect(self):
        link = socket.create_connection(("127.0.0.1", self.port), 10)
        link.settimeout(10)
        return link

    def raw(self, *parts, pause=0, end=True):
        """All that is answered until the server closes the connection."""
        got = bytearray()
        with self.connect() as link:
            try:
                for part in parts:
                    link.sendall(part)
                    time.sleep(pause)
                if end:
                    link.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            try:
                while part := link.recv(1 << 16):
                    got += part
            except ConnectionResetError:
                pass
        return bytes(got)

    def post(self, body, headers=(), path="/predict", type="application/json", head=None):
        body = body if isinstance(body, bytes) else body.encode()
        lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {len(body)}", *([f"Content-Type: {type}"] if type else []), *headers]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body

    def ask(self, body, *headers, **how):
        """Status and text of the answer to a whole request."""
        got = self.raw(self.post(body, headers, **how))
        head, _, text = got.partition(b"\r\n\r\n")
        return int(head[9:12] or 0), text

    def peak(self):
        with open(f"/proc/{self.run.pid}/status") as lines:
            return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024

    def stop(self):
        if self.port and self.run.poll() is None:
            self.run.send_signal(signal.SIGTERM)
        try:
            self.error = self.error if self.error is not None else self.run.communicate(timeout=20)[1].decode()
        except subprocess.TimeoutExpired:
            self.run.kill()
            self.run.communicate()
            raise AssertionError("SIGTERM does not end the server")
        return self.run.returncode, self.error


def statuses(answer):
    """Of all answers on a connection. A body of ours never holds such a line."""
    return [int(part[:3]) for part in answer.replace(b"HTTP/1.0 ", b"HTTP/1.1 ").split(b"HTTP/1.1 ")[1:]]


def malformed():
    """(name, bytes, statuses any of which is right)"""
    hidden = b"GET /model HTTP/1.1\r\nHost: x\r\n\r\n"
    rows = b"[[1,2]]"
    get = lambda *lines: b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n"
    post = lambda *lines, body=rows: b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n" + body
    sized = lambda body: b"Content-Length: %d" % len(body)
    # request lines
    for name, line in {"no request": b"", "blank lines": b"\r\n\r\n\r\n", "a word": b"hello", "a method alone": b"GET", "no version": b"GET /", "no target": b"GET HTTP/1.1",
                       "a blank target": b"GET  HTTP/1.1", "two blanks": b"GET  / HTTP/1.1", "a blank at the end": b"GET / HTTP/1.1 ", "four words": b"GET / / HTTP/1.1",
                       "a tab": b"GET\t/\tHTTP/1.1", "a lower-case version": b"GET / http/1.1", "no minor version": b"GET / HTTP/1", "a long version": b"GET / HTTP/1.10",
                       "version 0.9": b"GET / HTTP/0.9", "version 2": b"GET / HTTP/2.0", "version 3.1": b"GET / HTTP/3.1", "another protocol": b"GET / HTTQ/1.1", "letters as version": b"GET / HTTP/a.b",
                       "a control character": b"GET /\x01 HTTP/1.1", "a NUL": b"GET /\0 HTTP/1.1", "DEL": b"GET /\x7f HTTP/1.1", "a method with a colon": b"G:T / HTTP/1.1",
                       "a method in brackets": b"(GET) / HTTP/1.1", "a leading blank": b" GET / HTTP/1.1", "HTTP/2": b"PRI * HTTP/2.0"}.items():
        yield "request line: " + name, line + b"\r\n\r\n", (400, CLOSED)
    yield "TLS", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), (400,)
    yield "random bytes", bytes((i * 197 + 31) % 256 for i in range(4000)), (400,)
    yield "NULs", bytes(5000), (400,)
    yield "SSH", b"SSH-2.0-OpenSSH_9.2\r\n", (400,)
    yield "a line end alone", b"GET / HTTP/1.1\n\n", (400,)
    yield "carriage returns alone", b"GET / HTTP/1.1\r\r", (400,)
    yield "an unknown method", b"BREW /predict HTTP/1.1\r\nHost: x\r\n\r\n", (501,)
    yield "a method of 4,000 letters", b"A" * 4000 + b" / HTTP/1.1\r\n\r\n", (501,)
    yield "a method in lower case", b"get /health HTTP/1.1\r\nHost: x\r\n\r\n", (501,)
    for method in (b"TRACE", b"CONNECT", b"PUT", b"PATCH", b"DELETE", b"OPTIONS", b"PROPFIND"):
        yield f"{method.decode()} of an address", method + b" /predict HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", (405,)
    yield "OPTIONS *", b"OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", (404,)
    yield "CONNECT a host", b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", (404,)
    for name, target in {"an encoded NUL": b"/predict%00", "dots": b"/../../etc/passwd", "encoded dots": b"/%2e%2e/etc/passwd", "bytes beyond ASCII": b"/%ff%fe", "two slashes": b"//predict", "a slash at the end": b"/predict/"}.items():
        yield "target: " + name, b"POST " + target + b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n" + sized(rows) + b"\r\n\r\n" + rows, (404,)
    for name, target in {"% alone": b"/predict%", "% and a digit": b"/predict%2", "% and letters": b"/predict%zz", "% in the query": b"/predict?details=%g1"}.items():
        yield "target: " + name, b"POST " + target + b" HTTP/1.1\r\nHost: x\r\n" + sized(rows) + b"\r\n\r\n" + rows, (400,)
    yield "a target of 100 kB", b"GET /" + b"a" * 100000 + b" HTTP/1.1\r\n\r\n", (431,)
    yield "a target without an end", b"GET /" + b"a" * 1000000, (431,)
    # header fields
    for name, line in {"no colon": b"Abc", "a blank before the colon": b"Abc : d", "no name": b": d", "a blank in the name": b"A bc: d", "a control character in the name": b"A\x01: d",
                       "a NUL in the value": b"A: \0", "a bell in the value": b"A: \x07", "a carriage return in the value": b"A: b\rc", "a quote in the name": b'"A": b', "a name beyond ASCII": "Ä: b".encode()}.items():
        yield "field: " + name, get(line), (400,)
    yield "a field without an end", b"GET /health HTTP/1.1\r\nHost: x", (400,)
    yield "fields without an end", b"GET /health HTTP/1.1\r\n" + b"A: b\r\n" * 100, (400,)
    yield "60,000 fields", get(*[b"A: b"] * 60000), (431,)
    yield "a field of 40 kB", get(b"A: " + b"b" * 40000), (431,)
    yield "a name of 40 kB", get(b"A" * 40000 + b": b"), (431,)
    yield "two hosts", get(b"Host: y"), (400,)
    yield "two types", post(b"Content-Type: text/csv", sized(rows)), (400,)
    yield "a thousand ranges", get(b"Connection: close", b"Range: bytes=" + b"0-," * 1000 + b"0-"), (200,)
    # ambiguous ends of a request
    for name, lines in {"two lengths": [b"Content-Length: 7", b"Content-Length: 1"], "the shorter first": [b"Content-Length: 3", b"Content-Length: 7"], "one length twice": [b"Content-Length: 7"] * 2, "a list of lengths": [b"Content-Length: 7, 1"],
                        "a list of one length": [b"Content-Length: 7, 7"], "letters behind": [b"Content-Length: 7abc"], "letters": [b"Content-Length: abc"], "a plus": [b"Content-Length: +7"], "a minus": [b"Content-Length: -7"], "hexadecimal": [b"Content-Length: 0x7"],
                        "a point": [b"Content-Length: 7.0"], "no length": [b"Content-Length:"], "a blank inside": [b"Content-Length: 7 7"], "beyond 64 bits": [b"Content-Length: 99999999999999999999999"], "64 bits": [b"Content-Length: 18446744073709551615"],
                        "a length and chunks": [b"Content-Length: 7", b"Transfer-Encoding: chunked"], "chunks and a length": [b"Transfer-Encoding: chunked", b"Content-Length: 7"]}.items():
        yield "length: " + name, post(*lines), (400, 413)
    for name, lines in {"unknown": [b"Transfer-Encoding: xchunked"], "with a length": [b"Transfer-Encoding: xchunked", sized(rows)], "gzip": [b"Transfer-Encoding: gzip"], "gzip, chunked": [b"Transfer-Encoding: gzip, chunked"], "twice": [b"Transfer-Encoding: chunked"] * 2,
                        "identity": [b"Transfer-Encoding: identity"], "chunked, chunked": [b"Transfer-Encoding: chunked, chunked"], "chunked and more": [b"Transfer-Encoding: chunked, gzip"], "quoted": [b'Transfer-Encoding: "chunked"'], "empty": [b"Transfer-Encoding:"]}.items():
        yield "coding: " + name, post(*lines), (400, 501)
    yield "chunks in HTTP/1.0", b"POST /predict HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n7\r\n" + rows + b"\r\n0\r\n\r\n", (400,)
    for name, body in {"no size": b"\r\n" + rows, "letters as size": b"xyz\r\n" + rows, "a minus": b"-7\r\n" + rows + b"\r\n0\r\n\r\n", "0x": b"0x7\r\n" + rows + b"\r\n0\r\n\r\n", "a size beyond 64 bits": b"fffffffffffffffff\r\n" + rows, "too short": b"5\r\n" + rows + b"\r\n0\r\n\r\n",
                       "too long": b"9\r\n" + rows + b"\r\n0\r\n\r\n", "no end": b"7\r\n" + rows, "no last chunk": b"7\r\n" + rows + b"\r\n", "no line after the last": b"7\r\n" + rows + b"\r\n0\r\n", "a line end alone": b"7\n" + rows + b"\n0\n\n", "an extension of 100 kB": b"7;a=" + b"b" * 100000 + b"\r\n" + rows + b"\r\n0\r\n\r\n",
                       "a wrong trailer": b"7\r\n" + rows + b"\r\n0\r\nA b\r\n\r\n", "trailers without an end": b"7\r\n" + rows + b"\r\n0\r\n" + b"A: b\r\n" * 20000}.items():
        yield "chunks: " + name, post(b"Transfer-Encoding: chunked", body=body), (400, 431)
    yield "chunks of 2 MB", post(b"Transfer-Encoding: chunked", body=b"10000\r\n" + b" " * 65536 + b"\r\n" + b"10000\r\n" + (b" " * 65536 + b"\r\n10000\r\n") * 30), (413,)
    yield "a body that is cut", post(b"Content-Length: 99"), (400,)
    yield "a body of 2 MB", post(b"Content-Length: 2000000", body=b" " * 2000000), (413,)
    yield "a body of 10 GB, announced", post(b"Content-Length: 10000000000"), (413,)
    yield "no body", post(body=b""), (400,)
    for method in (b"GET", b"HEAD", b"OPTIONS", b"DELETE"):
        yield f"{method.decode()} hides a request", method + b" /health HTTP/1.1\r\nHost: x\r\n" + sized(hidden) + b"\r\n\r\n" + hidden, (200, 405)
        yield f"{method.decode()} hides one in chunks", method + b" /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(hidden) + hidden + b"\r\n0\r\n\r\n", (200, 405)
    yield "an expectation", post(b"Expect: more", sized(rows)), (417,)
    # false declarations of a body
    packed = gzip.compress(rows)
    for name, body, right in (("cut", packed[:-8], 400), ("half", packed[: len(packed) // 2], 400), ("the head alone", packed[:10], 400), ("nothing", b"", 400), ("damaged", packed[:-6] + b"\0" * 6, 400), ("not packed", rows, 400),
                              ("more behind it", packed + b"x", 400), ("a bomb", gzip.compress(bytes(30000000)), 413), ("a bomb in a bomb", gzip.compress(gzip.compress(bytes(30000000))), 400)):
        yield "gzip: " + name, post(b"Content-Encoding: gzip", sized(body), body=body), (right,)
    yield "deflate: cut", post(b"Content-Encoding: deflate", sized(zlib.compress(rows)[:-4]), body=zlib.compress(rows)[:-4]), (400,)
    yield "an unknown encoding", post(b"Content-Encoding: br", sized(rows)), (415,)
    yield "two encodings", post(b"Content-Encoding: gzip, gzip", sized(rows)), (415,)
    form = b'--b\r\nContent-Disposition: form-data; name="f"\r\n\r\n[[1,2]]\r\n--b--\r\n'
    yield "multipart/form-data", b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\n" + sized(form) + b"\r\n\r\n" + form, (415,)


def wrong_rows():
    """(name, body) of JSON that is refused with 400"""
    deep = "[" * 50000
    for name, body in {"lists": deep, "closed lists": deep + "]" * 50000, "objects": '{"a":' * 20000 + "1" + "}" * 20000, "the rows": '{"rows": ' + deep, "a value": "[[" + deep, "an object's value": '[{"a": ' + deep, "65 deep": "[" * 65 + "]" * 65, "63 deep": "[" * 63 + "]" * 63,
                       "behind the rows": '{"rows": [[1, 2]], "z": ' + deep + "]" * 50000 + "}", "the target": '[{"a": 1, "b": 2, "class": ' + deep + "]" * 50000 + "}]"}.items():
        yield "nested: " + name, body
    for body in ["", " ", "[", "]", "{", "}", "[]", "{}", "[[]]", "[{}]", "[[1,2]", "[[1,2]]]", "[[1,2]],", "[[1,2]] [[1,2]]", "[[1,2]]x", "[[1,2],]", "[[1,2,]]", "[[,1,2]]", "[[1 2]]", "[[1;2]]", "[[1,2]][", "[1,2]", "1", "null", "true", '"a"', "nul", "[[1,nul]]", "[[tru,1]]", "[[1,+2]]",
                 "[[1,02]]", "[[1,2.]]", "[[1,.2]]", "[[1,2e]]", "[[1,2e+]]", "[[1,0x2]]", "[[1,1e999]]", "[[1,-1e999]]", "[[1,NaN]]", "[[1,Infinity]]", "[[1,--2]]", "[[1,2]", "[[1,null]]", "[[1,true]]", '[[1,"x"]]', '[[1,""]]', '[[1,"NaN"]]', '[[1,"1e999"]]', '[[1,"2]]', "[[1,'2']]", '[[1,"\\x"]]',
                 '[[1,"\\ud800"]]', '[[1,"\\u12"]]', "[[1,[2]]]", '[[1,{"a":2}]]', "[[1]]", "[[1,2,3]]", "[[1,2],[1]]", "[[1,2],{}]", '[{"a":1,"b":2},[1,2]]', '[{"a":1}]', '[{"a":1,"b":2,"z":3}]', '[{"a":1,"a":1,"b":2}]', '[{"a":1,"b":2,"b":3}]', '[{"a" 1,"b":2}]', '[{a:1,"b":2}]', '[{"a":1 "b":2}]', '[{"a":1,"b":2,}]',
                 '{"rows"}', '{"rows":}', '{"rows":1}', '{"rows":{}}', '{"rows":[]}', '{"rows":[[1,2]]', '{"rows":[[1,2]]}}', '{"rows":[[1,2]],"rows":[[1,2]]}', '{"rows":[[1,2]],"details":false}', '{"row":[[1,2]]}', "[[1,2]\0]", "[[1,2]]\0", "/* */[[1,2]]", "[[1e308,1],[1,1e308]]"]:
        yield "JSON: " + body, body
    for body in [b"\xff\xfe[\0[\0", b"[[1,\xff]]", b'[[1,"\xc3"]]', b'[{"a":1,"\xff":2}]', b"\x80", b'[[1,"a\nb"]]', b'[[1,"a\x01"]]']:
        yield f"bytes: {body!r}", body


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, pixels):
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


class Hostile(mercer_program.Scratch):
    def setUp(self):
        super().setUp()
        self.model = self.path("m")
        self.path("t.csv").write_text(TABLE)
        mercer("fit", "svc", self.path("t.csv"), "--label", "class", "-o", self.model)
        self.path("new.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in ROWS))
        self.wanted = as_json("predict", self.model, self.path("new.csv"), "--details")

    def server(self, *words, model=None, **how):
        made = Server(model or self.model, *words, **how)
        self.addCleanup(made.stop)
        if not made.port:
            _, error = made.stop()
            if "Boost and simdjson, and this mercer was built without" in error:
                raise unittest.SkipTest(error)
            raise AssertionError(error)
        return made

    def still_right(self, server, after):
        status, text = server.ask(json.dumps(ROWS), "Connection: close")
        self.assertEqual(status, 200, after)
        answer = json.loads(text)
        self.assertEqual((answer["predictions"], answer["details"]), (self.wanted["predictions"], self.wanted["details"]), after)

    def test_malformed_requests(self):
        server = self.server("--timeout", "5", "--max-body", "1MB")
        count = 0
        for name, bytes_sent, right in malformed():
            with self.subTest(name):
                got = statuses(server.raw(bytes_sent))
                self.assertLessEqual(len(got), 1, name)
                self.assertIn(got[0] if got else CLOSED, right, name)
                self.still_right(server, name)
            count += 1
        self.assertGreaterEqual(count, 100)
        self.assertEqual(server.stop()[0], 0)

    def test_wrong_rows(self):
        server = self.server()
        for name, body in wrong_rows():
            with self.subTest(name[:60]):
                status, text = server.ask(body)
                self.assertEqual(status, 400, text[:200])
                json.loads(text)["error"]
        self.still_right(server, "wrong rows")
        # rows count from 1, columns by their names
        for rows in ([[1, 2], [1, 1e308]], [{"a": 1, "b": 2}, {"b": "x", "a": 1}], [{"a": 1, "b": 2}, {"b": None, "a": 1}], [[1, 2], [1, [2]]]):
            error = json.loads(server.ask(json.dumps(rows))[1])["error"]
            self.assertIn("row 2", error)
            if "norm" not in error:
                self.assertIn("column 'b'", error)
        scaled = self.path("scaled")
        mercer("fit", "svc", self.path("t.csv"), "--label", "class", "--scale", "standard", "-o", scaled)
        server = self.server(model=scaled)
        self.assertIn("row 2, column 'b'", json.loads(server.ask("[[1,2],[1,1.7e308]]")[1])["error"])

    def test_a_request_never_opens_a_file(self):
        self.path("there.png").write_bytes(png(2, 1, b"\0\x40\x80"))
        self.path("text.png").write_text("a secret")
        server = self.server()
        for form in ("{}\n", "x\t{}\n", "{},x\n", "path,label\n{},x\n"):
            for path in ("/predict?format=images", "/predict"):
                said = {name: server.ask(form.format(self.path(name)), type="text/plain", path=path) for name in ("there.png", "text.png", "missing.png")}
                self.assertEqual({status for status, _ in said.values()}, {400})
                self.assertEqual(len({text.replace(name.encode(), b"") for name, (_, text) in said.items()}), 1)
        for body in (json.dumps([str(self.path("there.png"))]), json.dumps({"rows": [str(self.path("there.png"))]})):
            self.assertEqual(server.ask(body)[0], 400)
        # a small image file that decompresses to a large image
        before = server.peak()
        bomb = png(8000, 8000, bytes(8000 * 8001))
        self.assertIn(server.ask(bomb, type="image/png", path="/predict?format=images")[0], (400, 413))
        if not SANITIZED:
            self.assertLess(server.peak(), before + 700)
        self.still_right(server, "images")

    def test_time_and_memory_grow_with_the_bytes(self):
        server = self.server("--timeout", "5")
        self.still_right(server, "the start")
        before = server.peak()
        rows = lambda n: "[" + ",".join('{"a":1,"b":2,"k%d":1}' % i for i in range(n)) + "]"
        self.assertEqual(server.ask(rows(200000))[0], 400)
        table = self.path("any")
        mercer("fit", self.path("t.csv"), "--target", "class", "-o", table)
        encoded = self.server("--timeout", "20", model=table)
        status, text = encoded.ask(rows(50000), path="/predict?details=false")
        self.assertEqual(status, 200, text[:200])
        self.assertIn("at least 16 columns are not among the columns of the model", " ".join(json.loads(text)["warnings"]))
        plain = json.dumps([[1, 2]] * 3000)
        whole = server.ask(plain)
        self.assertEqual(server.ask(plain, "Range: bytes=" + ",".join(["0-"] * 1000)), whole)
        self.assertEqual(server.ask(plain, "Range: bytes=0-5"), whole)
        with server.connect() as link:  # endless header fields
            try:
                for _ in range(400):
                    link.sendall(b"A: b\r\n" * 10000)
            except OSError:
                pass
        if not SANITIZED:
            self.assertLess(server.peak(), before + 150)
        self.still_right(server, "large requests")

    def test_the_time_limit_holds_inside_one_kernel_value(self):
        # One kernel value of a text with itself takes minutes; the client of this test waits 10 s.
        self.path("t.tsv").write_text("".join(f"{'+-'[i % 2]}\t{('ACGT' * 5)[i % 4 : 12 + i % 4]}\n" for i in range(20)))
        for kernel in ("normalize(local_alignment())", "normalize(subsequences(k=4))"):
            mercer("fit", "svc", self.path("t.tsv"), "--kernel", kernel, "-o", self.path("texts"))
            server = self.server("--timeout", "0.5", model=self.path("texts"))
            self.assertEqual(server.ask(json.dumps(["ACGT" * 80000]))[0], 503, kernel)
            self.assertEqual(server.stop()[0], 0)

    def test_slow_clients_are_sent_away_one_by_one(self):
        server = self.server("--timeout", "1")
        pieces = [b"P", b"POST /predict HTTP/1.1\r\n", b"POST /predict HTTP/1.1\r\nHost: x\r\nA", b"POST /predict HTTP/1.1\r\nContent-Length: 9\r\n\r\n[[1", b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9",
                  b"POST /predict HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n[[1", b"POST /predict HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n"]
        got = {}

        def client(piece):
            got[piece] = statuses(server.raw(piece, end=False))

        clients = [threading.Thread(target=client, args=(piece,)) for piece in pieces]
        for each in clients:
            each.start()
        self.still_right(server, "slow clients")
        for each in clients:
            each.join()
        for piece in pieces:
            self.assertEqual([status for status in got[piece] if status != 100], [408], piece)

    def test_kept_connections_and_requests_in_a_row(self):
        server = self.server()
        one = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\n\r\n[[1,2]]"
        self.assertEqual(statuses(server.raw(one * 200)), [200] * 200)
        self.assertEqual(statuses(server.raw(one * 3 + b"x\r\n\r\n" + one)), [200] * 3 + [400])
        # the end of the request is known
        self.assertEqual(statuses(server.raw(one + one.replace(b"[[1,2]]", b"[[1,x]]") + one)), [200, 400, 200])
        self.assertEqual(statuses(server.raw(*[bytes([byte]) for byte in one])), [200])  # byte by byte
        link = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        first = None
        for _ in range(300):
            link.request("GET", "/health")
            link.getresponse().read()
            first = first or link.sock.getsockname()
            self.assertEqual(link.sock.getsockname(), first)
        link.request("HEAD", "/model")
        answer = link.getresponse()
        self.assertEqual((answer.status, answer.read()), (200, b""))
        link.close()
        got = server.raw(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 7\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n", b"[[1,2]]", pause=0.05)
        self.assertEqual(statuses(got), [100, 200])
        self.assertEqual(statuses(server.raw(b"GET http://some.where/health HTTP/1.1\r\nHost: some.where\r\nConnection: close\r\n\r\n")), [200])
        self.assertEqual(statuses(server.raw(b"GET /health HTTP/1.0\r\n\r\n" + one)), [200])  # HTTP/1.0 ends here
        # more clients than connections: idle connections are closed
        server = self.server("--clients", "8")
        idle = [server.connect() for _ in range(30)]
        self.still_right(server, "idle clients")
        for each in idle:
            each.close()

    def test_memory_is_bounded(self):
        body = "[" + ",".join(["[]"] * 2000000) + "]"
        server = self.server("--memory", "40MB", "--max-body", "16MB")
        self.assertIn(server.ask(body)[0], (413, 503))
        self.still_right(server, "a large request")
        many = "[" + ",".join(["[1,2]"] * 100000) + "]"
        self.assertEqual(server.ask(many, path="/predict?details=false")[0], 200)
        small = self.server("--max-body", "1MB")
        self.assertEqual(small.ask("[" + ",".join(["[1,2]"] * 174000) + "]")[0], 413)  # for its answer
        self.still_right(small, "many rows")

    @unittest.skipIf(SANITIZED, "a sanitizer needs more address space than the limit leaves")
    def test_limits_of_the_system(self):
        def space(megabytes):
            return lambda: resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

        body = "[" + ",".join(["[]"] * 4700000) + "]"
        server = self.server("--clients", "16", limit=space(1500))
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(server.ask(body)[0])) for _ in range(8)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertLessEqual(set(answers), {400, 413, 503, CLOSED})
        self.still_right(server, "eight large requests")
        for megabytes in (120, 200, 300, 450, 600):  # the server answers or refuses; it never hangs
            server = Server(self.model, limit=space(megabytes), MERCER_THREADS="1", OPENBLAS_NUM_THREADS="1")
            if server.port:
                server.ask("[[1,2]]")
                self.assertEqual(server.stop()[0], 0)
            else:
                self.assertGreater(server.stop()[0], 0)
        open_files = lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))
        server = self.server(limit=open_files)
        links = []
        for _ in range(60):
            links.append(server.connect())
        self.still_right(server, "more connections than files")
        for each in links:
            each.close()

    @unittest.skipIf(SANITIZED, "a sanitizer needs more address space than the limit leaves")
    def test_a_server_without_memory_for_its_answers_lives(self):
        body = json.dumps([[1, 2]] * 20000)
        server = self.server(limit=lambda: resource.setrlimit(resource.RLIMIT_AS, (320 << 20, 320 << 20)), MERCER_THREADS="2", OPENBLAS_NUM_THREADS="1")
        answers = []
        clients = [threading.Thread(target=lambda: answers.append(server.ask(body, "Connection: close")[0])) for _ in range(12)]
        for each in clients:
            each.start()
        for each in clients:
            each.join()
        self.assertIsNone(server.run.poll())
        self.assertLessEqual(set(answers), {200, 413, 503, CLOSED})
        self.assertEqual(server.stop()[0], 0)

    def test_memory_that_a_few_bytes_ask_for(self):
        limit = ("--max-body", "1MB")  # so a request may use 33 MB
        lines = lambda name, text: (self.path(name).write_text(text), self.path(name))[1]

        def model(name, method, data, *words):
            mercer("fit", method, data, *words, "-o", self.path(name))
            return self.server(*limit, model=self.path(name))

        def refused(server, status, body, **how):
            before = server.peak()
            got, text = server.ask(body, **how)
            self.assertEqual(got, status, text[:200])
            if not SANITIZED:
                self.assertLess(server.peak(), before + 60)

        text = {"type": "text/plain"}
        ring = lambda n, label: json.dumps({"nodes": n, "edges": [[i, (i + 1) % n] for i in range(n)], "label": label}) + "\n"
        server = model("graphs", "svc", lines("g.graphs", "".join(ring(4 + i % 3, "+-"[i % 2]) for i in range(10))), "--kernel", "wl")
        refused(server, 413, '{"nodes":100000}\n' * 900, path="/predict?format=graphs", **text)
        refused(server, 413, json.dumps([{"nodes": 100000, "edges": []}] * 900))
        self.assertEqual(server.ask('{"nodes":1000}\n', path="/predict?format=graphs", **text)[0], 200)
        records = "".join(json.dumps({"a": i, "g": {"nodes": 3 + i % 2, "edges": [[0, 1]]}, "class": "xy"[i % 2]}) + "\n" for i in range(10))
        server = model("records", "svc", lines("r.jsonl", records), "--label", "class", "--kernel", "field(a, rbf) + field(g, wl)")
        refused(server, 413, json.dumps([{"a": 1, "g": {"nodes": 100000, "edges": []}}] * 900))
        refused(server, 413, "{" + ",".join(f'"k{i}":1' for i in range(80000)) + "}\n", path="/predict?format=jsonl", **text)
        strings = lines("t.tsv", "".join(f"{'+-'[i % 2]}\t{('ACGT' * 5)[i % 4 : 12 + i % 4]}\n" for i in range(20)))
        for kernel in ("subsequences(k=3)", "all_substrings"):
            server = model("strings", "svc", strings, "--kernel", kernel)
            refused(server, 413, json.dumps(["ACGT" * 80000]))
            self.assertEqual(server.ask(json.dumps(["ACGT" * 5]))[0], 200)
        trees = lines("t.trees", "".join(f"{'+-'[i % 2]}\t(S (NP {'ab'[i % 2]}) (VP {'xyz'[i % 3]}))\n" for i in range(20)))
        server = model("trees", "svc", trees, "--format", "trees", "--kernel", "subtrees")
        refused(server, 413, "+\t" + "(S " * 30000 + "a" + ")" * 30000 + "\n", path="/predict?format=trees", **text)
        molecules = lines("m.xyz", "".join(f"2\n{i}\nO 0 0 0\nH 0 0 {1 + 0.1 * i:.1f}\n" for i in range(10)))
        server = model("molecules", "kernel_ridge", molecules, "--kernel", "coulomb")
        refused(server, 413, "3000\nx\n" + "".join(f"H 0 0 {i}\n" for i in range(3000)), path="/predict?format=xyz", **text)
        self.assertIn(b"row 1: coulomb: points 1 and 2 (counted from 1) have the same coordinates", server.ask("2\nx\nH 0 0 0\nH 0 0 0\n", path="/predict?format=xyz", **text)[1])
        # long answers: decision values of pairs of classes, and long class names
        classes = lines("c.csv", "a,b,class\n" + "".join(f"{i % 40},{i % 7},{'c' * 3000}{i % 40}\n" for i in range(80)))
        server = model("classes", "svc", classes, "--label", "class")
        refused(server, 413, json.dumps([[1, 2]] * 900))
        refused(server, 413, json.dumps([[1, 2]] * 9000), path="/predict?details=0")
        # a body that exceeds the memory budget
        refused(self.server("--memory", "1MB"), 413, json.dumps([[1, 2]] * 20000))

    def test_the_time_limit_holds_between_short_values(self):
        # Without cancellation each answer would take more than the 10 s for which the client of this test waits.
        strings = self.path("t.tsv")
        strings.write_text("".join(f"{'+-'[i % 2]}\t{('ACGT' * 5)[i % 4 : 12 + i % 4]}\n" for i in range(20)))
        for kernel, rows in (("mismatch(k=8,m=4)", ["ACGT" * 500000]), ("weighted_degree_shifts(d=10,shifts=1000)", ["ACGT" * 16] * 200000)):
            mercer("fit", "svc", strings, "--kernel", kernel, "-o", self.path("texts"))
            server = self.server("--timeout", "0.5", model=self.path("texts"))
            self.assertEqual(server.ask(json.dumps(rows))[0], 503, kernel)
            self.assertEqual(server.stop()[0], 0)

    def test_fields_of_heads_and_trailers(self):
        server = self.server()
        lines = lambda *words: b"".join(word + b"\r\n" for word in words) + b"\r\n"
        rows, sized = b"[[1,2]]", b"Content-Length: 7"
        chunked = lines(b"POST /predict HTTP/1.1", b"Host: x", b"Transfer-Encoding: chunked") + b"7\r\n[[1,2]]\r\n0\r\n"
        right = server.ask(rows, "Connection: close")[1]
        for field in (b"Accept: text/csv", b"Content-Type: text/csv", b"Content-Encoding: gzip", b"Host: y"):
            got = server.raw(chunked + lines(field))
            self.assertEqual((statuses(got), got.partition(b"\r\n\r\n")[2]), ([200], right), field)
        self.assertEqual(statuses(server.raw((chunked + lines(b"Connection: close")) * 2)), [200, 200])
        post = lambda *words, version=b"1.1": lines(b"POST /predict HTTP/" + version, b"Host: x", sized, *words) + rows
        self.assertEqual(statuses(server.raw(post(b"Content-Encoding: identity", b"Content-Encoding: gzip"))), [415])
        self.assertEqual(statuses(server.raw(post(b"Expect: 100-continue", version=b"1.0"))), [200])
        self.assertEqual(statuses(server.raw(post(b"Expect: other", version=b"1.0"))), [200])
        self.assertEqual(statuses(server.raw(post(b"Expect: 100-continue", b"Expect: other"))), [417])
        # one empty line before a request is ignored
        self.assertEqual(statuses(server.raw(b"\r\n" + post() + b"\r\n" + post())), [200, 200])
        self.assertEqual(statuses(server.raw(b"\r", b"\n", post(), pause=0.02)), [200])
        self.assertEqual(statuses(server.raw(b"\r\n\r\n" + post())), [400])
        parameters = lambda n: "/predict?" + "&".join(f"p{i}=1" for i in range(n))
        self.assertEqual(server.ask(rows, path=parameters(64))[0], 200)
        self.assertEqual(server.ask(rows, path=parameters(65))[0], 400)
        self.still_right(server, "fields")

    def test_connections_beyond_the_limit(self):
        server = self.server("--clients", "2")
        get = b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
        kept = [server.connect() for _ in range(2)]
        for link in kept * 5:  # no other client waits, so both connections stay open
            link.sendall(get)
            self.assertEqual(statuses(link.recv(4096)), [200])
            time.sleep(0.01)
        # a client that connects while both are busy gets the first one that becomes idle
        for link in kept:
            link.sendall(get[:-2])
        third = server.connect()
        third.sendall(get)
        time.sleep(0.1)
        kept[0].sendall(b"\r\n")
        self.assertEqual(statuses(kept[0].recv(4096)), [200])
        self.assertEqual(statuses(third.recv(4096)), [200])
        kept[1].sendall(b"\r\n")
        self.assertEqual(statuses(kept[1].recv(4096)), [200])
        for link in (*kept, third):
            link.close()

    def test_half_a_request_does_not_hold_up_the_end(self):
        server = self.server("--timeout", "1000")
        with server.connect() as head, server.connect() as body:
            head.sendall(b"GET /he")
            body.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n[[")
            self.still_right(server, "half a request")
            server.run.send_signal(signal.SIGTERM)
            self.assertEqual(statuses(head.recv(4096)), [503])
            self.assertEqual(statuses(body.recv(4096)), [503])
        self.assertEqual(server.run.wait(10), 0)

    def test_wrong_limits(self):
        for words in (("--timeout", "nan"), ("--timeout", "0.01"), ("--timeout", "1e9"), ("--clients", "0")):
            mercer("serve", self.model, "--port", "0", *words, code=2)

    def test_columns_of_one_name(self):
        self.path("twice.csv").write_text(TABLE.replace("a,b,class", "a,a,class"))
        self.assertIn("columns 1 and 2 have the same name 'a'", mercer("fit", "svc", self.path("twice.csv"), "--label", "class", "-o", self.path("n"), code=1))
        server = self.server()
        status, text = server.ask("a,a\n1,2\n", "Accept: application/json", type="text/csv")
        self.assertEqual(status, 400)
        self.assertIn(b"columns 1 and 2 have the same name 'a'", text)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)

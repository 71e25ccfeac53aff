#!/usr/bin/python3
"""mercer serve under wrk, and every answer of many connections: bench/serve_load.py [--seconds 5] [--checked 1000]

First wrk asks for one row over 1, 8, 64 and 256 kept connections: requests a second, and the time of an answer as the client sees it.
wrk asks as fast as it is answered, so that the times grow with the connections; --rate N asks 256 connections for N requests a second in all instead,
from Python. Then so many connections at once each send requests of their own, and every answer is compared with that of `mercer predict`.
MERCER_BIN names the folder of the program."""

import argparse
import asyncio
import json
import os
import random
import re
import resource
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(os.environ.get("MERCER_BIN", ROOT / "build" / "bin"))


def wrk(port, connections, seconds, script):
    said = subprocess.run(["wrk", "-t", str(min(2, connections)), "-c", str(connections), "-d", f"{seconds}s", "--latency", "-s", script, f"http://127.0.0.1:{port}/predict"],
                          capture_output=True, text=True, check=True).stdout
    rate = re.search(r"Requests/sec:\s+([\d.]+)", said)[1]
    half, most = (re.search(rf"\s{share}%\s+(\S+)", said)[1] for share in (50, 99))
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", said)
    lost = re.search(r"Socket errors: (.*)", said)
    print(f"{connections:11} {float(rate):11.0f} {half:>10} {most:>10}   {bad[1] if bad else 0} refused, {lost[1] if lost else 'none lost'}", flush=True)


async def ask(reader, writer, body):
    writer.write(b"POST /predict?details=no HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
    return head[9:12] == b"200", await reader.readexactly(size)


async def at_a_rate(port, connections, rate, seconds):
    """Each connection asks connections/rate seconds after its last question; a late answer makes the next question late."""
    took, body = [], b"[[5.1, 3.5, 1.4, 0.2]]"

    async def client(k):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        due = time.perf_counter() + k / rate
        end = due + seconds
        while due < end:
            await asyncio.sleep(max(0, due - time.perf_counter()))
            await ask(reader, writer, body)
            took.append(time.perf_counter() - due)
            due += connections / rate
        writer.close()

    await asyncio.gather(*(client(k) for k in range(connections)))
    took.sort()
    print(f"{connections} connections, {rate} requests a second: half within {1e3 * took[len(took) // 2]:.1f} ms, 99 % within {1e3 * took[len(took) * 99 // 100]:.1f} ms, all within {1e3 * took[-1]:.1f} ms ({len(took)} answers)")


async def checked(port, connections, rows, wanted):
    wrong, count = [], 0

    async def client(k):
        nonlocal count
        draw = random.Random(k)
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(10):
            chosen = [draw.randrange(len(rows)) for _ in range(draw.randrange(1, 8))]
            good, text = await ask(reader, writer, json.dumps([rows[i] for i in chosen]).encode())
            if not good or json.loads(text)["predictions"] != [wanted[i] for i in chosen]:
                wrong.append(text)
            count += 1
        writer.close()

    await asyncio.gather(*(client(k) for k in range(connections)))
    print(f"{connections} connections at once, {count} answers, {len(wrong)} wrong")
    if wrong:
        raise SystemExit(wrong[0].decode())


def main():
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seconds", type=int, default=5)
    words.add_argument("--rate", type=int, default=1000)
    words.add_argument("--checked", type=int, default=1000)
    given = words.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, given.checked + 200), hard))
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        model, data = folder / "iris.model", ROOT / "data" / "iris.csv"
        subprocess.run([BIN / "mercer", "fit", "svc", data, "--label", "species", "-o", model], check=True, stdout=subprocess.DEVNULL)
        wanted = json.loads(subprocess.run([BIN / "mercer", "predict", model, data, "--json"], capture_output=True, check=True).stdout)["predictions"]
        rows = [[float(value) for value in line.split(",") if value.replace(".", "").isdigit()] for line in data.read_text().splitlines()[1:]]
        script = folder / "post.lua"
        script.write_text('wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = "[[5.1, 3.5, 1.4, 0.2]]"\n')
        run = subprocess.Popen([BIN / "mercer", "serve", model, "--port", "0", "--json", "--clients", str(given.checked + 100)], stdout=subprocess.PIPE, text=True)
        try:
            port = json.loads(run.stdout.readline())["port"]
            print("connections  requests/s       half       99 %")
            for connections in (1, 8, 64, 256):
                wrk(port, connections, given.seconds, script)
            asyncio.run(at_a_rate(port, 256, given.rate, given.seconds))
            asyncio.run(checked(port, given.checked, rows, wanted))
        finally:
            run.terminate()
            run.wait()


if __name__ == "__main__":
    main()

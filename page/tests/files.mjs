// Files of all kinds, good and bad: a clear word, nothing hangs, the page keeps its state.
import assert from "node:assert/strict";
import { writeFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { folder, test } from "./harness.mjs";

async function drop(reader, name, content) {
  const path = join(folder, name);
  if (content !== undefined) writeFileSync(path, content);
  const input = await reader.page.$("#file");
  const before = await reader.state("(s) => (s.events.file ?? 0) + (s.notice ? 1 : 0)");
  await reader.page.evaluate(() => globalThis.mercer.store.set({ notice: "" }));
  await input.uploadFile(path);
  await reader.until("(s) => s.file !== null || s.notice !== ''");
  await reader.page.waitForFunction((n) => { const s = globalThis.mercer.store.state; return (s.events.file ?? 0) > 0 || s.notice !== "" || n < 0; }, { timeout: 60000 }, before);
  await reader.settled();
  return reader.state("(s) => ({ n: s.document.points.length, notice: s.notice, problem: s.problem, axes: s.document.axes, classes: s.document.classes, target: s.document.target })");
}

test("files: a table with names, columns chosen", async (reader) => {
  await reader.open();
  const got = await drop(reader, "mine.csv", "height,width,weight,kind\n1,2,3,oak\n2,1,4,elm\n1.5,2.5,2,oak\n3,1,6,elm\n2.2,2.1,3,ash\n");
  assert.equal(got.n, 5);
  assert.deepEqual(got.classes, ["ash", "elm", "oak"]);
  assert.deepEqual(got.axes, ["height", "width"]);
  await reader.choose("#column-y", "2");
  assert.deepEqual(await reader.state("(s) => s.document.axes"), ["height", "weight"]);
  await reader.choose("#column-label", "weight");
  await reader.settled();
  assert.equal(await reader.state("(s) => s.file.label"), "weight");
});

test("files: LIBSVM's text, iris, wine and digits", async (reader) => {
  await reader.open();
  assert.equal((await drop(reader, "some.svm", "1 1:0.5 2:1\n-1 1:2 2:0.1\n1 1:0.4 2:1.2\n-1 1:2.2\n")).n, 4);
  for (const [name, n] of [["iris", 150], ["wine", 178], ["digits", 300]]) {
    await reader.page.evaluate((which) => document.querySelectorAll(".setup section:first-child .chips .chip")[{ iris: 10, wine: 11, digits: 12 }[which]].click(), name);
    await reader.until(`(s) => s.file?.name.startsWith("${name}") && s.document.points.length >= ${n}`);
    await reader.settled();
    assert.equal(await reader.state("(s) => s.problem"), "");
  }
});

test("files: what cannot be read is told, and nothing is lost", async (reader) => {
  await reader.open();
  const before = await reader.state("(s) => s.document.points.length");
  const large = join(folder, "large.csv");
  writeFileSync(large, "a,b\n1,2\n");
  truncateSync(large, 100e6);
  for (const [name, content, word] of [["large.csv", undefined, /100 MB/], ["empty.csv", "", /./], ["ragged.csv", "a,b,c\n1,2,3\n4,5\n6,7,8\n", /ragged\.csv/], ["noise.csv", "\u0000\u0001\u0002,\n", /./]]) {
    const got = await drop(reader, name, content);
    assert.match(got.notice, word, name);
    assert.equal(got.n, before, name);
  }
});

test("files: NaN, one class, a thousand classes", async (reader) => {
  await reader.open();
  const nan = await drop(reader, "nan.csv", "a,b,c\n1,2,x\nnan,3,y\n2,inf,x\n3,1,y\n");
  assert.ok(nan.n >= 2, JSON.stringify(nan));
  await reader.open();
  const one = await drop(reader, "one.csv", "a,b,c\n1,2,x\n2,3,x\n4,1,x\n");
  assert.equal(one.n, 3);
  assert.match(one.problem, /two classes/);
  await reader.open();
  const rows = Array.from({ length: 1000 }, (_, i) => `${i % 37},${(i * 7) % 41},c${i}`);
  const many = await drop(reader, "many.csv", `a,b,c\n${rows.join("\n")}\n`);
  assert.match(many.notice, /1000 classes/);
  assert.equal(many.n, 6);
});

// So many points that are all support vectors that a fit and its regions take seconds.
const heavy = (reader) =>
  reader.page.evaluate(() => {
    const { store } = globalThis.mercer;
    const points = Array.from({ length: 5000 }, (_, i) => ({ x: 2.9 * Math.sin(i * 12.9898), y: 2.9 * Math.cos(i * 78.233), c: i % 2 }));
    store.set({ document: { ...store.state.document, preset: null, points, kernel: "rbf(gamma=500) + laplacian(gamma=50) + matern(length_scale=0.05)", options: { C: "1000" } } });
  });

test("bad input: a fit that takes long can be cancelled, and the page keeps its state", async (reader) => {
  await reader.open();
  const before = await reader.state("(s) => s.fit.figures.support_vectors");
  await heavy(reader);
  await reader.click("#cancel");
  await reader.settled();
  const got = await reader.state("(s) => ({ problem: s.problem, n: s.document.points.length, sv: s.fit.figures.support_vectors })");
  assert.deepEqual(got, { problem: "Cancelled: the last picture is still there.", n: 5000, sv: before });
  assert.equal(await reader.page.$("#cancel"), null);
  await reader.preset("moons");
  await reader.option("C", "3");
  assert.equal(await reader.state("(s) => s.problem"), "");
  assert.equal(await reader.state("(s) => s.fitOf.points.length"), 80);
});

test("bad input: a fit ends at its time limit and says so", async (reader) => {
  await reader.open();
  await reader.page.evaluate(() => {
    const { store } = globalThis.mercer;
    const points = Array.from({ length: 3000 }, (_, i) => ({ x: 2.9 * Math.sin(i * 12.9898), y: 2.9 * Math.cos(i * 78.233), c: i % 2 }));
    store.set({ document: { ...store.state.document, preset: null, points, kernel: "poly(degree=3, coef0=1)", options: { C: "100000", max_seconds: "0.05" } } });
  });
  await reader.settled();
  assert.equal(await reader.state("(s) => s.fit.figures.status"), "time_limit");
  assert.match(await reader.page.$eval("#status", (e) => e.textContent), /time limit/);
});

test("bad input: a question without an answer ends with a word, and the worker is started anew", async (reader) => {
  await reader.open();
  const told = await reader.page.evaluate(async () => {
    const { engine } = globalThis.mercer;
    setTimeout(() => engine.stop(engine.tooLong()), 100);
    const n = 4000;
    const numbers = Float64Array.from({ length: 3 * n }, (_, i) => (i < 2 * n ? Math.sin(i * 12.9898) * 3 : i % 2));
    void engine.ask({ do: "points", n, dims: 2, classes: ["a", "b"] }, numbers);
    return (await engine.ask({ do: "fit", spec: { method: "svc", kernel: "rbf(gamma=500)", C: "1000000" }, plane: [-3, 3, -3, 3], nx: 400, ny: 400, seconds: 60 })).error;
  });
  assert.match(told, /too long/);
  await reader.option("C", "3");
  assert.ok((await reader.state("(s) => s.fit.figures.support_vectors")) > 0);
});

test("bad input: numbers that are none", async (reader) => {
  await reader.open();
  await reader.type("#kernel", "rbf(gamma=nan)");
  await reader.until("(s) => s.kernel && !s.kernel.ok");
  assert.match(await reader.page.$eval("#kernel-word", (e) => e.textContent), /gamma|nan/);
  assert.ok(await reader.state('(s) => !s.document.kernel.includes("nan") && s.fit !== null'));
  await reader.open();
  for (const value of ["nan", "-1", "a lot"]) await reader.option("C", value);
  assert.ok(await reader.state("(s) => s.fit !== null && (s.problem === '' || s.problem.includes('C'))"));
});

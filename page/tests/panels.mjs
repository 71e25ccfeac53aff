// Kernel, Gram matrix, solvers, tuning, what can be taken away.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";

test("kernel: a wrong one has a caret and a word, and the last fit stays", async (reader) => {
  await reader.open();
  const before = await reader.state("(s) => s.document.kernel");
  await reader.type("#kernel", "rbf(gamma=1) + polly()");
  await reader.until("(s) => s.kernel && !s.kernel.ok && s.kernel.message.includes('polly')");
  await reader.page.waitForFunction(() => document.querySelector("#kernel-word").textContent.includes("did you mean poly"));
  const shown = await reader.page.$eval("#kernel-word", (e) => e.textContent.split("\n"));
  assert.equal(shown[0], "rbf(gamma=1) + polly()");
  assert.equal(shown[1].indexOf("^"), 15);
  assert.notEqual(before, "");
  assert.ok(await reader.state("(s) => s.fit !== null"));
  await reader.type("#kernel", "rbf(gamma=1) + poly()");
  await reader.until("(s) => s.kernel.ok && s.document.kernel.includes('poly()')");
  await reader.settled();
});

test("kernel: sliders, wraps, formula, proof", async (reader) => {
  await reader.open();
  await reader.click("#tab-kernel");
  await reader.page.evaluate(() => [...document.querySelectorAll(".kernel-field .chip")].find((b) => b.textContent === "exp k").click());
  await reader.until('(s) => s.document.kernel === "exp(rbf(gamma=1))"');
  await reader.option("gamma", "2.5");
  assert.equal(await reader.state("(s) => s.document.kernel"), "exp(rbf(gamma=2.5))");
  await reader.page.waitForSelector(".formula math msup");
  assert.ok((await reader.page.$$(".proof .valid")).length >= 2);
  await reader.type("#kernel", "rbf(gamma=1) - linear()");
  await reader.page.waitForSelector(".proof .invalid");
  await reader.type("#kernel", "sigmoid(gamma=1, coef0=-1)");
  await reader.until('(s) => s.document.kernel.startsWith("sigmoid") && s.fitOf === s.document');
  await reader.click("#mercer-test");
  await reader.until('(s) => s.test?.verdict === "indefinite"');
  const w = await reader.state("(s) => s.test.witness");
  assert.ok(w.value + w.error_bound < 0);
  assert.equal((await reader.page.$$(".witness circle")).length, w.points.length);
});

test("gram: entries are symmetric, and a cell names its pair", async (reader) => {
  await reader.open();
  await reader.click("#tab-gram");
  const canvas = await reader.page.waitForSelector(".heat canvas");
  await reader.page.waitForFunction(() => document.querySelector(".heat canvas").width === 80);
  const box = await canvas.boundingBox();
  await reader.page.mouse.move(box.x + box.width * 0.3, box.y + box.height * 0.7);
  await reader.until("(s) => s.hover >= 0 && s.partner >= 0");
  assert.match(await reader.page.$eval(".readout", (e) => e.textContent), /k\(\d+, \d+\) = /);
  await reader.click("#gram-centre");
  await reader.page.waitForFunction(() => document.querySelector("#panel").textContent.includes("Rank"));
});

test("solver: each goes from nothing to the optimum", async (reader) => {
  await reader.open();
  await reader.preset("overlap");
  await reader.click("#tab-solver");
  const best = await reader.state("(s) => s.fit.problems[0].primal");
  for (const solver of ["smo", "interior_point", "pegasos", "subgradient"]) {
    await reader.click(`#solver-${solver}`);
    await reader.page.waitForFunction((name) => document.querySelector(`#solver-${name}`).classList.contains("on") && document.querySelector(".player + p.readout, .readout")?.textContent.includes("J ="), {}, solver);
    await new Promise((done) => setTimeout(done, 300));
    await reader.click("#to-end");
    await reader.until(`(s) => (s.events["solved:${solver}"] ?? 0) > 0 && s.shown !== null`);
    const reached = await reader.page.evaluate(async (name) => {
      const { store, engine } = globalThis.mercer;
      const d = store.state.document;
      const run = await engine.ask({ do: "steps", solver: name, kernel: d.kernel, C: 1, frames: name === "smo" ? 400 : 60 });
      return { primal: run.arrays.primal.at(-1), dual: run.arrays.dual.at(-1), first: run.arrays.primal[0] };
    }, solver);
    assert.ok(reached.dual <= reached.primal + 1e-9);
    assert.ok(reached.primal < reached.first);
    const allowed = solver === "smo" || solver === "interior_point" ? 1.001 : 1.25;
    assert.ok(reached.primal <= allowed * best && reached.primal >= best * (1 - 1e-3), `${solver}: ${reached.primal}, the optimum is ${best}`);
  }
});

test("tuning: a map is filled, and its best cell is gone to", async (reader) => {
  await reader.open();
  await reader.preset("overlap");
  await reader.click("#tab-tuning");
  await reader.click("#run-map");
  await reader.page.waitForFunction(() => document.querySelectorAll(".map .cell:not(:disabled)").length === 169, { timeout: 120000 });
  await reader.click("#go-best");
  await reader.until('(s) => (s.events["map:go"] ?? 0) > 0');
  await reader.settled();
  assert.notEqual(await reader.state("(s) => s.document.kernel"), "rbf(gamma=1)");
});

test("take away: command, Python, C++, CSV, SVG, PNG", async (reader) => {
  await reader.open();
  await reader.option("C", "12");
  await reader.click("#tab-take");
  for (const [form, word] of [["command", /mercer fit svc points\.csv[\s\S]*--set C=12/], ["python", /mercer\.SVC\(kernel="rbf\(gamma=1\)", C=12\)/], ["cpp", /fit\(svc\{\.kernel = kernel::parse\("rbf\(gamma=1\)"\), \.C = 12\}/]]) {
    await reader.click(`#as-${form}`);
    await reader.page.waitForFunction((pattern) => new RegExp(pattern).test(document.querySelector("#code").textContent), {}, word.source);
  }
  await reader.page.evaluate(() => {
    globalThis.saved = {};
    HTMLAnchorElement.prototype.click = function () { globalThis.saved[this.download] = this.href; };
  });
  for (const file of ["csv", "model", "svg", "png"]) await reader.click(`#save-${file}`);
  await reader.page.waitForFunction(() => Object.keys(globalThis.saved).length === 4, { timeout: 60000 });
  const sizes = await reader.page.evaluate(async () => Object.fromEntries(await Promise.all(Object.entries(globalThis.saved).map(async ([name, url]) => [name, (await (await fetch(url)).blob()).size]))));
  assert.ok(sizes["points.csv"] > 800 && sizes["plane.svg"] > 5000 && sizes["plane.png"] > 5000 && sizes["points.model"] > 500, JSON.stringify(sizes));
});

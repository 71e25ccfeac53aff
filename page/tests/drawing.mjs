// Drawing, dragging, erasing, asking; undo; the address.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";

test("drawing: points by the hand, and the fit follows", async (reader) => {
  await reader.open();
  await reader.page.evaluate(() => [...document.querySelectorAll(".setup .button")].find((b) => b.textContent === "Clear").click());
  await reader.settled();
  assert.equal(await reader.state("(s) => s.document.points.length"), 0);
  await reader.clickPlane(-1, -1);
  assert.match(await reader.state("(s) => s.problem"), /two classes/);
  await reader.page.$$eval(".swatch", (all) => all[1].click());
  await reader.clickPlane(1, 1);
  const got = await reader.state("(s) => ({ points: s.document.points, sv: s.fit.figures.support_vectors, problem: s.problem })");
  assert.deepEqual(got.points.map((p) => p.c), [0, 1]);
  assert.ok(Math.abs(got.points[1].x - 1) < 0.05 && Math.abs(got.points[1].y - 1) < 0.05);
  assert.equal(got.sv, 2);
  assert.equal(got.problem, "");
  await reader.drag([1, 1], [1.5, -1]);
  const moved = await reader.state("(s) => s.document.points[1]");
  assert.ok(Math.abs(moved.x - 1.5) < 0.05 && Math.abs(moved.y + 1) < 0.05, JSON.stringify(moved));
  await reader.click("#undo");
  await reader.settled();
  assert.deepEqual(await reader.state("(s) => s.document.points"), got.points);
  await reader.click("#redo");
  await reader.settled();
  assert.deepEqual(await reader.state("(s) => s.document.points[1]"), moved);
  await reader.click("#tool-erase");
  await reader.clickPlane(1.5, -1);
  assert.equal(await reader.state("(s) => s.document.points.length"), 1);
});

test("drawing: why, in terms that add up to f", async (reader) => {
  await reader.open();
  await reader.click("#tool-ask");
  await reader.clickPlane(0.3, 0.2);
  await reader.until("(s) => s.why !== null");
  const f = await reader.state("(s) => s.why.functions[0]");
  assert.ok(f.terms.length > 3);
  if (f.count === f.terms.length) assert.ok(Math.abs(f.terms.reduce((sum, t) => sum + t.value, f.offset) - f.f) < 1e-9);
  assert.ok((await reader.page.$$(".reasons line")).length > 3);
  assert.equal(await reader.page.$eval("#panel", (p) => p.textContent.includes("f(x)")), true);
});

test("drawing: everything by the keyboard", async (reader) => {
  await reader.open();
  const before = await reader.state("(s) => s.document.points.length");
  await reader.page.$eval("#plane", (plane) => plane.focus());
  for (const key of ["ArrowLeft", "ArrowUp", "2", "Enter"]) await reader.page.keyboard.press(key);
  await reader.settled();
  const drawn = await reader.state("(s) => ({ n: s.document.points.length, last: s.document.points.at(-1) })");
  assert.equal(drawn.n, before + 1);
  assert.equal(drawn.last.c, 1);
  for (const key of [" ", "ArrowRight", "ArrowRight", " "]) await reader.page.keyboard.press(key);
  await reader.settled();
  assert.ok((await reader.state("(s) => s.document.points.at(-1).x")) > drawn.last.x);
  await reader.page.keyboard.press("w");
  await reader.until("(s) => s.why !== null");
  await reader.page.keyboard.press("Delete");
  await reader.settled();
  assert.equal(await reader.state("(s) => s.document.points.length"), before);
});

test("address: the whole state goes round", async (reader) => {
  await reader.open();
  await reader.preset("spirals");
  await reader.clickPlane(2.2, 2.4);
  await reader.option("C", "33");
  await reader.type("#kernel", "0.5*rbf(gamma=4) + linear()");
  await reader.until('(s) => s.document.kernel === "0.5*rbf(gamma=4) + linear()"');
  await reader.settled();
  const here = await reader.state("(s) => s.document");
  await reader.page.waitForFunction(() => location.hash.startsWith("#s="));
  await new Promise((done) => setTimeout(done, 600));
  const hash = await reader.page.evaluate(() => location.hash);
  await reader.open(hash);
  assert.deepEqual(await reader.state("(s) => s.document"), here);
  assert.equal(await reader.state("(s) => s.notice"), "");
});

test("address: a broken one is a word, not a broken page", async (reader) => {
  await reader.open();
  await reader.clickPlane(2.2, 2.4);
  await reader.page.waitForFunction(() => location.hash.startsWith("#s="));
  const whole = await reader.page.evaluate(() => location.hash);
  for (const hash of ["#s=AAAA", "#s=%%%", "#s=eyJ4IjoxfQ", whole.slice(0, whole.length / 2), "#other"]) {
    await reader.open(hash);
    if (hash !== "#other") assert.match(await reader.state("(s) => s.notice"), /link/);
    assert.ok((await reader.state("(s) => s.fit.figures.support_vectors")) > 0);
  }
});

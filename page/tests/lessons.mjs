// Every lesson, in three languages: each is followed as its words ask, and is then done.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";

// A button by its text, as soon as it is there.
const press = async (r, selector, text) => {
  const button = await r.page.waitForFunction((s, t) => [...document.querySelectorAll(s)].find((b) => b.textContent === t), {}, selector, text);
  await button.evaluate((b) => b.click());
};
const ways = [
  async (r) => { const p = await r.state("(s) => { const i = s.fit.arrays.case.findIndex((k) => k > 0); return s.document.points[i]; }"); await r.drag([p.x, p.y], [p.x + 0.1, p.y + 0.1]); },
  (r) => r.option("C", "0.05"),
  async (r) => { const p = await r.state("(s) => { const i = s.fit.arrays.case.findIndex((k) => k === 2); return s.document.points[i]; }"); await r.clickPlane(p.x, p.y); },
  async (r) => { await press(r, "#panel .chip", "poly"); await r.option("degree", "2"); },
  async (r) => { await press(r, ".kernel-field .chip", "k · k′"); await r.until('(s) => s.document.kernel.includes("poly")'); },
  (r) => r.click("#mercer-test"),
  (r) => r.option("gamma", "900"),
  async (r) => { await r.page.waitForFunction(() => document.querySelector("#panel .readout")?.textContent.includes("J =")); await r.click("#to-end"); },
  async (r) => { await r.click("#solver-pegasos"); await new Promise((done) => setTimeout(done, 300)); await r.page.waitForFunction(() => document.querySelector("#panel .readout")?.textContent.includes("J =")); await r.click("#to-end"); },
  (r) => r.type("#kernel", "rbf(gamma=2)"),
  (r) => r.option("n_neighbors", "20"),
  (r) => r.type("#kernel", "normalize(exp(poly(degree=2)))"),
  async (r) => { await r.page.evaluate(() => { const field = [...document.querySelectorAll(".setup .slider .number")].at(1); field.value = "3"; field.dispatchEvent(new Event("change", { bubbles: true })); }); },
  async (r) => { await r.click("#run-objects"); await r.page.waitForSelector(".objects li button", { timeout: 60000 }); await r.click(".objects li button"); },
  async (r) => { await r.click("#run-map"); await r.page.waitForFunction(() => document.querySelectorAll(".map .cell:not(:disabled)").length === 169, { timeout: 120000 }); await r.click("#go-best"); },
];

for (const language of ["en", "es", "ru"])
  test(`lessons: all of them in ${language}`, async (reader) => {
    await reader.open();
    await reader.page.evaluate(() => localStorage.removeItem("mercer-lessons"));
    await reader.open();
    await reader.choose("#language", language);
    await reader.click("#lessons");
    const titles = new Set();
    for (let i = 0; i < ways.length; ++i) {
      await reader.until(`(s) => s.lesson === ${i}`);
      await reader.settled();
      titles.add(await reader.page.$eval("#lesson-title", (e) => e.textContent));
      assert.equal(await reader.state(`(s) => s.done[${i}] === true`), false, `lesson ${i + 1} is done before anything was`);
      await ways[i](reader);
      await reader.until(`(s) => s.done[${i}] === true`).catch(() => assert.fail(`lesson ${i + 1} is not done by what it asks for`));
      if (i + 1 < ways.length) await reader.click("#next-lesson");
    }
    assert.equal(titles.size, ways.length);
    assert.equal(await reader.page.evaluate(() => document.documentElement.lang), language);
    await reader.choose("#language", "en");
  });

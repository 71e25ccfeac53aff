// Everybody can use it: axe-core finds nothing, in light and dark, wide and narrow, on every tab.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "./harness.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const tabs = ["point", "kernel", "gram", "solver", "tuning", "objects", "take"];

for (const [theme, width] of [["light", 1400], ["dark", 1400], ["light", 360]])
  test(`access: axe-core finds nothing (${theme}, ${width} px)`, async (reader) => {
    await reader.page.setViewport({ width, height: 900 });
    await reader.open();
    if ((await reader.state("(s) => s.dark")) !== (theme === "dark")) await reader.click("#theme");
    await reader.page.evaluate(axe);
    for (const tab of tabs) {
      await reader.click(`#tab-${tab}`);
      if (tab === "point") await reader.clickPlane(-0.4, 0.9);
      if (tab === "kernel") await reader.click("#lessons");
      if (tab === "objects") {
        await reader.click("#kind-graphs");
        await reader.click("#run-objects");
        await reader.page.waitForSelector(".heat canvas");  // the fit is there
        await reader.click(".objects li button");
        await reader.page.waitForSelector("#decided .value");
      }
      await new Promise((done) => setTimeout(done, 400));
      await reader.settled();
      const found = await reader.page.evaluate(async () => (await globalThis.axe.run()).violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")}`));
      assert.deepEqual(found, [], `${tab}`);
      const wide = await reader.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${tab}: the page is ${wide} px too wide`);
    }
    if (theme === "dark") await reader.click("#theme");
    await reader.page.setViewport({ width: 1400, height: 950 });
  });

test("access: every control is reached by Tab", async (reader) => {
  await reader.open();
  const seen = new Set();
  for (let i = 0; i < 90; ++i) {
    await reader.page.keyboard.press("Tab");
    const id = await reader.page.evaluate(() => document.activeElement?.id ?? "");
    if (id) seen.add(id);
  }
  for (const id of ["lessons", "theme", "language", "open-file", "method", "kernel", "plane", "tab-point", "panel"]) assert.ok(seen.has(id), `${id} is not reached by Tab: ${[...seen]}`);
});

// A browser, the page in it, and words for what a reader does there.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import puppeteer from "puppeteer-core";
import { serve } from "../serve.mjs";

export const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const at = process.argv.indexOf("--programs");
export const program = join(at >= 0 ? process.argv[at + 1] : join(root, "build/bin"), "mercer");
const tests = [];
export const test = (name, run) => tests.push({ name, run });
export const folder = mkdtempSync(join(tmpdir(), "mercer-page-"));
const patience = 60000; // machines that test are busy

export class Reader {
  constructor(page, address) {
    this.page = page;
    this.address = address;
    this.faults = [];
    page.on("console", (message) => ["error", "warn"].includes(message.type()) && this.faults.push(message.text()));
    page.on("pageerror", (problem) => this.faults.push(problem.message));
  }
  async open(where = "") {
    await this.page.goto("about:blank");
    await this.page.goto(this.address + where);
    await this.page.waitForFunction(() => globalThis.mercer?.store.state.about !== null, { timeout: patience });
    await this.settled();
  }
  // The fit of what is on the page is there, or the word why there is none.
  async settled() {
    await this.page.waitForFunction(
      () => {
        const s = globalThis.mercer.store.state;
        return !s.fitting && s.answered === s.document;
      },
      { timeout: patience, polling: 20 },
    );
  }
  state(select) {
    return this.page.evaluate(`(${select})(globalThis.mercer.store.state)`);
  }
  until(condition) {
    return this.page.waitForFunction(`(${condition})(globalThis.mercer.store.state)`, { timeout: patience, polling: 20 });
  }
  async click(selector) {
    await this.page.waitForSelector(selector, { timeout: patience });
    await this.page.$eval(selector, (element) => element.click());
  }
  async choose(selector, value) {
    await this.page.waitForSelector(selector, { timeout: patience });
    await this.page.select(selector, value);
    await this.settled();
  }
  async type(selector, text) {
    await this.page.waitForSelector(selector, { timeout: patience });
    await this.page.$eval(selector, (element) => element.select());
    await this.page.type(selector, text);
  }
  async preset(name) {
    const names = await this.page.$$eval(".chips .chip", (all) => all.length);
    assert.ok(names > 10);
    await this.page.evaluate((which) => {
      const label = { moons: 4, separable: 0, overlap: 1, outliers: 2, xor: 3, rings: 5, spirals: 6, clouds: 7, sine: 8, line: 9, iris: 10, wine: 11, digits: 12 }[which];
      document.querySelectorAll(".setup section:first-child .chips .chip")[label].click();
    }, name);
    await this.settled();
  }
  async option(name, value) {
    await this.page.evaluate(
      ([wanted, text]) => {
        const slider = [...document.querySelectorAll(".setup .slider")].find((each) => each.querySelector("label")?.textContent === wanted);
        const field = slider.querySelector(".number, select, input:not([type=range])");
        field.value = text;
        field.dispatchEvent(new Event("change", { bubbles: true }));
      },
      [name, value],
    );
    await this.settled();
  }
  // Where a point of the plane is on the screen.
  async at(x, y) {
    return this.page.evaluate(
      ([px, py]) => {
        const [x0, x1, y0, y1] = globalThis.mercer.store.state.document.view;
        const plane = document.querySelector("#plane");
        plane.scrollIntoView({ block: "center" });
        const box = plane.getBoundingClientRect();
        return [box.left + ((px - x0) / (x1 - x0)) * box.width, box.bottom - ((py - y0) / (y1 - y0)) * box.height];
      },
      [x, y],
    );
  }
  async clickPlane(x, y) {
    await this.page.mouse.click(...(await this.at(x, y)));
    await this.settled();
  }
  async drag(from, to) {
    const [a, b] = [await this.at(...from), await this.at(...to)];
    await this.page.mouse.move(...a);
    await this.page.mouse.down();
    await this.page.mouse.move((a[0] + b[0]) / 2, (a[1] + b[1]) / 2);
    await this.page.mouse.move(...b);
    await this.page.mouse.up();
    await this.settled();
  }
}

export async function run(only) {
  const server = await serve(join(root, "build-page"), 0);
  const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en"], protocolTimeout: patience, env: { ...process.env, LANGUAGE: "en" } });
  const page = await browser.newPage();
  await page.setViewport({ width: 1400, height: 950 });
  await page.evaluateOnNewDocument(() => Object.defineProperty(navigator, "languages", { value: ["en"], configurable: true }));
  const reader = new Reader(page, `http://localhost:${server.address().port}/`);
  let failed = 0;
  const chosen = tests.filter((each) => !only || each.name.includes(only));
  for (const { name, run: body } of chosen) {
    const began = Date.now();
    reader.faults = [];
    try {
      await body(reader);
      assert.deepEqual(reader.faults, [], "the console has errors");
      console.log(`ok      ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (problem) {
      ++failed;
      console.log(`FAILED  ${name}: ${problem.stack?.split("\n").slice(0, 6).join("\n        ") ?? problem}`);
      await page.screenshot({ path: join(root, "build-page", "failed.png") }).catch(() => {});
    }
  }
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
  console.log(`${chosen.length - failed} passed, ${failed} failed`);
  process.exit(failed || chosen.length === 0 ? 1 : 0);
}

// How fast the page is: node tests/speed.mjs. Medians in Chromium; nothing is asserted.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import puppeteer from "puppeteer-core";
import { serve } from "../serve.mjs";
import { root } from "./harness.mjs";

const folder = join(root, "build-page");
const server = await serve(folder, 0);
const address = `http://localhost:${server.address().port}/`;
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const median = (all) => all.sort((a, b) => a - b)[Math.floor(all.length / 2)];
const say = (what, value, unit) => console.log(`${what.padEnd(64)} ${value.toFixed(value < 10 ? 1 : 0).padStart(7)} ${unit}`);

const first = [];
for (let i = 0; i < 7; ++i) {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const began = performance.now();
  await page.goto(address, { waitUntil: "commit" }).catch(() => page.goto(address));
  await page.waitForFunction(() => globalThis.mercer?.store.state.fit !== null, { polling: 10 });
  first.push(performance.now() - began);
  await context.close();
}
say("opening the page to its first picture", median(first), "ms");

const page = await browser.newPage();
await page.setViewport({ width: 1400, height: 950 });
await page.goto(address);
await page.waitForFunction(() => globalThis.mercer?.store.state.fit !== null);
for (const n of [300, 2000]) {
  const all = await page.evaluate(async (count) => {
    const { engine } = globalThis.mercer;
    let seed = 7;
    const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
    const [x, y] = [[], []];
    for (let i = 0; i < count; ++i) {
      const t = Math.PI * next();
      const c = i % 2;
      x.push((c ? 1 - Math.cos(t) : Math.cos(t)) + 0.4 * (next() - 0.5), (c ? 0.4 - Math.sin(t) : Math.sin(t)) + 0.4 * (next() - 0.5));
      y.push(c);
    }
    const times = [];
    for (let i = 0; i < 25; ++i) {
      const began = performance.now();
      await engine.ask({ do: "points", session: "speed", n: count, dims: 2, classes: ["a", "b"] }, Float64Array.from([...x, ...y]));
      const reply = await engine.ask({ do: "fit", session: "speed", spec: { method: "svc", kernel: "rbf(gamma=1)" }, plane: [-3, 3, -3, 3], nx: 200, ny: 200 });
      if (reply.error) throw new Error(reply.error);
      times.push(performance.now() - began);
    }
    return times.slice(3);
  }, n);
  say(`svc on ${n} points and its regions on 200 × 200`, median(all), "ms");
}

// 300 points on the page itself; one of them is dragged, a frame at a time.
const frames = await page.evaluate(async () => {
  const { store } = globalThis.mercer;
  const d = store.state.document;
  let seed = 3;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
  const points = Array.from({ length: 300 }, (_, i) => ({ x: 2 * next() - 1 + (i % 2 ? 0.7 : -0.7), y: 2 * next() - 1, c: i % 2 }));
  store.set({ document: { ...d, preset: null, points } });
  await new Promise((done) => setTimeout(done, 1500));
  let [fits, drawn, last] = [0, 0, store.state.fit];
  const began = performance.now();
  while (performance.now() - began < 3000) {
    const at = (performance.now() - began) / 500;
    const now = store.state.document;
    store.set({ document: { ...now, points: now.points.map((p, i) => (i === 0 ? { ...p, x: Math.cos(at), y: Math.sin(at) } : p)) } });
    await new Promise((done) => requestAnimationFrame(done));
    ++drawn;
    if (store.state.fit !== last) {
      ++fits;
      last = store.state.fit;
    }
  }
  return { fits: fits / 3, drawn: drawn / 3 };
});
say("dragging one of 300 points: frames", frames.drawn, "a second");
say("dragging one of 300 points: fits with their regions", frames.fits, "a second");

const files = (from) => readdirSync(from).flatMap((name) => (statSync(join(from, name)).isDirectory() ? files(join(from, name)) : [join(from, name)]));
const packed = files(folder).filter((name) => !name.endsWith(".png")).reduce((sum, name) => sum + gzipSync(readFileSync(name), { level: 9 }).length, 0);
say("all files, packed by gzip", packed / 1e6, "MB");
await browser.close();
server.close();

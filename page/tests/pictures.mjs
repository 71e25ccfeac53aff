// The pictures in docs/: node tests/pictures.mjs. Light, dark, narrow and wide.
import { join } from "node:path";
import puppeteer from "puppeteer-core";
import { serve } from "../serve.mjs";
import { root } from "./harness.mjs";

const server = await serve(join(root, "build-page"), 0);
const browser = await puppeteer.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"] });
const page = await browser.newPage();
async function picture(name, width, height, where, scale, act) {
  await page.setViewport({ width, height, deviceScaleFactor: scale });
  await page.goto("about:blank");
  await page.goto(`http://localhost:${server.address().port}/${where}`);
  await page.waitForFunction(() => globalThis.mercer?.store.state.fit && globalThis.mercer.store.state.fitOf === globalThis.mercer.store.state.document);
  await page.evaluate(act);
  await new Promise((done) => setTimeout(done, 2500));
  await page.screenshot({ path: join(root, "docs", `${name}.webp`), type: "webp", quality: 78 });
}
const ask = `{ document.querySelector("#tool-ask").click(); const plane = document.querySelector("#plane"); const b = plane.getBoundingClientRect(); plane.dispatchEvent(new PointerEvent("pointerdown", { clientX: b.x + b.width * 0.55, clientY: b.y + b.height * 0.45, bubbles: true, button: 0, isPrimary: true })); }`;
const dark = `document.querySelector("#theme").click();`;
await picture("playground", 1400, 860, "", 1, ask);
await picture("playground-dark", 1400, 860, "?lesson=4", 0.7, `${dark} [...document.querySelectorAll("#panel .chip")].find((b) => b.textContent === "poly").click(); mercer.store.set({ document: { ...mercer.store.state.document, kernel: "poly(degree=2, gamma=1, coef0=0)" } });`);
await picture("playground-narrow", 360, 780, "?lesson=8", 1, `${dark} setTimeout(() => document.querySelector("#to-end").click(), 600);`);
await picture("playground-wide", 2560, 1300, "", 0.5, `document.querySelector("#tab-gram").click();`);
await browser.close();
server.close();

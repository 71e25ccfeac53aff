// Fingers on a phone: one draws, drags and erases; two draw nothing, and beside the plane one scrolls.
import assert from "node:assert/strict";
import { Reader, test } from "./harness.mjs";

// The page on a screen of its own that feels fingers.
const onPhone = (name, use) =>
  test(`touch: ${name}`, async (desk) => {
    const page = await desk.page.browser().newPage();
    await page.setViewport({ width: 390, height: 780, isMobile: true, hasTouch: true });
    const reader = new Reader(page, desk.address);
    try {
      await reader.open();
      await use(reader, await page.createCDPSession());
    } finally {
      desk.faults.push(...reader.faults);
      await page.close();
      await desk.page.bringToFront();
    }
  });
const points = (reader) => reader.state("(s) => s.document.points");
const near = (p, x, y) => assert.ok(Math.hypot(p.x - x, p.y - y) < 0.1, `${JSON.stringify(p)} is not near ${x}, ${y}`);

async function swipe(reader, from, to) {
  const [a, b] = [await reader.at(...from), await reader.at(...to)];
  const finger = await reader.page.touchscreen.touchStart(...a);
  for (let i = 1; i <= 6; ++i) await finger.move(a[0] + ((b[0] - a[0]) * i) / 6, a[1] + ((b[1] - a[1]) * i) / 6);
  await finger.end();
  await reader.settled();
}

onPhone("a finger draws, drags and erases", async (reader) => {
  const before = await points(reader);
  await reader.page.touchscreen.tap(...(await reader.at(2.4, 2.2)));
  await reader.settled();
  const drawn = await points(reader);
  assert.equal(drawn.length, before.length + 1);
  near(drawn.at(-1), 2.4, 2.2);
  await swipe(reader, [2.4, 2.2], [-2.3, -1.9]);
  const dragged = await points(reader);
  assert.equal(dragged.length, drawn.length);
  near(dragged.at(-1), -2.3, -1.9);
  await reader.click("#undo");
  await reader.settled();
  assert.deepEqual(await points(reader), drawn, "a drag is one step of undo");
  await reader.click("#tool-erase");
  await reader.page.touchscreen.tap(...(await reader.at(2.4, 2.2)));
  await reader.settled();
  assert.deepEqual(await points(reader), before);
});

onPhone("a tap on a point asks about it", async (reader) => {
  const [p] = await points(reader);
  await reader.page.touchscreen.tap(...(await reader.at(p.x, p.y)));
  await reader.until("(s) => s.why !== null && s.selected >= 0");
  assert.equal((await points(reader)).length, 80);
});

onPhone("two fingers draw nothing, and drawing goes on afterwards", async (reader, session) => {
  const before = await points(reader);
  const unchanged = async (when) => {
    await reader.settled();
    assert.deepEqual(await points(reader), before, when);
    assert.equal(await reader.state("(s) => s.past.length"), 0, when);
  };
  const [x, y] = await reader.at(0, 0);
  await session.send("Input.synthesizePinchGesture", { x, y, scaleFactor: 1.6, gestureSourceType: "touch" });
  await unchanged("after a pinch");
  // Both fingers draw apart from each other, on a place without points.
  const [one, two] = [await reader.at(2.4, 2.2), await reader.at(-2.4, -2.4)].map(([px, py], id) => ({ x: px, y: py, id }));
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [one] });
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [one, two] });
  await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: [{ ...one, x: one.x - 60 }, two] });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await unchanged("after a second finger");
  // The browser takes a finger for itself, as it does to zoom: it tells by pointercancel.
  await reader.page.evaluate(() => document.querySelector("#plane").addEventListener("pointerdown", (event) => (globalThis.down = event.pointerId)));
  const finger = await reader.page.touchscreen.touchStart(one.x, one.y);
  await reader.until("(s) => s.document.points.length === 81");
  await reader.page.evaluate(() => document.querySelector("#plane").dispatchEvent(new PointerEvent("pointercancel", { pointerId: globalThis.down, bubbles: true })));
  await unchanged("after a cancelled one");
  await finger.move(one.x - 80, one.y);
  await finger.end();
  await unchanged("after its end");
  await reader.page.touchscreen.tap(one.x, one.y);
  await reader.settled();
  assert.equal((await points(reader)).length, before.length + 1, "drawing goes on afterwards");
  near((await points(reader)).at(-1), 2.4, 2.2);
});

onPhone("beside the plane a finger scrolls the page, on it the page stays", async (reader) => {
  const before = await points(reader);
  await reader.page.evaluate(() => scrollTo(0, 0));
  const below = await reader.page.$eval("#status", (e) => e.getBoundingClientRect().top + 100);
  const finger = await reader.page.touchscreen.touchStart(190, below);
  for (let i = 1; i <= 12; ++i) await finger.move(190, below - 25 * i);
  await finger.end();
  await reader.page.waitForFunction(() => scrollY > 100);
  await reader.page.waitForFunction(() => scrollY === globalThis.last || ((globalThis.last = scrollY), false), { polling: 200 }); // it runs out
  assert.deepEqual(await points(reader), before);
  await reader.at(0, 0);
  const at = await reader.page.evaluate(() => scrollY);
  await swipe(reader, [-2.4, 2.4], [-2.4, -2.4]);
  assert.equal(await reader.page.evaluate(() => scrollY), at);
  assert.equal((await points(reader)).length, before.length + 1);
  near((await points(reader)).at(-1), -2.4, -2.4);
});

// The page in the reader's language: also what the library says of itself.
import assert from "node:assert/strict";
import { test } from "./harness.mjs";

const english = (reader, within) => reader.page.$$eval(`${within} [lang=en]:not(pre):not(.chip)`, (all) => all.map((e) => e.title || e.textContent).filter((text) => text !== ""));
const expressions = ["exp(2*rbf(gamma=1) + linear())", "normalize(poly(degree=2))*laplacian()", "rbf(gamma=1)^2", "polynomial_of(linear(), [1, 2])", "rbf(gamma=1) - linear()", "linear()^0.5", "constant(c=2)", "bilinear([[2, 0], [0, 1]])", "anisotropic([1, 2])"];

for (const language of ["es", "ru"])
  test(`languages: methods, options and rules are translated (${language})`, async (reader) => {
    await reader.open();
    await reader.choose("#language", language);
    for (const target of ["clouds", "sine"]) {
      await reader.preset(target);
      for (const name of await reader.page.$$eval("#method option", (all) => all.map((each) => each.value))) {
        await reader.choose("#method", name);
        assert.deepEqual(await english(reader, ".setup"), [], name);
      }
    }
    await reader.preset("moons");
    await reader.click("#tab-kernel");
    const chips = await reader.page.$$eval("#panel .chip", (all) => all.map((each) => each.textContent));
    assert.ok(chips.length > 8, chips.join());
    for (const kernel of [...chips.map((name) => `${name}()`), ...expressions]) {
      await reader.type("#kernel", kernel);
      await reader.until(`(s) => s.kernel?.ok && s.document.kernel === ${JSON.stringify(kernel)}`);
      await reader.settled();
      assert.deepEqual(await english(reader, "#panel .proof"), [], kernel);
    }
    await reader.choose("#language", "en");
  });

test("languages: numbers take their plural", async (reader) => {
  await reader.open();
  await reader.choose("#language", "ru");
  await reader.page.evaluate(() => globalThis.mercer.store.set({ document: { ...globalThis.mercer.store.state.document, points: [] } }));
  for (const [n, words] of [[1, "1 точка"], [2, "2 точки"], [5, "5 точек"], [21, "21 точка"]]) {
    await reader.page.evaluate((count) => { const s = globalThis.mercer.store; s.set({ document: { ...s.state.document, points: Array.from({ length: count }, (_, i) => ({ x: i / 9 - 1, y: (i % 3) - 1, c: i % 2 })) } }); }, n);
    await reader.settled();
    assert.equal(await reader.page.$eval("#status span", (e) => e.textContent), words);
  }
  await reader.choose("#language", "en");
});

// The tests of the page, in Chromium: node tests/run.mjs [--programs FOLDER] [part of a name]
import { run } from "./harness.mjs";
await import("./answers.mjs");
await import("./drawing.mjs");
await import("./touch.mjs");
await import("./panels.mjs");
await import("./objects.mjs");
await import("./files.mjs");
await import("./lessons.mjs");
await import("./languages.mjs");
await import("./access.mjs");

const words = process.argv.slice(2).filter((each, i, all) => each !== "--programs" && all[i - 1] !== "--programs");
await run(words[0]);

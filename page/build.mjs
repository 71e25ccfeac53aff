// Bundles the page into build-page/ (or the folder named): scripts, styles, the library, the data files.
import { build } from "esbuild";
import { copyFileSync, mkdirSync, rmSync, writeFileSync, statSync, readdirSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(here);
const out = process.argv[2] ?? join(root, "build-page");
const library = process.argv[3] ?? join(root, "build-wasm");

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "data"), { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { main: "src/main.tsx", worker: "src/worker.ts", page: "src/page.css" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  legalComments: "none",
});
copyFileSync(join(here, "src/index.html"), join(out, "index.html"));
for (const file of ["mercer_page.js", "mercer_page.wasm"]) copyFileSync(join(library, file), join(out, file));
for (const file of ["iris.csv", "wine.svm"]) copyFileSync(join(root, "data", file), join(out, "data", file));
// The library reads no packed files in a browser: 600 of the digits are enough there.
const digits = execFileSync("xz", ["-dc", join(root, "data/digits.svm.xz")], { encoding: "utf8" });
writeFileSync(join(out, "data/digits.svm"), digits.split("\n").slice(0, 600).join("\n") + "\n");
const size = (folder) => readdirSync(folder, { withFileTypes: true }).reduce((sum, each) => sum + (each.isDirectory() ? size(join(folder, each.name)) : statSync(join(folder, each.name)).size), 0);
console.log(`page: ${out}, ${(size(out) / 1e6).toFixed(2)} MB`);

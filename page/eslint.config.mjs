// What `make lint` holds the page to, beside its types.
import js from "@eslint/js";
import tseslint from "typescript-eslint";

const globalsOf = (...names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

export default tseslint.config(
  js.configs.recommended,
  {
    files: ["src/**/*.{ts,tsx}"],
    extends: [tseslint.configs.recommendedTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    // Node's, and in the functions that tests hand to the browser the page's.
    files: ["**/*.mjs"],
    languageOptions: { globals: globalsOf("process", "console", "performance", "setTimeout", "URL", "Buffer", "document", "navigator", "location", "localStorage", "innerWidth", "requestAnimationFrame", "Event", "HTMLAnchorElement", "fetch", "mercer", "PointerEvent", "scrollY", "scrollTo") },
  },
);

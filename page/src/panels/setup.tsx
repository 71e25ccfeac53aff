// Data, method and options: the left side of the page. Options come from what the method says of itself.
import { useRef } from "preact/hooks";
import { chooseMethod, clearPoints, edit, fitWindow, methodsFor, openPreset, setOption } from "../actions";
import { classLetters, mostClasses } from "../document";
import { css, palette } from "../draw/colours";
import { shape } from "../draw/points";
import { openFile, openFilePreset } from "../files";
import { filePresets, presetNames } from "../presets";
import type { OptionInfo } from "../protocol";
import { store, useStore, type Tool } from "../store";
import { useTexts } from "../texts";
import type { Texts } from "../texts/en";
import { said } from "../texts/library";
import { Columns } from "./columns";
import { Slider, type SliderRange } from "./slider";

export function DataPanel() {
  const t = useTexts();
  const document = useStore((s) => s.document);
  const input = useRef<HTMLInputElement>(null);
  return (
    <section aria-labelledby="data-title">
      <h2 id="data-title">{t.data}</h2>
      <div class="chips" role="group" aria-label={t.presets}>
        {presetNames.map((name) => (
          <button key={name} class={document.preset === name ? "chip on" : "chip"} aria-pressed={document.preset === name} onClick={() => openPreset(name)}>
            {t.preset_names[name] ?? name}
          </button>
        ))}
        {Object.keys(filePresets).map((name) => (
          <button key={name} class={document.preset === name ? "chip on" : "chip"} aria-pressed={document.preset === name} onClick={() => void openFilePreset(name)}>
            {t.preset_names[name] ?? name}
          </button>
        ))}
      </div>
      <div class="row">
        <button class="button" id="open-file" onClick={() => input.current?.click()}>
          {t.open_file}
        </button>
        <button class="button" onClick={clearPoints}>
          {t.clear}
        </button>
        <button class="button" onClick={fitWindow}>
          {t.whole_view}
        </button>
        <input
          ref={input}
          id="file"
          type="file"
          class="hidden"
          aria-label={t.open_file}
          tabIndex={-1}
          onChange={(event) => {
            const file = event.currentTarget.files?.[0];
            if (file) void openFile(file);
            event.currentTarget.value = "";
          }}
        />
      </div>
      <Columns />
      <Brushes t={t} />
    </section>
  );
}

function Brushes({ t }: { t: Texts }) {
  const [brush, tool, dark] = [useStore((s) => s.brush), useStore((s) => s.tool), useStore((s) => s.dark)];
  const document = useStore((s) => s.document);
  const tools: Tool[] = ["draw", "erase", "ask"];
  const values = document.target === "values";
  return (
    <div class="row brushes">
      <div class="segments" role="group" aria-label={t.tool}>
        {tools.map((each) => (
          <button key={each} id={`tool-${each}`} aria-pressed={tool === each} class={tool === each ? "on" : ""} onClick={() => store.set({ tool: each })}>
            {t.tools[each]}
          </button>
        ))}
      </div>
      {!values && (
        <div class="swatches" role="group" aria-label={t.class_to_draw}>
          {Array.from({ length: Math.min(mostClasses, document.classes.length + 1) }, (_, c) => (
            <button
              key={c}
              class={brush === c ? "swatch on" : "swatch"}
              aria-pressed={brush === c}
              aria-label={`${t.class_word} ${document.classes[c] ?? classLetters[c]}`}
              title={document.classes[c] ?? classLetters[c]}
              onClick={() => store.set({ brush: c, tool: "draw" })}
            >
              <svg viewBox="0 0 20 20" aria-hidden="true">
                <path d={shape(c, 10, 10, 6)} fill={css(palette(dark)[c])} opacity={c < document.classes.length ? 1 : 0.45} />
              </svg>
            </button>
          ))}
        </div>
      )}
      <div class="segments" role="group" aria-label={t.targets}>
        {(["classes", "values"] as const).map((each) => (
          <button key={each} aria-pressed={document.target === each} class={document.target === each ? "on" : ""} onClick={() => changeTarget(each)}>
            {t.target_names[each]}
          </button>
        ))}
      </div>
    </div>
  );
}
function changeTarget(target: "classes" | "values"): void {
  const { document } = store.state;
  if (document.target === target) return;
  edit({ target, method: target === "values" ? "svr" : "svc", options: {}, axes: target === "values" ? ["x", "y"] : ["x₁", "x₂"], points: document.points.map((p) => ({ ...p, c: target === "values" ? 0 : p.c })) });
}

// Where a slider for an option begins and ends.
function rangeOf(o: OptionInfo, count: number): SliderRange {
  const whole = o.kind === "whole";
  const most: Record<string, number> = { n_neighbors: Math.max(2, Math.min(60, count - 1)), n_clusters: 12, n_components: 12 };
  if (whole) return { low: Math.max(Number(o.low) || 0, o.name === "n_components" ? 1 : Number(o.low)), high: most[o.name] ?? 100, logarithmic: false, whole };
  if (o.name === "C") return { low: 0.001, high: 1e5, logarithmic: true, whole: false, infinite: o.high === "inf" && o.condition.includes("<= inf") };
  if (o.name === "nu") return { low: 0.01, high: 1, logarithmic: false, whole: false };
  if (o.name === "epsilon") return { low: 0, high: 1.5, logarithmic: false, whole: false };
  return { low: 1e-6, high: 100, logarithmic: true, whole: false };
}
const aside = new Set(["tol", "max_seconds", "max_iter", "shrinking", "seed", "solver", "multiclass", "n_init", "init", "variance", "loo", "score", "alphas", "output_alphas", "form", "intercept_scaling", "batch_size", "projection", "average", "centre_rows", "centres", "n_centres", "tau", "delta", "penalty", "probability", "fit_intercept"]);

function Option({ info, value, count, t }: { info: OptionInfo; value: string; count: number; t: Texts }) {
  const language = useStore((s) => s.language);
  const change = (v: string) => setOption(info.name, v);
  const id = `option-${info.name}`;
  const about = said(info.about, language);
  const title = `${about.text} (${info.condition})`;
  if (info.kind === "flag")
    return (
      <label class="flag" title={title} lang={about.lang}>
        <input id={id} type="checkbox" checked={value === "true"} onChange={(event) => change(String(event.currentTarget.checked))} /> {info.name}
      </label>
    );
  if (info.kind === "choice")
    return (
      <div class="slider" title={title} lang={about.lang}>
        <label for={id}>{info.name}</label>
        <select id={id} value={value} onChange={(event) => change(event.currentTarget.value)}>
          {info.choices?.map((each) => (
            <option key={each} value={each}>
              {each || t.none}
            </option>
          ))}
        </select>
      </div>
    );
  if (info.kind === "numbers" || aside.has(info.name))
    return (
      <div class="slider" title={title} lang={about.lang}>
        <label for={id}>{info.name}</label>
        <input id={id} value={value} onChange={(event) => change(event.currentTarget.value.trim())} />
      </div>
    );
  return <Slider label={info.name} title={title} lang={about.lang} value={value} range={rangeOf(info, count)} change={change} />;
}

export function MethodPanel() {
  const t = useTexts();
  const [about, language] = [useStore((s) => s.about), useStore((s) => s.language)];
  const document = useStore((s) => s.document);
  if (!about) return null;
  const info = about.methods.find((m) => m.name === document.method);
  const what = said(info?.about ?? "", language);
  const families = new Map<string, string[]>();
  for (const m of methodsFor(document, about.methods)) families.set(m.family, [...(families.get(m.family) ?? []), m.name]);
  const value = (o: OptionInfo) => document.options[o.name] ?? o.initial;
  const useful = (o: OptionInfo) =>
    (o.needs ?? []).every((need) => {
      const other = info!.options.find((each) => each.name === need.option);
      const set = document.options[need.option] ?? other?.initial ?? "";
      return need.values.length === 0 ? set !== "" : need.values.includes(set);
    });
  const all = (info?.options ?? []).filter(useful);
  const [front, back] = [all.filter((o) => !aside.has(o.name)), all.filter((o) => aside.has(o.name))];
  return (
    <section aria-labelledby="method-title">
      <h2 id="method-title">{t.method}</h2>
      <select id="method" aria-labelledby="method-title" value={document.method} onChange={(event) => chooseMethod(event.currentTarget.value)}>
        {[...families].map(([family, names]) => (
          <optgroup key={family} label={t.families[family] ?? family}>
            {names.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <p class="about">
        <span lang={what.lang}>{what.text}</span>
        <br />
        <span class="problem">{info?.formula}</span>
      </p>
      {front.map((o) => (
        <Option key={o.name} info={o} value={value(o)} count={document.points.length} t={t} />
      ))}
      {document.method === "kernel_pca" && (
        <Slider label={t.component} value={String(document.component + 1)} range={{ low: 1, high: Number(document.options.n_components ?? 6), logarithmic: false, whole: true }} change={(v) => edit({ component: Number(v) - 1 }, true)} />
      )}
      {back.length > 0 && (
        <details>
          <summary>{t.more_options}</summary>
          {back.map((o) => (
            <Option key={o.name} info={o} value={value(o)} count={document.points.length} t={t} />
          ))}
        </details>
      )}
    </section>
  );
}

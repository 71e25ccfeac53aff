// Objects that are no vectors: type them, see their matrix, their picture by kernel PCA, a machine, and what decided.
import { useEffect, useState } from "preact/hooks";
import { css, palette, type Rgb } from "../draw/colours";
import { Heat } from "../draw/heat";
import { ObjectPicture, objectText, type Shares } from "../draw/object";
import { shape } from "../draw/points";
import { exampleNamed, examples, openingOf } from "../examples";
import { short } from "../numbers";
import { computeObjects, explainObject, isAnswer, type Answer, type Explanation } from "../objects";
import type { KernelInfo } from "../protocol";
import { store, useStore } from "../store";
import { languageOf, useTexts } from "../texts";
import type { Texts } from "../texts/en";

export function ObjectsPanel() {
  const t = useTexts();
  const [about, objects] = [useStore((s) => s.about), useStore((s) => s.objects)];
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [trouble, setTrouble] = useState("");
  const [busy, setBusy] = useState(false);
  const kind = exampleNamed(objects.example)?.kind ?? "strings";
  const offered = examples.filter((each) => about?.kinds.some((k) => k.name === each.kind));
  const change = (part: Partial<typeof objects>) => store.set({ objects: { ...objects, ...part } });
  useEffect(() => setAnswer(null), [objects.example]);
  const run = async (): Promise<void> => {
    setTrouble("");
    setBusy(true);
    const found = await computeObjects(objects);
    setBusy(false);
    if (isAnswer(found)) setTrouble(found.trouble);
    else setTrouble(found);
    setAnswer(isAnswer(found) ? found : null);
  };
  return (
    <div>
      <div class="chips" role="group" aria-label={t.kind}>
        {offered.map(({ name }) => (
          <button key={name} id={`kind-${name}`} aria-pressed={objects.example === name} class={objects.example === name ? "chip on" : "chip"} onClick={() => store.set({ objects: { example: name, ...openingOf(name) } })}>
            {t.kinds[name] ?? name}
          </button>
        ))}
      </div>
      <label class="block">
        {t.forms[objects.example] ?? ""}
        <textarea id="objects" rows={7} spellcheck={false} value={objects.text} onInput={(event) => change({ text: event.currentTarget.value })} />
      </label>
      <label class="block">
        k(x, z) =
        <input class="code" id="object-kernel" spellcheck={false} autocomplete="off" value={objects.kernel} onChange={(event) => change({ kernel: event.currentTarget.value })} />
      </label>
      <Kernels kind={kind} kernels={about?.kernels ?? []} choose={(kernel) => change({ kernel })} kernel={objects.kernel} t={t} />
      <button class="button primary" id="run-objects" disabled={busy} onClick={() => void run()}>
        {t.compute}
      </button>
      {trouble && (
        <p class="trouble" lang={languageOf(trouble, t)}>
          {trouble}
        </p>
      )}
      {answer && <Found answer={answer} t={t} />}
    </div>
  );
}

// The library's kernels on this kind, each as it is without a word about its parameters; and one made to length 1.
function Kernels({ kind, kernels, kernel, choose, t }: { kind: string; kernels: KernelInfo[]; kernel: string; choose: (kernel: string) => void; t: Texts }) {
  const known = kernels.filter((k) => k.domain === kind && k.parameters.every((p) => p.initial !== ""));
  return (
    <div class="chips" role="group" aria-label={t.kernels}>
      {known.map((k) => (
        <button key={k.name} class="chip" title={k.formula} lang="en" onClick={() => choose(`${k.name}(${k.parameters.map((p) => `${p.name}=${p.initial}`).join(", ")})`)}>
          {k.name}
        </button>
      ))}
      <button class="chip" onClick={() => choose(`normalize(${kernel})`)}>k / √kk</button>
    </div>
  );
}

function Found({ answer, t }: { answer: Answer; t: Texts }) {
  const dark = useStore((s) => s.dark);
  const [pair, setPair] = useState<[number, number]>([-1, -1]);
  const [why, setWhy] = useState<Explanation | null>(null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => setWhy(null), [answer]);
  const { read, entries, fit } = answer;
  const { y } = read.arrays;
  const colours = palette(dark);
  const order = Array.from({ length: read.n }, (_, i) => i).sort((a, b) => (y[a] ?? 0) - (y[b] ?? 0));
  const ask = async (row: number): Promise<void> => {
    const found = await explainObject(row);
    setTrouble(typeof found === "string" ? found : "");
    if (typeof found !== "string") setWhy(found);
  };
  const first = why?.features?.functions[0];
  const sides = coloursOf(first?.positive, first?.negative, read.classes, colours);
  const parts = why?.features?.arrays.parts0;
  const shares: Shares | null = parts && parts.length > 0 ? { parts, ...sides } : null;
  return (
    <div>
      {fit?.score?.accuracy !== undefined && <p>{t.training_accuracy}: {short(100 * fit.score.accuracy, 3)} %</p>}
      {fit?.score?.r2 !== undefined && <p>R² {short(fit.score.r2, 3)}</p>}
      <div class="two">
        <Heat entries={entries} n={read.n} order={order} dark={dark} label={t.gram} marked={pair} hover={(i, j) => setPair([i, j])} choose={(i) => void ask(i)} />
        <Picture scores={answer.scores} y={y} dark={dark} row={why?.row ?? -1} label={t.kernel_components} />
      </div>
      <p class="readout">{pair[0] >= 0 ? `k = ${short(entries[pair[0] * read.n + pair[1]])}: ${objectText(read.shown[pair[0]])} · ${objectText(read.shown[pair[1]])}` : t.gram_hint}</p>
      {fit && !why && <p class="muted">{t.ask_object}</p>}
      {trouble && <p class="trouble" lang={languageOf(trouble, t)}>{trouble}</p>}
      <ol class="objects">
        {read.shown.map((each, i) => (
          <li key={i}>
            <button aria-pressed={why?.row === i} class={why?.row === i ? "on" : ""} onClick={() => void ask(i)}>
              <span class="tag" style={{ "--class": css(colours[read.classes.length ? y[i] % 6 : 0]) }}>{read.classes[y[i]] ?? short(y[i] ?? NaN)}</span>{" "}
              <ObjectPicture of={each} shares={why?.row === i ? shares : null} dark={dark} large={why?.row === i} />
            </button>
          </li>
        ))}
      </ol>
      {why && <Why why={why} answer={answer} t={t} />}
    </div>
  );
}

// f > 0 speaks for the first class, in its colour; one without a second speaks against all the others.
function coloursOf(positive: string | undefined, negative: string | undefined, classes: string[], colours: Rgb[]): { positive: Rgb; negative: Rgb } {
  const of = (name: string | undefined, otherwise: number) => {
    const at = name ? classes.indexOf(name) : -1;
    return colours[(at < 0 ? otherwise : at) % colours.length];
  };
  return { positive: of(positive, 0), negative: of(negative, 1) };
}

interface Bar {
  name: string;
  value: number;
}
// What decided: features, or the terms of other objects, as bars to either side.
function Why({ why, answer, t }: { why: Explanation; answer: Answer; t: Texts }) {
  const colours = palette(useStore((s) => s.dark));
  const functions: { positive?: string; negative?: string; f: number; bars: Bar[] }[] = why.features
    ? why.features.functions.map((f) => ({ ...f, bars: f.largest.slice(0, 8).map((each) => ({ name: each.name, value: each.share })) }))
    : (why.terms?.functions ?? []).map((f) => ({ ...f, bars: f.terms.slice(0, 8).map((each) => ({ name: `${each.row + 1}. ${objectText(answer.read.shown[each.row])}`, value: each.value })) }));
  const called = (name: string | undefined) => (name === "the others" ? t.the_others : name);
  return (
    <div id="decided">
      {why.features ? <h3>{t.what_decided}</h3> : <p class="muted">{t.no_features}</p>}
      {functions.map((f, i) => {
        const most = Math.max(...f.bars.map((each) => Math.abs(each.value)), 1e-12);
        const sides = coloursOf(f.positive, f.negative, answer.read.classes, colours);
        return (
          <div key={i} class="terms wide">
            <p>
              {f.positive && <strong>{f.positive} / {called(f.negative)}: </strong>}f = {short(f.f)}
            </p>
            <ul>
              {f.bars.map((each) => {
                const width = (50 * Math.abs(each.value)) / most;
                return (
                  <li key={each.name}>
                    <span class="who"><code title={each.name}>{each.name}</code></span>
                    <span class="bar" aria-hidden="true"><span style={{ width: `${width}%`, left: each.value < 0 ? `${50 - width}%` : "50%", background: css(each.value < 0 ? sides.negative : sides.positive) }} /></span>
                    <span class="value">{short(each.value, 3)}</span>
                  </li>
                );
              })}
            </ul>
          </div>
        );
      })}
    </div>
  );
}

function Picture({ scores, y, dark, row, label }: { scores: ArrayLike<number>; y: ArrayLike<number>; dark: boolean; row: number; label: string }) {
  const n = Math.floor(scores.length / 2);
  if (n === 0) return null;
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < n; ++i) [x0, x1, y0, y1] = [Math.min(x0, scores[2 * i]), Math.max(x1, scores[2 * i]), Math.min(y0, scores[2 * i + 1]), Math.max(y1, scores[2 * i + 1])];
  const at = (v: number, low: number, high: number) => 14 + (172 * (v - low)) / (high - low || 1);
  const colour = (i: number) => (Number.isInteger(y[i]) ? y[i] % 6 : 0);
  return (
    <svg class="chart square" viewBox="0 0 200 200" role="img" aria-label={label}>
      <rect x="1" y="1" width="198" height="198" class="frame" fill="none" />
      {Array.from({ length: n }, (_, i) => (
        <path key={i} d={shape(colour(i), at(scores[2 * i], x0, x1), 200 - at(scores[2 * i + 1], y0, y1), i === row ? 8 : 5)} fill={css(palette(dark)[colour(i)])} />
      ))}
    </svg>
  );
}

// The kernel composer: its text with the library's own parser, a slider for each number, the formula, the proof.
import { useEffect, useRef, useState } from "preact/hooks";
import { setKernel } from "../actions";
import { Cloud } from "../draw/cloud";
import { askKernel, askTest, engine } from "../fitting";
import { Formula } from "../formula";
import { short } from "../numbers";
import type { KernelInfo, Proof, Reply } from "../protocol";
import { did, store, useStore } from "../store";
import { useTexts } from "../texts";
import type { Texts } from "../texts/en";
import { said } from "../texts/library";
import { Slider, type SliderRange } from "./slider";

interface Found {
  at: number;
  text: string;
  name: string; // of the parameter; "" for a factor or a power
}
// Every number of an expression, with the name it is given to.
export function numbersIn(text: string): Found[] {
  const out: Found[] = [];
  for (const match of text.matchAll(/(?<![\w.])(\d+\.?\d*(?:e[-+]?\d+)?|\.\d+)(?![\w.])/gi)) {
    const before = text.slice(0, match.index);
    const name = /([a-z_]\w*)\s*=\s*-?\s*$/i.exec(before)?.[1] ?? (/\^\s*$/.test(before) ? "^" : "");
    out.push({ at: match.index, text: match[0], name });
  }
  return out;
}
const wholes = new Set(["degree", "k", "m", "d", "shifts", "^"]);
function rangeFor(n: Found): SliderRange {
  if (wholes.has(n.name)) return { low: 1, high: 10, logarithmic: false, whole: true };
  if (n.name === "coef0") return { low: 0, high: 10, logarithmic: false, whole: false };
  if (n.name === "nu") return { low: 0.5, high: 2.5, logarithmic: false, whole: false };
  return { low: 0.001, high: 1000, logarithmic: true, whole: false };
}

// The name being written at the caret, and what it may become.
function completions(text: string, caret: number, kernels: KernelInfo[]): { from: number; names: string[] } {
  const word = /[a-z_]\w*$/i.exec(text.slice(0, caret))?.[0] ?? "";
  if (!word || /^\w/.test(text.slice(caret))) return { from: caret, names: [] };
  const open = text.slice(0, caret - word.length);
  const inside = /([a-z_]\w*)\(([^()]*)$/i.exec(open);
  const owner = inside && kernels.find((k) => k.name === inside[1] || k.aliases.includes(inside[1]));
  const names = owner ? owner.parameters.map((p) => `${p.name}=`) : [...kernels.map((k) => `${k.name}(`), "exp(", "normalize("];
  return { from: caret - word.length, names: names.filter((n) => n.startsWith(word.toLowerCase()) && n !== word).slice(0, 8) };
}

function Tree({ proof }: { proof: Proof }) {
  const language = useStore((s) => s.language);
  return (
    <li>
      <span class={proof.valid ? "valid" : "invalid"}>{proof.valid ? "✓" : "✗"}</span> <code>{proof.claim}</code>
      <span class={proof.at_fault ? "rule fault" : "rule"}>
        {[proof.rule, ...proof.conditions].map((sentence, i) => {
          const { text, lang } = said(sentence, language);
          return <span key={i} lang={i ? undefined : lang}>{(i ? "; " : "") + text}</span>;
        })}
      </span>
      {proof.parts.length > 0 && (
        <ul>
          {proof.parts.map((part, i) => (
            <Tree key={i} proof={part} />
          ))}
        </ul>
      )}
    </li>
  );
}

const wraps: { label: string; wrap: (part: string) => string }[] = [
  { label: "k + k′", wrap: (k) => `${k} + linear()` },
  { label: "k · k′", wrap: (k) => `(${k})*poly(degree=2, coef0=1)` },
  { label: "c · k", wrap: (k) => `2*(${k})` },
  { label: "kⁿ", wrap: (k) => `(${k})^2` },
  { label: "exp k", wrap: (k) => `exp(${k})` },
  { label: "k / √kk", wrap: (k) => `normalize(${k})` },
];

export function KernelField({ id }: { id: string }) {
  const t = useTexts();
  const [text, kernel, about] = [useStore((s) => s.document.kernel), useStore((s) => s.kernel), useStore((s) => s.about)];
  const [draft, setDraft] = useState(text);
  const [caret, setCaret] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  // While somebody types, what they type stands: an expression on its way may already be one.
  useEffect(() => {
    if (globalThis.document.activeElement !== field.current) setDraft(text);
  }, [text]);
  const offered = about && globalThis.document.activeElement === field.current ? completions(draft, caret, about.kernels.filter((k) => k.domain === "vectors")) : { from: 0, names: [] };
  const type = (next: string) => {
    setDraft(next);
    void askKernel(next).then((found) => {
      if (found.ok && field.current?.value === next) setKernel(next);
    });
  };
  const wrong = kernel && !kernel.ok ? kernel : null;
  return (
    <div class="kernel-field">
      <label for={id}>k(x, z) =</label>
      <input
        ref={field}
        id={id}
        class="code"
        spellcheck={false}
        autocomplete="off"
        value={draft}
        aria-invalid={wrong !== null}
        aria-describedby={`${id}-word`}
        onInput={(event) => {
          setCaret(event.currentTarget.selectionStart ?? 0);
          type(event.currentTarget.value);
        }}
        onKeyUp={(event) => setCaret(event.currentTarget.selectionStart ?? 0)}
      />
      {offered.names.length > 0 && (
        <div class="offers" role="group" aria-label={t.completions}>
          {offered.names.map((name) => (
            <button
              key={name}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => {
                const next = draft.slice(0, offered.from) + name + draft.slice(caret);
                setCaret(offered.from + name.length);
                type(next);
                field.current?.focus();
              }}
            >
              {name}
            </button>
          ))}
        </div>
      )}
      <pre id={`${id}-word`} class="caret" role="status" lang="en">
        {wrong && (wrong.at !== undefined ? `${draft}\n${" ".repeat(Math.max(0, wrong.at))}^\n` : "") + wrong.message}
      </pre>
      <div class="chips" role="group" aria-label={t.wrap}>
        {wraps.map(({ label, wrap }) => (
          <button
            key={label}
            class="chip"
            onClick={() => {
              const input = field.current!;
              const [from, to] = [input.selectionStart ?? 0, input.selectionEnd ?? 0];
              const part = from < to && draft.slice(from, to).trim() !== "" ? [from, to] : [0, draft.length];
              type(draft.slice(0, part[0]) + wrap(draft.slice(part[0], part[1])) + draft.slice(part[1]));
              did("wrap");
            }}
          >
            {label}
          </button>
        ))}
      </div>
      {numbersIn(text).map((n, i) => (
        <Slider key={`${i}${n.name}`} label={n.name || "×"} value={n.text} range={rangeFor(n)} change={(v) => setKernel(text.slice(0, n.at) + v + text.slice(n.at + n.text.length))} />
      ))}
    </div>
  );
}

// φ of the points, where the kernel has one of few dimensions: what the trick does without.
function ExplicitMap({ t }: { t: Texts }) {
  const [document, kernel, dark, fitOf] = [useStore((s) => s.document), useStore((s) => s.kernel), useStore((s) => s.dark), useStore((s) => s.fitOf)];
  const [map, setMap] = useState<{ names: string[]; features: ArrayLike<number>; of: string } | null>(null);
  const known = kernel?.ok && (kernel.features?.length ?? 0) > 2 && document.target === "classes" && document.points.length <= 1000;
  useEffect(() => {
    if (!known || fitOf !== document) return;
    void (async () => {
      const reply = await engine.ask<Reply & { names: string[] }>({ do: "map", kernel: document.kernel });
      if (!reply.error && store.state.document === document) setMap({ names: reply.names, features: reply.arrays.features, of: document.kernel });
    })();
  }, [fitOf, kernel]);
  if (!known || !map) return null;
  if (map.features.length !== document.points.length * map.names.length) return null;
  return (
    <div>
      <h3>{t.explicit_map}</h3>
      <p class="muted">
        φ(x) = ({map.names.slice(0, 12).join(", ")}
        {map.names.length > 12 ? ", …" : ""})
      </p>
      <Cloud features={map.features} dims={map.names.length} names={map.names} classes={document.points.map((p) => p.c)} dark={dark} label={t.explicit_map} />
    </div>
  );
}

export function KernelPanel() {
  const t = useTexts();
  const [kernel, about] = [useStore((s) => s.kernel), useStore((s) => s.about)];
  return (
    <div>
      <div class="chips" role="group" aria-label={t.kernels}>
        {about?.kernels
          .filter((k) => k.domain === "vectors" && k.parameters.every((p) => p.initial !== ""))
          .map((k) => (
            <button key={k.name} class="chip" title={k.formula} lang="en" onClick={() => setKernel(`${k.name}(${k.parameters.map((p) => `${p.name}=${p.initial}`).join(", ")})`)}>
              {k.name}
            </button>
          ))}
      </div>
      {kernel?.ok && <Formula form={kernel.form} />}
      {kernel?.ok && (
        <div>
          <h3>{kernel.proof.valid ? t.proof_holds : t.proof_fails}</h3>
          <ul class="proof">
            <Tree proof={kernel.proof} />
          </ul>
        </div>
      )}
      <MercerTest t={t} />
      <ExplicitMap t={t} />
    </div>
  );
}

function MercerTest({ t }: { t: Texts }) {
  const test = useStore((s) => s.test);
  return (
    <div>
      <button class="button" id="mercer-test" onClick={() => void askTest()}>
        {t.mercer_test}
      </button>
      {test && (
        <div id="verdict">
          <p>
            <strong class={test.verdict === "certified" ? "valid" : "invalid"}>{t.verdicts[test.verdict] ?? test.verdict}</strong>
            {test.smallest !== undefined && (
              <>
                {" "}
                λ<sub>min</sub> = {short(test.smallest)}, λ<sub>max</sub> = {short(test.largest)}
              </>
            )}
          </p>
          {test.witness && (
            <p>
              {t.witness}: Σ cᵢcⱼ k(xᵢ, xⱼ) = {short(test.witness.value)} &lt; 0
            </p>
          )}
          <button class="button" onClick={() => store.set({ test: null })}>
            {t.close}
          </button>
        </div>
      )}
    </div>
  );
}

// Strings and sets: type them, see their matrix, their picture by kernel PCA, a classifier, and what decided.
import { useState } from "preact/hooks";
import { css, palette } from "../draw/colours";
import { Heat } from "../draw/heat";
import { shape } from "../draw/points";
import { engine } from "../fitting";
import { short } from "../numbers";
import type { Arrays, Reply } from "../protocol";
import { did, useStore } from "../store";
import { useTexts } from "../texts";

const samples = {
  strings: "en\tthe cat sat on the mat\nen\ta dog and a bone in the sun\nen\tthis is the house that he built\nen\twhat is there to say of the sea\nes\tel gato duerme en la casa\nes\tla noche es larga y la luna brilla\nes\tque dice el agua de la fuente\nes\tun perro corre por el campo\nru\tkot spit na okne i ne vidit nas\nru\tsobaka bezhit po polyu k reke\nru\tnoch dlinna i zvezdy nad rekoy\nru\tchto govorit voda v ruch'ye",
  sets: "soup\tonion carrot salt water celery\nsoup\tonion potato salt water leek\nsoup\ttomato onion salt water basil\nsoup\tlentil carrot onion water cumin\ncake\tflour egg sugar butter vanilla\ncake\tflour egg sugar milk cocoa\ncake\tflour sugar butter lemon egg\ncake\tegg sugar almond butter\nsalad\tlettuce tomato oil vinegar salt\nsalad\tcucumber tomato oil onion salt\nsalad\tlettuce cucumber oil lemon\nsalad\ttomato basil oil salt mozzarella",
};
const kernelsOf = {
  strings: ["normalize(spectrum(k=2))", "normalize(spectrum(k=3))", "normalize(blended_spectrum(k=3, decay=0.5))", "normalize(subsequences(k=2, decay=0.5))", "normalize(all_substrings(decay=0.5))"],
  sets: ["jaccard()", "normalize(set_intersection())", "normalize(subsets())"],
};
type Kind = keyof typeof samples;

interface Explained extends Reply {
  said: string;
  functions: { positive: string; negative: string; f: number; largest: { name: string; share: number; value: number; weight: number }[] }[];
}
interface Answer {
  lines: string[];
  y: ArrayLike<number>;
  classes: string[];
  entries: ArrayLike<number>;
  scores: ArrayLike<number>;
  accuracy: number;
  said?: Arrays;
}

export function ObjectsPanel() {
  const t = useTexts();
  const dark = useStore((s) => s.dark);
  const about = useStore((s) => s.about);
  const [kind, setKind] = useState<Kind>("strings");
  const [text, setText] = useState(samples.strings);
  const [kernel, setKernel] = useState(kernelsOf.strings[1]);
  const [answer, setAnswer] = useState<Answer | null>(null);
  const [trouble, setTrouble] = useState("");
  const [row, setRow] = useState(-1);
  const [pair, setPair] = useState<[number, number]>([-1, -1]);
  const [explained, setExplained] = useState<Explained | null>(null);
  const known = kernelsOf[kind].filter((each) => about?.kernels.some((k) => each.includes(`${k.name}(`)));

  const run = async (): Promise<void> => {
    setTrouble("");
    setExplained(null);
    setRow(-1);
    const fail = (reply: Reply) => (setTrouble(reply.error!), setAnswer(null), undefined);
    const read = await engine.ask<Reply & { classes: string[] }>({ do: "objects", session: "objects", kind, text });
    if (read.error) return fail(read);
    const gram = await engine.ask({ do: "gram", session: "objects", kernel });
    if (gram.error) return fail(gram);
    const scores = await engine.ask({ do: "components", session: "objects", kernel });
    const fit = await engine.ask<Reply & { score?: { accuracy: number } }>({ do: "fit", session: "objects", view: "none", spec: { method: "svc", kernel, C: "10" } });
    if (fit.error) setTrouble(fit.error);
    setAnswer({ lines: text.split("\n").filter((l) => l.trim() !== ""), y: read.arrays.y, classes: read.classes, entries: gram.arrays.entries, scores: scores.error ? [] : scores.arrays.scores, accuracy: fit.score?.accuracy ?? NaN });
    did(`objects:${kind}`);
  };
  const explain = async (which: number): Promise<void> => {
    setRow(which);
    const reply = await engine.ask<Explained>({ do: "explain", session: "objects", row: which, top: 10 });
    if (reply.error) return setTrouble(reply.error);
    setExplained(reply);
    did("explain");
  };
  const colours = palette(dark);
  const n = answer?.y.length ?? 0;
  const order = Array.from({ length: n }, (_, i) => i).sort((a, b) => answer!.y[a] - answer!.y[b]);
  return (
    <div>
      <div class="segments" role="group" aria-label={t.kind}>
        {(["strings", "sets"] as Kind[]).map((each) => (
          <button key={each} id={`kind-${each}`} aria-pressed={kind === each} class={kind === each ? "on" : ""} onClick={() => { setKind(each); setText(samples[each]); setKernel(kernelsOf[each][1]); setAnswer(null); }}>
            {t.kinds[each]}
          </button>
        ))}
      </div>
      <label class="block">
        {t.objects_label}
        <textarea id="objects" rows={7} spellcheck={false} value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </label>
      <label class="block">
        k(x, z) =
        <input class="code" id="object-kernel" list="object-kernels" value={kernel} onChange={(event) => setKernel(event.currentTarget.value)} />
        <datalist id="object-kernels">{known.map((each) => <option key={each} value={each} />)}</datalist>
      </label>
      <button class="button primary" id="run-objects" onClick={() => void run()}>
        {t.compute}
      </button>
      {trouble && <p class="trouble">{trouble}</p>}
      {answer && (
        <div>
          {Number.isFinite(answer.accuracy) && <p>{t.training_accuracy}: {short(100 * answer.accuracy, 3)} %</p>}
          <div class="two">
            <Heat entries={answer.entries} n={n} order={order} dark={dark} label={t.gram} marked={pair} hover={(i, j) => setPair([i, j])} choose={(i) => void explain(i)} />
            <Picture scores={answer.scores} y={answer.y} dark={dark} row={row} label={t.kernel_components} />
          </div>
          <p class="readout">{pair[0] >= 0 ? `k = ${short(answer.entries[pair[0] * n + pair[1]])}: ${answer.lines[pair[0]]?.split("\t").pop()} · ${answer.lines[pair[1]]?.split("\t").pop()}` : t.gram_hint}</p>
          <ol class="objects">
            {answer.lines.map((line, i) => (
              <li key={i}>
                <button aria-pressed={row === i} class={row === i ? "on" : ""} onClick={() => void explain(i)}>
                  <span class="tag" style={{ background: css(colours[answer.y[i] % 6]) }}>{answer.classes[answer.y[i]]}</span> {row === i && explained ? <Marked text={line.split("\t").pop()!} parts={explained.arrays.parts0} dark={dark} /> : line.split("\t").pop()}
                </button>
              </li>
            ))}
          </ol>
          {explained?.functions.map((f, i) => (
            <div key={i} class="terms">
              <p>
                <strong>{f.positive} / {f.negative}</strong>: f = {short(f.f)}
              </p>
              <ul>
                {f.largest.slice(0, 8).map((each) => {
                  const most = Math.max(...f.largest.map((l) => Math.abs(l.share)), 1e-12);
                  const width = (50 * Math.abs(each.share)) / most;
                  return (
                    <li key={each.name}>
                      <span class="who"><code>{each.name}</code></span>
                      <span class="bar" aria-hidden="true"><span style={{ width: `${width}%`, left: each.share < 0 ? `${50 - width}%` : "50%", background: css(colours[each.share < 0 ? 1 : 0]) }} /></span>
                      <span class="value">{short(each.share, 3)}</span>
                    </li>
                  );
                })}
              </ul>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

// Letters in the colour of what they did.
function Marked({ text, parts, dark }: { text: string; parts: ArrayLike<number> | undefined; dark: boolean }) {
  if (!parts || parts.length !== new TextEncoder().encode(text).length) return <>{text}</>;
  let most = 1e-12;
  for (let i = 0; i < parts.length; ++i) most = Math.max(most, Math.abs(parts[i]));
  let at = 0;
  return (
    <span>
      {[...text].map((letter, i) => {
        const value = parts[at] / most;
        at += new TextEncoder().encode(letter).length;
        const c = palette(dark)[value < 0 ? 1 : 0];
        return <span key={i} style={{ background: `rgb(${c[0]} ${c[1]} ${c[2]} / ${(0.55 * Math.abs(value)).toFixed(2)})` }}>{letter}</span>;
      })}
    </span>
  );
}

function Picture({ scores, y, dark, row, label }: { scores: ArrayLike<number>; y: ArrayLike<number>; dark: boolean; row: number; label: string }) {
  const n = y.length;
  if (scores.length < 2 * n) return null;
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let i = 0; i < n; ++i) [x0, x1, y0, y1] = [Math.min(x0, scores[2 * i]), Math.max(x1, scores[2 * i]), Math.min(y0, scores[2 * i + 1]), Math.max(y1, scores[2 * i + 1])];
  const at = (v: number, low: number, high: number) => 14 + (172 * (v - low)) / (high - low || 1);
  return (
    <svg class="chart square" viewBox="0 0 200 200" role="img" aria-label={label}>
      <rect x="1" y="1" width="198" height="198" class="frame" fill="none" />
      {Array.from({ length: n }, (_, i) => (
        <path key={i} d={shape(y[i], at(scores[2 * i], x0, x1), 200 - at(scores[2 * i + 1], y0, y1), i === row ? 8 : 5)} fill={css(palette(dark)[y[i] % 6])} />
      ))}
    </svg>
  );
}

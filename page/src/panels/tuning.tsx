// Scores over an option of the method and a number of the kernel, filled in from coarse to fine; a click goes there.
import { useEffect, useRef, useState } from "preact/hooks";
import { edit } from "../actions";
import { css, mix, ground, palette } from "../draw/colours";
import { askFit, engine, sendPoints, specOf } from "../fitting";
import { short } from "../numbers";
import type { Reply } from "../protocol";
import { did, store, useStore } from "../store";
import { filled, languageOf, useTexts } from "../texts";
import { rasterOf } from "../draw/raster";
import { numbersIn } from "./kernel";

type By = "cv" | "loo" | "bound";
const cells = 13; // each way; odd, so that the coarse ones lie among the fine ones
const options: Record<string, [string, number, number]> = {
  svc: ["C", 0.01, 10000], nu_svc: ["nu", 0.02, 0.9], kernel_logistic: ["C", 0.01, 10000], pegasos: ["C", 0.01, 100],
  knn: ["n_neighbors", 1, 40], kernel_fisher: ["regularisation", 1e-6, 1], svr: ["C", 0.01, 1000], nu_svr: ["C", 0.01, 1000],
  kernel_ridge: ["alpha", 1e-6, 10], knn_regression: ["n_neighbors", 1, 40],
};

export function TuningPanel() {
  const t = useTexts();
  const [document, dark] = [useStore((s) => s.document), useStore((s) => s.dark)];
  const [by, setBy] = useState<By>("cv");
  const [scores, setScores] = useState<(number | null)[]>([]);
  const [better, setBetter] = useState(true);
  const [how, setHow] = useState("");
  const [trouble, setTrouble] = useState("");
  const [over, setOver] = useState(-1);
  const latest = useRef(0);
  const axis = options[document.method];
  const number = numbersIn(document.kernel)[0];
  const [low, high] = number?.name === "degree" || number?.name === "k" ? [1, cells] : [0.01, 100];
  const across = Array.from({ length: cells }, (_, i) => (high === cells ? i + 1 : Number((low * (high / low) ** (i / (cells - 1))).toPrecision(3))));
  const up = axis ? Array.from({ length: cells }, (_, i) => { const v = axis[1] * (axis[2] / axis[1]) ** (i / (cells - 1)); return axis[0] === "n_neighbors" ? Math.round(v) : Number(v.toPrecision(3)); }) : [];
  const kernelAt = (value: number) => document.kernel.slice(0, number.at) + value + document.kernel.slice(number.at + number.text.length);

  const run = async (): Promise<void> => {
    const turn = ++latest.current;
    const found: (number | null)[] = Array.from({ length: cells * cells }, () => null);
    setScores([...found]);
    setTrouble("");
    for (const step of [4, 2, 1])
      for (let c = 0; c < cells; c += step) {
        const rows = Array.from({ length: Math.ceil(cells / step) }, (_, i) => i * step).filter((r) => found[r * cells + c] === null);
        if (rows.length === 0) continue;
        const specs = rows.map((r) => ({ ...specOf(document), kernel: kernelAt(across[c]), [axis[0]]: String(up[r]) }));
        await sendPoints(document);
        const reply = await engine.ask<Reply & { how?: string; larger_is_better?: boolean; metric?: string }>(by === "cv" ? { do: "scores", specs, folds: 5, seconds: 5 } : { do: "leave_one_out", by, specs, seconds: 5 });
        if (turn !== latest.current) return;
        if (reply.error) return setTrouble(reply.error);
        rows.forEach((r, i) => (found[r * cells + c] = reply.arrays.scores[i]));
        setBetter(by === "cv" ? reply.larger_is_better !== false : false);
        setHow(by === "cv" ? `${reply.metric}, ${reply.how}` : "");
        setScores([...found]);
        await new Promise((done) => setTimeout(done));
      }
    did("map");
  };
  useEffect(
    () => () => {
      latest.current++;
      setScores([]);
    },
    [document.points, document.method, by],
  );

  if (!axis || !number) return <p class="muted">{t.no_map}</p>;
  const known = scores.filter((s): s is number => s !== null && Number.isFinite(s));
  const [least, most] = [Math.min(...known), Math.max(...known)];
  const colours = palette(dark);
  const shade = (s: number | null | undefined) => (s === null || s === undefined || !Number.isFinite(s) ? "transparent" : css(mix(ground(dark), colours[0], 0.06 + 0.9 * (most > least ? (better ? s - least : most - s) / (most - least) : 1) ** 2)));
  const best = known.length ? scores.indexOf(better ? most : least) : -1;
  const goTo = (i: number) => {
    edit({ kernel: kernelAt(across[i % cells]), options: { ...document.options, [axis[0]]: String(up[Math.floor(i / cells)]) } }, true);
    did("map:go");
  };
  const at = over >= 0 ? over : best;
  return (
    <div>
      <div class="row">
        <div class="segments" role="group" aria-label={t.score_by}>
          {(["cv", "loo", "bound"] as By[]).filter((each) => each === "cv" || document.method === "svc").map((each) => (
            <button key={each} aria-pressed={by === each} class={by === each ? "on" : ""} onClick={() => setBy(each)}>
              {t.scores_by[each]}
            </button>
          ))}
        </div>
        <button class="button primary" id="run-map" onClick={() => void run()}>
          {t.compute}
        </button>
      </div>
      {trouble && <p class="trouble" lang={languageOf(trouble, t)}>{trouble}</p>}
      <div class="map" role="group" aria-label={t.map_label} style={{ gridTemplateColumns: `repeat(${cells}, 1fr)` }}>
        {Array.from({ length: cells * cells }, (_, k) => {
          const i = (cells - 1 - Math.floor(k / cells)) * cells + (k % cells); // large values at the top
          const s = scores[i];
          return (
            <button key={i} tabIndex={i === best || (best < 0 && k === 0) ? 0 : -1} class={i === best ? "cell best" : "cell"} style={{ background: shade(s) }} disabled={s === null || s === undefined} aria-label={`${axis[0]} ${up[Math.floor(i / cells)]}, ${number.name} ${across[i % cells]}: ${short(s ?? NaN)}`} onPointerEnter={() => setOver(i)} onPointerLeave={() => setOver(-1)} onClick={() => goTo(i)} />
          );
        })}
      </div>
      <p class="readout">
        {at >= 0 && scores[at] !== null && scores[at] !== undefined ? `${axis[0]} = ${up[Math.floor(at / cells)]}, ${number.name} = ${across[at % cells]}: ${short(scores[at])} ${at === best ? `(${t.best})` : ""}` : filled(t.map_hint, { up: axis[0], across: number.name || "×" })}
        {how && <span class="muted" lang="en"> · {how}</span>}
      </p>
      {best >= 0 && (
        <button class="button" id="go-best" onClick={() => goTo(best)}>
          {t.go_best}
        </button>
      )}
      <Strip axis={axis} />
    </div>
  );
}

// The trade of margin against slack: the same data for six values of the option.
function Strip({ axis }: { axis: [string, number, number] }) {
  const t = useTexts();
  const [document, dark] = [useStore((s) => s.document), useStore((s) => s.dark)];
  const [pictures, setPictures] = useState<{ value: string; image: string; errors: string }[]>([]);
  const latest = useRef(0);
  useEffect(() => {
    const turn = ++latest.current;
    const values = Array.from({ length: 6 }, (_, i) => axis[1] * (axis[2] / axis[1]) ** (i / 5)).map((v) => String(axis[0] === "n_neighbors" ? Math.round(v) : Number(v.toPrecision(1))));
    if (document.target !== "classes") return setPictures([]);
    const draw = async () => {
      const made: { value: string; image: string; errors: string }[] = [];
      for (const value of values) {
        const reply = await askFit({ ...document, options: { ...document.options, [axis[0]]: value } }, 48, "strip");
        if (turn !== latest.current) return;
        const raster = reply.error ? null : rasterOf(reply, document.method, dark);
        if (!raster) continue;
        const canvas = globalThis.document.createElement("canvas");
        canvas.width = canvas.height = raster.width;
        canvas.getContext("2d")!.putImageData(raster, 0, 0);
        made.push({ value, image: canvas.toDataURL(), errors: `${reply.support ?? "–"} SV` });
      }
      setPictures(made);
    };
    const timer = setTimeout(() => void draw(), 400);
    return () => clearTimeout(timer);
  }, [document.points, document.kernel, document.method, dark]);
  if (pictures.length === 0) return null;
  return (
    <div>
      <h3>{filled(t.strip, { option: axis[0] })}</h3>
      <div class="strip">
        {pictures.map((each) => (
          <button key={each.value} title={`${axis[0]} = ${each.value}`} onClick={() => edit({ options: { ...store.state.document.options, [axis[0]]: each.value } }, true)}>
            <img src={each.image} alt="" />
            <span>
              {axis[0]} = {each.value}
            </span>
            <span class="muted">{each.errors}</span>
          </button>
        ))}
      </div>
    </div>
  );
}

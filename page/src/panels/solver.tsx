// Solvers step by step on the points: play, pause, step, rewind; both objectives; the border moving on the plane.
import { useEffect, useRef, useState } from "preact/hooks";
import { Chart, Legend } from "../draw/chart";
import { css, palette } from "../draw/colours";
import { engine, sendPoints } from "../fitting";
import { short } from "../numbers";
import type { Reply } from "../protocol";
import { did, store, useStore } from "../store";
import { filled, languageOf, useTexts } from "../texts";

export const solvers = ["smo", "pegasos", "subgradient", "interior_point"] as const;
type Solver = (typeof solvers)[number];
interface Run extends Reply {
  frames: number;
  solver: Solver;
}
const places = 90;

const icons = {
  first: "M2 2h2v12H2zM14 2v12L5 8z",
  back: "M13 2v12L4 8z",
  play: "M3 2l11 6-11 6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z",
  step: "M2 2l8 6-8 6zM11 2h3v12h-3z",
  last: "M2 2l9 6-9 6zM12 2h2v12h-2z",
};
function Icon({ name }: { name: keyof typeof icons }) {
  return (
    <svg viewBox="0 0 16 16" aria-hidden="true">
      <path d={icons[name]} />
    </svg>
  );
}

async function show(run: Run, frame: number): Promise<void> {
  const { document } = store.state;
  const n = document.points.length;
  const coef = (run.arrays.coef as Float32Array).slice(frame * n, (frame + 1) * n);
  const moved = [...run.arrays.moved.slice(2 * frame, 2 * frame + 2)].filter((i) => i >= 0);
  const reply = await engine.ask({ do: "function", kernel: document.kernel, offset: run.arrays.offset[frame], plane: document.view, nx: places, ny: places }, Float64Array.from(coef));
  if (reply.error || store.state.document !== document) return;
  store.set({ shown: { f: reply.arrays.f as Float32Array, border: reply.arrays.border as Float32Array, margins: reply.arrays.margins as Float32Array, coef, moved, nx: places } });
}

export function SolverPanel() {
  const t = useTexts();
  const [document, dark] = [useStore((s) => s.document), useStore((s) => s.dark)];
  const [solver, setSolver] = useState<Solver>("smo");
  const [runs, setRuns] = useState<Partial<Record<Solver, Run>>>({});
  const [trouble, setTrouble] = useState("");
  const [frame, setFrame] = useState(0);
  const [playing, setPlaying] = useState(false);
  const [together, setTogether] = useState(false);
  const latest = useRef(0);
  const C = Number(document.options.C ?? 1);
  const two = document.target === "classes" && new Set(document.points.map((p) => p.c)).size === 2;

  const load = async (which: readonly Solver[]): Promise<void> => {
    const turn = ++latest.current;
    const found: Partial<Record<Solver, Run>> = {};
    setTrouble("");
    await sendPoints(document);
    for (const each of which) {
      const run = await engine.ask<Run>({ do: "steps", solver: each, kernel: document.kernel, C: Number.isFinite(C) ? C : 1e6, frames: each === "smo" ? 400 : 60 });
      if (turn !== latest.current) return;
      if (run.error) setTrouble(run.error);
      else found[each] = run;
    }
    setRuns(found);
    setFrame(0);
  };
  useEffect(() => {
    setPlaying(false);
    setRuns({});
    store.set({ shown: null });
    if (two) void load(together ? solvers : [solver]);
  }, [document.points, document.kernel, C, solver, together]);
  useEffect(() => () => store.set({ shown: null }), []);

  const run = runs[solver];
  const go = (to: number) => {
    if (!run) return;
    const next = Math.min(run.frames - 1, Math.max(0, to));
    setFrame(next);
    if (next === run.frames - 1) {
      setPlaying(false);
      did(`solved:${solver}`);
    }
    void show(run, next);
  };
  useEffect(() => {
    if (!playing || !run) return;
    const timer = setTimeout(() => go(frame + Math.max(1, Math.floor(run.frames / 120))), 60);
    return () => clearTimeout(timer);
  }, [playing, frame, run]);

  if (!two) return <p class="muted">{t.two_classes_needed}</p>;
  const colours = palette(dark).map(css);
  const shownRuns = solvers.filter((each) => runs[each]);
  const best = Math.min(...shownRuns.flatMap((each) => [...(runs[each]!.arrays.primal as Float64Array)]));
  const pair = run ? [...run.arrays.moved.slice(2 * frame, 2 * frame + 2)].filter((i) => i >= 0) : [];
  return (
    <div>
      <div class="segments wrap" role="group" aria-label={t.solver}>
        {solvers.map((each) => (
          <button key={each} id={`solver-${each}`} aria-pressed={solver === each} class={solver === each ? "on" : ""} onClick={() => { setSolver(each); did(`solver:${each}`); }}>
            {t.solver_names[each]}
          </button>
        ))}
      </div>
      <div class="row player">
        <button class="button" aria-label={t.rewind} title={t.rewind} onClick={() => go(0)}><Icon name="first" /></button>
        <button class="button" aria-label={t.step_back} title={t.step_back} onClick={() => go(frame - 1)}><Icon name="back" /></button>
        <button class="button" id="play" aria-label={playing ? t.pause : t.play} title={playing ? t.pause : t.play} onClick={() => { if (run && frame >= run.frames - 1) setFrame(0); setPlaying(!playing); }}>
          <Icon name={playing ? "pause" : "play"} />
        </button>
        <button class="button" id="step" aria-label={t.step} title={t.step} onClick={() => go(frame + 1)}><Icon name="step" /></button>
        <button class="button" id="to-end" aria-label={t.to_end} title={t.to_end} onClick={() => run && go(run.frames - 1)}><Icon name="last" /></button>
        <input type="range" aria-label={t.step_number} min={0} max={run ? run.frames - 1 : 0} value={frame} onInput={(event) => go(Number(event.currentTarget.value))} />
      </div>
      {trouble && <p class="trouble" lang={languageOf(trouble, t)}>{trouble}</p>}
      {run && (
        <>
          <p class="readout">
            {filled(t.step_of, { step: run.arrays.step[frame], last: run.arrays.step[run.frames - 1] })} · J = {short(run.arrays.primal[frame])} · D = {short(run.arrays.dual[frame])} · J − D = {short(run.arrays.primal[frame] - run.arrays.dual[frame], 3)}
            {pair.length > 0 && ` · ${filled(t.pair, { pair: pair.map((i) => i + 1).join(", ") })}`}
          </p>
          <Chart label={t.objectives} top={4 * run.arrays.primal[run.frames - 1]} marker={run.arrays.step[frame] + 1} logX lines={[{ name: "J", values: run.arrays.primal, across: Float64Array.from(run.arrays.step, (s) => s + 1), colour: colours[1] }, { name: "D", values: run.arrays.dual, across: Float64Array.from(run.arrays.step, (s) => s + 1), colour: colours[0] }]} />
          <Legend lines={[{ name: t.primal, colour: colours[1] }, { name: t.dual, colour: colours[0] }]} />
        </>
      )}
      <label class="flag">
        <input id="together" type="checkbox" checked={together} onChange={(event) => { setTogether(event.currentTarget.checked); if (event.currentTarget.checked) did("together"); }} /> {t.all_together}
      </label>
      {together && shownRuns.length > 1 && (
        <>
          <Chart label={t.all_together} logY logX lines={shownRuns.map((each, i) => ({ name: t.solver_names[each], colour: colours[i], across: Float64Array.from(runs[each]!.arrays.step, (s) => s + 1), values: Float64Array.from(runs[each]!.arrays.primal, (v) => Math.max((v - best) / Math.max(Math.abs(best), 1e-9), 1e-8)) }))} />
          <Legend lines={shownRuns.map((each, i) => ({ name: t.solver_names[each], colour: colours[i] }))} />
        </>
      )}
      <p class="muted">{t.solver_about[solver]}</p>
    </div>
  );
}

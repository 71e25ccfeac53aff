// The fit follows the document: whenever that has changed and the library is free, it is asked again. The last answer
// stays until the next is there; answers to what is no longer on the page are never asked for.
import type { Document } from "./document";
import { Engine } from "./engine";
import type { FitReply, KernelReply, Reply, TestReply, WhyReply } from "./protocol";
import { did, store, tell } from "./store";
import { languageOf, texts } from "./texts";

export const engine = new Engine("worker.js");
engine.onRestart = () => sent.clear();
engine.tooLong = () => texts().too_long;

const sent = new Map<string, Document>(); // whose points the library has, session by session
let asked: Document | null = null;
let busy = false;
export const places = 200; // of the grid, each way
// While something is dragged the grid is as fine as thirty pictures a second allow; the last one is fine again.
let coarse = places;
let changed = 0; // when the document was asked about last
let refine = 0;

export function specOf(d: Document): Record<string, string> {
  const info = store.state.about?.methods.find((m) => m.name === d.method);
  const spec: Record<string, string> = { method: d.method };
  if (info?.takes_kernel !== false) spec.kernel = d.kernel;
  return { ...spec, ...d.options };
}
const learnsFrom = (d: Document) => store.state.about?.methods.find((m) => m.name === d.method)?.targets ?? "classes";

// The points as the method of this document learns from them: with classes, with values, or alone. The library keeps
// data and a model for each session: "" is that of the plane.
export async function sendPoints(d: Document, session = ""): Promise<Reply> {
  const before = sent.get(session);
  if (before?.points === d.points && before.target === d.target && before.classes === d.classes && learnsFrom(before) === learnsFrom(d))
    return { arrays: {} };
  const { points } = d;
  const line = d.target === "values";
  const targets = learnsFrom(d);
  const numbers: number[] = [];
  for (const p of points) {
    numbers.push(p.x);
    if (!line) numbers.push(p.y);
  }
  if (line) for (const p of points) numbers.push(p.y);
  else if (targets === "classes") for (const p of points) numbers.push(p.c);
  sent.set(session, d);
  return engine.ask(
    { do: "points", session, n: points.length, dims: line ? 1 : 2, ...(targets === "classes" && !line ? { classes: d.classes } : {}) },
    Float64Array.from(numbers),
  );
}

export async function askFit(d: Document, nx: number, session = ""): Promise<FitReply> {
  const line = d.target === "values";
  const sending = await sendPoints(d, session);
  if (sending.error) return sending as FitReply;
  return engine.ask<FitReply>({
    do: "fit",
    session,
    spec: specOf(d),
    view: line ? "line" : "plane",
    plane: d.view,
    nx: line ? 400 : nx,
    ny: nx,
    component: d.component,
    seconds: 8,
  });
}

async function follow(): Promise<void> {
  const { document, about, kernel } = store.state;
  if (busy || !about || document === asked) return;
  busy = true;
  asked = document;
  store.set({ fitting: true });
  if (!kernel || kernelAsked !== document.kernel) await askKernel(document.kernel);
  const began = performance.now();
  if (document.points.length === 0) store.set({ fit: null, fitOf: null, problem: "", answered: document, fitting: false });
  else if (store.state.kernel && !store.state.kernel.ok) store.set({ problem: store.state.kernel.message ?? "", answered: document, fitting: false });
  else {
    const moving = began - changed < 200;
    const nx = moving ? coarse : places;
    const reply = await askFit(document, nx);
    changed = performance.now();
    const milliseconds = performance.now() - began;
    if (reply.error) store.set({ problem: reply.error, answered: document, fitting: false });
    else store.set({ fit: reply, fitOf: document, problem: "", answered: document, fitting: false, milliseconds });
    coarse = milliseconds > 33 ? Math.max(70, coarse - 15) : milliseconds < 25 ? Math.min(places, coarse + 15) : coarse;
    clearTimeout(refine);
    if (nx < places)
      refine = window.setTimeout(() => {
        if (store.state.document !== asked) return;
        asked = null;
        void follow();
      }, 250);
  }
  busy = false;
  void follow();
}
export function startFollowing(): void {
  let planned = false;
  store.subscribe(() => {
    if (planned) return;
    planned = true;
    requestAnimationFrame(() => {
      planned = false;
      void follow();
    });
  });
  void follow();
}

let kernelAsked = "";
export async function askKernel(text: string): Promise<KernelReply> {
  kernelAsked = text;
  const reply = (await engine.ask({ do: "kernel", kernel: text, dims: store.state.document.target === "values" ? 1 : 2 })) as unknown as KernelReply;
  if (kernelAsked === text) store.set({ kernel: reply });
  return reply;
}

export async function askWhy(x: number, y: number): Promise<void> {
  const { document } = store.state;
  const at = document.target === "values" ? [x] : [x, y];
  const why = await engine.ask<WhyReply>({ do: "why", x: at });
  if (store.state.document !== document) return; // a late answer says nothing about what is there now
  store.set({ place: [x, y], why: why.error ? null : why, tab: "point" });
  did("why");
}
export async function askTest(): Promise<void> {
  const { document } = store.state;
  await sendPoints(document);
  const test = await engine.ask<TestReply>({ do: "test", kernel: document.kernel });
  if (test.error) tell(test.error, languageOf(test.error, texts()));
  else {
    store.set({ test });
    did("test:" + test.verdict);
  }
}

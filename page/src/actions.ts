// What can be done on the page. Every change of the document goes through `edit`, so that all of it can be undone.
import { boundsOf, classLetters, mostClasses, mostPoints, rounded, type Document, type Point } from "./document";
import { preset } from "./presets";
import type { MethodInfo } from "./protocol";
import { did, start, store } from "./store";

const mostUndo = 100;
let gesture: Document | null = null; // the document before a drag or a slider began

export function edit(change: Partial<Document>, keepsPreset = false): void {
  const { document, past } = store.state;
  const next: Document = { ...document, preset: keepsPreset ? document.preset : null, ...change };
  const during = gesture !== null;
  store.set({
    document: next,
    past: during ? past : [...past.slice(-mostUndo), document],
    future: during ? store.state.future : [],
    shown: null,
    notice: "",
  });
}
// Between these, any number of edits is one for undo.
export function beginGesture(): void {
  gesture ??= store.state.document;
}
export function endGesture(): void {
  if (gesture && gesture !== store.state.document)
    store.set({ past: [...store.state.past.slice(-mostUndo), gesture], future: [] });
  gesture = null;
}
// As if the gesture had not begun: a second finger came, or the browser took the first.
export function abandonGesture(): void {
  if (gesture && gesture !== store.state.document) store.set({ document: gesture, shown: null, ...nothingChosen });
  gesture = null;
}
export function undo(): void {
  const { past, future, document } = store.state;
  if (past.length === 0) return;
  did("undo");
  store.set({ document: past[past.length - 1], past: past.slice(0, -1), future: [document, ...future], shown: null, ...nothingChosen });
}
export function redo(): void {
  const { past, future, document } = store.state;
  if (future.length === 0) return;
  store.set({ document: future[0], past: [...past, document], future: future.slice(1), shown: null, ...nothingChosen });
}
const nothingChosen = { hover: -1, partner: -1, selected: -1, place: null, why: null, test: null };

export function openPreset(name: string): void {
  const from = preset(name);
  if (!from) return;
  const now = store.state.document;
  const sameKind = from.target === now.target;
  edit({ ...(sameKind ? {} : { method: start(name).method, options: {}, kernel: start(name).kernel }), ...from, preset: name, axes: start(name).axes });
  store.set({ ...nothingChosen, brush: 0, file: null });
}
export function openDocument(document: Document): void {
  edit(document, true);
  store.set(nothingChosen);
}
export function clearPoints(): void {
  edit({ points: [] });
  store.set({ ...nothingChosen, fit: null, fitOf: null });
}

export function addPoint(x: number, y: number): void {
  const { document, brush } = store.state;
  if (document.points.length >= mostPoints) return;
  const classes = [...document.classes];
  while (classes.length <= brush && classes.length < mostClasses) classes.push(classLetters[classes.length]);
  const point: Point = { x: rounded(x, document.view), y: rounded(y, document.view), c: document.target === "classes" ? brush : 0 };
  edit({ points: [...document.points, point], classes });
  did("draw");
}
export function movePoint(which: number, x: number, y: number): void {
  const { document } = store.state;
  const points = document.points.slice();
  points[which] = { ...points[which], x: rounded(x, document.view), y: rounded(y, document.view) };
  edit({ points });
}
export function erasePoint(which: number): void {
  edit({ points: store.state.document.points.filter((_, i) => i !== which) });
  store.set(nothingChosen);
  did("erase");
}

// A method and the options that make sense to begin with.
export function chooseMethod(name: string): void {
  const { document, about } = store.state;
  const info = about?.methods.find((m) => m.name === name);
  const options: Record<string, string> = {};
  for (const [key, value] of Object.entries(document.options))
    if (info?.options.some((o) => o.name === key)) options[key] = value;
  if (info?.options.some((o) => o.name === "n_clusters")) options.n_clusters ??= String(Math.max(2, document.classes.length));
  if (name === "one_class" || name === "kernel_pca") options[name === "one_class" ? "nu" : "n_components"] ??= name === "one_class" ? "0.1" : "6";
  edit({ method: name, options, component: 0 }, true);
}
export function setOption(name: string, value: string): void {
  const { document, about } = store.state;
  const info = about?.methods.find((m) => m.name === document.method)?.options.find((o) => o.name === name);
  const options = { ...document.options, [name]: value };
  if (info?.initial === value && name !== "n_clusters") delete options[name];
  edit({ options }, true);
}
export function setKernel(kernel: string): void {
  edit({ kernel }, true);
}

// Does it learn from what the points are? Others are offered after a change of the data.
export function methodsFor(document: Document, methods: MethodInfo[]): MethodInfo[] {
  const drawn = (m: MethodInfo) => (m.can_predict || m.name === "kernel_pca") && m.name !== "representer";
  return methods.filter((m) => drawn(m) && (document.target === "values") === (m.targets === "values"));
}

export function fitWindow(): void {
  const { document } = store.state;
  edit({ view: boundsOf(document.points, false) }, false);
}

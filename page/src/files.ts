// Files dropped on the page: read by the library, in the browser; they never leave it.
import { edit } from "./actions";
import { exampleOf } from "./examples";
import { boundsOf, mostClasses, mostPoints, rounded, type Document, type Point } from "./document";
import { engine } from "./fitting";
import { filePresets } from "./presets";
import type { Reply } from "./protocol";
import { did, start, store, tell, type FileData } from "./store";
import { filled, languageOf, texts } from "./texts";

const mostBytes = 20e6;

export async function openFile(file: File): Promise<void> {
  if (file.size > mostBytes) return tell(filled(texts().file_too_large, { name: file.name, megabytes: Math.round(file.size / 1e6), most: mostBytes / 1e6 }));
  await openBytes(file.name, new Uint8Array(await file.arrayBuffer()), undefined);
  did("file");
}
export async function openFilePreset(name: string): Promise<void> {
  const { file, label } = filePresets[name];
  const answer = await fetch(`data/${file}`);
  if (!answer.ok) return tell(`${file}: ${answer.status}`);
  await openBytes(file, new Uint8Array(await answer.arrayBuffer()), label);
  if (name === "digits") await showComponents();
}

interface Read extends Reply {
  format: string;
  kind: string;
  n: number;
  columns: string[];
  features: string[];
  classes: string[];
}
export async function openBytes(name: string, bytes: Uint8Array, label: string | undefined): Promise<void> {
  let reply = await engine.ask<Read>({ do: "file", name, ...(label ? { label } : {}) }, undefined, bytes);
  if (reply.error) return tell(reply.error, languageOf(reply.error, texts()));
  if (reply.kind !== "vectors") {
    showObjects(reply.kind, reply.format, new TextDecoder().decode(bytes));
    return tell(filled(texts().file_of_objects, { name, kind: texts().kinds[reply.kind] ?? reply.kind }));
  }
  // A table without a word about its targets: those of the last column, as most tables have it.
  if (!label && reply.columns.length > 2) {
    label = reply.columns[reply.columns.length - 1];
    const again = await engine.ask<Read>({ do: "file", name, label }, undefined, bytes);
    if (again.error || again.features.length < 1) label = undefined;
    else reply = again;
  }
  const file: FileData = {
    name,
    n: reply.n,
    columns: reply.columns,
    features: reply.features,
    classes: reply.classes,
    label: label ?? "",
    x: reply.arrays.x as Float64Array,
    y: reply.arrays.y as Float64Array,
    chosen: [0, Math.min(1, reply.features.length - 1)],
    bytes,
  };
  drawColumns(file);
}

// Objects that are no vectors go to their own panel.
function showObjects(kind: string, format: string, text: string): void {
  const example = exampleOf(kind);
  if (example) store.set({ tab: "objects", objects: { example: example.name, format, text, kernel: example.kernel } });
}

// The classes of the targets, where they are few; null: they are values.
function classesOf(file: FileData): { names: string[]; number: (i: number) => number } | null {
  if (file.y.length === 0) return { names: ["A", "B"], number: () => 0 };
  if (file.classes.length > 0) return { names: file.classes, number: (i) => file.y[i] };
  const values = [...new Set(file.y)].sort((a, b) => a - b);
  if (values.length > 12 || values.some((v) => !Number.isInteger(v))) return null;
  return { names: values.map(String), number: (i) => values.indexOf(file.y[i]) };
}

// Two columns of the file as points; a target of many values makes a regression on one.
export function drawColumns(file: FileData): void {
  const t = texts();
  const dims = file.features.length;
  const classes = classesOf(file);
  const [a, b] = file.chosen;
  const notes: string[] = [];
  if (classes && classes.names.length > mostClasses) notes.push(filled(t.too_many_classes, { n: classes.names.length, most: mostClasses }));
  let points: Point[] = [];
  for (let i = 0; i < file.n; ++i) {
    const c = classes ? classes.number(i) : 0;
    if (c >= mostClasses) continue;
    points.push(classes ? { x: file.x[i * dims + a], y: file.x[i * dims + b], c } : { x: file.x[i * dims + a], y: file.y[i], c: 0 });
  }
  const finite = points.filter((p) => Number.isFinite(p.x) && Number.isFinite(p.y));
  if (finite.length < points.length) notes.push(filled(t.not_finite, { n: points.length - finite.length }));
  if (finite.length > mostPoints) notes.push(filled(t.too_many_points, { n: finite.length, most: mostPoints }));
  points = finite.slice(0, mostPoints);
  const target = classes ? "classes" : "values";
  const view = boundsOf(points, false);
  const names = classes ? classes.names.slice(0, mostClasses) : ["A", "B"];
  place(points, view, target, names.length < 2 ? ["A", "B"] : names, [file.features[a], classes ? file.features[b] : file.label || "y"]);
  store.set({ file });
  tell(notes.join(" "));
}
function place(points: Point[], view: Document["view"], target: Document["target"], classes: string[], axes: [string, string]): void {
  const { document } = store.state;
  const same = document.target === target;
  const from = same ? document : start(target === "values" ? "sine" : "moons");
  const width = Math.max(view[1] - view[0], 1e-9);
  edit({
    target,
    classes,
    view,
    points: points.map((p) => ({ x: rounded(p.x, view), y: rounded(p.y, view), c: p.c })),
    axes,
    method: from.method,
    options: from.options,
    kernel: same && !document.kernel.startsWith("rbf(gamma=") ? document.kernel : `rbf(gamma=${Number((10 / width ** 2).toPrecision(2))})`,
  });
  store.set({ hover: -1, selected: -1, place: null, why: null, test: null, brush: 0 });
}

// Two kernel principal components of all columns in the place of two of them.
export async function showComponents(): Promise<void> {
  const { file } = store.state;
  if (!file) return;
  const dims = file.features.length;
  const most = Math.min(file.n, 600);
  await engine.ask({ do: "points", session: "file", n: most, dims }, file.x.slice(0, most * dims));
  const reply = await engine.ask({ do: "components", session: "file", scale: "standard" });
  if (reply.error) return tell(reply.error, languageOf(reply.error, texts()));
  const scores = reply.arrays.scores;
  const classes = classesOf(file) ?? { names: ["A", "B"], number: () => 0 };
  const points: Point[] = [];
  for (let i = 0; i < most; ++i) if (classes.number(i) < mostClasses) points.push({ x: scores[2 * i], y: scores[2 * i + 1], c: classes.number(i) });
  const names = classes.names.slice(0, mostClasses);
  place(points, boundsOf(points, true), "classes", names.length < 2 ? ["A", "B"] : names, ["component 1", "component 2"]);
  store.set({ file });
  tell(classes.names.length > mostClasses ? filled(texts().too_many_classes, { n: classes.names.length, most: mostClasses }) : "");
}

// The lessons: each sets the page up and checks one thing that the reader did. Their words are in texts/.
import type { Document } from "./document";
import { start, type State, type Tab } from "./store";

export interface Lesson {
  id: string;
  tab: Tab;
  setup: Partial<Document> & { preset: string };
  done(state: State): boolean;
}
const happened = (event: string) => (s: State) => (s.events[event] ?? 0) > 0;
const accuracy = (s: State) => s.fit?.score?.accuracy ?? 0;
const option = (s: State, name: string, otherwise: number) => Number(s.document.options[name] ?? otherwise);
const settled = (s: State) => s.fitOf === s.document;

export const lessons: Lesson[] = [
  { id: "line", tab: "point", setup: { preset: "separable", kernel: "linear()", options: { C: "inf" } }, done: happened("drag:support") },
  { id: "slack", tab: "point", setup: { preset: "outliers", kernel: "linear()", options: { C: "1000" } }, done: (s) => option(s, "C", 1) <= 0.1 },
  { id: "dual", tab: "point", setup: { preset: "overlap", kernel: "linear()", options: { C: "1" } }, done: happened("select:bound") },
  { id: "trick", tab: "kernel", setup: { preset: "rings", kernel: "linear()", options: { C: "10" } }, done: (s) => settled(s) && (s.kernel?.text ?? "").includes("poly(degree=2") && accuracy(s) === 1 },
  { id: "building", tab: "kernel", setup: { preset: "xor", kernel: "linear()", options: { C: "10" } }, done: (s) => settled(s) && ["sum", "product"].includes(s.kernel?.form?.what ?? "") && s.kernel?.proof.valid === true && accuracy(s) > 0.95 },
  { id: "mercer", tab: "kernel", setup: { preset: "moons", kernel: "sigmoid(gamma=0.5, coef0=-1)" }, done: happened("test:indefinite") },
  { id: "gram", tab: "gram", setup: { preset: "clouds", kernel: "rbf(gamma=0.3)" }, done: happened("gram:identity") },
  { id: "smo", tab: "solver", setup: { preset: "separable", kernel: "linear()", options: { C: "10" } }, done: happened("solved:smo") },
  { id: "pegasos", tab: "solver", setup: { preset: "overlap", kernel: "linear()", options: { C: "1" } }, done: happened("solved:pegasos") },
  { id: "ridge", tab: "kernel", setup: { preset: "sine", method: "kernel_ridge", kernel: "linear()", options: { alpha: "0.1" } }, done: (s) => settled(s) && s.document.method === "kernel_ridge" && (s.fit?.score?.r2 ?? 0) > 0.9 },
  { id: "neighbours", tab: "point", setup: { preset: "overlap", method: "knn", kernel: "linear()", options: { n_neighbors: "1" } }, done: (s) => s.document.method === "knn" && option(s, "n_neighbors", 5) >= 15 },
  { id: "clusters", tab: "kernel", setup: { preset: "rings", method: "kernel_kmeans", kernel: "linear()", options: { n_clusters: "2" } }, done: (s) => settled(s) && s.document.method === "kernel_kmeans" && separated(s) },
  { id: "components", tab: "kernel", setup: { preset: "rings", method: "kernel_pca", kernel: "rbf(gamma=0.5)", options: { n_components: "6" } }, done: (s) => s.document.method === "kernel_pca" && s.document.component >= 2 },
  { id: "objects", tab: "objects", setup: { preset: "moons" }, done: happened("explain") },
  { id: "overfitting", tab: "tuning", setup: { preset: "overlap", kernel: "rbf(gamma=50)", options: { C: "1000" } }, done: happened("map:go") },
];

// Are the clusters the classes, by whatever number?
function separated(s: State): boolean {
  const clusters = s.fit?.arrays.cluster;
  if (clusters?.length !== s.document.points.length) return false;
  const seen = new Map<number, number>();
  for (let i = 0; i < clusters.length; ++i) {
    const c = s.document.points[i].c;
    if (seen.has(c) && seen.get(c) !== clusters[i]) return false;
    seen.set(c, clusters[i]);
  }
  return new Set(seen.values()).size === seen.size;
}

export function documentOf(lesson: Lesson): Document {
  return { ...start(lesson.setup.preset), options: {}, ...lesson.setup };
}

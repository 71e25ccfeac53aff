// Data to start from. Drawn ones are made from a fixed seed, so that a link can name them; iris, wine and digits are
// files of data/ that the library reads.
import { boundsOf, rounded, type Bounds, type Point, type Target } from "./document";

export interface Preset {
  target: Target;
  points: Point[];
  classes: string[];
  view: Bounds;
}

// mulberry32: the same numbers everywhere.
function random(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

type Maker = (next: () => number) => Point[];
const cloud = (next: () => number, x: number, y: number, spread: number, c: number, count: number): Point[] =>
  Array.from({ length: count }, () => ({ x: x + spread * normal(next), y: y + spread * normal(next), c }));

const makers: Record<string, Maker> = {
  separable: (next) => [...cloud(next, -1.3, -0.7, 0.45, 0, 20), ...cloud(next, 1.3, 0.9, 0.45, 1, 20)],
  overlap: (next) => [...cloud(next, -0.7, -0.3, 0.8, 0, 40), ...cloud(next, 0.8, 0.4, 0.8, 1, 40)],
  outliers: (next) => [
    ...cloud(next, -1.2, 0.6, 0.45, 0, 25),
    ...cloud(next, 1.2, -0.6, 0.45, 1, 25),
    { x: 1.5, y: -0.9, c: 0 },
    { x: -1.4, y: 1.1, c: 1 },
  ],
  xor: (next) => [
    ...cloud(next, -1.1, -1.1, 0.4, 0, 15),
    ...cloud(next, 1.1, 1.1, 0.4, 0, 15),
    ...cloud(next, -1.1, 1.1, 0.4, 1, 15),
    ...cloud(next, 1.1, -1.1, 0.4, 1, 15),
  ],
  moons: (next) =>
    Array.from({ length: 80 }, (_, i) => {
      const t = Math.PI * next();
      const [x, y] = i % 2 ? [1 - Math.cos(t), 0.4 - Math.sin(t)] : [Math.cos(t), Math.sin(t)];
      return { x: 1.3 * (x - 0.5) + 0.13 * normal(next), y: 1.3 * (y - 0.2) + 0.13 * normal(next), c: i % 2 };
    }),
  rings: (next) =>
    Array.from({ length: 90 }, (_, i) => {
      const [t, r] = [2 * Math.PI * next(), (i % 2 ? 1.9 : 0.8) + 0.13 * normal(next)];
      return { x: r * Math.cos(t), y: r * Math.sin(t), c: i % 2 };
    }),
  spirals: (next) =>
    Array.from({ length: 120 }, (_, i) => {
      const t = 0.4 + 2.2 * Math.PI * Math.sqrt(next());
      const [turn, r] = [t + (i % 2 ? Math.PI : 0), 0.29 * t];
      return { x: r * Math.cos(turn) + 0.05 * normal(next), y: r * Math.sin(turn) + 0.05 * normal(next), c: i % 2 };
    }),
  clouds: (next) => [
    ...cloud(next, -1.3, -0.8, 0.5, 0, 25),
    ...cloud(next, 1.4, -0.7, 0.5, 1, 25),
    ...cloud(next, 0, 1.4, 0.5, 2, 25),
  ],
  sine: (next) =>
    Array.from({ length: 50 }, (_, i) => {
      const x = -2.6 + (5.2 * i) / 49;
      return { x, y: 1.4 * Math.sin(1.9 * x) + 0.22 * normal(next), c: 0 };
    }),
  line: (next) =>
    Array.from({ length: 40 }, (_, i) => {
      const x = -2.6 + (5.2 * i) / 39;
      return { x, y: 0.6 * x + 0.3 + 0.35 * normal(next) + (i === 31 ? 3 : 0), c: 0 };
    }),
};

export const presetNames = Object.keys(makers);
export const filePresets: Record<string, { file: string; label?: string }> = {
  iris: { file: "iris.csv", label: "species" },
  wine: { file: "wine.svm" },
  digits: { file: "digits.svm" },
};

export function preset(name: string): Preset | null {
  const make = makers[name];
  if (!make) return null;
  const view: Bounds = [-3, 3, -3, 3];
  const points = make(random(7)).map((p) => ({ x: rounded(p.x, view), y: rounded(p.y, view), c: p.c }));
  const target: Target = name === "sine" || name === "line" ? "values" : "classes";
  const count = Math.max(...points.map((p) => p.c)) + 1;
  return { target, points, classes: ["A", "B", "C", "D", "E", "F"].slice(0, Math.max(2, count)), view };
}

export { boundsOf };

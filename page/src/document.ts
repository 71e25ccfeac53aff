// What is on the page, as far as it can be undone, linked to and taken away: the points and the machine.
export interface Point {
  x: number;
  y: number;
  c: number; // its class; 0 where targets are values
}
export type Target = "classes" | "values";
export type Bounds = [number, number, number, number]; // x0, x1, y0, y1

export interface Document {
  preset: string | null; // the name of a preset that nobody has changed since
  target: Target;
  points: readonly Point[];
  classes: readonly string[];
  axes: readonly [string, string];
  view: Bounds;
  method: string;
  kernel: string;
  options: Readonly<Record<string, string>>; // those that differ from the default
  component: number; // of kernel PCA, from 0
}

export const mostClasses = 6;
export const mostPoints = 5000;
export const classLetters = ["A", "B", "C", "D", "E", "F"];

// Coordinates are kept to so many digits that a link holds them exactly.
export function rounded(value: number, bounds: Bounds): number {
  const width = Math.max(bounds[1] - bounds[0], bounds[3] - bounds[2]);
  const places = Math.max(0, 4 - Math.ceil(Math.log10(width)));
  return Number(value.toFixed(Math.min(places, 12)));
}

// A window a little wider than the points; square where the axes are alike.
export function boundsOf(points: readonly Point[], square: boolean): Bounds {
  if (points.length === 0) return [-3, 3, -3, 3];
  let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const p of points) {
    x0 = Math.min(x0, p.x);
    x1 = Math.max(x1, p.x);
    y0 = Math.min(y0, p.y);
    y1 = Math.max(y1, p.y);
  }
  let [w, h] = [(x1 - x0) / 2 || 1, (y1 - y0) / 2 || 1];
  if (square) w = h = Math.max(w, h);
  const [cx, cy] = [(x0 + x1) / 2, (y0 + y1) / 2];
  return [cx - 1.15 * w, cx + 1.15 * w, cy - 1.15 * h, cy + 1.15 * h];
}

export function isDocument(from: unknown): from is Document {
  const d = from as Document;
  return (
    typeof d === "object" &&
    d !== null &&
    (d.target === "classes" || d.target === "values") &&
    Array.isArray(d.points) &&
    d.points.length <= mostPoints &&
    d.points.every((p: Point) => Number.isFinite(p.x) && Number.isFinite(p.y) && Number.isInteger(p.c) && p.c >= 0 && p.c < mostClasses) &&
    Array.isArray(d.classes) &&
    Array.isArray(d.view) &&
    d.view.length === 4 &&
    d.view.every(Number.isFinite) &&
    d.view[0] < d.view[1] &&
    d.view[2] < d.view[3] &&
    typeof d.method === "string" &&
    typeof d.kernel === "string" &&
    typeof d.options === "object"
  );
}

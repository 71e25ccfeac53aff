// The points: colour and shape by class, a ring for support vectors (full where 0 < α < C, broken at α = C), its width by
// α, a cross where the class is missed.
import type { Document } from "../document";
import { store, useStore } from "../store";
import { css, palette } from "./colours";
import type { Scale } from "./plane";

// Six shapes, so that classes are told apart without colours.
export function shape(c: number, x: number, y: number, r: number): string {
  const regular = (corners: number, turn: number, size: number) =>
    Array.from({ length: corners }, (_, i) => {
      const a = turn + (2 * Math.PI * i) / corners;
      return `${i ? "L" : "M"}${(x + size * Math.cos(a)).toFixed(1)} ${(y + size * Math.sin(a)).toFixed(1)}`;
    }).join("") + "Z";
  switch (c % 6) {
    case 1:
      return regular(4, Math.PI / 4, 1.25 * r);
    case 2:
      return regular(3, -Math.PI / 2, 1.4 * r);
    case 3:
      return regular(4, 0, 1.35 * r);
    case 4:
      return regular(3, Math.PI / 2, 1.4 * r);
    case 5:
      return regular(6, 0, 1.15 * r);
    default:
      return `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
  }
}

export interface Mark {
  kind: number; // 0 no support vector, 1 free, 2 at its bound
  weight: number; // of α among the largest
  missed: boolean;
  colour: number;
}
export function marksOf(document: Document): Mark[] {
  const { fit, fitOf, shown } = store.state;
  const fresh = fitOf?.points.length === document.points.length && fitOf.target === document.target;
  const a = fresh && fit ? fit.arrays : {};
  const size = shown?.coef ?? a.alpha ?? a.coef;
  let most = 0;
  if (size) for (const v of size) most = Math.max(most, Math.abs(v));
  const classes = fit?.classes ?? [];
  return document.points.map((p, i) => {
    const weight = size && most > 0 ? Math.abs(size[i]) / most : 0;
    const supports = a.case ? a.case[i] : weight > 1e-6 && hasSupport(fitOf?.method) ? 1 : 0;
    const missed = a.side ? a.side[i] === 3 : a.said && classes.length > 0 ? a.said[i] !== p.c : a.said && fitOf?.method === "one_class" ? a.said[i] < 0 : false;
    return { kind: shown ? (weight > 1e-6 ? 1 : 0) : supports, weight, missed, colour: a.cluster ? a.cluster[i] : p.c };
  });
}
const hasSupport = (method: string | undefined) => ["svc", "nu_svc", "svr", "nu_svr", "one_class", "pegasos"].includes(method ?? "");

// A few paths in the place of an element for each point: while one is dragged, all are drawn sixty times a second.
function Dots({ document, scale, r }: { document: Document; scale: Scale; r: number }) {
  const dark = useStore((s) => s.dark);
  useStore((s) => s.fit);
  useStore((s) => s.shown);
  const dots = new Map<number, string[]>();
  const rings = new Map<string, string[]>(); // by kind and width
  const missed: string[] = [];
  const put = <K,>(where: Map<K, string[]>, key: K, d: string) => {
    const list = where.get(key);
    if (list) list.push(d);
    else where.set(key, [d]);
  };
  marksOf(document).forEach((m, i) => {
    const p = document.points[i];
    const [x, y] = [Number(scale.x(p.x).toFixed(1)), Number(scale.y(p.y).toFixed(1))];
    put(dots, m.colour, shape(document.target === "values" ? 0 : p.c, x, y, r));
    if (m.kind > 0) put(rings, `${m.kind} ${(1 + 2.4 * (Math.ceil(4 * m.weight) / 4)).toFixed(1)}`, shape(0, x, y, r + 4));
    if (m.missed) missed.push(`M${x - 4} ${y - 4}l8 8m0 -8l-8 8`);
  });
  const colours = palette(dark);
  return (
    <g>
      {[...rings].map(([key, list]) => (
        <path key={key} d={list.join("")} class={key.startsWith("2") ? "ring bound" : "ring"} stroke-width={key.slice(2)} />
      ))}
      {[...dots].map(([colour, list]) => (
        <path key={colour} d={list.join("")} fill={css(colours[colour % colours.length])} class="dot" />
      ))}
      <path d={missed.join("")} class="missed" />
    </g>
  );
}

export function Points({ document, scale }: { document: Document; scale: Scale }) {
  const r = document.points.length > 400 ? 3.4 : 5.2;
  return (
    <g class="points">
      <Dots document={document} scale={scale} r={r} />
      <Marks document={document} scale={scale} r={r} />
    </g>
  );
}

// What is pointed at, chosen, moved by a solver, or a witness.
function Marks({ document, scale, r }: { document: Document; scale: Scale; r: number }) {
  const [hover, selected, partner] = [useStore((s) => s.hover), useStore((s) => s.selected), useStore((s) => s.partner)];
  const witness = useStore((s) => s.test?.witness);
  const moved = useStore((s) => s.shown?.moved);
  return (
    <g>
      {[hover, selected, partner].map((i, which) => {
        const p = document.points[i];
        return p && <circle key={`m${which}`} cx={scale.x(p.x)} cy={scale.y(p.y)} r={r + 9} class={which === 1 ? "selected" : "hovered"} />;
      })}
      {moved?.map((i) => {
        const p = document.points[i];
        return p && <circle key={`v${i}`} cx={scale.x(p.x)} cy={scale.y(p.y)} r={r + 10} class="moved" />;
      })}
      {witness?.points.map((i, k) => {
        const p = document.points[i];
        return (
          p && (
            <g key={`w${i}`} class="witness">
              <circle cx={scale.x(p.x)} cy={scale.y(p.y)} r={r + 12} />
              <text x={scale.x(p.x) + r + 15} y={scale.y(p.y) + 4}>
                c = {Number(witness.coefficients[k].toPrecision(3))}
              </text>
            </g>
          )
        );
      })}
    </g>
  );
}

// The plane: regions, lines and points, and what a hand, a finger or a keyboard does on it.
import { useEffect, useRef, useState } from "preact/hooks";
import { abandonGesture, addPoint, beginGesture, endGesture, erasePoint, movePoint, redo, undo } from "../actions";
import type { Bounds, Document } from "../document";
import { askWhy } from "../fitting";
import { short } from "../numbers";
import type { FitReply } from "../protocol";
import { did, store, useStore, type Shown } from "../store";
import { useTexts } from "../texts";
import { css, palette } from "./colours";
import { functionRaster, rasterOf } from "./raster";
import { Points } from "./points";

export const side = 640; // of the drawing, in its own units

export interface Scale {
  x(value: number): number;
  y(value: number): number;
  place(px: number, py: number): [number, number];
}
export function scaleOf(view: Bounds): Scale {
  const [x0, x1, y0, y1] = view;
  return {
    x: (value) => ((value - x0) / (x1 - x0)) * side,
    y: (value) => side - ((value - y0) / (y1 - y0)) * side,
    place: (px, py) => [x0 + (px / side) * (x1 - x0), y0 + ((side - py) / side) * (y1 - y0)],
  };
}

// Chains of x, y pairs with NaN between them, as the d of a path.
export function pathOf(points: ArrayLike<number> | undefined, scale: Scale): string {
  if (!points) return "";
  const out: string[] = [];
  let pen = "M";
  for (let i = 0; i + 1 < points.length; i += 2) {
    if (Number.isNaN(points[i])) pen = "M";
    else {
      out.push(`${pen}${scale.x(points[i]).toFixed(1)} ${scale.y(points[i + 1]).toFixed(1)}`);
      pen = "L";
    }
  }
  return out.join("");
}

export function ticks(low: number, high: number): number[] {
  const rough = (high - low) / 6;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? power;
  const out: number[] = [];
  for (let t = Math.ceil(low / step) * step; t <= high + 1e-9 * step; t += step) out.push(Number(t.toPrecision(8)));
  return out;
}

function Axes({ document, scale }: { document: Document; scale: Scale }) {
  const [x0, x1, y0, y1] = document.view;
  return (
    <g class="axes" aria-hidden="true">
      {ticks(x0, x1).map((t) => (
        <g key={`x${t}`}>
          <line x1={scale.x(t)} x2={scale.x(t)} y1={0} y2={side} class={t === 0 ? "zero" : ""} />
          <text x={scale.x(t) + 3} y={side - 5}>
            {t}
          </text>
        </g>
      ))}
      {ticks(y0, y1).map((t) => (
        <g key={`y${t}`}>
          <line x1={0} x2={side} y1={scale.y(t)} y2={scale.y(t)} class={t === 0 ? "zero" : ""} />
          <text x={4} y={scale.y(t) - 4}>
            {t}
          </text>
        </g>
      ))}
      <text x={side - 6} y={side - 20} text-anchor="end" class="name">
        {document.axes[0]}
      </text>
      <text x={20} y={18} class="name">
        {document.axes[1]}
      </text>
    </g>
  );
}

// f(x) of a regression, and its tube.
function Curve({ document, fit, scale }: { document: Document; fit: FitReply; scale: Scale }) {
  const curve = fit.arrays.curve;
  if (!curve) return null;
  const [x0, x1] = document.view;
  const at = (shift: number) => {
    const flat: number[] = [];
    for (let i = 0; i < curve.length; ++i) flat.push(x0 + ((x1 - x0) * i) / (curve.length - 1), curve[i] + shift);
    return flat;
  };
  const width = fit.epsilon;
  const band = width !== undefined ? [...pairs(at(width)), ...pairs(at(-width)).reverse()].flat() : [];
  return (
    <g>
      {width !== undefined && <path d={pathOf(band, scale) + "Z"} class="tube" />}
      <path d={pathOf(at(0), scale)} class="curve" />
    </g>
  );
}
const pairs = (flat: number[]) => Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]);

function Lines({ document, fit, shown, scale }: { document: Document; fit: FitReply | null; shown: Shown | null; scale: Scale }) {
  if (shown)
    return (
      <g>
        <path d={pathOf(shown.margins, scale)} class="margin" />
        <path d={pathOf(shown.border, scale)} class="border" />
      </g>
    );
  if (!fit) return null;
  return (
    <g>
      <path d={pathOf(fit.arrays.levels, scale)} class="level" />
      <path d={pathOf(fit.arrays.margins, scale)} class="margin" />
      <path d={pathOf(fit.arrays.border, scale)} class="border" />
      <Curve document={document} fit={fit} scale={scale} />
    </g>
  );
}

// Lines from where *why* was asked to those who weigh most there.
function Reasons({ document, scale }: { document: Document; scale: Scale }) {
  const [place, why, dark] = [useStore((s) => s.place), useStore((s) => s.why), useStore((s) => s.dark)];
  if (!place || !why) return null;
  const [px, py] = [scale.x(place[0]), scale.y(place[1])];
  const terms = why.functions?.[0]?.terms ?? why.neighbours?.map((n) => ({ row: n.row, value: 1 })) ?? [];
  const most = Math.max(1e-12, ...terms.map((t) => Math.abs(t.value)));
  return (
    <g class="reasons">
      {terms.slice(0, 12).map((t) => {
        const p = document.points[t.row];
        if (!p) return null;
        const weight = Math.abs(t.value) / most;
        return (
          <line key={t.row} x1={px} y1={py} x2={scale.x(p.x)} y2={scale.y(p.y)} stroke={css(palette(dark)[p.c % 6])} stroke-width={0.8 + 4 * weight} opacity={0.25 + 0.6 * weight} />
        );
      })}
      <path d={`M${px - 9} ${py}H${px + 9}M${px} ${py - 9}V${py + 9}`} class="place" />
    </g>
  );
}

export function nearest(document: Document, scale: Scale, px: number, py: number, reach: number): number {
  let [best, found] = [reach * reach, -1];
  document.points.forEach((p, i) => {
    const d = (scale.x(p.x) - px) ** 2 + (scale.y(p.y) - py) ** 2;
    if (d < best) [best, found] = [d, i];
  });
  return found;
}

// The hand: draws, drags, erases, asks. One finger does; a second one means to zoom, and what the first has begun is
// taken back.
function useHand(svg: preact.RefObject<SVGSVGElement>, scale: Scale) {
  const drag = useRef<{ pointer: number; which: number; moved: boolean; support: boolean } | null>(null);
  const abandon = () => {
    drag.current = null;
    abandonGesture();
  };
  const where = (event: PointerEvent): [number, number] => {
    const box = svg.current!.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * side, ((event.clientY - box.top) / box.height) * side];
  };
  const reach = (event: PointerEvent) => (event.pointerType === "touch" ? 22 : 13);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (drag.current) return abandon();
      if (event.button > 2 || !event.isPrimary) return;
      const [px, py] = where(event);
      const { document, tool, fit } = store.state;
      const hit = nearest(document, scale, px, py, reach(event));
      const asks = tool === "ask" || event.button === 2 || event.shiftKey;
      if (asks) return void askWhy(...scale.place(px, py));
      if (tool === "erase") {
        if (hit >= 0) erasePoint(hit);
        return;
      }
      beginGesture();
      svg.current?.setPointerCapture(event.pointerId);
      if (hit < 0) addPoint(...scale.place(px, py));
      const which = hit < 0 ? store.state.document.points.length - 1 : hit;
      drag.current = { pointer: event.pointerId, which, moved: hit < 0, support: (fit?.arrays.case?.[which] ?? 0) > 0 };
      store.set({ hover: which });
    },
    onPointerMove: (event: PointerEvent) => {
      const [px, py] = where(event);
      const now = drag.current;
      if (!now) {
        const hover = nearest(store.state.document, scale, px, py, reach(event));
        if (hover !== store.state.hover) store.set({ hover, partner: -1 });
        return;
      }
      if (event.pointerId !== now.pointer) return;
      const p = store.state.document.points[now.which];
      if (!p || (!now.moved && Math.hypot(scale.x(p.x) - px, scale.y(p.y) - py) < 4)) return;
      now.moved = true;
      const inside = (v: number) => Math.min(side - 1, Math.max(1, v));
      movePoint(now.which, ...scale.place(inside(px), inside(py)));
    },
    onPointerUp: (event: PointerEvent) => {
      const now = drag.current;
      if (now?.pointer !== event.pointerId) return;
      drag.current = null;
      endGesture();
      if (now.moved) {
        did("drag");
        if (now.support) did("drag:support");
      } else {
        const p = store.state.document.points[now.which];
        store.set({ selected: now.which });
        const kind = store.state.fit?.arrays.case?.[now.which];
        if (kind === 2) did("select:bound");
        if (p) void askWhy(p.x, p.y);
      }
    },
    onPointerCancel: (event: PointerEvent) => {
      if (drag.current?.pointer === event.pointerId) abandon();
    },
    onPointerLeave: () => store.set({ hover: -1 }),
  };
}

// The keyboard: a cursor moved by arrows, and letters for what the hand does.
function useKeys(scale: Scale) {
  const [cursor, setCursor] = useState<[number, number] | null>(null);
  const grabbed = useRef(-1);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = cursor ?? [side / 2, side / 2];
    const step = event.shiftKey ? 40 : 10;
    const moves: Record<string, [number, number]> = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    const { document } = store.state;
    const near = nearest(document, scale, at[0], at[1], 16);
    const move = moves[event.key];
    if (move) {
      const next: [number, number] = [Math.min(side, Math.max(0, at[0] + move[0])), Math.min(side, Math.max(0, at[1] + move[1]))];
      setCursor(next);
      if (grabbed.current >= 0) movePoint(grabbed.current, ...scale.place(...next));
      else store.set({ hover: nearest(document, scale, next[0], next[1], 16) });
    } else if (event.key === "Enter") addPoint(...scale.place(...at));
    else if (event.key === " ") {
      if (grabbed.current >= 0) {
        grabbed.current = -1;
        endGesture();
        did("drag");
      } else if (near >= 0) {
        beginGesture();
        grabbed.current = near;
      }
    } else if (event.key === "Delete" || event.key === "Backspace") {
      if (near >= 0) erasePoint(near);
    } else if (event.key === "w" || event.key === "?") void askWhy(...scale.place(...at));
    else if (/^[1-6]$/.test(event.key)) store.set({ brush: Number(event.key) - 1 });
    else if (event.key === "z" && (event.ctrlKey || event.metaKey)) (event.shiftKey ? redo : undo)();
    else return;
    event.preventDefault();
    setCursor((c) => c ?? at);
  };
  return { cursor, onKeyDown, onBlur: () => setCursor(null) };
}

// What a point under the pointer is to the fit, beside it.
function Tip({ document, fit, scale }: { document: Document; fit: FitReply; scale: Scale }) {
  const t = useTexts();
  const hover = useStore((s) => s.hover);
  const fresh = useStore((s) => s.fitOf?.points.length === s.document.points.length);
  const p = document.points[hover];
  const a = fit.arrays;
  if (!p || !fresh) return null;
  const lines: string[] = [];
  if (a.alpha) {
    lines.push(`α = ${short(a.alpha[hover])}   ξ = ${short(a.slack[hover])}`);
    if (fit.problems?.length === 1) {
      const all = a[fit.problems[0].name];
      for (let i = 0; i < all.length; i += 8) if (all[i] === hover) lines.push(`y·f = ${short(all[i + 3])}`);
    }
    lines.push(t.cases[(["zero", "free", "bound"] as const)[a.case[hover]]]);
  } else if (a.coef) lines.push(`${t.coefficient} ${short(a.coef[hover])}`);
  if (a.cluster) lines.push(`${t.cluster} ${a.cluster[hover] + 1}`);
  if (a.said && document.target === "values") lines.push(`${t.residual} ${short(p.y - a.said[hover])}`);
  if (lines.length === 0) return null;
  const [x, y] = [scale.x(p.x) / side, scale.y(p.y) / side];
  const style = { [x < 0.6 ? "left" : "right"]: `calc(${100 * (x < 0.6 ? x : 1 - x)}% + 16px)`, [y < 0.8 ? "top" : "bottom"]: `calc(${100 * (y < 0.8 ? y : 1 - y)}% - 10px)` };
  return (
    <div class="tip" style={style} aria-hidden="true">
      {lines.map((line) => (
        <div key={line}>{line}</div>
      ))}
    </div>
  );
}

export function Plane() {
  const t = useTexts();
  const document = useStore((s) => s.document);
  const fit = useStore((s) => (s.document.target === s.fitOf?.target ? s.fit : null));
  const method = useStore((s) => s.fitOf?.method ?? "");
  const shown = useStore((s) => s.shown);
  const dark = useStore((s) => s.dark);
  const canvas = useRef<HTMLCanvasElement>(null);
  const svg = useRef<SVGSVGElement>(null);
  const scale = scaleOf(document.view);
  const hand = useHand(svg, scale);
  const keys = useKeys(scale);

  useEffect(() => {
    const surface = canvas.current!;
    const image = shown ? functionRaster(shown.f, dark) : fit && document.target === "classes" ? rasterOf(fit, method, dark) : null;
    const context = surface.getContext("2d")!;
    if (!image) return context.clearRect(0, 0, surface.width, surface.height);
    if (surface.width !== image.width) surface.width = surface.height = image.width;
    context.putImageData(image, 0, 0);
  }, [fit, shown, dark, method]);

  return (
    <div class="plane">
      <canvas ref={canvas} width={200} height={200} aria-hidden="true" />
      <svg ref={svg} id="plane" viewBox={`0 0 ${side} ${side}`} tabIndex={0} role="application" aria-roledescription={t.plane_role} aria-label={t.plane_label} aria-describedby="plane-help" {...hand} onContextMenu={(event) => event.preventDefault()} onKeyDown={keys.onKeyDown} onBlur={keys.onBlur}>
        <Axes document={document} scale={scale} />
        <Lines document={document} fit={fit} shown={shown} scale={scale} />
        <Reasons document={document} scale={scale} />
        <Points document={document} scale={scale} />
        {keys.cursor && <path d={`M${keys.cursor[0] - 14} ${keys.cursor[1]}h28M${keys.cursor[0]} ${keys.cursor[1] - 14}v28`} class="cursor" />}
      </svg>
      {fit && !shown && <Tip document={document} fit={fit} scale={scale} />}
      <p id="plane-help" class="hidden">
        {t.plane_help}
      </p>
    </div>
  );
}
